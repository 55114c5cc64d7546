import assert from "node:assert/strict";
import type { ReceivedAnswer, TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { callPayments, payRequest, type TestWallet } from "../start/test-stack.ts";

/** A shop at its gateway, with a buyer who pays. */
export interface Till {
  readonly url: string;
  readonly merchant: TestMerchant;
  readonly wallet: TestWallet;
}

let payments = 0;

/** Takes a payment in euro, has the buyer approve it, and waits until it has succeeded. */
export async function takePayment(
  { url, merchant, wallet }: Till,
  value: string,
  paymentMethodType = "GCASH",
): Promise<string> {
  payments += 1;
  const paymentAmount = { currency: "EUR", value };
  const more = { paymentAmount, paymentMethod: { paymentMethodType } };
  const { json } = await callPayments(url, merchant, "pay", payRequest(`paid-${payments}`, more));
  const paymentId = String(json["paymentId"]);
  const approved = await wallet.control(paymentId, "approve");
  assert.equal(approved.status, 200, approved.text);
  await eventually(
    10_000,
    () => callPayments(url, merchant, "inquiryPayment", { paymentId }),
    ({ json: found }) => found["paymentStatus"] === "SUCCESS",
  );
  return paymentId;
}

/** A request of `refund` that lacks nothing. */
export function refundRequest(
  refundRequestId: string,
  paymentId: string,
  value: string,
  more: object = {},
): object {
  return { refundRequestId, paymentId, refundAmount: { currency: "EUR", value }, ...more };
}

/** As a merchant does who wants to know: the same request again for as long as the answer is `U`. */
export async function refundPatiently(
  { url, merchant }: Pick<Till, "url" | "merchant">,
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
