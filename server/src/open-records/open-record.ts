import type { JobName } from "../core/job-name.ts";

/** Kinds of record that can be unfinished. */
export type OpenKind =
  | "payment"
  | "capture"
  | "refund"
  | "reversal"
  | "registration"
  | "dispute"
  | "authorization"
  | "token"
  | "notification";

/** A record that is not final, and its next job. */
export interface OpenRecord {
  readonly kind: OpenKind;
  readonly clientId: string;
  readonly id: string;
  /** The merchant's own id, where it gave one. */
  readonly requestId: string | undefined;
  readonly status: string;
  readonly since: Date;
  /** Absent when no job is planned, which must not be: the record is stuck. */
  readonly next: NextAction | undefined;
}

export interface NextAction {
  readonly job: string;
  /** Undefined when the job is parked: due, and waiting for others of its lane. */
  readonly at: Date | undefined;
  readonly attempts: number;
  /** An operator holds it: nobody does it until it is released. */
  readonly isHeld: boolean;
  /** Starvation: parked for long, although its lane is neither paused nor failing. */
  readonly isForgotten: boolean;
  /** The wallet that the job waits for, if that wallet is silent or not connected. */
  readonly missing: MissingWallet | undefined;
}

/** A wallet that does not answer now, or that is not connected any more. */
export interface MissingWallet {
  readonly connector: string;
  readonly why: "silent" | "not connected";
}

export type Owner = "buyer" | "wallet" | "merchant" | "gateway";

/** The party whose move it is, so that a reader knows whom to ask. */
export function ownerOf({ kind, status, next }: OpenRecord): Owner {
  if (!next || next.isHeld) return "gateway";
  if (kind === "notification" || (kind === "dispute" && status === "CREATED")) return "merchant";
  if (kind === "authorization" && status === "AGREED") return "merchant";
  const isWithBuyer = (kind === "payment" && status === "PROCESSING") || status === "ASKED";
  return isWithBuyer ? "buyer" : "wallet";
}

const actions: Readonly<Record<JobName, string>> = {
  "drive-payment": "Ask the wallet after the payment, or close it when it has expired.",
  "close-session": "Close the session when nobody has chosen how to pay.",
  "release-hold": "Let the held money go.",
  "reverse-payment": "Send the money back.",
  "send-capture": "Have the wallet capture, or ask it whether it has.",
  "send-refund": "Have the wallet refund, or ask it whether it has.",
  "send-registration": "Have the wallets register, or ask them whether they have.",
  "answer-dispute": "Bring the merchant's answer to the wallet.",
  "watch-dispute": "Ask the wallet after the dispute, or accept it when its time is over.",
  "follow-authorization":
    "Ask the wallet whether the buyer has agreed, let the code expire, or tell the wallet that it is over.",
  "exchange-code": "Have the wallet exchange the code.",
  "deliver-notification": "Tell the merchant.",
  "turn-clock": "Turn the test clock on to where the merchant wants it.",
};

export function actionOf({ next }: OpenRecord): string {
  return next ? actionOfJob(next.job) : "None is planned.";
}

/** What a job does, in words for people; its name, if a newer release has written a job that this one lacks. */
export function actionOfJob(job: string): string {
  return Object.hasOwn(actions, job) ? actions[job as JobName] : job;
}

/** Longer than a lease and a poll interval: by then a worker should have claimed the job. */
const overdueMs = 60_000;

/**
 * No worker will claim its job, or one should have long ago. A job that waits for a silent wallet is not stuck, nor is one that an
 * operator holds: somebody has chosen that.
 */
export function isStuck({ next }: OpenRecord, now: Date): boolean {
  if (!next || next.isForgotten) return true;
  if (next.missing?.why === "silent") return false;
  return next.at !== undefined && now.getTime() - next.at.getTime() > overdueMs;
}
