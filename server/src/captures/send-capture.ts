import { backOff, retryAt } from "../resilience/backoff.ts";
import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { orderOf, ownerOf } from "../payments/payment.ts";
import { findPayment, lockPayment } from "../payments/payment.sql.ts";
import {
  rescheduleJob,
  isNewContradiction,
  maySend,
  moneyBackoff,
  sendDeadline,
} from "../providers/provider-message.ts";
import type { MoneyReport } from "../providers/provider.ts";
import { findCapture, listCaptures, sumCaptured, updateCaptureAccepted } from "./capture.sql.ts";
import { releasesRest } from "./capture.ts";
import { decideCapture } from "./decide-capture.ts";
import { recordCapture, type PendingCapture } from "./record-capture.tx.ts";

/** The job that brings a capture to a final status: it requests the provider to collect authorized money. */
export function sendCapture(driver: ProviderDriver): Job<PendingCapture, MoneyReport> {
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
      const { connector, reference: captureReference, amount, acceptedAt } = capture;
      const provider = await driver.providerOf(connector);
      const terms = driver.termsOf(connector);
      const context = driver.context(leased);
      const { reference } = orderOf(payment);
      const capturedOrder = { reference, owner: ownerOf(payment), captureReference, amount };
      if (acceptedAt || !maySend(leased, terms, context.now))
        return provider.inquireCapture(capturedOrder, signal);
      const until = sendDeadline(context, terms, leased);
      return provider.capture({ ...capturedOrder, isLast, notAfter: until }, signal, beforeSend);
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
      const state = { ...leased, acceptedAt: capture.acceptedAt };
      const decision = decideCapture(report, state, driver.termsOf(capture.connector));
      if (decision.kind === "contradiction" && isNewContradiction(decision, leased))
        driver.alert(decision.why, capture);
      if (decision.kind === "accepted") updateCaptureAccepted(tx, capture, now);
      if (decision.kind !== "ended") {
        if (decision.kind === "accepted") return rescheduleJob(decision, backOff(moneyBackoff, 0, now));
        const nextPollAt = capture.acceptedAt
          ? backOff(moneyBackoff, leased.attempts, now)
          : retryAt(leased.attempts, now);
        return rescheduleJob(decision, nextPollAt);
      }
      const { status, resultCode } = decision;
      const hasFeeRule = payment.feeTerms !== undefined;
      const capturedBeforeMinor = hasFeeRule ? await sumCaptured(tx, payment, payment.paymentId) : 0n;
      const finished = { ...capture, status, resultCode, finishedAt: now };
      recordCapture(tx, { capture: finished, payment, capturedBeforeMinor }, context);
      return jobDone;
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}
