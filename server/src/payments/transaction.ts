import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";

export type TransactionType = "CAPTURE" | "REFUND" | "CANCEL";

export type TransactionStatus = "PROCESSING" | "SUCCESS" | "FAIL";

/** A movement of a payment's money: a capture, a refund, or the reversal of the whole amount. */
export interface Transaction {
  readonly type: TransactionType;
  readonly status: TransactionStatus;
  readonly resultCode: ResultCode;
  readonly transactionId: string;
  /** The merchant's own id of the transaction; for a reversal, which has none, the reference at the provider. */
  readonly requestId: string;
  readonly amount: Money;
  readonly createdAt: Date;
  readonly finishedAt: Date | undefined;
  /** When a refund or a reversal that had succeeded failed, because the buyer's bank returned the money. */
  readonly reversedAt: Date | undefined;
}
