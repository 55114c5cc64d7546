import { done, type Job } from "../jobs/job.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { reversalEffect } from "../ledger/transfer.ts";
import type { RefundReport } from "../wallets/wallet.ts";
import type { PaymentDriver } from "./payment-driver.ts";
import { findPayment } from "./payment.sql.ts";
import type { Payment } from "./payment.ts";
import { findReversal, updateReversalFinished } from "./reversal.sql.ts";
import type { Reversal } from "./reversal.ts";
import { retryAt } from "./settlement.ts";

interface Reversing {
  readonly reversal: Reversal;
  readonly payment: Payment;
}

/** Sends money back that came after the merchant had been told "no". */
export function reversePayment(driver: PaymentDriver): Job<Reversing, RefundReport> {
  return {
    name: "reverse-payment",

    async read(tx, { bucket, clientId, subjectId }) {
      const reversal = await findReversal(tx, { bucket, clientId }, subjectId);
      if (reversal?.status !== "PROCESSING") return undefined;
      const payment = await findPayment(tx, { bucket, clientId }, reversal.paymentId);
      return payment && { reversal, payment };
    },

    async call({ reversal, payment }, _held, signal) {
      const wallet = await driver.walletOf(reversal.connector);
      const reference = payment.wallet?.reference ?? "";
      return wallet.refund(
        { reference, refundReference: reversal.reference, amount: reversal.amount },
        signal,
      );
    },

    async settle(tx, { reversal, payment }, report) {
      const { now } = driver.context();
      const { bucket, clientId, paymentId } = payment;
      if (report.state === "DONE") {
        updateReversalFinished(tx, reversal, "SUCCESS", now);
        const effect = reversalEffect(reversal.connector, reversal.amount);
        insertEffect(tx, { bucket, clientId, subjectId: paymentId }, effect, now);
      } else {
        updateReversalFinished(tx, reversal, "FAIL", now);
        driver.alert(`The wallet refuses to take the money back: ${report.resultCode}.`, payment);
      }
      return done;
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}
