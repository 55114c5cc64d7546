import type { ResultCode } from "../../core/result.ts";
import { deleteJob } from "../../jobs/job.sql.ts";
import { feeTermsOf } from "../../ledger/fee.ts";
import { releaseReserve } from "../../ledger/reserve.sql.ts";
import { insertEffect } from "../../ledger/transfer.sql.ts";
import { cancelEffect, reversalEffect } from "../../ledger/transfer.ts";
import type { Tx } from "../../postgres/sql.ts";
import { cancelCost } from "../cancellation.ts";
import { updatePaymentMoved } from "../payment.sql.ts";
import type { Payment } from "../payment.ts";
import { updateCancelRefused, updateReversalFinished } from "./reversal.sql.ts";
import type { Reversal } from "./reversal.ts";

/** A reversal and its payment, which the caller's transaction has locked. */
export interface Reversing {
  readonly reversal: Reversal;
  readonly payment: Payment;
}

/** `recordReversed` records that the money is returned, or the hold released. */
export function recordReversed(tx: Tx, { reversal, payment }: Reversing, now: Date): void {
  const { bucket, clientId, paymentId, captureMode } = payment;
  const { connector, amount, reason } = reversal;
  updateReversalFinished(tx, reversal, { status: "SUCCESS", resultCode: "SUCCESS" }, now);
  if (reason === "CANCEL") {
    const change = { status: "CANCELLED", resultCode: "ORDER_IS_CANCELED", cancelledAt: now } as const;
    updatePaymentMoved(tx, payment, change, now);
  }
  if (captureMode === "MANUAL") {
    // An authorization hold is in no ledger account, so its release has no ledger rows.
    deleteJob(tx, { bucket, clientId, subjectId: paymentId, job: "release-hold" });
    return;
  }
  const effect =
    reason === "CANCEL"
      ? cancelEffect(clientId, connector, amount, feeTermsOf(payment))
      : reversalEffect(connector, amount);
  insertEffect(tx, { bucket, clientId, subjectId: paymentId }, effect, now);
  giveUp(tx, { reversal, payment });
}

/**
 * `recordReversalRefused` records that the provider refused the reversal: the payment keeps the status that the merchant knows.
 */
export function recordReversalRefused(
  tx: Tx,
  { reversal, payment }: Reversing,
  resultCode: ResultCode,
  now: Date,
): void {
  updateReversalFinished(tx, reversal, { status: "FAIL", resultCode }, now);
  if (reversal.reason === "CANCEL") updateCancelRefused(tx, payment, now);
  giveUp(tx, { reversal, payment });
}

function giveUp(tx: Tx, reversing: Reversing): void {
  if (!hasReserve(reversing)) return;
  const { bucket, clientId, amount } = reversing.reversal;
  const { currency, minor } = cancelCost(reversing.payment, amount);
  releaseReserve(tx, { bucket, clientId, currency }, minor);
}

/**
 * `hasReserve` returns whether a reserve in the merchant's balance covers the reversal. The money of a late success or
 * an authorization hold was never in the balance, so such a reversal has no reserve.
 */
function hasReserve({ reversal, payment }: Reversing): boolean {
  return reversal.reason === "CANCEL" && payment.captureMode === "AUTOMATIC";
}
