import { backOff, type Backoff } from "../resilience/backoff.ts";
import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";
import {
  takesAnswer,
  type AcceptReason,
  type DisputeType,
  type EvidenceType,
  type JudgedResult,
} from "../providers/dispute-values.ts";

export type DisputeStatus =
  | "CREATED"
  | "DEFENDED"
  | "ACCEPTED"
  | "CANCELLED"
  | "JUDGED"
  | "EXPIRED"
  | "RESOLVED";

/** Allowed transitions of a dispute. Only an insufficient defense reopens a dispute: from DEFENDED back to CREATED. */
export const disputeLifecycle = {
  CREATED: ["DEFENDED", "ACCEPTED", "CANCELLED", "JUDGED", "EXPIRED"],
  DEFENDED: ["CREATED", "ACCEPTED", "CANCELLED", "JUDGED"],
  ACCEPTED: [],
  CANCELLED: [],
  JUDGED: [],
  EXPIRED: [],
  RESOLVED: [],
} as const satisfies Lifecycle<DisputeStatus>;

/** The merchant's answer, kept until the provider confirms it. */
export interface PendingAnswer {
  readonly kind: "ACCEPT" | "DEFEND";
  readonly requestedAt: Date;
}

/** A payment that its buyer, or the provider's scheme, disputes. */
export interface Dispute {
  readonly bucket: number;
  readonly clientId: string;
  readonly disputeId: string;
  readonly paymentId: string;
  readonly connector: string;
  readonly providerDisputeId: string;
  /** The latest known version of the dispute at the provider: reports with a lower version are stale. */
  readonly providerSequence: number;
  readonly type: DisputeType;
  readonly status: DisputeStatus;
  readonly amount: Money;
  /** The merchant's money, in minor units, that is frozen until the dispute is decided. */
  readonly frozenMinor: bigint;
  /** The amount that was returned to the buyer, in minor units. */
  readonly debitedMinor: bigint;
  readonly reasonCode: string;
  readonly reasonMessage: string;
  readonly source: string;
  readonly defendable: boolean;
  /** The types of evidence that the provider wants for the next defense. */
  readonly wantedEvidence: readonly EvidenceType[];
  /** The reason why the gateway defends the dispute without the merchant. */
  readonly autoDefendReason: string | undefined;
  readonly createdAt: Date;
  readonly dueAt: Date | undefined;
  /** When the gateway notified the merchant that the deadline is near. */
  readonly alertedAt: Date | undefined;
  readonly answer: PendingAnswer | undefined;
  /** Number of defenses, including one in progress. */
  readonly defenses: number;
  /** When the provider confirmed the last answer. */
  readonly answeredAt: Date | undefined;
  readonly acceptReason: AcceptReason | undefined;
  readonly judgedResult: JudgedResult | undefined;
  readonly judgedMinor: bigint | undefined;
  readonly judgedAt: Date | undefined;
  /** When the dispute became final. */
  readonly resolvedAt: Date | undefined;
  /** Version of the dispute, so that a receiver of two messages can see which one is newer. */
  readonly sequence: number;
}

/** A change of a dispute, with the type of the webhook that it caused. */
export interface DisputeEvent {
  readonly at: Date;
  readonly status: DisputeStatus;
  readonly notificationType: string | undefined;
}

/** `blockedMinor` returns the amount that this dispute blocks from being refunded. */
export function blockedMinor({ frozenMinor, debitedMinor }: Dispute): bigint {
  return frozenMinor + debitedMinor;
}

export const acceptRefusals = ["PARAM_ILLEGAL", "REPEAT_REQUEST", "TIME_EXCEEDS_LIMIT"] as const;

export type AcceptRefusal = (typeof acceptRefusals)[number];

/**
 * `acceptRefusal` returns the first reason to refuse an acceptance; undefined if the merchant may accept, or an
 * acceptance is in progress already.
 */
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

/** Maximum number of answers to a compliance request. */
const defensesMax = 3;

/**
 * `defenseRefusal` returns the first reason to refuse a defense. The caller handles a repeat of the defense in
 * progress.
 */
export function defenseRefusal(dispute: Dispute, now: Date): DefenseRefusal | undefined {
  const { type, status, answer, defenses, defendable, autoDefendReason, acceptReason } = dispute;
  if (!takesAnswer(type) || (!defendable && !autoDefendReason)) return "PARAM_ILLEGAL";
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

/**
 * `alertAt` returns when to notify the merchant of the near deadline; undefined if the gateway notified it before, or
 * if no alert is needed.
 */
export function alertAt({ status, answer, alertedAt, dueAt, ...dispute }: Dispute): Date | undefined {
  if (status !== "CREATED" || answer || alertedAt || !dueAt || !dispute.defendable) return undefined;
  return new Date(dueAt.getTime() - alertBeforeMs);
}

/** The next step of a dispute's job, apart from the merchant's own answer. */
export type DisputeStep = "time out" | "expire" | "alert" | "inquire";

export function nextDisputeStep(dispute: Dispute, now: Date): DisputeStep {
  const isUnanswered = dispute.status === "CREATED" && !dispute.answer;
  // An unanswered chargeback counts as accepted after its deadline; other unanswered requests only expire.
  if (isUnanswered && isPastDue(dispute, now)) return dispute.type === "CHARGEBACK" ? "time out" : "expire";
  const alert = alertAt(dispute);
  return alert && now >= alert ? "alert" : "inquire";
}

const pollBackoff: Backoff = [60, 600, 3_600, 21_600, 86_400];

/**
 * Poll schedule of a dispute, no later than the alert and the deadline. The provider's callback usually comes first;
 * polling covers lost callbacks.
 */
export function nextDisputePollAt(dispute: Dispute, attempts: number, now: Date): Date {
  const isUnanswered = dispute.status === "CREATED" && !dispute.answer;
  const dueMs = isUnanswered ? dispute.dueAt?.getTime() : undefined;
  const times = [alertAt(dispute)?.getTime(), dueMs].filter((time) => time !== undefined);
  // A step of the dispute that was due and failed is retried with backoff.
  const later = times.filter((time) => time > now.getTime());
  return new Date(Math.min(backOff(pollBackoff, attempts, now).getTime(), ...later));
}

/** Backoff in seconds of sending an answer to the provider, and of polling for its result. */
export const answerBackoff: Backoff = [1, 2, 5, 15, 60, 300, 900];
