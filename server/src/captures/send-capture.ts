import { done, type Job } from "../jobs/job.ts";
import type { PaymentDriver } from "../payments/payment-driver.ts";
import { findPayment, lockPayment } from "../payments/payment.sql.ts";
import { retryAt } from "../payments/settlement.ts";
import { goOn, isNews, judge, maySend, notAfter } from "../wallets/message.ts";
import type { CaptureReport } from "../wallets/wallet.ts";
import { findCapture } from "./capture.sql.ts";
import { captureFailure } from "./capture.ts";
import { recordCapture, type Capturing } from "./record-capture.sql.ts";

/** Drives a capture to a final state: has the wallet take money that it holds. */
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

    async call({ capture, payment }, held, signal, beforeSend) {
      const { connector, reference: captureReference, amount } = capture;
      const wallet = await driver.walletOf(connector);
      const terms = driver.termsOf(connector);
      if (!maySend(held, terms)) return wallet.inquireCapture(captureReference, signal);
      const reference = payment.wallet?.reference ?? "";
      const until = notAfter(driver.context(held), terms);
      return wallet.capture({ reference, captureReference, amount, notAfter: until }, signal, beforeSend);
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
      const asked = { ...held, acceptedAt: undefined };
      const verdict = judge(report, asked, driver.termsOf(capture.connector));
      if (verdict.kind === "contradiction" && isNews(verdict, held)) driver.alert(verdict.why, capture);
      if (verdict.kind !== "done" && verdict.kind !== "refused")
        return goOn(verdict, retryAt(held.attempts, now));
      const ended =
        verdict.kind === "done"
          ? ({ status: "SUCCESS", resultCode: "SUCCESS" } as const)
          : ({ status: "FAIL", resultCode: captureFailure(verdict.resultCode) } as const);
      recordCapture(tx, { capture: { ...capture, ...ended, finishedAt: now }, payment }, context);
      return done;
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}
