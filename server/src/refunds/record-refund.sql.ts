import { updateReserved } from "../ledger/reserve.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { refundEffect } from "../ledger/transfer.ts";
import { tellMerchant } from "../notifications/tell-merchant.sql.ts";
import type { RecordingContext } from "../payments/payment-driver.ts";
import type { Tx } from "../postgres/sql.ts";
import { refundNotificationBody } from "./refund-notification.ts";
import {
  updatePaymentRefunded,
  updateRefundAccepted,
  updateRefundFinished,
  type Refunding,
} from "./refund.sql.ts";
import type { RefundDecision } from "./refund.ts";

/**
 * Writes down what became of a refund that the caller's transaction holds: the refund, its payment, the
 * ledger, the reserve and what the merchant is told commit together or not at all.
 */
export function recordRefund(
  tx: Tx,
  { refund, order }: Refunding,
  decision: RefundDecision,
  context: RecordingContext,
): void {
  if (decision.kind === "accepted") updateRefundAccepted(tx, refund, context.now);
  if (decision.kind !== "finished") return;
  const { status, resultCode } = decision;
  finish(tx, { refund: { ...refund, status, resultCode, finishedAt: context.now }, order }, context);
}

function finish(tx: Tx, { refund, order }: Refunding, context: RecordingContext): void {
  const { bucket, clientId, refundId: subjectId, amount, connector } = refund;
  const { now } = context;
  updateRefundFinished(tx, refund, now);
  updatePaymentRefunded(tx, refund, now);
  if (refund.status === "SUCCESS") {
    insertEffect(tx, { bucket, clientId, subjectId }, refundEffect(clientId, connector, amount), now);
  }
  updateReserved(tx, { bucket, clientId, currency: amount.currency }, -amount.minor);
  // A till asks, and is not told.
  if (order.isInStore) return;
  const sequence = order.sequence + 1;
  const body = refundNotificationBody(refund, sequence);
  const url = refund.notifyUrl;
  tellMerchant(tx, { bucket, clientId, kind: "notifyRefund", subjectId, sequence, url, body }, context);
}
