import { styleText } from "node:util";
import type { Given } from "../../../server/src/operators/framework/command.ts";
import { UsageError } from "../../../server/src/core/command-errors.ts";
import { checkSettings, type Check } from "./check-settings.ts";
import { examine } from "./examine.ts";
import { publicHalf, readKeyFile, readKeyFiles } from "./key-files.ts";
import { findCaller } from "./known-gateway.ts";
import { readMessage } from "./message.ts";

/** Diagnoses a request whose signature was rejected; without one, it checks the settings by calling the gateway. */
export async function doctor(given: Given): Promise<void> {
  const others = await readKeyFiles(given.value("other-keys"));
  const known = await findCaller(given.value("folder"));
  if (given.value("headers") === undefined) {
    if (!known)
      throw new Error("Nothing to check: no gateway is configured here, and --headers FILE is missing.");
    return show(given, await checkSettings(known.caller, others));
  }
  const message = await readMessage(given);
  const file = given.value("key");
  const own = file === undefined ? known?.caller.privateKey : undefined;
  if (file === undefined && !own)
    throw new UsageError("--key FILE is missing: your signing key, private or public.");
  const key = file === undefined ? publicHalf(own ?? "") : await readKeyFile(file);
  const gateways = known?.caller.gatewayPublicKey;
  const finding = examine(
    message,
    key,
    [
      ...[...others].map(([name, each]) => ({ key: each, says: otherKey(name), isYours: true })),
      ...(gateways ? [{ key: publicHalf(gateways), says: gatewayKey, isYours: false }] : []),
    ],
    "sender",
  );
  const name = finding.holds ? "The signature is correct" : "The signature is wrong";
  show(given, [{ name, isRight: finding.holds, says: finding.says }]);
}

function otherKey(file: string): string {
  return `This was made with the key of ${file}: sign with the other key, or send the key version of this one.`;
}

const gatewayKey = "This was made with the gateway's own key: sign your requests with your own.";

function show(given: Given, checks: readonly Check[]): void {
  if (given.has("json")) process.stdout.write(`${JSON.stringify(checks)}\n`);
  else for (const check of checks) process.stdout.write(lineOf(check));
  if (checks.some(({ isRight }) => !isRight)) process.exitCode = 1;
}

function lineOf({ name, isRight, says }: Check): string {
  const mark = isRight ? styleText("green", "right") : styleText("red", "wrong");
  return `${mark}  ${name}: ${says}\n`;
}
