import { refundCost } from "../ledger/fee.ts";
import { releaseReserve } from "../ledger/reserve.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { refundEffect, refundReversalEffect } from "../ledger/transfer.ts";
import { notifyMerchant } from "../notifications/notify-merchant.tx.ts";
import type { RecordingContext } from "../contract/provider-driver.ts";
import type { Tx } from "../postgres/sql.ts";
import type { ReturnDecision } from "../providers/decide-return.ts";
import { refundNotificationBody } from "./refund-notification.ts";
import {
  updatePaymentRefunded,
  updateRefundAccepted,
  updateRefundFinished,
  updateRefundReversed,
  type RefundWithOrder,
} from "./refund.sql.ts";

/**
 * `recordRefund` records the result of a refund whose payment the caller's transaction has locked. The refund, its
 * payment, the ledger, the reserve and the merchant's webhook (outbox) commit in one transaction.
 */
export function recordRefund(
  tx: Tx,
  { refund, order }: RefundWithOrder,
  decision: ReturnDecision,
  context: RecordingContext,
): void {
  const { now: finishedAt } = context;
  switch (decision.kind) {
    case "accepted":
      return updateRefundAccepted(tx, refund, context.now);
    case "done": {
      const succeeded = { ...refund, status: "SUCCESS", resultCode: "SUCCESS", finishedAt } as const;
      return finishRefund(tx, { refund: succeeded, order }, context);
    }
    case "refused": {
      const failed = { ...refund, status: "FAIL", resultCode: decision.resultCode, finishedAt } as const;
      return finishRefund(tx, { refund: failed, order }, context);
    }
    case "reversed": {
      const { resultCode } = decision;
      const reversed = { ...refund, status: "FAIL", resultCode, reversedAt: context.now } as const;
      return reverseRefund(tx, { refund: reversed, order }, context);
    }
    case "unchanged":
    case "open":
    case "contradiction":
      return undefined;
  }
}

function finishRefund(tx: Tx, { refund, order }: RefundWithOrder, context: RecordingContext): void {
  const { bucket, clientId, refundId: subjectId, amount, fee, connector } = refund;
  const { now } = context;
  updatePaymentRefunded(tx, refund, now);
  if (refund.status === "SUCCESS") {
    insertEffect(tx, { bucket, clientId, subjectId }, refundEffect(clientId, connector, amount, fee), now);
  }
  notifyRefund(tx, { refund, order }, context);
  releaseReserve(tx, { bucket, clientId, currency: amount.currency }, refundCost(amount.minor, fee));
  // Lock order: reserve before refund, as in refund-payment.ts. A concurrent request with this refund id for another
  // payment waits for the refund's row.
  updateRefundFinished(tx, refund, now);
}

/**
 * Reverses a refund that had succeeded. The merchant has the money again, and can refund it again. The posting is at the
 * present time, so that it never changes a closed period.
 */
function reverseRefund(tx: Tx, { refund, order }: RefundWithOrder, context: RecordingContext): void {
  const { bucket, clientId, refundId: subjectId, amount, fee, connector } = refund;
  const { now } = context;
  updatePaymentRefunded(tx, refund, now);
  const effect = refundReversalEffect(clientId, connector, amount, fee);
  insertEffect(tx, { bucket, clientId, subjectId }, effect, now);
  notifyRefund(tx, { refund, order }, context);
  updateRefundReversed(tx, refund, now);
}

/** A merchant with a point of sale device polls and gets no webhook. */
function notifyRefund(tx: Tx, { refund, order }: RefundWithOrder, context: RecordingContext): void {
  if (order.isInStore) return;
  const { bucket, clientId, refundId: subjectId, notifyUrl: url } = refund;
  const sequence = order.sequence + 1;
  const body = refundNotificationBody(refund, sequence);
  notifyMerchant(tx, { bucket, clientId, kind: "notifyRefund", subjectId, sequence, url, body }, context);
}
