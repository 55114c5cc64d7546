import { done, type Job } from "../jobs/job.ts";
import type { PaymentDriver } from "../payments/payment-driver.ts";
import { findPayment, lockPayment } from "../payments/payment.sql.ts";
import { isQuietOver, maySend, retryAt } from "../payments/settlement.ts";
import type { CaptureReport } from "../wallets/wallet.ts";
import { findCapture } from "./capture.sql.ts";
import { captureFailure } from "./capture.ts";
import { recordCapture, type Capturing } from "./record-capture.sql.ts";

/** Has the wallet take what it holds. */
export function sendCapture(driver: PaymentDriver): Job<Capturing, CaptureReport> {
  return {
    name: "send-capture",
    lane: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const capture = await findCapture(tx, { bucket, clientId }, subjectId);
      if (capture?.status !== "PROCESSING") return undefined;
      const payment = await findPayment(tx, { bucket, clientId }, capture.paymentId);
      return payment && { capture, payment };
    },

    async call({ capture, payment }, held, signal) {
      const { connector, reference: captureReference, amount } = capture;
      const wallet = await driver.walletOf(connector);
      const reference = payment.wallet?.reference ?? "";
      return maySend(driver.termsOf(connector), held)
        ? wallet.capture({ reference, captureReference, amount }, signal)
        : wallet.inquireCapture(captureReference, signal);
    },

    async lock(tx, { bucket, clientId, subjectId }, { payment: { paymentId } }) {
      const owner = { bucket, clientId };
      const [payment, capture] = await Promise.all([
        lockPayment(tx, owner, paymentId),
        findCapture(tx, owner, subjectId),
      ]);
      return payment && capture?.status === "PROCESSING" ? { payment, capture } : undefined;
    },

    async settle(tx, { capture, payment }, report, held) {
      const context = driver.context(held);
      const { now } = context;
      const terms = driver.termsOf(capture.connector);
      if (report.state === "NOT_FOUND" && !isQuietOver(capture.createdAt, terms, held.askedAt))
        return { next: "again", at: retryAt(held.attempts, now), gotNowhere: true };
      const refusedFor = report.state === "REFUSED" ? report.resultCode : undefined;
      const ended =
        report.state === "DONE"
          ? ({ status: "SUCCESS", resultCode: "SUCCESS" } as const)
          : ({ status: "FAIL", resultCode: captureFailure(refusedFor) } as const);
      recordCapture(tx, { capture: { ...capture, ...ended, finishedAt: now }, payment }, context);
      return done;
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}
