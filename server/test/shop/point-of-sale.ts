import { setTimeout as waitMs } from "node:timers/promises";
import { call, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { inStorePayRequest } from "../start/test-stack.ts";

/** Final outcomes at a point of sale. Only on `paid` does the buyer leave with the goods. */
export type PointOfSaleOutcome = "paid" | "not paid" | "cancelled" | "unknown";

export interface PointOfSaleOptions {
  readonly url: string;
  readonly merchant: TestMerchant;
  /**
   * How many times faster than a real point of sale it polls. It shortens the wait before a cancel only by a third of
   * this factor, because a busy gateway takes time, too.
   */
  readonly speedFactor: number;
}

const inquiryGapsSeconds = [2, 3, 3, 5, 5, 5, 5, 5, 5];
const cancelGapsSeconds = [2, 3, 3, 5, 5];
const answerWithinMs = 5_000;

/**
 * A point of sale: it pays, polls an unknown outcome, cancels if polling gives no result, and warns its cashier if even
 * the cancel has an unknown outcome. It never starts another payment by itself.
 */
export async function runPointOfSale(
  options: PointOfSaleOptions,
  { paymentRequestId, paymentCode }: { readonly paymentRequestId: string; readonly paymentCode: string },
): Promise<PointOfSaleOutcome> {
  const paymentMethod = { paymentMethodType: "CONNECT_WALLET", paymentMethodId: paymentCode };
  const paid = await request(
    options,
    "pay",
    inStorePayRequest(paymentRequestId, "PaymentCode", { paymentMethod }),
  );
  if (statusOf(paid) === "S") return "paid";
  if (statusOf(paid) === "F") return "not paid";
  for (const seconds of inquiryGapsSeconds) {
    await waitMs((seconds * 1_000) / options.speedFactor);
    const end = outcomeOf(await request(options, "inquiryPayment", { paymentRequestId }));
    if (end) return end;
  }
  return cancel(options, paymentRequestId);
}

/** Returns the final outcome in a response, or undefined if the point of sale must continue polling. */
function outcomeOf(answer: ReceivedAnswer | undefined): PointOfSaleOutcome | undefined {
  if (statusOf(answer) !== "S") return undefined;
  switch (answer?.json["paymentStatus"]) {
    case "SUCCESS":
      return "paid";
    case "FAIL":
      return "not paid";
    case "CANCELLED":
      return "cancelled";
    default:
      return undefined;
  }
}

async function cancel(options: PointOfSaleOptions, paymentRequestId: string): Promise<PointOfSaleOutcome> {
  for (const seconds of [0, ...cancelGapsSeconds]) {
    await waitMs((seconds * 3_000) / options.speedFactor);
    if (statusOf(await request(options, "cancel", { paymentRequestId })) === "S") return "cancelled";
  }
  return "unknown";
}

function statusOf(answer: ReceivedAnswer | undefined): string | undefined {
  return answer?.status === 200 ? answer.json.result["resultStatus"] : undefined;
}

/** Sends a request, and returns undefined if there was no response in time. */
async function request(
  { url, merchant }: PointOfSaleOptions,
  verb: string,
  body: object,
): Promise<ReceivedAnswer | undefined> {
  const response = call(url, merchant, {
    path: `/ams/api/v1/payments/${verb}`,
    body: JSON.stringify(body),
  }).catch(() => undefined);
  const timer = new AbortController();
  const timeout = waitMs(answerWithinMs, undefined, { signal: timer.signal }).catch(() => undefined);
  const answer = await Promise.race([response, timeout]);
  timer.abort();
  return answer;
}
