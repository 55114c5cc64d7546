import { newId } from "../core/id.ts";
import { insertDueJob } from "../jobs/job.sql.ts";
import { updateReserved } from "../ledger/reserve.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { refundEffect } from "../ledger/transfer.ts";
import { insertNotification } from "../notifications/notification.sql.ts";
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
  if (refund.notifyUrl) tell(tx, { refund, order }, refund.notifyUrl, context);
}

function tell(
  tx: Tx,
  { refund, order }: Refunding,
  url: string,
  { now, randomBelow }: RecordingContext,
): void {
  const { bucket, clientId, refundId: subjectId } = refund;
  const notificationId = newId("notification", bucket, now, randomBelow);
  const sequence = order.sequence + 1;
  insertNotification(tx, {
    bucket,
    clientId,
    notificationId,
    kind: "notifyRefund",
    subjectId,
    sequence,
    url,
    body: refundNotificationBody(refund, sequence),
    status: "WAITING",
    attempts: 0,
    createdAt: now,
  });
  insertDueJob(tx, { bucket, clientId, subjectId: notificationId, job: "deliver-notification" }, now);
}
