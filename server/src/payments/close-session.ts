import { done, type Job } from "../jobs/job.ts";
import type { PaymentDriver } from "./payment-driver.ts";
import type { Payment } from "./payment.ts";
import { findPayment, lockPayment } from "./payment.sql.ts";
import { recordReport } from "./record-report.sql.ts";
import { isUnchosen } from "./session.ts";

/**
 * Closes a session in which nobody has chosen how to pay. No wallet has heard of it, so here our own clock may decide:
 * whoever chooses holds the same row.
 */
export function closeSession(driver: PaymentDriver): Job<Payment, undefined> {
  return {
    name: "close-session",
    lane: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const payment = await findPayment(tx, { bucket, clientId }, subjectId);
      return payment && isUnchosen(payment) ? payment : undefined;
    },

    call: () => Promise.resolve(undefined),

    lock: (tx, { bucket, clientId, subjectId }) => lockPayment(tx, { bucket, clientId }, subjectId),

    async settle(tx, payment, _nothing, held) {
      const context = driver.context(held);
      if (!isUnchosen(payment) || !payment.session) return done;
      if (context.now < payment.session.expiresAt) return { next: "again", at: payment.session.expiresAt };
      await recordReport(tx, payment, { state: "CLOSED" }, context);
      return done;
    },

    retryAt: (_held, now) => now,
  };
}
