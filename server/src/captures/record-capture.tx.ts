import { feeTermsOf } from "../ledger/fee.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { captureEffect } from "../ledger/transfer.ts";
import { tellMerchant } from "../notifications/tell-merchant.tx.ts";
import type { RecordingContext } from "../jobs/wallet-driver.ts";
import type { Payment } from "../payments/payment.ts";
import type { Tx } from "../postgres/sql.ts";
import { captureNotificationBody } from "./capture-notification.ts";
import { updateCaptureFinished } from "./capture.sql.ts";
import type { Capture } from "./capture.ts";

/** A capture, and the payment that it is of. */
export interface Capturing {
  readonly capture: Capture;
  readonly payment: Payment;
  /** Whether the wallet is told to release what the capture leaves. */
  readonly isLast: boolean;
}

/** A capture that has ended. */
interface Captured extends Pick<Capturing, "capture" | "payment"> {
  /** What earlier captures took: a rule of fees goes by the sum. Without one each capture is charged by itself, and this is nought. */
  readonly takenBeforeMinor: bigint;
}

/**
 * Records the result of a capture whose payment the caller's transaction has locked. State, event, ledger and
 * the merchant's notification (outbox) commit in one transaction.
 */
export function recordCapture(
  tx: Tx,
  { capture, payment, takenBeforeMinor }: Captured,
  context: RecordingContext,
): void {
  const { now } = context;
  const { bucket, clientId, captureId, connector, amount } = capture;
  updateCaptureFinished(tx, capture, capture, now);
  if (capture.status === "SUCCESS") {
    const effect = captureEffect(clientId, connector, amount, {
      terms: feeTermsOf(payment),
      takenBeforeMinor,
    });
    insertEffect(tx, { bucket, clientId, subjectId: captureId }, effect, now);
  }
  const sequence = payment.sequence + 1;
  const body = captureNotificationBody(capture, sequence);
  const url = payment.notifyUrl;
  const news = {
    bucket,
    clientId,
    kind: "notifyCapture",
    subjectId: captureId,
    sequence,
    url,
    body,
  } as const;
  tellMerchant(tx, news, context);
}
