import type { Answer } from "./call.ts";
import { codeFacts } from "./errors.ts";
import type { Amount, InquiryPaymentResponse, PayResponse } from "./generated/models.ts";

/** What names a payment, as far as answers have told. */
export interface TillIds {
  /** Your own id: whatever became of the payment, it is known by this one. */
  readonly paymentRequestId: string;
  readonly paymentId: string | undefined;
}

/** What every result says. */
export interface TillFacts extends TillIds {
  /** What to do now. */
  readonly advice: string;
}

/** The money was taken: hand over the goods. */
export interface Paid extends TillFacts {
  readonly outcome: "paid";
  readonly resultCode: string;
  readonly paymentTime: string | undefined;
  readonly paymentAmount: Amount | undefined;
  readonly actualPaymentAmount: Amount | undefined;
}

/** Nothing was taken, and nothing will be. */
export interface Declined extends TillFacts {
  readonly outcome: "declined";
  /** Why. */
  readonly resultCode: string;
}

/** It was called off: nothing will be taken any more. */
export interface Cancelled extends TillFacts {
  readonly outcome: "cancelled";
  readonly resultCode: string;
  readonly cancelTime: string | undefined;
  /** Whether money had been taken, and went back; undefined if nobody said. */
  readonly moneyBack: boolean | undefined;
}

/** Nobody knows, not even whether it is cancelled. Keep the id, and finish it with `finishByCode`. */
export interface Unknown extends TillFacts {
  readonly outcome: "unknown";
  /** The last that was heard, if anything was. */
  readonly resultCode: string | undefined;
  /** What came in place of the last answer. */
  readonly cause: unknown;
}

/** How a payment at a till has ended. The buyer leaves with the goods on `paid`, and on nothing else. */
export type TillResult = Paid | Declined | Cancelled | Unknown;

/** A code or a page that a buyer can pay with until `endsAt`. Pass it to `finishByCode`. */
export interface OpenCode extends TillIds {
  /** ISO 8601, by the clock of this machine. */
  readonly endsAt: string;
}

/** There is a code to show. Nothing is paid yet. */
export interface ShownOrderCode extends OpenCode {
  readonly outcome: "open";
  /** What the code says: draw it. */
  readonly codeText: string;
}

/** There is a page to send the buyer to. Nothing is paid yet. */
export interface OpenedEntryCode extends OpenCode {
  readonly outcome: "open";
  readonly redirectUrl: string;
}

/** What became of a call: an answer that is signed, or anything else, which says nothing about money. */
export interface Heard<Body> {
  readonly answer?: Answer<Body>;
  readonly code?: string | undefined;
  readonly fault?: unknown;
}

export function paid(
  ids: TillIds,
  { paymentTime, paymentAmount, actualPaymentAmount }: PayResponse | InquiryPaymentResponse,
): TillResult {
  return { outcome: "paid", ...factsOf(ids, "SUCCESS"), paymentTime, paymentAmount, actualPaymentAmount };
}

export function declined(ids: TillIds, code: string): TillResult {
  return { outcome: "declined", ...factsOf(ids, code) };
}

/** `asked` is what an inquiry said afterwards: only that tells whether there was money to give back. */
export function cancelled(
  ids: TillIds,
  cancelTime: string | undefined,
  asked: InquiryPaymentResponse | undefined,
): TillResult {
  const moneyBack = asked && (asked.paymentTime !== undefined || (asked.transactions ?? []).length > 0);
  return { outcome: "cancelled", ...factsOf(ids, "ORDER_IS_CANCELED"), cancelTime, moneyBack };
}

export function unknown(ids: TillIds, { code: resultCode, fault: cause }: Heard<unknown>): TillResult {
  const advice = "Keep the goods and the id, and call finishByCode with it until it says something else.";
  return { outcome: "unknown", ...ids, resultCode, advice, cause };
}

/** The end that an inquiry tells; undefined as long as there is none. */
export function endOf(ids: TillIds, { answer }: Heard<InquiryPaymentResponse>): TillResult | undefined {
  if (!answer?.isSuccess) return undefined;
  const { paymentStatus, paymentResultCode = "PROCESS_FAIL" } = answer;
  if (paymentStatus === "SUCCESS" && !isGoingBack(answer)) return paid(ids, answer);
  if (paymentStatus === "FAIL") return declined(ids, paymentResultCode);
  if (paymentStatus === "CANCELLED") return cancelled(ids, undefined, answer);
  return undefined;
}

/** A cancel is under way: the payment is called paid until its wallet has confirmed that it is not any more. */
function isGoingBack({ transactions = [] }: InquiryPaymentResponse): boolean {
  return transactions.some(
    ({ transactionType, transactionStatus }) =>
      transactionType === "CANCEL" && transactionStatus === "PROCESSING",
  );
}

function factsOf(ids: TillIds, resultCode: string): TillFacts & { readonly resultCode: string } {
  return { ...ids, resultCode, advice: codeFacts(resultCode)?.advice ?? "" };
}
