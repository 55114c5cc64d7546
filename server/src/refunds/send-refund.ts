import { done, type Job } from "../jobs/job.ts";
import type { PaymentDriver } from "../payments/payment-driver.ts";
import type { RefundReport } from "../wallets/wallet.ts";
import { recordRefund } from "./record-refund.sql.ts";
import { findRefund, findRefundedOrder, lockRefund, type Refunding } from "./refund.sql.ts";
import { decideRefund, nextRefundLookAt, nextRefundStep } from "./refund.ts";

/** Brings a refund to its end: hands it to the wallet, and asks after it for as long as nobody knows. */
export function sendRefund(driver: PaymentDriver): Job<Refunding, RefundReport> {
  return {
    name: "send-refund",
    lane: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const [refund, order] = await Promise.all([
        findRefund(tx, { bucket, clientId }, subjectId),
        findRefundedOrder(tx, { bucket, clientId }, subjectId),
      ]);
      return refund?.status === "PROCESSING" && order ? { refund, order } : undefined;
    },

    async call({ refund, order }, { epoch, attempts }, signal) {
      const { connector, reference: refundReference, amount } = refund;
      const wallet = await driver.walletOf(connector);
      const isFirstTry = epoch === 1 && attempts === 0;
      return nextRefundStep(refund, driver.termsOf(connector), isFirstTry) === "send"
        ? wallet.refund({ reference: order.reference, refundReference, amount }, signal)
        : wallet.inquireRefund(refundReference, signal);
    },

    lock: (tx, { bucket, clientId, subjectId }) => lockRefund(tx, { bucket, clientId }, subjectId),

    async settle(tx, refunding, report, held) {
      const { refund } = refunding;
      if (refund.status !== "PROCESSING") return done;
      const context = driver.context(held);
      const decision = decideRefund(refund, report, driver.termsOf(refund.connector), held.askedAt);
      recordRefund(tx, refunding, decision, context);
      if (decision.kind === "contradiction") driver.alert(decision.why, refund);
      if (decision.kind === "finished") return done;
      const gotNowhere = decision.kind !== "accepted";
      return { next: "again", at: nextRefundLookAt(gotNowhere ? held.attempts : 0, context.now), gotNowhere };
    },

    retryAt: ({ attempts }, now) => nextRefundLookAt(attempts, now),
  };
}
