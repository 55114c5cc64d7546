import { setTimeout as waitMs } from "node:timers/promises";
import { call, type ReceivedAnswer, type TestMerchant } from "../start/test-gateway.ts";
import { tillRequest } from "../start/test-stack.ts";

/** What a till ends with. Only on `paid` does the buyer leave with the goods. */
export type TillEnd = "paid" | "not paid" | "cancelled" | "nobody knows";

export interface TillOptions {
  readonly url: string;
  readonly merchant: TestMerchant;
  /** How much faster than a real one it asks. It cancels in a third of that hurry: a busy gateway takes its time as well. */
  readonly hurry: number;
}

const inquiryGapsSeconds = [2, 3, 3, 5, 5, 5, 5, 5, 5];
const cancelGapsSeconds = [2, 3, 3, 5, 5];
const answerWithinMs = 5_000;

/**
 * A point of sale as they are: pays, asks when it does not know, cancels when nobody tells, and tells its cashier when
 * even that is not known. It never starts another payment by itself.
 */
export async function runTill(
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

/** Undefined as long as it has to ask on. */
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

/** Undefined when there was no answer in time. */
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
