import type { ResultCode } from "../../core/result.ts";
import { deleteJob } from "../../jobs/job.sql.ts";
import { paymentFeeTerms } from "../../ledger/fee.ts";
import { releaseReserve } from "../../ledger/reserve.sql.ts";
import { insertEffect } from "../../ledger/transfer.sql.ts";
import { cancelEffect, returnedReversalEffect, reversalEffect } from "../../ledger/transfer.ts";
import type { Tx } from "../../postgres/sql.ts";
import { cancelCost } from "../cancellation.ts";
import { updatePaymentStatus } from "../payment.sql.ts";
import type { Payment } from "../payment.ts";
import { updateCancelRefused, updateReversalFinished, updateReversalReturned } from "./reversal.sql.ts";
import type { Reversal } from "./reversal.ts";

/** A reversal and its payment, which the caller's transaction has locked. */
export interface ReversalWithPayment {
  readonly reversal: Reversal;
  readonly payment: Payment;
}

/** `recordReversalSuccess` records that the money is returned, or the hold released. */
export function recordReversalSuccess(tx: Tx, { reversal, payment }: ReversalWithPayment, now: Date): void {
  const { bucket, clientId, paymentId, captureMode } = payment;
  const { connector, amount, reason } = reversal;
  updateReversalFinished(tx, reversal, { status: "SUCCESS", resultCode: "SUCCESS" }, now);
  if (reason === "CANCEL") {
    const change = { status: "CANCELLED", resultCode: "ORDER_IS_CANCELED", cancelledAt: now } as const;
    updatePaymentStatus(tx, payment, change, now);
  }
  if (captureMode === "MANUAL") {
    // An authorization hold is in no ledger account, so its release has no ledger rows.
    deleteJob(tx, { bucket, clientId, subjectId: paymentId, job: "release-hold" });
    return;
  }
  const effect =
    reason === "CANCEL"
      ? cancelEffect(clientId, connector, amount, paymentFeeTerms(payment))
      : reversalEffect(connector, amount);
  insertEffect(tx, { bucket, clientId, subjectId: paymentId }, effect, now);
  releaseBalanceReserve(tx, { reversal, payment });
}

/**
 * `recordReversalRefused` records that the provider refused the reversal: the payment keeps the status that the merchant knows.
 */
export function recordReversalRefused(
  tx: Tx,
  { reversal, payment }: ReversalWithPayment,
  resultCode: ResultCode,
  now: Date,
): void {
  updateReversalFinished(tx, reversal, { status: "FAIL", resultCode }, now);
  if (reversal.reason === "CANCEL") updateCancelRefused(tx, payment, now);
  releaseBalanceReserve(tx, { reversal, payment });
}

/**
 * `recordReturnedReversal` records that returned money came back from the buyer's bank. The payment keeps its status,
 * and the money is in suspense.
 */
export function recordReturnedReversal(
  tx: Tx,
  { reversal, payment }: ReversalWithPayment,
  resultCode: ResultCode,
  now: Date,
): void {
  const { bucket, clientId } = payment;
  const { reversalId: subjectId, connector, amount } = reversal;
  updateReversalReturned(tx, reversal, resultCode, now);
  insertEffect(tx, { bucket, clientId, subjectId }, returnedReversalEffect(connector, amount), now);
}

function releaseBalanceReserve(tx: Tx, record: ReversalWithPayment): void {
  if (!hasReserve(record)) return;
  const { bucket, clientId, amount } = record.reversal;
  const { currency, minor } = cancelCost(record.payment, amount);
  releaseReserve(tx, { bucket, clientId, currency }, minor);
}

/**
 * `hasReserve` returns whether a reserve in the merchant's balance covers the reversal. The money of a late success or
 * an authorization hold was never in the balance, so such a reversal has no reserve.
 */
function hasReserve({ reversal, payment }: ReversalWithPayment): boolean {
  return reversal.reason === "CANCEL" && payment.captureMode === "AUTOMATIC";
}
