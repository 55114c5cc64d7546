import { done, type Job } from "../jobs/job.ts";
import type { PaymentDriver } from "./payment-driver.ts";
import type { Payment } from "./payment.ts";
import { findPayment, lockPayment } from "./payment.sql.ts";
import { recordReport } from "./record-report.sql.ts";
import { isUnchosen } from "./session.ts";

/**
 * Closes a session that expired before its buyer chose how to pay. No wallet knows of it, so our own clock
 * may decide. A choice takes the same row lock, so the two cannot race.
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
