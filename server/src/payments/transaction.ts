import type { Money } from "../core/money.ts";
import type { ResultCode } from "../core/result.ts";

export type TransactionType = "CAPTURE" | "REFUND" | "CANCEL";

export type TransactionStatus = "PROCESSING" | "SUCCESS" | "FAIL";

/** What moved a payment's money after it was made: a capture, a refund, or the way back of all of it. */
export interface Transaction {
  readonly type: TransactionType;
  readonly status: TransactionStatus;
  readonly resultCode: ResultCode;
  readonly transactionId: string;
  /** The merchant's own id; without one (a reversal), the reference that the wallet knows. */
  readonly requestId: string;
  readonly amount: Money;
  readonly finishedAt: Date | undefined;
}
