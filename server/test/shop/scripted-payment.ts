import {
  orderIs,
  paidOrder,
  refundIs,
  startScriptedWallet,
  type ScriptedWallet,
} from "../start/scripted-wallet.ts";
import type { TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { callPayments, payRequest } from "../start/test-stack.ts";

/** A wallet that opens every order, and makes every refund at once. */
export function startWillingWallet(name: string): Promise<ScriptedWallet> {
  return startScriptedWallet(name, ({ verb, fields }) =>
    verb === "refund" ? refundIs(fields) : orderIs(fields.reference, "OPEN"),
  );
}

/** A payment of `payRequest` that the wallet has reported as paid; gives its id. */
export async function paidPayment(
  url: string,
  merchant: TestMerchant,
  wallet: ScriptedWallet,
  paymentRequestId: string,
): Promise<string> {
  const { json } = await callPayments(url, merchant, "pay", payRequest(paymentRequestId));
  const subjectId = String(json["paymentId"]);
  const submitted = await eventually(
    5_000,
    async () =>
      wallet.asked.find(({ verb, fields }) => verb === "submit" && fields["paymentId"] === subjectId),
    (asked) => asked !== undefined,
  );
  const reference = submitted?.fields.reference ?? "";
  const content = { eventId: paymentRequestId, reference, order: paidOrder(reference) };
  const told = await wallet.tell(url, { clientId: merchant.clientId, subjectId }, content);
  if (told.json.result["resultCode"] !== "SUCCESS") throw new Error(told.text);
  return subjectId;
}
