import { resolve } from "node:path";
import type { Given } from "../../../../server/src/operators/framework/command.ts";
import { findRunning } from "../../running.ts";
import type { Checking } from "../checking.ts";
import { newKey, readSigningKey } from "../signer.ts";
import { addressIn } from "../address-in.ts";
import { wholeNumber } from "../../../../server/src/operators/framework/whole-number.ts";
import { forged } from "./forged-cases.ts";
import { afterwards, hostile } from "./hostile-cases.ts";
import type { ReceiverWorld } from "./receiver-world.ts";
import { repeats } from "./repeat-cases.ts";
import { effects, form, rightOnes, writtenOtherwise } from "./valid-webhook-cases.ts";

/** Sends valid and forged webhooks to a merchant's endpoint, signed with a key that the endpoint uses for the test. */
export async function checkReceiver(given: Given, url: URL): Promise<Checking<ReceiverWorld>> {
  const running = await findRunning(resolve(given.value("folder") ?? ".tollgate"));
  const clientId =
    given.value("client-id") ?? process.env["TOLLGATE_CLIENT_ID"] ?? running?.clientId ?? "CONFORM_MERCHANT";
  const keyFile = given.value("private-key") ?? "tollgate-conform.pem";
  const privateKey = await readSigningKey(
    keyFile,
    (publicFile) =>
      `Start your receiver with it as the gateway's public key, and with the client id ${clientId} ` +
      `(TOLLGATE_GATEWAY_PUBLIC_KEY_FILE=${publicFile} TOLLGATE_CLIENT_ID=${clientId}). Then run this command again.`,
  );
  const ordersUrl = given.value("orders-url");
  const world: ReceiverWorld = {
    url,
    signer: { clientId, privateKey, keyVersion: wholeNumber(given, "key-version", [0, 2 ** 31 - 1]) ?? 1 },
    otherKey: await newKey(),
    ordersUrl: ordersUrl === undefined ? undefined : addressIn(ordersUrl),
    answers: [],
    forgedStatuses: [],
  };
  return {
    about: `The receiver at ${url.href}, called as the gateway calls client ${clientId}, signed with ${keyFile}.`,
    groups: [rightOnes, writtenOtherwise, effects, form, repeats, forged, hostile, afterwards],
    world,
    stop: async () => undefined,
  };
}
