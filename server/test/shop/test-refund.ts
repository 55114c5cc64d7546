import assert from "node:assert/strict";
import type { ReceivedAnswer, TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { callPayments, payRequest, type TestProvider } from "../start/test-stack.ts";

/** A shop with its gateway, and a buyer who pays. */
export interface PayingShop {
  readonly url: string;
  readonly merchant: TestMerchant;
  readonly provider: TestProvider;
}

let payments = 0;

/** Requests a payment in euro, has the buyer approve it, and waits for success. */
export async function createPaidEuroPayment(
  { url, merchant, provider }: PayingShop,
  value: string,
  paymentMethodType = "GCASH",
): Promise<string> {
  payments += 1;
  const paymentAmount = { currency: "EUR", value };
  const more = { paymentAmount, paymentMethod: { paymentMethodType } };
  const { json } = await callPayments(url, merchant, "pay", payRequest(`paid-${payments}`, more));
  const paymentId = String(json["paymentId"]);
  const approved = await provider.control(paymentId, "approve");
  assert.equal(approved.status, 200, approved.text);
  await eventually(
    10_000,
    () => callPayments(url, merchant, "inquiryPayment", { paymentId }),
    ({ json: found }) => found["paymentStatus"] === "SUCCESS",
  );
  return paymentId;
}

/** A complete `refund` request. */
export function refundRequest(
  refundRequestId: string,
  paymentId: string,
  value: string,
  more: object = {},
): object {
  return { refundRequestId, paymentId, refundAmount: { currency: "EUR", value }, ...more };
}

/** Repeats the same request while the result is `U`, as a merchant does. */
export async function refundUntilFinal(
  { url, merchant }: Pick<PayingShop, "url" | "merchant">,
  body: object,
): Promise<ReceivedAnswer> {
  return eventually(
    15_000,
    () => callPayments(url, merchant, "refund", body),
    ({ json }) => json.result["resultStatus"] !== "U",
  );
}

export function resultOf({ json }: ReceivedAnswer): string {
  return String(json.result["resultCode"]);
}
