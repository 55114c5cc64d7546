import { done, type Job } from "../jobs/job.ts";
import type { OrderReport } from "../wallets/wallet.ts";
import type { PaymentDriver } from "./payment-driver.ts";
import { isSettled, type Payment } from "./payment.ts";
import { findPayment, lockPayment } from "./payment.sql.ts";
import { recordReport } from "./record-report.sql.ts";
import { nextLookAt, nextStep, retryAt } from "./settlement.ts";

/** Brings a payment to its end: hands it to the wallet, asks after it, closes it when it has expired. */
export function drivePayment(driver: PaymentDriver): Job<Payment, OrderReport> {
  return {
    name: "drive-payment",

    async read(tx, { bucket, clientId, subjectId }) {
      const payment = await findPayment(tx, { bucket, clientId }, subjectId);
      return payment && !isSettled(payment) ? payment : undefined;
    },

    async call(payment, _held, signal) {
      const { amount, wallet: order, expiresAt } = payment;
      if (!amount || !order || !expiresAt)
        throw new Error(`Payment ${payment.paymentId} has no order to send.`);
      const wallet = await driver.walletOf(order.connector);
      switch (nextStep(payment, driver.context().now)) {
        case "submit":
          return wallet.submit(
            {
              reference: order.reference,
              clientId: payment.clientId,
              paymentId: payment.paymentId,
              merchantName: await driver.merchantName(payment.clientId),
              description: payment.orderDescription ?? "",
              amount,
              paymentMethodType: payment.paymentMethodType ?? "",
              notAfter: expiresAt,
              expiresAt,
              redirectUrl: payment.redirectUrl,
            },
            signal,
          );
        case "inquire":
          return wallet.inquire(order.reference, signal);
        case "close":
          return wallet.cancel(order.reference, signal);
      }
    },

    lock: (tx, { bucket, clientId, subjectId }) => lockPayment(tx, { bucket, clientId }, subjectId),

    async settle(tx, locked, report, held) {
      const context = driver.context();
      const { payment, decision } = await recordReport(tx, locked, report, context);
      if (decision.kind === "contradiction") driver.alert(decision.why, payment);
      if (decision.kind === "late success")
        driver.alert("Paid after the merchant was told that it was not.", payment);
      if (isSettled(payment)) return done;
      const gotNowhere = decision.kind === "nothing" || decision.kind === "contradiction";
      return {
        next: "again",
        at: nextLookAt(payment, gotNowhere ? held.attempts + 1 : 0, context.now),
        gotNowhere,
      };
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}
