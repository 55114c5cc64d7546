import { results, type ResultCode } from "../core/result.ts";
import type { ConnectorTerms } from "./connector.ts";
import type { CaptureReport, RefundReport } from "./wallet.ts";

/** What is remembered of the messages of one job: of a refund, for example, however often it was tried. */
export interface Sent {
  /**
   * When the last one may have left that nobody has heard of since. For a wallet that is not idempotent this is on
   * disk before anything leaves; for others it is written when a call has had no answer.
   */
  readonly sentAt?: Date;
  /** When somebody last had the job in hand and never came back to say whether anything was sent. */
  readonly abandonedAt?: Date;
  /** What the wallet said last that has settled nothing: the reason of a refusal, or what people were alerted to. */
  readonly lastWord?: string;
}

type Idempotence = Pick<ConnectorTerms, "idempotentByReference" | "quietSeconds">;

/**
 * Whether a message may be sent, first or again. A wallet for which the same reference twice is two things is sent it
 * once, and only asked from then on. So is every wallet that has said no: its word is not to be changed, but confirmed.
 */
export function maySend({ sentAt, lastWord }: Sent, { idempotentByReference }: Idempotence): boolean {
  return lastWord === undefined && (idempotentByReference || sentAt === undefined);
}

/**
 * Since when an earlier message may be under way, or undefined when none can be. Who never came back may have sent,
 * unless the wallet is one for which that would have been written down before.
 */
export function underWaySince(sent: Sent, { idempotentByReference }: Idempotence): Date | undefined {
  const { sentAt, abandonedAt } = sent;
  if (!idempotentByReference || !abandonedAt) return sentAt;
  return sentAt && sentAt > abandonedAt ? sentAt : abandonedAt;
}

/** When it is quiet: no message that was sent by then arrives any more, and none that does is acted on. */
function quietAfter(sentAt: Date, { quietSeconds }: Idempotence): Date {
  return new Date(sentAt.getTime() + quietSeconds * 1000);
}

/** Until when a wallet may act on a message that is sent now. A wallet has no clock but its own. */
export function notAfter(
  { now, aheadMs }: { readonly now: Date; readonly aheadMs: number },
  terms: Idempotence,
): Date {
  return new Date(quietAfter(now, terms).getTime() - aheadMs);
}

/** Whether a wallet that knows nothing of what it was sent was to be believed, when it was asked. */
export function isQuietOver(sentAt: Date, terms: Idempotence, askedAt: Date): boolean {
  return askedAt > quietAfter(sentAt, terms);
}

/** Whether the wallet is known to have taken it on, what was sent before this call, and when this call was made. */
export interface Asked extends Sent {
  readonly acceptedAt: Date | undefined;
  readonly askedAt: Date;
}

/** What a wallet's report of a refund or a capture means, whoever asked for it. */
export type Verdict =
  | { readonly kind: "done" }
  /** For good: nothing was moved, and nothing that was sent can move anything any more. */
  | { readonly kind: "refused"; readonly resultCode: ResultCode }
  /** The wallet has taken it on: from now on it is only asked after. */
  | { readonly kind: "accepted" }
  /** Nobody knows yet. `lookBy`: when more can be known than now. */
  | { readonly kind: "open"; readonly lastWord?: ResultCode; readonly lookBy?: Date }
  /** Nothing is settled; people have to look. */
  | { readonly kind: "contradiction"; readonly why: string; readonly lastWord: string };

const otherContent = "REPEAT_REQ_INCONSISTENT" satisfies ResultCode;

export function judge(report: RefundReport | CaptureReport, asked: Asked, terms: Idempotence): Verdict {
  // Whatever it says of it now, it is not what it was asked for.
  if (asked.lastWord === otherContent) return inconsistent;
  switch (report.state) {
    case "DONE":
      return { kind: "done" };
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

function judgeRefused(resultCode: ResultCode, asked: Asked, terms: Idempotence): Verdict {
  if (resultCode === otherContent) return inconsistent;
  if (asked.acceptedAt) {
    const why = "The wallet refuses what it had taken on.";
    return { kind: "contradiction", why, lastWord: resultCode };
  }
  const since = underWaySince(asked, terms);
  if (!since || isQuietOver(since, terms, asked.askedAt)) return { kind: "refused", resultCode };
  // An earlier message may arrive after this one was refused, and a wallet may do then what it would not do now.
  return { kind: "open", lastWord: resultCode, lookBy: quietAfter(since, terms) };
}

function judgeNotFound(asked: Asked, terms: Idempotence): Verdict {
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

/** Whether people are still to be told: whatever comes again says the same. */
export function isNews(verdict: Verdict & { readonly kind: "contradiction" }, { lastWord }: Sent): boolean {
  return verdict.lastWord !== lastWord;
}

/** How a job goes on that is not at its end: at the usual time, but no later than when more can be known. */
export function goOn(
  verdict: Verdict & { readonly kind: "open" | "accepted" | "contradiction" },
  usual: Date,
): { readonly next: "again"; readonly at: Date; readonly gotNowhere: boolean; readonly lastWord?: string } {
  const { lookBy, lastWord } = { lookBy: undefined, lastWord: undefined, ...verdict };
  // Just after: up to that moment, a message is acted on.
  const by = lookBy && new Date(lookBy.getTime() + 100);
  const at = by && by < usual ? by : usual;
  return { next: "again", at, gotNowhere: verdict.kind !== "accepted", ...(lastWord && { lastWord }) };
}
