import { done, type Job } from "../jobs/job.ts";
import type { WalletDriver } from "../jobs/wallet-driver.ts";
import { isUnchosen, type Payment } from "../payments/payment.ts";
import { findPayment, lockPayment } from "../payments/payment.sql.ts";
import { recordReport } from "../payments/record-report.tx.ts";

/**
 * Closes a session that expired before its buyer chose how to pay. No wallet knows of it, so our own clock
 * may decide. A choice takes the same row lock, so the two cannot race.
 */
export function closeSession(driver: WalletDriver): Job<Payment, undefined> {
  return {
    loop: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const payment = await findPayment(tx, { bucket, clientId }, subjectId);
      return payment && isUnchosen(payment) ? payment : undefined;
    },

    call: () => Promise.resolve(undefined),

    lock: (tx, { bucket, clientId, subjectId }) => lockPayment(tx, { bucket, clientId }, subjectId),

    async write(tx, payment, _nothing, leased) {
      const context = driver.context(leased);
      if (!isUnchosen(payment) || !payment.session) return done;
      if (context.now < payment.session.expiresAt) return { next: "again", at: payment.session.expiresAt };
      await recordReport(tx, payment, { state: "CLOSED" }, context);
      return done;
    },

    retryAt: (_leased, now) => now,
  };
}
