import { paymentFeeTerms } from "../ledger/fee.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { captureEffect } from "../ledger/transfer.ts";
import { notifyMerchant } from "../notifications/notify-merchant.tx.ts";
import type { RecordingContext } from "../contract/provider-driver.ts";
import type { Payment } from "../payments/payment.ts";
import type { Tx } from "../postgres/sql.ts";
import { buildCaptureNotification } from "./capture-notification.ts";
import { updateCaptureFinished } from "./capture.sql.ts";
import type { Capture } from "./capture.ts";

/** A capture with its payment. */
export interface PendingCapture {
  readonly capture: Capture;
  readonly payment: Payment;
  /** Whether the gateway requests the provider to release the rest of the authorization hold. */
  readonly isLast: boolean;
}

/** A finished capture. */
interface FinishedCapture extends Pick<PendingCapture, "capture" | "payment"> {
  /**
   * Sum of earlier captures, because a fee rule applies to the total. Without a fee rule each capture is charged
   * separately, and the sum is 0.
   */
  readonly capturedBeforeMinor: bigint;
}

/**
 * `recordCapture` records the result of a capture whose payment the caller's transaction has locked. State, event,
 * ledger rows and the merchant's webhook (outbox) commit in one transaction.
 */
export function recordCapture(
  tx: Tx,
  { capture, payment, capturedBeforeMinor }: FinishedCapture,
  context: RecordingContext,
): void {
  const { now } = context;
  const { bucket, clientId, captureId, connector, amount } = capture;
  updateCaptureFinished(tx, capture, capture, now);
  if (capture.status === "SUCCESS") {
    const effect = captureEffect(clientId, connector, amount, {
      terms: paymentFeeTerms(payment),
      capturedBeforeMinor,
    });
    insertEffect(tx, { bucket, clientId, subjectId: captureId }, effect, now);
  }
  const sequence = payment.sequence + 1;
  const body = buildCaptureNotification(capture, sequence);
  const url = payment.notifyUrl;
  const notification = {
    bucket,
    clientId,
    kind: "notifyCapture",
    subjectId: captureId,
    sequence,
    url,
    body,
  } as const;
  notifyMerchant(tx, notification, context);
}
