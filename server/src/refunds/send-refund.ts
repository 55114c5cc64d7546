import { backOff } from "../resilience/backoff.ts";
import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import {
  rescheduleJob,
  isNewContradiction,
  maySend,
  moneyBackoff,
  sendDeadline,
} from "../providers/provider-message.ts";
import type { MoneyReport } from "../providers/provider.ts";
import { recordRefund } from "./record-refund.tx.ts";
import { findRefund, findRefundedOrder, lockRefund, type RefundWithOrder } from "./refund.sql.ts";
import { decideReturn } from "../providers/decide-return.ts";

/**
 * The job that brings a refund to a final status: it sends the refund to the provider, and polls while the outcome is
 * unknown. After a callback that a finished refund failed, the job asks the provider again.
 */
export function sendRefund(driver: ProviderDriver): Job<RefundWithOrder, MoneyReport> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const [refund, order] = await Promise.all([
        findRefund(tx, { bucket, clientId }, subjectId),
        findRefundedOrder(tx, { bucket, clientId }, subjectId),
      ]);
      return refund && order && { refund, order };
    },

    async call({ refund, order: { reference, owner } }, leased, signal, beforeSend) {
      const { connector, reference: refundReference, amount, status, acceptedAt } = refund;
      const provider = await driver.providerOf(connector);
      const terms = driver.termsOf(connector);
      const context = driver.context(leased);
      const requested = { reference, owner, refundReference, amount };
      if (status !== "PROCESSING" || acceptedAt || !maySend(leased, terms, context.now))
        return provider.inquireRefund(requested, signal);
      const until = sendDeadline(context, terms, leased);
      return provider.refund({ ...requested, notAfter: until }, signal, beforeSend);
    },

    lock: (tx, { bucket, clientId, subjectId }) => lockRefund(tx, { bucket, clientId }, subjectId),

    async write(tx, refundWithOrder, report, leased) {
      const { refund } = refundWithOrder;
      const context = driver.context(leased);
      const decision = decideReturn(refund, report, leased, driver.termsOf(refund.connector));
      recordRefund(tx, refundWithOrder, decision, context);
      switch (decision.kind) {
        case "done":
        case "refused":
        case "reversed":
          return jobDone;
        case "unchanged":
          if (decision.why) driver.alert(decision.why, refund);
          return jobDone;
        case "contradiction":
          if (isNewContradiction(decision, leased)) driver.alert(decision.why, refund);
          break;
        case "accepted":
        case "open":
          break;
      }
      const attempts = decision.kind === "accepted" ? 0 : leased.attempts;
      return rescheduleJob(decision, backOff(moneyBackoff, attempts, context.now));
    },

    retryAt: ({ attempts }, now) => backOff(moneyBackoff, attempts, now),
  };
}
