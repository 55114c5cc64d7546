import type { EffectName } from "../ledger/transfer.ts";
import type { BatchStatus, BatchConversion } from "./batch.ts";
import type { PayoutStatus } from "./payouts/payout.ts";

/**
 * A settlement batch as its merchant sees it. Amounts are changes of the balance, in minor units: refunds and fees are
 * negative.
 */
export interface BatchView {
  readonly batchId: string;
  readonly currency: string;
  /** First accounting day of the batch; its last day is included. */
  readonly fromDay: string;
  readonly toDay: string;
  readonly dueDay: string;
  readonly status: BatchStatus;
  readonly closedAt: Date;
  readonly sums: BatchSums;
  readonly conversion: BatchConversion | undefined;
  readonly payouts: readonly PayoutView[];
}

/** The settlement batch of a record. */
export type BatchOfRecord = Pick<BatchView, "batchId" | "toDay" | "status">;

/** The summands of `net`. */
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

export interface PayoutView {
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
  /** The payment of the movement; absent if the movement belongs to no payment. */
  readonly paymentId: string | undefined;
  readonly grossMinor: bigint;
  readonly feeMinor: bigint;
  readonly taxMinor: bigint;
  readonly at: Date;
}

export function itemCursorOf({ subjectId, effect }: Pick<BatchItem, "subjectId" | "effect">): string {
  return `${subjectId} ${effect}`;
}

export function parseItemCursor(cursor: string): { readonly subjectId: string; readonly effect: string } {
  const [subjectId = "", ...effectWords] = cursor.split(" ");
  return { subjectId, effect: effectWords.join(" ") };
}
