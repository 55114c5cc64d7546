import type { JobName } from "../core/job-name.ts";

/** Kinds of record that can be open. */
export type OpenRecordKind =
  | "payment"
  | "capture"
  | "refund"
  | "reversal"
  | "registration"
  | "dispute"
  | "authorization"
  | "token"
  | "notification";

/** A record that is not final, with its next job. */
export interface OpenRecord {
  readonly kind: OpenRecordKind;
  readonly clientId: string;
  readonly id: string;
  /** The merchant's own id, if it gave one. */
  readonly requestId: string | undefined;
  readonly status: string;
  readonly since: Date;
  /** When the provider accepted the record, which it has not finished since. */
  readonly acceptedAt: Date | undefined;
  /** The next action; undefined if no job is scheduled, which is an error: the record is stuck. */
  readonly next: NextAction | undefined;
}

export interface NextAction {
  readonly job: string;
  /**
   * When the action is due; undefined for a parked job, which is due and waits for a free slot of its delivery queue.
   */
  readonly at: Date | undefined;
  readonly attempts: number;
  /** Whether an operator holds the job: no worker runs it until an operator releases it. */
  readonly isHeld: boolean;
  /** Starvation: whether the job was parked for long, although its delivery queue is neither paused nor failing. */
  readonly isStarved: boolean;
  /** The connector that the job waits for, if its provider does not respond or it was removed. */
  readonly unavailable: UnavailableProvider | undefined;
}

/** A connector whose provider does not respond, or that was removed. */
export interface UnavailableProvider {
  readonly connector: string;
  readonly reason: "silent" | "not connected";
}

export type ResponsibleParty = "buyer" | "wallet" | "merchant" | "gateway";

/** `findResponsibleParty` returns the party that must act next on an open record. */
export function findResponsibleParty({ kind, status, next }: OpenRecord): ResponsibleParty {
  if (!next || next.isHeld) return "gateway";
  if (kind === "notification" || (kind === "dispute" && status === "CREATED")) return "merchant";
  if (kind === "authorization" && status === "AGREED") return "merchant";
  const isWithBuyer = (kind === "payment" && status === "PROCESSING") || status === "ASKED";
  return isWithBuyer ? "buyer" : "wallet";
}

const actions: Readonly<Record<JobName, string>> = {
  "drive-payment": "Query the payment, or close it if it has expired.",
  "close-session": "Close the session if the buyer has not chosen a payment method.",
  "release-hold": "Release the authorization hold.",
  "reverse-payment": "Return the money.",
  "send-capture": "Send the capture to the payment provider, or query its result.",
  "send-refund": "Send the refund to the payment provider, or query its result.",
  "send-registration": "Send the registration to the payment providers, or query its result.",
  "answer-dispute": "Send the merchant's answer to the payment provider.",
  "watch-dispute": "Query the dispute, or accept it after its deadline.",
  "follow-authorization":
    "Query the consent, let the code expire, or revoke the consent at the payment provider.",
  "exchange-code": "Exchange the code at the payment provider.",
  "deliver-notification": "Send the webhook.",
  "turn-clock": "Advance the test clock to the requested time.",
};

export function describeNextAction({ next }: OpenRecord): string {
  return next ? describeJob(next.job) : "No action is scheduled.";
}

/** `describeJob` describes a job for people. For a job of a newer release it returns the job's name. */
export function describeJob(job: string): string {
  return Object.hasOwn(actions, job) ? actions[job as JobName] : job;
}

/**
 * Time after which a due job is overdue. It is longer than a lease and a poll interval, so a worker should have claimed
 * the job before.
 */
const overdueMs = 60_000;

/**
 * `isStuck` returns whether a record is stuck: no worker will claim its job, or a worker should have claimed it long
 * ago. A job that waits for a silent provider is not stuck, nor is a job that an operator holds.
 */
export function isStuck({ next }: OpenRecord, now: Date): boolean {
  if (!next || next.isStarved) return true;
  if (next.unavailable?.reason === "silent") return false;
  return next.at !== undefined && now.getTime() - next.at.getTime() > overdueMs;
}
