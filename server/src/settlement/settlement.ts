import type { EffectName } from "../ledger/transfer.ts";
import type { BatchStatus, Changed } from "./batch.ts";
import type { PayoutStatus } from "./payout.ts";

/** A batch as its merchant sees it. Sums are changes in what we owe, in minor units: a refund and a fee are below zero. */
export interface ShownBatch {
  readonly batchId: string;
  readonly currency: string;
  /** Days of the books, the last one included. */
  readonly fromDay: string;
  readonly toDay: string;
  readonly dueDay: string;
  readonly status: BatchStatus;
  readonly closedAt: Date;
  readonly sums: BatchSums;
  readonly changed: Changed | undefined;
  readonly payouts: readonly ShownPayout[];
}

/** A batch as it is named beside what it settles. */
export type SettlingBatch = Pick<ShownBatch, "batchId" | "toDay" | "status">;

/** What adds up to `net`. */
export interface BatchSums {
  readonly gross: bigint;
  readonly refunds: bigint;
  readonly disputes: bigint;
  readonly fees: bigint;
  readonly tax: bigint;
  readonly other: bigint;
  readonly reserve: bigint;
  readonly carried: bigint;
  readonly net: bigint;
}

export interface ShownPayout {
  readonly payoutId: string;
  readonly amountMinor: bigint;
  readonly status: PayoutStatus;
  readonly reasonCode: string | undefined;
  readonly createdAt: Date;
  readonly sentAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

/** A movement of a batch. */
export interface BatchItem {
  readonly subjectId: string;
  readonly effect: EffectName;
  /** Absent when no payment has a part in it. */
  readonly paymentId: string | undefined;
  readonly grossMinor: bigint;
  readonly feeMinor: bigint;
  readonly taxMinor: bigint;
  readonly at: Date;
}

/** The form of a place among the items of a batch: `20261115093000123047601530017744120 dispute freeze`. */
export const itemCursorForm = "^[\\x21-\\x7E]{1,64} [a-z ]{1,32}$";

/** The form of a place among batches, or among the items of one. */
export const settlementCursorForm = `${itemCursorForm}|^[0-9]{35}$`;

export function itemCursorOf({ subjectId, effect }: Pick<BatchItem, "subjectId" | "effect">): string {
  return `${subjectId} ${effect}`;
}

export function itemPlaceOf(cursor: string): { readonly subjectId: string; readonly effect: string } {
  const [subjectId = "", ...words] = cursor.split(" ");
  return { subjectId, effect: words.join(" ") };
}
