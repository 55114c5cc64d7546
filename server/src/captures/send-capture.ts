import { retryAt } from "../resilience/backoff.ts";
import { done, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { orderOf } from "../payments/payment.ts";
import { findPayment, lockPayment } from "../payments/payment.sql.ts";
import { goOn, isNews, maySend, notAfter } from "../providers/message.ts";
import type { CaptureReport } from "../providers/provider.ts";
import { findCapture, listCaptures, sumCaptured } from "./capture.sql.ts";
import { releasesRest } from "./capture.ts";
import { decideCapture } from "./decide-capture.ts";
import { recordCapture, type Capturing } from "./record-capture.tx.ts";

/** The job that brings a capture to a final status: it requests the provider to collect authorized money. */
export function sendCapture(driver: ProviderDriver): Job<Capturing, CaptureReport> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const owner = { bucket, clientId };
      const capture = await findCapture(tx, owner, subjectId);
      if (capture?.status !== "PROCESSING") return undefined;
      const payment = await findPayment(tx, owner, capture.paymentId);
      const all = capture.isLast ? await listCaptures(tx, owner, capture.paymentId) : [];
      return payment && { capture, payment, isLast: releasesRest(capture, all) };
    },

    async call({ capture, payment, isLast }, leased, signal, beforeSend) {
      const { connector, reference: captureReference, amount } = capture;
      const provider = await driver.providerOf(connector);
      const terms = driver.termsOf(connector);
      const requested = { reference: orderOf(payment).reference, captureReference, amount };
      if (!maySend(leased, terms)) return provider.inquireCapture(requested, signal);
      const until = notAfter(driver.context(leased), terms);
      return provider.capture({ ...requested, isLast, notAfter: until }, signal, beforeSend);
    },

    async lock(tx, { bucket, clientId, subjectId }, { payment: { paymentId }, isLast }) {
      const owner = { bucket, clientId };
      const [payment, capture] = await Promise.all([
        lockPayment(tx, owner, paymentId),
        findCapture(tx, owner, subjectId),
      ]);
      return payment && capture?.status === "PROCESSING" ? { payment, capture, isLast } : undefined;
    },

    async write(tx, { capture, payment }, report, leased) {
      const context = driver.context(leased);
      const { now } = context;
      const decision = decideCapture(report, leased, driver.termsOf(capture.connector));
      if (decision.kind === "contradiction" && isNews(decision, leased)) driver.alert(decision.why, capture);
      if (decision.kind !== "ended") return goOn(decision, retryAt(leased.attempts, now));
      const { status, resultCode } = decision;
      const isByRule = payment.feeTerms !== undefined;
      const takenBeforeMinor = isByRule ? await sumCaptured(tx, payment, payment.paymentId) : 0n;
      const ended = { ...capture, status, resultCode, finishedAt: now };
      recordCapture(tx, { capture: ended, payment, takenBeforeMinor }, context);
      return done;
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}
