import { backOff } from "../resilience/backoff.ts";
import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import {
  rescheduleJob,
  isNewContradiction,
  evaluateReport,
  maySend,
  sendDeadline,
} from "../providers/provider-message.ts";
import type { RefundReport } from "../providers/provider.ts";
import { recordRefund } from "./record-refund.tx.ts";
import { findRefund, findRefundedOrder, lockRefund, type RefundWithOrder } from "./refund.sql.ts";
import { refundBackoff } from "./refund.ts";

/**
 * The job that brings a refund to a final status: it sends the refund to the provider, and polls while the outcome is
 * unknown.
 */
export function sendRefund(driver: ProviderDriver): Job<RefundWithOrder, RefundReport> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const [refund, order] = await Promise.all([
        findRefund(tx, { bucket, clientId }, subjectId),
        findRefundedOrder(tx, { bucket, clientId }, subjectId),
      ]);
      return refund?.status === "PROCESSING" && order ? { refund, order } : undefined;
    },

    async call({ refund, order: { reference } }, leased, signal, beforeSend) {
      const { connector, reference: refundReference, amount, acceptedAt } = refund;
      const provider = await driver.providerOf(connector);
      const terms = driver.termsOf(connector);
      const requested = { reference, refundReference, amount };
      if (acceptedAt || !maySend(leased, terms)) return provider.inquireRefund(requested, signal);
      const until = sendDeadline(driver.context(leased), terms);
      return provider.refund({ ...requested, notAfter: until }, signal, beforeSend);
    },

    lock: (tx, { bucket, clientId, subjectId }) => lockRefund(tx, { bucket, clientId }, subjectId),

    async write(tx, refundWithOrder, report, leased) {
      const { refund } = refundWithOrder;
      if (refund.status !== "PROCESSING") return jobDone;
      const context = driver.context(leased);
      const state = { ...leased, acceptedAt: refund.acceptedAt };
      const verdict = evaluateReport(report, state, driver.termsOf(refund.connector));
      recordRefund(tx, refundWithOrder, verdict, context);
      if (verdict.kind === "contradiction" && isNewContradiction(verdict, leased))
        driver.alert(verdict.why, refund);
      if (verdict.kind === "done" || verdict.kind === "refused") return jobDone;
      const attempts = verdict.kind === "accepted" ? 0 : leased.attempts;
      return rescheduleJob(verdict, backOff(refundBackoff, attempts, context.now));
    },

    retryAt: ({ attempts }, now) => backOff(refundBackoff, attempts, now),
  };
}
