import { retryAt } from "../resilience/backoff.ts";
import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { findPayment, lockPayment } from "../payments/payment.sql.ts";
import { updateHoldReleased } from "../payments/reversals/reversal.sql.ts";
import { isSettled, ownerOf, type Payment } from "../payments/payment.ts";
import { decideRelease } from "../payments/decide-release.ts";
import {
  rescheduleJob,
  isNewContradiction,
  sendDeadline,
  type SendState,
} from "../providers/provider-message.ts";
import type { OrderReport } from "../providers/provider.ts";
import { listCaptures } from "./capture.sql.ts";
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
      const orderKey = { reference, owner: ownerOf(payment) };
      if (leased.attempts > 0) {
        // A cancel after a failed one is a new attempt, so the gateway first reads how the last one ended.
        const report = await provider.inquire(orderKey, signal);
        if (isCancelNews(report, leased)) return report;
      }
      const until = sendDeadline(driver.context(leased), driver.termsOf(connector));
      return provider.cancel({ ...orderKey, notAfter: until }, signal);
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
      switch (evaluation.kind) {
        case "contradiction":
          if (isNewContradiction(evaluation, leased)) driver.alert(evaluation.why, payment);
          return rescheduleJob(evaluation, nextAttemptAt);
        case "refused": {
          const { resultCode: lastResult } = evaluation;
          const why = "The payment provider could not release the authorization hold.";
          const contradiction = { kind: "contradiction", why, lastResult } as const;
          if (isNewContradiction(contradiction, leased)) driver.alert(why, payment);
          return rescheduleJob(contradiction, nextAttemptAt);
        }
        case "open":
        case "accepted":
          return rescheduleJob(evaluation, nextAttemptAt);
        case "done":
          break;
      }
      if (payment.status === "SUCCESS" && !payment.releasedAt)
        updateHoldReleased(tx, payment, payment.paymentId, now);
      return jobDone;
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

/** Whether the last cancel is in progress, or has failed and the operator was not alerted yet. */
function isCancelNews({ state, cancel }: OrderReport, { lastResult }: SendState): boolean {
  if (state !== "AUTHORIZED") return false;
  return cancel?.state === "PROCESSING" || (cancel?.state === "FAILED" && cancel.resultCode !== lastResult);
}

function mayBeHeld({ captureMode, ...payment }: Payment): boolean {
  return captureMode === "MANUAL" && isSettled(payment);
}
