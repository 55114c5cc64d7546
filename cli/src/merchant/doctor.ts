import { styleText } from "node:util";
import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { checkSettings, type Check } from "./check-settings.ts";
import { examineSignature } from "./examine-signature.ts";
import { parsePublicKey, readKeyFile, readKeyFiles } from "./key-files.ts";
import { findCaller } from "./configured-gateway.ts";
import { readMessage } from "./recorded-message.ts";

/** Diagnoses a request whose signature was rejected; without one, it checks the settings by calling the gateway. */
export async function doctor(args: CommandArguments): Promise<void> {
  const otherKeys = await readKeyFiles(args.value("other-keys"));
  const configured = await findCaller(args.value("folder"));
  if (args.value("headers") === undefined) {
    if (!configured)
      throw new Error("Nothing to check: no gateway is configured here, and --headers FILE is missing.");
    return printChecks(args, await checkSettings(configured.caller, otherKeys));
  }
  const message = await readMessage(args);
  const file = args.value("key");
  const ownPrivateKey = file === undefined ? configured?.caller.privateKey : undefined;
  if (file === undefined && !ownPrivateKey)
    throw new UsageError("--key FILE is missing: your signing key, private or public.");
  const key = file === undefined ? parsePublicKey(ownPrivateKey ?? "") : await readKeyFile(file);
  const gatewayPublicKey = configured?.caller.gatewayPublicKey;
  const finding = examineSignature(
    message,
    key,
    [
      ...[...otherKeys].map(([name, each]) => ({
        key: each,
        explanation: otherKeyMessage(name),
        isMerchantKey: true,
      })),
      ...(gatewayPublicKey
        ? [{ key: parsePublicKey(gatewayPublicKey), explanation: gatewayKeyMessage, isMerchantKey: false }]
        : []),
    ],
    "sender",
  );
  const name = finding.holds ? "The signature is correct" : "The signature is wrong";
  printChecks(args, [{ name, isRight: finding.holds, says: finding.says }]);
}

function otherKeyMessage(file: string): string {
  return `This was made with the key of ${file}: sign with the other key, or send the key version of this one.`;
}

const gatewayKeyMessage = "This was made with the gateway's own key: sign your requests with your own.";

function printChecks(args: CommandArguments, checks: readonly Check[]): void {
  if (args.has("json")) process.stdout.write(`${JSON.stringify(checks)}\n`);
  else for (const check of checks) process.stdout.write(formatCheck(check));
  if (checks.some(({ isRight }) => !isRight)) process.exitCode = 1;
}

function formatCheck({ name, isRight, says }: Check): string {
  const mark = isRight ? styleText("green", "right") : styleText("red", "wrong");
  return `${mark}  ${name}: ${says}\n`;
}
