import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { isMethodUnchosen, type Payment } from "../payments/payment.ts";
import { findPayment, lockPayment } from "../payments/payment.sql.ts";
import { recordReport } from "../payments/record-report.tx.ts";

/**
 * The job that closes a session that expired before its buyer chose a payment method. No provider has an order, so the
 * gateway's own clock decides. The buyer's choice takes the same row lock, so there is no race.
 */
export function closeSession(driver: ProviderDriver): Job<Payment, undefined> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const payment = await findPayment(tx, { bucket, clientId }, subjectId);
      return payment && isMethodUnchosen(payment) ? payment : undefined;
    },

    call: () => Promise.resolve(undefined),

    lock: (tx, { bucket, clientId, subjectId }) => lockPayment(tx, { bucket, clientId }, subjectId),

    async write(tx, payment, _nothing, leased) {
      const context = driver.context(leased);
      if (!isMethodUnchosen(payment) || !payment.session) return jobDone;
      if (context.now < payment.session.expiresAt) return { next: "again", at: payment.session.expiresAt };
      await recordReport(tx, payment, { state: "CLOSED" }, context);
      return jobDone;
    },

    retryAt: (_leased, now) => now,
  };
}
