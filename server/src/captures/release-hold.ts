import { retryAt } from "../resilience/backoff.ts";
import { done, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { findPayment, lockPayment } from "../payments/payment.sql.ts";
import { isSettled, type Payment } from "../payments/payment.ts";
import { judgeRelease } from "../payments/hold.ts";
import { goOn, isNews, notAfter } from "../providers/message.ts";
import type { OrderReport } from "../providers/provider.ts";
import { listCaptures, updateReleased } from "./capture.sql.ts";
import type { Capture } from "./capture.ts";

interface Holding {
  readonly payment: Payment;
  readonly captures: readonly Capture[];
}

/**
 * The outcome of the job: the provider's report; "released" if part was captured, so that the provider releases the
 * rest itself; or "waits" if a cancel or capture is in progress.
 */
type Released = OrderReport | "released" | "waits";

/**
 * The job that releases an authorization hold that expired uncaptured, or that the provider holds again after a
 * release.
 */
export function releaseHold(driver: ProviderDriver): Job<Holding, Released> {
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
      const until = notAfter(driver.context(leased), driver.termsOf(connector));
      return provider.cancel({ reference, notAfter: until }, signal);
    },

    async lock(tx, { bucket, clientId, subjectId }, { captures }) {
      const payment = await lockPayment(tx, { bucket, clientId }, subjectId);
      return payment && mayBeHeld(payment) ? { payment, captures } : undefined;
    },

    async write(tx, { payment }, released, leased) {
      const { now } = driver.context(leased);
      const again = retryAt(leased.attempts, now);
      if (released === "waits") return { next: "again", at: again, gotNowhere: true };
      const verdict = released === "released" ? ({ kind: "done" } as const) : judgeRelease(released, payment);
      if (verdict.kind === "contradiction") {
        if (isNews(verdict, leased)) driver.alert(verdict.why, payment);
        return goOn(verdict, again);
      }
      if (payment.status === "SUCCESS" && !payment.releasedAt)
        updateReleased(tx, payment, payment.paymentId, now);
      return done;
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

function mayBeHeld({ captureMode, ...payment }: Payment): boolean {
  return captureMode === "MANUAL" && isSettled(payment);
}
