import type { Answer } from "./call.ts";
import { codeFacts } from "./errors.ts";
import type { Amount, InquiryPaymentResponse, PayResponse } from "./generated/models.ts";

/** The ids of a payment that are known so far. */
export interface TillIds {
  /** Your own id of the payment. It identifies the payment whatever the outcome. */
  readonly paymentRequestId: string;
  readonly paymentId: string | undefined;
}

/** The fields of every result. */
export interface TillFacts extends TillIds {
  /** The recommended action. */
  readonly advice: string;
}

/** The payment succeeded: hand over the goods. */
export interface Paid extends TillFacts {
  readonly outcome: "paid";
  readonly resultCode: string;
  readonly paymentTime: string | undefined;
  readonly paymentAmount: Amount | undefined;
  readonly actualPaymentAmount: Amount | undefined;
}

/** The payment failed: no money was taken, and none will be. */
export interface Declined extends TillFacts {
  readonly outcome: "declined";
  /** The reason. */
  readonly resultCode: string;
}

/** The payment was cancelled: no money will be taken. */
export interface Cancelled extends TillFacts {
  readonly outcome: "cancelled";
  readonly resultCode: string;
  readonly cancelTime: string | undefined;
  /** Whether money had been taken and is returned; undefined if this is unknown. */
  readonly moneyBack: boolean | undefined;
}

/**
 * The outcome is unknown, and so is whether the payment is cancelled. Keep the id, and finish the payment
 * with `finishByCode`.
 */
export interface Unknown extends TillFacts {
  readonly outcome: "unknown";
  /** The last result code, if there was a response. */
  readonly resultCode: string | undefined;
  /** The error that occurred instead of the last response. */
  readonly cause: unknown;
}

/** The result of a payment at a point of sale. Hand over the goods only on `paid`. */
export type TillResult = Paid | Declined | Cancelled | Unknown;

/** A code or page with which a buyer can pay until `endsAt`. Pass it to `finishByCode`. */
export interface OpenCode extends TillIds {
  /** The time of expiry in ISO 8601, by the clock of this machine. */
  readonly endsAt: string;
}

/** A code to show to the buyer. The payment is not paid yet. */
export interface ShownOrderCode extends OpenCode {
  readonly outcome: "open";
  /** The content of the code to draw. */
  readonly codeText: string;
}

/** A page for the buyer to open. The payment is not paid yet. */
export interface OpenedEntryCode extends OpenCode {
  readonly outcome: "open";
  readonly redirectUrl: string;
}

/** The outcome of a call: a signed response, or a failure, which contains no information about money. */
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

/**
 * `asked` is the result of the inquiry after the cancel. Only this inquiry shows whether money is returned.
 */
export function cancelled(
  ids: TillIds,
  cancelTime: string | undefined,
  asked: InquiryPaymentResponse | undefined,
): TillResult {
  const moneyBack = asked && (asked.paymentTime !== undefined || (asked.transactions ?? []).length > 0);
  return { outcome: "cancelled", ...factsOf(ids, "ORDER_IS_CANCELED"), cancelTime, moneyBack };
}

export function unknown(ids: TillIds, { code: resultCode, fault: cause }: Heard<unknown>): TillResult {
  const advice = "Keep the goods and the id. Call finishByCode with the id until the outcome is known.";
  return { outcome: "unknown", ...ids, resultCode, advice, cause };
}

/** The final outcome in an inquiry; undefined as long as there is none. */
export function endOf(ids: TillIds, { answer }: Heard<InquiryPaymentResponse>): TillResult | undefined {
  if (!answer?.isSuccess) return undefined;
  const { paymentStatus, paymentResultCode = "PROCESS_FAIL" } = answer;
  if (paymentStatus === "SUCCESS" && !isGoingBack(answer)) return paid(ids, answer);
  if (paymentStatus === "FAIL") return declined(ids, paymentResultCode);
  if (paymentStatus === "CANCELLED") return cancelled(ids, undefined, answer);
  return undefined;
}

/** A cancel is in progress: the payment stays paid until its payment provider has confirmed the reversal. */
function isGoingBack({ transactions = [] }: InquiryPaymentResponse): boolean {
  return transactions.some(
    ({ transactionType, transactionStatus }) =>
      transactionType === "CANCEL" && transactionStatus === "PROCESSING",
  );
}

function factsOf(ids: TillIds, resultCode: string): TillFacts & { readonly resultCode: string } {
  return { ...ids, resultCode, advice: codeFacts(resultCode)?.advice ?? "" };
}
