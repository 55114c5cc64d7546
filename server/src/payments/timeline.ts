import type { Money } from "../core/money.ts";

/** A payment, and the merchant whose it is. */
export interface OwnedPayment {
  readonly clientId: string;
  readonly paymentId: string;
}

/** What happened to a payment, or to what belongs to it; without addresses, bodies, codes and tokens. */
export interface TimelineEntry {
  readonly at: Date;
  readonly kind: TimelineKind;
  /** The record that it happened to: the payment, a refund, a notification. */
  readonly subjectId: string;
  /** A status, an effect, or what was done, in the words of its kind. */
  readonly what: string;
  readonly detail: string | undefined;
  /** What a notification tells of: the payment, or what belongs to it. */
  readonly aboutId: string | undefined;
  readonly amount: Money | undefined;
}

/** Where an entry comes from: a change of the payment, its wallet, money that moves back or forth, the books, a message. */
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

/** A job that is planned for the payment, or for what belongs to it. */
export interface PlannedJob {
  readonly job: string;
  readonly subjectId: string;
  /** Undefined when it is parked. */
  readonly dueAt: Date | undefined;
  readonly attempts: number;
  readonly connector: string | undefined;
  /** When the last message that may act was sent. */
  readonly sentAt: Date | undefined;
  /** The result code of the wallet's last answer, if it was kept. */
  readonly lastWord: string | undefined;
}
