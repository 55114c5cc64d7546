import type { Money } from "../core/money.ts";

/** A payment id with the id of its merchant. */
export interface OwnedPayment {
  readonly clientId: string;
  readonly paymentId: string;
}

/** An event of a payment or of one of its records; without URLs, bodies, codes and tokens. */
export interface TimelineEntry {
  readonly at: Date;
  readonly kind: TimelineKind;
  /** The id of the record that changed: the payment, a refund, a webhook. */
  readonly subjectId: string;
  /** A status, a ledger effect or an action, depending on the `kind` of the entry. */
  readonly what: string;
  readonly detail: string | undefined;
  /** The record that a webhook is about: the payment, or one of its records. */
  readonly aboutId: string | undefined;
  readonly amount: Money | undefined;
}

/**
 * The kind of event: a change of the payment, a report of its provider, a capture, refund, reversal or dispute, a
 * ledger row, a webhook or its delivery attempt.
 */
export type TimelineKind =
  | "payment"
  | "order"
  | "callback"
  | "capture"
  | "refund"
  | "reversal"
  | "dispute"
  | "ledger"
  | "notification"
  | "attempt";

/** A scheduled job of the payment or of one of its records. */
export interface PlannedJob {
  readonly job: string;
  readonly subjectId: string;
  /** When the job is due; undefined for a parked job, which waits for a free slot of its delivery queue. */
  readonly dueAt: Date | undefined;
  readonly attempts: number;
  readonly connector: string | undefined;
  /** When the last message that may have an effect was sent. */
  readonly sentAt: Date | undefined;
  /** The result code of the provider's last response, if it was stored. */
  readonly lastWord: string | undefined;
}
