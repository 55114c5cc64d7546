import type { Lifecycle } from "../../core/lifecycle.ts";
import type { Money } from "../../core/money.ts";

export type PayoutStatus = "CREATED" | "SENT" | "PAID" | "FAILED" | "RETURNED";

/**
 * Lifecycle of a payout. A payout is created when its approved file is released, is SENT when the bank may have the
 * file, and reaches the final status that the bank reports.
 */
export const payoutLifecycle = {
  CREATED: ["SENT"],
  SENT: ["PAID", "FAILED"],
  PAID: ["RETURNED"],
  FAILED: [],
  RETURNED: [],
} as const satisfies Lifecycle<PayoutStatus>;

/** Reason code of a payout that failed because it was never handed over to the bank. */
export const voidCode = "VOID";

export interface Payout {
  readonly clientId: string;
  readonly payoutId: string;
  readonly batchId: string;
  readonly amount: Money;
  readonly accountId: string;
  readonly bank: string;
  readonly status: PayoutStatus;
  readonly fileId: string | undefined;
  readonly createdAt: Date;
}

/** A payout with related records: its account, bank entries and breaks. */
export interface PayoutTrail {
  readonly clientId: string;
  readonly payoutId: string;
  readonly batchId: string;
  readonly amount: Money;
  readonly status: PayoutStatus;
  readonly reasonCode: string | undefined;
  readonly bank: string;
  readonly fileId: string | undefined;
  readonly holder: string;
  /** The first and the last four characters of the IBAN. */
  readonly ibanShown: string;
  readonly createdAt: Date;
  readonly sentAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  readonly lines: readonly TrailLine[];
  readonly breaks: readonly TrailBreak[];
}

/** The bank entries with the payout's reference; positive if money came back. */
export interface TrailLine {
  readonly bank: string;
  readonly entryReference: string;
  readonly minor: string;
  readonly bookedAt: string;
}

export interface TrailBreak {
  readonly breakId: number;
  readonly kind: string;
  readonly isClosed: boolean;
}

/** Reasons why no batch of a merchant is paid. */
const holdReasons = {
  "payouts on hold": "the merchant's payouts are on hold; see `payout release`",
  "merchant suspended": "the merchant is suspended; see `merchant resume`",
} as const;
export type PayoutHold = keyof typeof holdReasons;

/** Reasons why a due batch is not paid. */
export const waitReasons = {
  "not due": "the batch is no longer due, or its amount has changed",
  "account changed": "the merchant's bank account changed after the payout was planned",
  ...holdReasons,
  "no bank of ours": "our bank has no debtor account in its currency",
  "no bank account": "the merchant has no approved bank account in its currency",
  "cooling-off": "the cooling-off period of the merchant's bank account has not ended",
  "not covered": "the merchant's balance minus open refunds is less than the batch",
} as const;
export type WaitReason = keyof typeof waitReasons;

/** Returns the first reason not to pay a batch now, or undefined. */
export function waitReasonOf(facts: {
  readonly hold: PayoutHold | undefined;
  readonly hasBank: boolean;
  readonly usableFrom: Date | undefined;
  readonly freeMinor: bigint;
  readonly netMinor: bigint;
  readonly now: Date;
}): WaitReason | undefined {
  if (facts.hold) return facts.hold;
  if (!facts.hasBank) return "no bank of ours";
  if (!facts.usableFrom) return "no bank account";
  if (facts.usableFrom > facts.now) return "cooling-off";
  if (facts.freeMinor < facts.netMinor) return "not covered";
  return undefined;
}

/** A bank status of a payout: executed, rejected, or returned by the merchant's bank. */
export type BankStatus = "paid" | "failed" | "returned";

/**
 * Returns the states of a payout after a bank status, in order. The list is empty if the status was already known. The
 * result is undefined if the bank contradicts itself. A file may have reached the bank although the process crashed
 * before it stored the handover.
 */
export function statesAfter(
  status: PayoutStatus,
  bankStatus: BankStatus,
): readonly PayoutStatus[] | undefined {
  return statesByBankStatus[status][bankStatus];
}

const statesByBankStatus: Readonly<
  Record<PayoutStatus, Readonly<Record<BankStatus, readonly PayoutStatus[] | undefined>>>
> = {
  CREATED: { paid: ["SENT", "PAID"], failed: ["SENT", "FAILED"], returned: ["SENT", "PAID", "RETURNED"] },
  SENT: { paid: ["PAID"], failed: ["FAILED"], returned: ["PAID", "RETURNED"] },
  // For an executed payout, only money that is booked on our account is a return. A rejection of an executed payout is
  // a contradiction that people must decide.
  PAID: { paid: [], failed: undefined, returned: ["RETURNED"] },
  // Another payout may have paid the batch since this one failed, so people must decide.
  FAILED: { paid: undefined, failed: [], returned: [] },
  RETURNED: { paid: [], failed: [], returned: [] },
};
