import type { Lifecycle } from "../core/lifecycle.ts";
import type { Money } from "../core/money.ts";

export type PayoutStatus = "CREATED" | "SENT" | "PAID" | "FAILED" | "RETURNED";

/** A payout exists from when its approved file is released. It is SENT when the bank can have the file, and ends as the bank reports. */
export const payoutLifecycle = {
  CREATED: ["SENT"],
  SENT: ["PAID", "FAILED"],
  PAID: ["RETURNED"],
  FAILED: [],
  RETURNED: [],
} as const satisfies Lifecycle<PayoutStatus>;

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

/** A payout with all that is known of it elsewhere: where it goes, what banks have booked, and what does not agree. */
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
  /** The first and the last four characters. */
  readonly ibanShown: string;
  readonly createdAt: Date;
  readonly sentAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  readonly lines: readonly TrailLine[];
  readonly breaks: readonly TrailBreak[];
}

/** What a bank has booked under the payout's name; above zero when it came back. */
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

/** Why a merchant is not paid at all, whatever is due. */
const holdReasons = {
  "payouts on hold": "the merchant's payouts are on hold; see `payout release`",
  "merchant suspended": "the merchant is suspended; see `merchant resume`",
} as const;
export type PayoutHold = keyof typeof holdReasons;

/** Why a batch that is due is not paid. */
export const waitReasons = {
  "not due": "the batch is not due any more, or its amount is another one",
  "account changed": "the merchant's bank account changed after the payout was planned",
  ...holdReasons,
  "no bank of ours": "the bank has no account of ours in its currency",
  "no bank account": "the merchant has no approved bank account in its currency",
  "cooling-off": "the merchant's bank account was approved only lately, and waits",
  "not covered": "what we owe the merchant, less refunds that are open, is less than the batch",
} as const;
export type WaitReason = keyof typeof waitReasons;

/** The first reason not to pay a batch now, or undefined. */
export function waitReasonOf(asked: {
  readonly hold: PayoutHold | undefined;
  readonly hasBank: boolean;
  readonly usableFrom: Date | undefined;
  readonly freeMinor: bigint;
  readonly netMinor: bigint;
  readonly now: Date;
}): WaitReason | undefined {
  if (asked.hold) return asked.hold;
  if (!asked.hasBank) return "no bank of ours";
  if (!asked.usableFrom) return "no bank account";
  if (asked.usableFrom > asked.now) return "cooling-off";
  if (asked.freeMinor < asked.netMinor) return "not covered";
  return undefined;
}

/** What a bank says about a payout: executed; refused; or sent back by the merchant's bank. */
export type BankWord = "paid" | "failed" | "returned";

/**
 * The states that a payout goes through by a word of the bank, in their order: none when it was known already. Undefined when the bank
 * contradicts itself. A file may have reached the bank although we crashed before we could note it.
 */
export function statesBy(status: PayoutStatus, word: BankWord): readonly PayoutStatus[] | undefined {
  return statesByWord[status][word];
}

const statesByWord: Readonly<
  Record<PayoutStatus, Readonly<Record<BankWord, readonly PayoutStatus[] | undefined>>>
> = {
  CREATED: { paid: ["SENT", "PAID"], failed: ["SENT", "FAILED"], returned: ["SENT", "PAID", "RETURNED"] },
  SENT: { paid: ["PAID"], failed: ["FAILED"], returned: ["PAID", "RETURNED"] },
  // Only money that is booked on our account is a return. A rejection of an executed payout is a contradiction: people have to decide.
  PAID: { paid: [], failed: undefined, returned: ["RETURNED"] },
  // The batch may have been paid by another payout since: people have to look.
  FAILED: { paid: undefined, failed: [], returned: [] },
  RETURNED: { paid: [], failed: [], returned: [] },
};
