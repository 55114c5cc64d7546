import { refundCost } from "../ledger/fee.ts";
import { releaseReserve } from "../ledger/reserve.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { refundEffect } from "../ledger/transfer.ts";
import { notifyMerchant } from "../notifications/notify-merchant.tx.ts";
import type { RecordingContext } from "../contract/provider-driver.ts";
import type { Tx } from "../postgres/sql.ts";
import type { Verdict } from "../providers/provider-message.ts";
import { refundNotificationBody } from "./refund-notification.ts";
import {
  updatePaymentRefunded,
  updateRefundAccepted,
  updateRefundFinished,
  type RefundWithOrder,
} from "./refund.sql.ts";

/**
 * `recordRefund` records the result of a refund whose payment the caller's transaction has locked. The refund, its
 * payment, the ledger, the reserve and the merchant's webhook (outbox) commit in one transaction.
 */
export function recordRefund(
  tx: Tx,
  { refund, order }: RefundWithOrder,
  verdict: Verdict,
  context: RecordingContext,
): void {
  const { now: finishedAt } = context;
  switch (verdict.kind) {
    case "accepted":
      return updateRefundAccepted(tx, refund, context.now);
    case "done": {
      const succeeded = { ...refund, status: "SUCCESS", resultCode: "SUCCESS", finishedAt } as const;
      return finishRefund(tx, { refund: succeeded, order }, context);
    }
    case "refused": {
      const failed = { ...refund, status: "FAIL", resultCode: verdict.resultCode, finishedAt } as const;
      return finishRefund(tx, { refund: failed, order }, context);
    }
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
  // A merchant with a point of sale device polls and gets no webhook.
  if (!order.isInStore) {
    const sequence = order.sequence + 1;
    const body = refundNotificationBody(refund, sequence);
    const url = refund.notifyUrl;
    notifyMerchant(tx, { bucket, clientId, kind: "notifyRefund", subjectId, sequence, url, body }, context);
  }
  releaseReserve(tx, { bucket, clientId, currency: amount.currency }, refundCost(amount.minor, fee));
  // Lock order: reserve before refund, as in refund-payment.ts. A concurrent request with this refund id for another
  // payment waits for the refund's row.
  updateRefundFinished(tx, refund, now);
}
