import { retryAt } from "../resilience/backoff.ts";
import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { findPayment, lockPayment } from "../payments/payment.sql.ts";
import { isSettled, type Payment } from "../payments/payment.ts";
import { decideRelease } from "../payments/decide-release.ts";
import { rescheduleJob, isNewContradiction, sendDeadline } from "../providers/provider-message.ts";
import type { OrderReport } from "../providers/provider.ts";
import { listCaptures, updateHoldReleased } from "./capture.sql.ts";
import type { Capture } from "./capture.ts";

interface HoldToRelease {
  readonly payment: Payment;
  readonly captures: readonly Capture[];
}

/**
 * The outcome of the job: the provider's report; "released" if part was captured, so that the provider releases the
 * rest itself; or "waits" if a cancel or capture is in progress.
 */
type ReleaseOutcome = OrderReport | "released" | "waits";

/**
 * The job that releases an authorization hold that expired uncaptured, or that the provider holds again after a
 * release.
 */
export function releaseHold(driver: ProviderDriver): Job<HoldToRelease, ReleaseOutcome> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const owner = { bucket, clientId };
      const payment = await findPayment(tx, owner, subjectId);
      if (!payment || !mayBeHeld(payment)) return undefined;
      return { payment, captures: await listCaptures(tx, owner, subjectId) };
    },

    async call({ payment, captures }, leased, signal) {
      const { order, cancelRequestedAt } = payment;
      const isBeingCancelled = payment.status === "SUCCESS" && cancelRequestedAt;
      // A cancel or a capture in progress decides whether anything is left to release, so the job waits.
      if (!order || isBeingCancelled || captures.some(({ status }) => status === "PROCESSING"))
        return "waits";
      // After a partial capture, the provider releases the rest itself.
      if (captures.some(({ status }) => status === "SUCCESS")) return "released";
      const { connector, reference } = order;
      const provider = await driver.providerOf(connector);
      const until = sendDeadline(driver.context(leased), driver.termsOf(connector));
      return provider.cancel({ reference, notAfter: until }, signal);
    },

    async lock(tx, { bucket, clientId, subjectId }, { captures }) {
      const payment = await lockPayment(tx, { bucket, clientId }, subjectId);
      return payment && mayBeHeld(payment) ? { payment, captures } : undefined;
    },

    async write(tx, { payment }, outcome, leased) {
      const { now } = driver.context(leased);
      const nextAttemptAt = retryAt(leased.attempts, now);
      if (outcome === "waits") return { next: "again", at: nextAttemptAt, noProgress: true };
      const evaluation =
        outcome === "released" ? ({ kind: "done" } as const) : decideRelease(outcome, payment);
      if (evaluation.kind === "contradiction") {
        if (isNewContradiction(evaluation, leased)) driver.alert(evaluation.why, payment);
        return rescheduleJob(evaluation, nextAttemptAt);
      }
      if (payment.status === "SUCCESS" && !payment.releasedAt)
        updateHoldReleased(tx, payment, payment.paymentId, now);
      return jobDone;
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

function mayBeHeld({ captureMode, ...payment }: Payment): boolean {
  return captureMode === "MANUAL" && isSettled(payment);
}
