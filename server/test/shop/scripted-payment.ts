import {
  orderResponse,
  paidOrder,
  refundResponse,
  startScriptedProvider,
  type ScriptedProvider,
} from "../start/scripted-provider.ts";
import type { TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { callPayments, payRequest } from "../start/test-stack.ts";

/** A provider that opens every order, and makes every refund at once. */
export function startAcceptingProvider(name: string): Promise<ScriptedProvider> {
  return startScriptedProvider(name, ({ verb, fields }) =>
    verb === "refund" ? refundResponse(fields) : orderResponse(fields.reference, "OPEN"),
  );
}

/** A payment of `payRequest` that the provider has reported as paid; returns its id. */
export async function createPaidPayment(
  url: string,
  merchant: TestMerchant,
  provider: ScriptedProvider,
  paymentRequestId: string,
): Promise<string> {
  const { json } = await callPayments(url, merchant, "pay", payRequest(paymentRequestId));
  const subjectId = String(json["paymentId"]);
  const submitted = await eventually(
    5_000,
    async () =>
      provider.requests.find(({ verb, fields }) => verb === "submit" && fields["paymentId"] === subjectId),
    (request) => request !== undefined,
  );
  const reference = submitted?.fields.reference ?? "";
  const content = { eventId: paymentRequestId, reference, order: paidOrder(reference) };
  const callback = await provider.sendCallback(url, { clientId: merchant.clientId, subjectId }, content);
  if (callback.json.result["resultCode"] !== "SUCCESS") throw new Error(callback.text);
  return subjectId;
}
