import { resolve } from "node:path";
import type { Given } from "../../../../server/src/commands/command.ts";
import { findRunning } from "../../dev/lock.ts";
import type { Checking } from "../checking.ts";
import { newKey, readSigningKey } from "../signer.ts";
import { addressIn } from "../address-in.ts";
import { wholeNumber } from "../../../../server/src/commands/whole-number.ts";
import { forged } from "./forged-cases.ts";
import { afterwards, hostile } from "./hostile-cases.ts";
import type { ReceiverWorld } from "./receiver-world.ts";
import { repeats } from "./repeat-cases.ts";
import { effects, form, rightOnes, writtenOtherwise } from "./right-cases.ts";

/** Friendly and hostile notifications for a merchant's endpoint, signed with a key that it was given for the test. */
export async function checkReceiver(given: Given, url: URL): Promise<Checking<ReceiverWorld>> {
  const running = await findRunning(resolve(given.value("folder") ?? ".tollgate"));
  const clientId =
    given.value("client-id") ?? process.env["TOLLGATE_CLIENT_ID"] ?? running?.clientId ?? "CONFORM_MERCHANT";
  const keyFile = given.value("private-key") ?? "tollgate-conform.pem";
  const privateKey = await readSigningKey(
    keyFile,
    (publicFile) =>
      `Start your receiver with it as the gateway's public key and with the client id ${clientId} ` +
      `(TOLLGATE_GATEWAY_PUBLIC_KEY_FILE=${publicFile} TOLLGATE_CLIENT_ID=${clientId}); then run this again.`,
  );
  const ordersUrl = given.value("orders-url");
  const world: ReceiverWorld = {
    url,
    signer: { clientId, privateKey, keyVersion: wholeNumber(given, "key-version", [0, 2 ** 31 - 1]) ?? 1 },
    stranger: await newKey(),
    ordersUrl: ordersUrl === undefined ? undefined : addressIn(ordersUrl),
    answers: [],
    forgedStatuses: [],
  };
  return {
    about: `The receiver at ${url.href}, told as the gateway would tell client ${clientId}, signed with ${keyFile}.`,
    groups: [rightOnes, writtenOtherwise, effects, form, repeats, forged, hostile, afterwards],
    world,
    stop: async () => undefined,
  };
}
