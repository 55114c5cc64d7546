import type { CommandArguments } from "../../../server/src/operators/framework/command.ts";
import { examineSignature } from "./examine-signature.ts";
import { parsePublicKey, readKeyFile } from "./key-files.ts";
import { findCaller } from "./configured-gateway.ts";
import { readMessage } from "./recorded-message.ts";

/** Prints whether the gateway signed a response or a webhook, or the reason why not. */
export async function verify(args: CommandArguments): Promise<void> {
  const message = await readMessage(args);
  const configured = (await findCaller(args.value("folder")))?.caller;
  const file = args.value("key");
  if (file === undefined && !configured?.gatewayPublicKey)
    throw new Error(
      "--key FILE is missing: the gateway's public key; no `tollgate dev` runs in this folder.",
    );
  const key =
    file === undefined ? parsePublicKey(configured?.gatewayPublicKey ?? "") : await readKeyFile(file);
  const ownKeys = configured?.privateKey
    ? [{ key: parsePublicKey(configured.privateKey), explanation: ownKeyMessage, isMerchantKey: false }]
    : [];
  const finding = examineSignature(message, key, ownKeys, "receiver", configured?.clientId);
  process.stdout.write(args.has("json") ? `${JSON.stringify(finding)}\n` : `${finding.says}\n`);
  if (!finding.holds) process.exitCode = 1;
}

const ownKeyMessage =
  "This was made with your own private key instead of the gateway's: it is a request of yours.";
