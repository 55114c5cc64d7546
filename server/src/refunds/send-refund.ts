import { done, type Job } from "../jobs/job.ts";
import type { PaymentDriver } from "../payments/payment-driver.ts";
import { goOn, isNews, judge, maySend, notAfter } from "../wallets/message.ts";
import type { RefundReport } from "../wallets/wallet.ts";
import { recordRefund } from "./record-refund.sql.ts";
import { findRefund, findRefundedOrder, lockRefund, type Refunding } from "./refund.sql.ts";
import { nextRefundLookAt } from "./refund.ts";

/** Drives a refund to a final state: sends it to the wallet, and polls while its outcome is unknown. */
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

    async call({ refund, order: { reference } }, held, signal, beforeSend) {
      const { connector, reference: refundReference, amount, acceptedAt } = refund;
      const wallet = await driver.walletOf(connector);
      const terms = driver.termsOf(connector);
      if (acceptedAt || !maySend(held, terms)) return wallet.inquireRefund(refundReference, signal);
      const until = notAfter(driver.context(held), terms);
      return wallet.refund({ reference, refundReference, amount, notAfter: until }, signal, beforeSend);
    },

    lock: (tx, { bucket, clientId, subjectId }) => lockRefund(tx, { bucket, clientId }, subjectId),

    async settle(tx, refunding, report, held) {
      const { refund } = refunding;
      if (refund.status !== "PROCESSING") return done;
      const context = driver.context(held);
      const asked = { ...held, acceptedAt: refund.acceptedAt };
      const verdict = judge(report, asked, driver.termsOf(refund.connector));
      recordRefund(tx, refunding, verdict, context);
      if (verdict.kind === "contradiction" && isNews(verdict, held)) driver.alert(verdict.why, refund);
      if (verdict.kind === "done" || verdict.kind === "refused") return done;
      const attempts = verdict.kind === "accepted" ? 0 : held.attempts;
      return goOn(verdict, nextRefundLookAt(attempts, context.now));
    },

    retryAt: ({ attempts }, now) => nextRefundLookAt(attempts, now),
  };
}
