import { backOff, type Backoff } from "../core/backoff.ts";
import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import type { AcceptReason, DisputeType, JudgedResult } from "../wallets/dispute-words.ts";

export type DisputeStatus =
  | "CREATED"
  | "DEFENDED"
  | "ACCEPTED"
  | "CANCELLED"
  | "JUDGED"
  | "EXPIRED"
  | "RESOLVED";

/** Only an insufficient defense reopens a dispute: from DEFENDED back to CREATED. */
export const disputeLifecycle = {
  CREATED: ["DEFENDED", "ACCEPTED", "CANCELLED", "JUDGED", "EXPIRED"],
  DEFENDED: ["CREATED", "ACCEPTED", "CANCELLED", "JUDGED"],
  ACCEPTED: [],
  CANCELLED: [],
  JUDGED: [],
  EXPIRED: [],
  RESOLVED: [],
} as const satisfies Lifecycle<DisputeStatus>;

/** What a merchant has answered, until the wallet confirms it. */
export interface PendingAnswer {
  readonly kind: "ACCEPT" | "DEFEND";
  readonly requestedAt: Date;
}

/** A payment that its buyer, or the scheme behind the wallet, disputes. */
export interface Dispute {
  readonly bucket: number;
  readonly clientId: string;
  readonly disputeId: string;
  readonly paymentId: string;
  readonly connector: string;
  readonly walletDisputeId: string;
  /** The last version of the wallet's state that we know: reports with a lower one are stale. */
  readonly walletSequence: number;
  readonly type: DisputeType;
  readonly status: DisputeStatus;
  readonly amount: Money;
  /** The merchant's money, in minor units, that is frozen until the dispute is decided. */
  readonly frozenMinor: bigint;
  /** What the buyer got back. */
  readonly debitedMinor: bigint;
  readonly reasonCode: string;
  readonly reasonMessage: string;
  readonly source: string;
  readonly defendable: boolean;
  /** Why it is defended without the merchant. */
  readonly autoDefendReason: string | undefined;
  readonly createdAt: Date;
  readonly dueAt: Date | undefined;
  /** When the merchant was notified that its deadline is near. */
  readonly alertedAt: Date | undefined;
  readonly answer: PendingAnswer | undefined;
  /** How often it was defended, what is under way included. */
  readonly defenses: number;
  /** When the wallet confirmed the last answer. */
  readonly answeredAt: Date | undefined;
  readonly acceptReason: AcceptReason | undefined;
  readonly judgedResult: JudgedResult | undefined;
  readonly judgedMinor: bigint | undefined;
  readonly judgedAt: Date | undefined;
  /** Final from then on. */
  readonly resolvedAt: Date | undefined;
  /** Version of this dispute, so that a receiver can tell the newer of two messages. */
  readonly sequence: number;
}

/** A change of a dispute, and the kind of notification that told the merchant. */
export interface DisputeEvent {
  readonly at: Date;
  readonly status: DisputeStatus;
  readonly told: string | undefined;
}

/** The sum that this dispute blocks from being refunded. */
export function countedMinor({ frozenMinor, debitedMinor }: Dispute): bigint {
  return frozenMinor + debitedMinor;
}

export const acceptRefusals = ["PARAM_ILLEGAL", "REPEAT_REQUEST", "TIME_EXCEEDS_LIMIT"] as const;

export type AcceptRefusal = (typeof acceptRefusals)[number];

/** The first reason not to accept, or undefined when it may go ahead, or is under way already. */
export function acceptRefusal(dispute: Dispute, now: Date): AcceptRefusal | undefined {
  if (dispute.type !== "CHARGEBACK") return "PARAM_ILLEGAL";
  if (dispute.answer?.kind === "ACCEPT") return undefined;
  if (dispute.acceptReason === "TIMEOUT") return "TIME_EXCEEDS_LIMIT";
  if (dispute.status !== "CREATED" || dispute.answer) return "REPEAT_REQUEST";
  return isPastDue(dispute, now) ? "TIME_EXCEEDS_LIMIT" : undefined;
}

export const defenseRefusals = [
  ...acceptRefusals,
  "DEFENSE_EXCEED_LIMIT",
  "NOT_ALLOW_IN_CURRENT_STATUS",
] as const;

export type DefenseRefusal = (typeof defenseRefusals)[number];

/** How often a compliance request may be answered. */
const defensesMax = 3;

/** The first reason not to take a defense. The caller handles a repeat of the one under way. */
export function defenseRefusal(dispute: Dispute, now: Date): DefenseRefusal | undefined {
  const { type, status, answer, defenses, defendable, autoDefendReason, acceptReason } = dispute;
  if (type === "RDR" || (!defendable && !autoDefendReason)) return "PARAM_ILLEGAL";
  if (acceptReason === "TIMEOUT" || status === "EXPIRED") return "TIME_EXCEEDS_LIMIT";
  if (type === "COMPLIANCE_REQUEST") {
    if (status === "DEFENDED" || answer) return "NOT_ALLOW_IN_CURRENT_STATUS";
    if (status === "CREATED" && defenses >= defensesMax) return "DEFENSE_EXCEED_LIMIT";
  }
  if (status !== "CREATED" || answer) return "REPEAT_REQUEST";
  return isPastDue(dispute, now) ? "TIME_EXCEEDS_LIMIT" : undefined;
}

function isPastDue({ dueAt }: Pick<Dispute, "dueAt">, now: Date): boolean {
  return dueAt !== undefined && now >= dueAt;
}

const alertBeforeMs = 24 * 3600 * 1000;

/** When to notify the merchant that its deadline is near; undefined when it was notified, or need not be. */
export function alertAt({ status, answer, alertedAt, dueAt, ...dispute }: Dispute): Date | undefined {
  if (status !== "CREATED" || answer || alertedAt || !dueAt || !dispute.defendable) return undefined;
  return new Date(dueAt.getTime() - alertBeforeMs);
}

/** What a dispute needs next, apart from the merchant's own answer. */
export type DisputeStep = "time out" | "expire" | "alert" | "inquire";

export function nextDisputeStep(dispute: Dispute, now: Date): DisputeStep {
  const isUnanswered = dispute.status === "CREATED" && !dispute.answer;
  // An unanswered chargeback counts as accepted; any other unanswered request just expires.
  if (isUnanswered && isPastDue(dispute, now)) return dispute.type === "CHARGEBACK" ? "time out" : "expire";
  const alert = alertAt(dispute);
  return alert && now >= alert ? "alert" : "inquire";
}

const lookBackoff: Backoff = [60, 600, 3_600, 21_600, 86_400];

/**
 * Poll schedule of a dispute. The wallet's callback usually comes first; polling covers lost callbacks. Never
 * later than the alert and the deadline.
 */
export function nextDisputeLookAt(dispute: Dispute, attempts: number, now: Date): Date {
  const isUnanswered = dispute.status === "CREATED" && !dispute.answer;
  const dueMs = isUnanswered ? dispute.dueAt?.getTime() : undefined;
  const times = [alertAt(dispute)?.getTime(), dueMs].filter((time) => time !== undefined);
  // A step that was due and failed is retried after the gap.
  const later = times.filter((time) => time > now.getTime());
  return new Date(Math.min(backOff(lookBackoff, attempts, now).getTime(), ...later));
}

/** Retries of an answer at the wallet, and polls for it. */
export const answerBackoff: Backoff = [1, 2, 5, 15, 60, 300, 900];
