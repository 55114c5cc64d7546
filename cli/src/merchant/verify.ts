import type { Given } from "../../../server/src/operators/framework/command.ts";
import { examine } from "./examine.ts";
import { publicHalf, readKeyFile } from "./key-files.ts";
import { findCaller } from "./known-gateway.ts";
import { readMessage } from "./message.ts";

/** Prints whether the gateway signed a response or a webhook, or the reason why not. */
export async function verify(given: Given): Promise<void> {
  const message = await readMessage(given);
  const known = (await findCaller(given.value("folder")))?.caller;
  const file = given.value("key");
  if (file === undefined && !known?.gatewayPublicKey)
    throw new Error(
      "--key FILE is missing: the gateway's public key; no `tollgate dev` runs in this folder.",
    );
  const key = file === undefined ? publicHalf(known?.gatewayPublicKey ?? "") : await readKeyFile(file);
  const own = known?.privateKey ? [{ key: publicHalf(known.privateKey), says: ownKey, isYours: false }] : [];
  const finding = examine(message, key, own, "receiver", known?.clientId);
  process.stdout.write(given.has("json") ? `${JSON.stringify(finding)}\n` : `${finding.says}\n`);
  if (!finding.holds) process.exitCode = 1;
}

const ownKey = "This was made with your own private key instead of the gateway's: it is a request of yours.";
