import { done, type HeldJob, type Job, type SettledTogether } from "../jobs/job.ts";
import { isQuietOver, maySend, notAfter, underWaySince } from "../wallets/message.ts";
import type { NewOrder, OrderReport } from "../wallets/wallet.ts";
import type { PaymentDriver } from "./payment-driver.ts";
import { isSettled, type Payment } from "./payment.ts";
import { findPayment, lockPayment, updateOrdersAccepted, type Accepted } from "./payment.sql.ts";
import { recordReport } from "./record-report.sql.ts";
import { mayExpire, nextLookAt, nextStep, retryAt } from "./settlement.ts";

/** Drives a payment to a final state: submits it to the wallet, polls it, closes it when it has expired. */
export function drivePayment(driver: PaymentDriver): Job<Payment, OrderReport> {
  return {
    name: "drive-payment",
    lane: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const payment = await findPayment(tx, { bucket, clientId }, subjectId);
      return payment && !isSettled(payment) ? payment : undefined;
    },

    async call(payment, held, signal, beforeSend) {
      const { wallet: order } = payment;
      if (!order) throw new Error(`Payment ${payment.paymentId} has no order to send.`);
      const context = driver.context(held);
      const { now } = context;
      const { reference } = order;
      const wallet = await driver.walletOf(order.connector);
      const terms = driver.termsOf(order.connector);
      const closing = { reference, notAfter: notAfter(context, terms) };
      switch (nextStep(payment, now, maySend(held, terms))) {
        case "submit": {
          const report = await wallet.submit(await orderOf(driver, payment, held), signal, beforeSend);
          if (report.state !== "REFUSED" || !underWaySince(held, terms)) return report;
          // An earlier submit may still be in flight: closing the order refuses that one, too.
          const closed = await wallet.cancel(closing, signal);
          return closed.state === "CLOSED" ? report : closed;
        }
        case "inquire": {
          const report = await wallet.inquire(reference, signal);
          // The order never arrived within the quiet period, and may not be submitted again: close it.
          const neverArrived = report.state === "NOT_FOUND" && !order.acceptedAt;
          return neverArrived && held.sentAt && isQuietOver(held.sentAt, terms, now)
            ? wallet.cancel(closing, signal)
            : report;
        }
        case "expire": {
          const report = await wallet.inquire(reference, signal);
          return mayExpire(report) ? wallet.cancel(closing, signal) : report;
        }
        case "close":
          return wallet.cancel(closing, signal);
      }
    },

    together: acceptedTogether(driver),

    lock: (tx, { bucket, clientId, subjectId }) => lockPayment(tx, { bucket, clientId }, subjectId),

    async settle(tx, locked, report, held) {
      const context = driver.context(held);
      const { payment, decision } = await recordReport(tx, locked, report, context);
      if (decision.kind === "contradiction") driver.alert(decision.why, payment);
      if (decision.kind === "late success")
        driver.alert("Paid after the merchant was told that it was not.", payment);
      if (isSettled(payment)) return done;
      const gotNowhere = decision.kind === "nothing" || decision.kind === "contradiction";
      const at =
        report.state === "NOT_FOUND" && !payment.wallet?.acceptedAt
          ? retryAt(held.attempts, context.now)
          : nextLookAt(payment, gotNowhere ? held.attempts + 1 : 0, context.now);
      return { next: "again", at, gotNowhere };
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

/** Batched settle of the usual first outcome: the wallet accepted the order, the buyer has yet to pay. */
function acceptedTogether(driver: PaymentDriver): SettledTogether<Payment, OrderReport, Accepted> {
  return {
    item(payment, report, held) {
      const isNews = payment.status === "PROCESSING" && !payment.wallet?.acceptedAt;
      if (report.state !== "OPEN" || !isNews || payment.cancelRequestedAt) return undefined;
      const { now } = driver.context(held);
      const { code, url } = report;
      return { payment, held, code, url, at: now, lookAt: nextLookAt(payment, 0, now) };
    },
    write: updateOrdersAccepted,
  };
}

async function orderOf(driver: PaymentDriver, payment: Payment, { aheadMs }: HeldJob): Promise<NewOrder> {
  const { clientId, paymentId, amount, wallet, expiresAt, redirectUrl, captureMode } = payment;
  if (!amount || !wallet || !expiresAt) throw new Error(`Payment ${paymentId} has no order to send.`);
  // The merchant's test clock may be ahead; the wallet's is not.
  const walletExpiresAt = new Date(expiresAt.getTime() - aheadMs);
  return {
    reference: wallet.reference,
    clientId,
    paymentId,
    merchantName: await driver.merchantName(clientId),
    description: payment.orderDescription ?? "",
    amount,
    paymentMethodType: payment.paymentMethodType ?? "",
    notAfter: walletExpiresAt,
    expiresAt: walletExpiresAt,
    redirectUrl,
    captureMode,
    ...paidBy(payment, payment.sealedCode && driver.secrets.unseal(payment.sealedCode, paymentId)),
  };
}

/** The secret that pays without a checkout page: the till's code, or the token of the agreement. */
function paidBy(
  { productCode }: Payment,
  secret: string | undefined,
): Pick<NewOrder, "paymentCode" | "agreementToken"> {
  const isAgreed = productCode === "AGREEMENT_PAYMENT" && secret !== undefined;
  return isAgreed ? { paymentCode: undefined, agreementToken: secret } : { paymentCode: secret };
}
