import { setTimeout as waitMs } from "node:timers/promises";
import { call, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { tillRequest } from "../start/test-stack.ts";

/** Final outcomes at a point of sale. Only on `paid` does the buyer leave with the goods. */
export type TillEnd = "paid" | "not paid" | "cancelled" | "nobody knows";

export interface TillOptions {
  readonly url: string;
  readonly merchant: TestMerchant;
  /**
   * How many times faster than a real point of sale it polls. It shortens the wait before a cancel only by a third of
   * this factor, because a busy gateway takes time, too.
   */
  readonly hurry: number;
}

const inquiryGapsSeconds = [2, 3, 3, 5, 5, 5, 5, 5, 5];
const cancelGapsSeconds = [2, 3, 3, 5, 5];
const answerWithinMs = 5_000;

/**
 * A point of sale: it pays, polls an unknown outcome, cancels if polling gives no result, and warns its cashier if even
 * the cancel has an unknown outcome. It never starts another payment by itself.
 */
export async function runPointOfSale(
  options: TillOptions,
  { paymentRequestId, paymentCode }: { readonly paymentRequestId: string; readonly paymentCode: string },
): Promise<TillEnd> {
  const paymentMethod = { paymentMethodType: "CONNECT_WALLET", paymentMethodId: paymentCode };
  const paid = await ask(options, "pay", tillRequest(paymentRequestId, "PaymentCode", { paymentMethod }));
  if (statusOf(paid) === "S") return "paid";
  if (statusOf(paid) === "F") return "not paid";
  for (const seconds of inquiryGapsSeconds) {
    await waitMs((seconds * 1_000) / options.hurry);
    const end = endOf(await ask(options, "inquiryPayment", { paymentRequestId }));
    if (end) return end;
  }
  return cancel(options, paymentRequestId);
}

/** Returns the final outcome in a response, or undefined if the point of sale must continue polling. */
function endOf(answer: ReceivedAnswer | undefined): TillEnd | undefined {
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

async function cancel(options: TillOptions, paymentRequestId: string): Promise<TillEnd> {
  for (const seconds of [0, ...cancelGapsSeconds]) {
    await waitMs((seconds * 3_000) / options.hurry);
    if (statusOf(await ask(options, "cancel", { paymentRequestId })) === "S") return "cancelled";
  }
  return "nobody knows";
}

function statusOf(answer: ReceivedAnswer | undefined): string | undefined {
  return answer?.status === 200 ? answer.json.result["resultStatus"] : undefined;
}

/** Sends a request, and returns undefined if there was no response in time. */
async function ask(
  { url, merchant }: TillOptions,
  verb: string,
  request: object,
): Promise<ReceivedAnswer | undefined> {
  const asked = call(url, merchant, {
    path: `/ams/api/v1/payments/${verb}`,
    body: JSON.stringify(request),
  }).catch(() => undefined);
  const late = new AbortController();
  const tooLate = waitMs(answerWithinMs, undefined, { signal: late.signal }).catch(() => undefined);
  const answer = await Promise.race([asked, tooLate]);
  late.abort();
  return answer;
}
