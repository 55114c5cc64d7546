import { results, type ResultCode } from "../core/result.ts";
import type { ConnectorTerms } from "./connector.ts";
import type { CaptureReport, MoneyMismatch, RefundReport } from "./wallet.ts";

/** What is remembered of the messages of one job: of a refund, for example, however often it was tried. */
export interface Sent {
  /**
   * When the last message may have been sent that has had no answer since. For a wallet that is not
   * idempotent this is durable before anything is sent; for others it is written after a call without an
   * answer.
   */
  readonly sentAt?: Date;
  /** When a process last lost the job's lease without saying whether anything was sent. */
  readonly abandonedAt?: Date;
  /** The wallet's last answer that settled nothing: a refusal's code, or an alerted contradiction. */
  readonly lastWord?: string;
}

type Idempotence = Pick<ConnectorTerms, "idempotentByReference" | "quietSeconds">;

/**
 * Whether a message may be sent, or retried. A wallet that is not idempotent is sent it once, and then only
 * asked. A wallet that has refused is only asked, too: its refusal is to be confirmed, not changed by a
 * retry.
 */
export function maySend({ sentAt, lastWord }: Sent, { idempotentByReference }: Idempotence): boolean {
  return lastWord === undefined && (idempotentByReference || sentAt === undefined);
}

/**
 * Since when an earlier message may be in flight; undefined when none can be. A process that lost its lease
 * may have sent one, unless the wallet is not idempotent: then `sentAt` was written first.
 */
export function underWaySince(sent: Sent, { idempotentByReference }: Idempotence): Date | undefined {
  const { sentAt, abandonedAt } = sent;
  if (!idempotentByReference || !abandonedAt) return sentAt;
  return sentAt && sentAt > abandonedAt ? sentAt : abandonedAt;
}

/** End of the quiet period: no message that was sent before still arrives, or is acted on if it does. */
function quietAfter(sentAt: Date, { quietSeconds }: Idempotence): Date {
  return new Date(sentAt.getTime() + quietSeconds * 1000);
}

/** Deadline for the wallet to act on a message that is sent now, by the wallet's clock. */
export function notAfter(
  { now, aheadMs }: { readonly now: Date; readonly aheadMs: number },
  terms: Idempotence,
): Date {
  return new Date(quietAfter(now, terms).getTime() - aheadMs);
}

/**
 * Whether the quiet period was over when the wallet was asked, so that its "not found" can be believed. Not
 * at its last instant: a wallet still acts on what arrives exactly at `notAfter`.
 */
export function isQuietOver(sentAt: Date, terms: Idempotence, askedAt: Date): boolean {
  return askedAt > quietAfter(sentAt, terms);
}

/** When the wallet accepted it, what was sent before this call, and when this call started. */
export interface AskedMessage extends Sent {
  readonly acceptedAt: Date | undefined;
  readonly askedAt: Date;
}

/** What a wallet's report of a refund or a capture means, whoever asked for it. */
export type Verdict =
  | { readonly kind: "done" }
  /** Final: nothing was moved, and no message in flight can move anything any more. */
  | { readonly kind: "refused"; readonly resultCode: ResultCode }
  /** The wallet has accepted it: from now on it is polled, not sent. */
  | { readonly kind: "accepted" }
  /** Not known yet. `lookBy`: when the next poll can tell more. */
  | { readonly kind: "open"; readonly lastWord?: ResultCode; readonly lookBy?: Date }
  /** Nothing is settled; the operator is alerted. */
  | { readonly kind: "contradiction"; readonly why: string; readonly lastWord: string };

/** A verdict with which the job goes on. */
export type Unsettled = Verdict & { readonly kind: "open" | "accepted" | "contradiction" };

const otherContent = "REPEAT_REQ_INCONSISTENT" satisfies ResultCode;

export function judge(
  report: RefundReport | CaptureReport,
  asked: AskedMessage,
  terms: Idempotence,
): Verdict {
  // The wallet did something else under this reference, so no later report is about our request.
  if (asked.lastWord === otherContent) return inconsistent;
  switch (report.state) {
    case "DONE":
      return { kind: "done" };
    case "MISMATCH":
      return { kind: "contradiction", why: mismatches[report.field], lastWord: mismatch };
    case "PROCESSING":
      return { kind: asked.acceptedAt ? "open" : "accepted" };
    case "REFUSED":
      return judgeRefused(report.resultCode, asked, terms);
    case "NOT_FOUND":
      return judgeNotFound(asked, terms);
  }
}

const inconsistent: Verdict = {
  kind: "contradiction",
  why: "The wallet has done something else under this reference.",
  lastWord: otherContent,
};

/** The last word of a job whose provider reported other content than the request. */
const mismatch = "MISMATCH";

const mismatches: Readonly<Record<MoneyMismatch["field"], string>> = {
  amount: "The payment provider reports a capture or refund with another amount or currency.",
  reference: "The payment provider reports a capture or refund of another order.",
  moneyReference: "The payment provider reports another capture or refund than the requested one.",
};

/**
 * The provider has moved money, but not as requested. A later "refused" or "not found" does not prove that
 * nothing was moved: only a report that repeats the request settles it.
 */
const mismatchedBefore: Verdict = {
  kind: "contradiction",
  why: "The payment provider denies a capture or refund that it reported with other content.",
  lastWord: mismatch,
};

function judgeRefused(resultCode: ResultCode, asked: AskedMessage, terms: Idempotence): Verdict {
  if (resultCode === otherContent) return inconsistent;
  if (asked.lastWord === mismatch) return mismatchedBefore;
  if (asked.acceptedAt) {
    const why = "The wallet refuses what it had taken on.";
    return { kind: "contradiction", why, lastWord: resultCode };
  }
  const since = underWaySince(asked, terms);
  if (!since || isQuietOver(since, terms, asked.askedAt)) return { kind: "refused", resultCode };
  // An earlier message may still be in flight, and the wallet may accept it although it refused this one.
  return { kind: "open", lastWord: resultCode, lookBy: quietAfter(since, terms) };
}

function judgeNotFound(asked: AskedMessage, terms: Idempotence): Verdict {
  if (asked.lastWord === mismatch) return mismatchedBefore;
  if (asked.acceptedAt) {
    const why = "The wallet has lost what it had taken on.";
    return { kind: "contradiction", why, lastWord: "NOT_FOUND" };
  }
  const since = underWaySince(asked, terms);
  if (!since) return { kind: "open" };
  if (!isQuietOver(since, terms, asked.askedAt)) return { kind: "open", lookBy: quietAfter(since, terms) };
  const resultCode = refusalIn(asked.lastWord) ?? (terms.idempotentByReference ? undefined : "PROCESS_FAIL");
  return resultCode ? { kind: "refused", resultCode } : { kind: "open" };
}

function refusalIn(lastWord: string | undefined): ResultCode | undefined {
  return lastWord !== undefined && Object.hasOwn(results, lastWord) ? (lastWord as ResultCode) : undefined;
}

/** Whether to alert the operator: once for each contradiction, not on every retry. */
export function isNews(verdict: Verdict & { readonly kind: "contradiction" }, { lastWord }: Sent): boolean {
  return verdict.lastWord !== lastWord;
}

/** Reschedules a job that is not done: at the usual time, but no later than when a poll can tell more. */
export function goOn(
  verdict: Unsettled,
  usual: Date,
): { readonly next: "again"; readonly at: Date; readonly gotNowhere: boolean; readonly lastWord?: string } {
  const { lookBy, lastWord } = { lookBy: undefined, lastWord: undefined, ...verdict };
  // Just after the deadline: until then a message in flight is acted on.
  const by = lookBy && new Date(lookBy.getTime() + 100);
  const at = by && by < usual ? by : usual;
  return { next: "again", at, gotNowhere: verdict.kind !== "accepted", ...(lastWord && { lastWord }) };
}
