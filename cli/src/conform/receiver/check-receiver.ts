import { resolve } from "node:path";
import type { CommandArguments } from "../../../../server/src/operators/framework/command.ts";
import { findRunning } from "../../running-file.ts";
import type { PreparedCheck } from "../prepared-check.ts";
import { createKey, readSigningKey } from "../signer.ts";
import { parseHttpUrl } from "../parse-http-url.ts";
import { parseWholeNumber } from "../../../../server/src/operators/framework/parse-whole-number.ts";
import { forgedCases } from "./forged-cases.ts";
import { aftermathCases, hostileCases } from "./hostile-cases.ts";
import type { ReceiverContext } from "./receiver-context.ts";
import { repeatCases } from "./repeat-cases.ts";
import {
  orderEffectCases,
  responseFormCases,
  validWebhookCases,
  otherFormCases,
} from "./valid-webhook-cases.ts";

/** Sends valid and forged webhooks to a merchant's endpoint, signed with a key that the endpoint uses for the test. */
export async function checkReceiver(
  args: CommandArguments,
  url: URL,
): Promise<PreparedCheck<ReceiverContext>> {
  const running = await findRunning(resolve(args.value("folder") ?? ".tollgate"));
  const clientId =
    args.value("client-id") ?? process.env["TOLLGATE_CLIENT_ID"] ?? running?.clientId ?? "CONFORM_MERCHANT";
  const keyFile = args.value("private-key") ?? "tollgate-conform.pem";
  const privateKey = await readSigningKey(
    keyFile,
    (publicFile) =>
      `Start your receiver with it as the gateway's public key, and with the client id ${clientId} ` +
      `(TOLLGATE_GATEWAY_PUBLIC_KEY_FILE=${publicFile} TOLLGATE_CLIENT_ID=${clientId}). Then run this command again.`,
  );
  const ordersUrl = args.value("orders-url");
  const context: ReceiverContext = {
    url,
    signer: {
      clientId,
      privateKey,
      keyVersion: parseWholeNumber(args, "key-version", [0, 2 ** 31 - 1]) ?? 1,
    },
    unknownKey: await createKey(),
    ordersUrl: ordersUrl === undefined ? undefined : parseHttpUrl(ordersUrl),
    answers: [],
    forgedStatuses: [],
  };
  return {
    about: `The receiver at ${url.href}, called as the gateway calls client ${clientId}, signed with ${keyFile}.`,
    groups: [
      validWebhookCases,
      otherFormCases,
      orderEffectCases,
      responseFormCases,
      repeatCases,
      forgedCases,
      hostileCases,
      aftermathCases,
    ],
    context,
    stop: async () => undefined,
  };
}
