import { newId } from "../core/id.ts";
import { insertDueJob } from "../jobs/job.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { captureEffect } from "../ledger/transfer.ts";
import { insertNotification } from "../notifications/notification.sql.ts";
import type { RecordingContext } from "../payments/payment-driver.ts";
import type { Payment } from "../payments/payment.ts";
import type { Tx } from "../postgres/sql.ts";
import { captureNotificationBody } from "./capture-notification.ts";
import { updateCaptureFinished } from "./capture.sql.ts";
import type { Capture } from "./capture.ts";

/** A capture, and the payment that it is of. */
export interface Capturing {
  readonly capture: Capture;
  readonly payment: Payment;
}

/**
 * Writes down how a capture of a payment that the caller's transaction holds has ended: state, event, ledger
 * and what the merchant is to be told commit together or not at all.
 */
export function recordCapture(
  tx: Tx,
  { capture, payment }: Capturing,
  { now, randomBelow }: RecordingContext,
): void {
  const { bucket, clientId, captureId, connector, amount } = capture;
  updateCaptureFinished(tx, capture, capture, now);
  if (capture.status === "SUCCESS") {
    const effect = captureEffect(clientId, connector, amount, payment.feeBasisPoints);
    insertEffect(tx, { bucket, clientId, subjectId: captureId }, effect, now);
  }
  if (!payment.notifyUrl) return;
  const notificationId = newId("notification", bucket, now, randomBelow);
  const sequence = payment.sequence + 1;
  insertNotification(tx, {
    bucket,
    clientId,
    notificationId,
    kind: "notifyCapture",
    subjectId: captureId,
    sequence,
    url: payment.notifyUrl,
    body: captureNotificationBody(capture, sequence),
    status: "WAITING",
    attempts: 0,
    createdAt: now,
  });
  insertDueJob(tx, { bucket, clientId, subjectId: notificationId, job: "deliver-notification" }, now);
}
