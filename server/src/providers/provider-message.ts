import type { Backoff } from "../resilience/backoff.ts";
import { results, type ResultCode } from "../core/result.ts";
import type { ConnectorTerms } from "./connector.ts";
import type { MoneyMismatch, MoneyReport } from "./provider.ts";

/**
 * Waits in seconds between polls of a capture, a refund or a reversal: most providers finish it within seconds, and a
 * few take days.
 */
export const moneyBackoff: Backoff = [1, 2, 5, 15, 60, 300, 900];

/** State of the messages of one job, for example of all attempts of a refund. */
export interface SendState {
  /** When the first message may have been sent; a lower bound if a crash lost the exact time. */
  readonly firstSentAt?: Date;
  /**
   * When the last message without a response may have been sent. For a provider that is not idempotent, this time is
   * stored before the send; for others, after a request without a response.
   */
  readonly sentAt?: Date;
  /** When a process last lost the job's lease without recording whether it had sent a message. */
  readonly abandonedAt?: Date;
  /** The provider's last response that settled nothing: the code of a refusal, or of an alerted contradiction. */
  readonly lastResult?: string;
}

type Idempotence = Pick<
  ConnectorTerms,
  "idempotentByReference" | "idempotencyWindowSeconds" | "quietSeconds"
>;

/**
 * `maySend` returns whether a message may be sent or retried. A provider that is not idempotent gets the message once,
 * and then only inquiries; a provider with an idempotency window gets no message after it. After a refusal the gateway
 * sends only inquiries, too: they confirm the refusal, and a retry could change it.
 */
export function maySend(sent: SendState, terms: Idempotence, now: Date): boolean {
  if (sent.lastResult !== undefined) return false;
  if (!terms.idempotentByReference) return sent.sentAt === undefined;
  const windowEnd = idempotencyWindowEnd(sent, terms);
  return windowEnd === undefined || now < windowEnd;
}

/** The resolution of `notAfter` in the provider protocol. */
const wireTimeMs = 1000;

/**
 * Returns the last moment at which the provider certainly recognises a repeat; undefined if it always does, or if no
 * message was sent. It is before the end of the window, because a message that arrives exactly at `notAfter` still
 * counts.
 */
function idempotencyWindowEnd(
  { firstSentAt }: SendState,
  { idempotentByReference, idempotencyWindowSeconds }: Idempotence,
): Date | undefined {
  if (!idempotentByReference || idempotencyWindowSeconds === undefined || !firstSentAt) return undefined;
  return new Date(firstSentAt.getTime() + idempotencyWindowSeconds * 1000 - wireTimeMs);
}

/**
 * `inFlightSince` returns since when an earlier message may be in flight; undefined if no message can be. A process
 * that lost its lease may have sent a message. If the provider is not idempotent, `sentAt` shows this, because it was
 * stored before the send.
 */
export function inFlightSince(sent: SendState, { idempotentByReference }: Idempotence): Date | undefined {
  const { sentAt, abandonedAt } = sent;
  if (!idempotentByReference || !abandonedAt) return sentAt;
  return sentAt && sentAt > abandonedAt ? sentAt : abandonedAt;
}

/**
 * `quietTimeEnd` returns the end of the quiet time: after it, no earlier message can still take effect at the provider.
 */
function quietTimeEnd(sentAt: Date, { quietSeconds }: Idempotence): Date {
  return new Date(sentAt.getTime() + quietSeconds * 1000);
}

/**
 * `sendDeadline` returns the deadline for the provider to act on a message that is sent now, by the provider's clock.
 * The deadline is at most `latest` and the end of the idempotency window: a delayed message must not reach a provider
 * that has forgotten the message before it.
 */
export function sendDeadline(
  { now, aheadMs }: { readonly now: Date; readonly aheadMs: number },
  terms: Idempotence,
  sent: SendState = {},
  latest: Date = quietTimeEnd(now, terms),
): Date {
  const windowEnd = idempotencyWindowEnd({ firstSentAt: now, ...sent }, terms) ?? latest;
  return new Date(Math.min(latest.getTime(), windowEnd.getTime()) - aheadMs);
}

/**
 * `isQuietOver` returns whether the quiet time was over when the provider was queried, so that "not found" can be
 * believed. The query must be strictly later than the quiet time, because a provider still acts on a message that
 * arrives exactly at `notAfter`.
 */
export function isQuietOver(sentAt: Date, terms: Idempotence, calledAt: Date): boolean {
  return calledAt > quietTimeEnd(sentAt, terms);
}

/** A message with the provider's acceptance time, the earlier sends, and the start time of this request. */
export interface MessageState extends SendState {
  readonly acceptedAt: Date | undefined;
  readonly calledAt: Date;
}

/** The meaning of a provider's report of a refund or a capture. */
export type Verdict =
  | { readonly kind: "done" }
  /** The request finally failed: no money was moved, and no message in flight can move money any more. */
  | { readonly kind: "refused"; readonly resultCode: ResultCode }
  /** The provider has accepted the request: from now on the gateway polls it and does not send it. */
  | { readonly kind: "accepted" }
  /** The outcome is unknown. `pollBy` is the time at which the next poll can learn more. */
  | { readonly kind: "open"; readonly lastResult?: ResultCode; readonly pollBy?: Date }
  /** A contradiction: nothing is settled, and the gateway alerts the operator. */
  | { readonly kind: "contradiction"; readonly why: string; readonly lastResult: string };

/** A verdict that continues the job. */
export type UnsettledVerdict = Verdict & { readonly kind: "open" | "accepted" | "contradiction" };

const otherContentCode = "REPEAT_REQ_INCONSISTENT" satisfies ResultCode;

export function evaluateReport(report: MoneyReport, state: MessageState, terms: Idempotence): Verdict {
  // The provider has done something else under this reference, so no later report is about the gateway's request.
  if (state.lastResult === otherContentCode) return otherContentVerdict;
  switch (report.state) {
    case "DONE":
      return { kind: "done" };
    case "MISMATCH":
      return { kind: "contradiction", why: mismatchTexts[report.field], lastResult: mismatchResult };
    case "PROCESSING":
      return { kind: state.acceptedAt ? "open" : "accepted" };
    case "FAILED":
      return { kind: "refused", resultCode: report.resultCode };
    case "REFUSED":
      return evaluateRefusal(report.resultCode, state, terms);
    case "NOT_FOUND":
      return evaluateNotFound(state, terms);
    case "NO_QUERY":
      return evaluateNoQuery(state, terms);
  }
}

const otherContentVerdict: Verdict = {
  kind: "contradiction",
  why: "The payment provider reports another action under this reference.",
  lastResult: otherContentCode,
};

/** The `lastResult` of a job whose provider reported other content than the request. */
const mismatchResult = "MISMATCH";

const mismatchTexts: Readonly<Record<MoneyMismatch["field"], string>> = {
  amount: "The payment provider reports a capture or refund with another amount or currency.",
  reference: "The payment provider reports a capture or refund of another order.",
  moneyReference: "The payment provider reports another capture or refund than the requested one.",
};

/**
 * The verdict after a mismatch: the provider has moved money, but not as requested. A later "refused" or "not found"
 * does not prove that no money was moved. Only a report that repeats the request settles it.
 */
const deniedAfterMismatch: Verdict = {
  kind: "contradiction",
  why: "The payment provider denies a capture or refund that it reported with other content.",
  lastResult: mismatchResult,
};

function evaluateRefusal(resultCode: ResultCode, state: MessageState, terms: Idempotence): Verdict {
  if (resultCode === otherContentCode) return otherContentVerdict;
  if (state.lastResult === mismatchResult) return deniedAfterMismatch;
  if (state.acceptedAt) {
    const why = "The payment provider refuses a request that it had accepted.";
    return { kind: "contradiction", why, lastResult: resultCode };
  }
  const since = inFlightSince(state, terms);
  if (!since || isQuietOver(since, terms, state.calledAt)) return { kind: "refused", resultCode };
  // An earlier message may still be in flight, and the provider may accept that message although it refused this one.
  return { kind: "open", lastResult: resultCode, pollBy: quietTimeEnd(since, terms) };
}

function evaluateNotFound(state: MessageState, terms: Idempotence): Verdict {
  if (state.lastResult === mismatchResult) return deniedAfterMismatch;
  if (state.acceptedAt) {
    const why = "The payment provider does not know a request that it had accepted.";
    return { kind: "contradiction", why, lastResult: "NOT_FOUND" };
  }
  const since = inFlightSince(state, terms);
  if (!since) return { kind: "open" };
  if (!isQuietOver(since, terms, state.calledAt)) return { kind: "open", pollBy: quietTimeEnd(since, terms) };
  const resultCode =
    toResultCode(state.lastResult) ??
    (maySend(state, terms, state.calledAt) ? undefined : ("PROCESS_FAIL" satisfies ResultCode));
  return resultCode ? { kind: "refused", resultCode } : { kind: "open" };
}

/** How long to wait for the callback about an accepted request before the operator is alerted. */
const callbackWaitMs = 24 * 3600 * 1000;

/**
 * The provider does not answer this inquiry, so the job waits for a callback. If the message must not be sent again, or
 * no callback about an accepted one comes, the operator has to find out what the provider did.
 */
function evaluateNoQuery(state: MessageState, terms: Idempotence): Verdict {
  const { acceptedAt, calledAt, lastResult } = state;
  if (lastResult === mismatchResult) return { kind: "open" };
  const since = inFlightSince(state, terms);
  if (!acceptedAt && since && !isQuietOver(since, terms, calledAt))
    return { kind: "open", pollBy: quietTimeEnd(since, terms) };
  const isExpected = acceptedAt ? calledAt.getTime() - acceptedAt.getTime() < callbackWaitMs : !since;
  if (isExpected) return { kind: "open" };
  const why = acceptedAt
    ? "The payment provider has no inquiry for a request that it had accepted, and has sent no callback for a day."
    : "The outcome is unknown: the payment provider has no inquiry for it, and the message must not be sent again.";
  return { kind: "contradiction", why, lastResult: "NO_QUERY" };
}

function toResultCode(lastResult: string | undefined): ResultCode | undefined {
  return lastResult !== undefined && Object.hasOwn(results, lastResult)
    ? (lastResult as ResultCode)
    : undefined;
}

/** `isNewContradiction` returns whether to alert the operator: once for each contradiction, not on every retry. */
export function isNewContradiction(
  verdict: Verdict & { readonly kind: "contradiction" },
  { lastResult }: SendState,
): boolean {
  return verdict.lastResult !== lastResult;
}

/** `rescheduleJob` reschedules an unfinished job at its normal time, or earlier if a poll can learn more by then. */
export function rescheduleJob(
  verdict: UnsettledVerdict,
  usualAt: Date,
): { readonly next: "again"; readonly at: Date; readonly noProgress: boolean; readonly lastResult?: string } {
  const { pollBy, lastResult } = { pollBy: undefined, lastResult: undefined, ...verdict };
  // The poll is just after the deadline, because a message in flight can take effect until the deadline.
  const pollAt = pollBy && new Date(pollBy.getTime() + 100);
  const at = pollAt && pollAt < usualAt ? pollAt : usualAt;
  return { next: "again", at, noProgress: verdict.kind !== "accepted", ...(lastResult && { lastResult }) };
}
