import { retryAt } from "../core/backoff.ts";
import { done, type LeasedJob, type Job, type WrittenTogether } from "../jobs/job.ts";
import { isQuietOver, maySend, notAfter, underWaySince } from "../wallets/message.ts";
import type { NewOrder, OrderReport } from "../wallets/wallet.ts";
import type { WalletDriver } from "../jobs/wallet-driver.ts";
import { isChanging, isSettled, orderOf, type Payment } from "./payment.ts";
import { findPayment, lockPayment, updateOrdersAccepted, type Accepted } from "./payment.sql.ts";
import { recordReport } from "./record-report.tx.ts";
import { mayExpire, nextLookAt, nextStep, orderMismatch } from "./decide-payment.ts";

/** Drives a payment to a final state: submits it to the wallet, polls it, closes it when it has expired. */
export function drivePayment(driver: WalletDriver): Job<Payment, OrderReport> {
  return {
    loop: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const payment = await findPayment(tx, { bucket, clientId }, subjectId);
      return payment?.order && !isSettled(payment) ? payment : undefined;
    },

    async call(payment, leased, signal, beforeSend) {
      const order = orderOf(payment);
      const context = driver.context(leased);
      const { now } = context;
      const { reference } = order;
      const wallet = await driver.walletOf(order.connector);
      const terms = driver.termsOf(order.connector);
      const closing = { reference, notAfter: notAfter(context, terms) };
      switch (nextStep(payment, now, maySend(leased, terms))) {
        case "submit": {
          const report = await wallet.submit(await newOrderOf(driver, payment, leased), signal, beforeSend);
          if (report.state !== "REFUSED" || !underWaySince(leased, terms)) return report;
          // An earlier submit may still be in flight: closing the order refuses that one, too.
          const closed = await wallet.cancel(closing, signal);
          return closed.state === "CLOSED" && !orderMismatch(payment, closed) ? report : closed;
        }
        case "inquire": {
          const report = await wallet.inquire(reference, signal);
          // The order never arrived within the quiet period, and may not be submitted again: close it.
          const neverArrived = report.state === "NOT_FOUND" && !order.acceptedAt;
          return neverArrived && leased.sentAt && isQuietOver(leased.sentAt, terms, now)
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

    async write(tx, locked, report, leased) {
      const context = driver.context(leased);
      const { payment, decision } = await recordReport(tx, locked, report, context);
      if ("why" in decision) driver.alert(decision.why, payment);
      if (isSettled(payment) || decision.kind === "left") return done;
      const gotNowhere = decision.kind === "nothing" || decision.kind === "contradiction";
      const at =
        report.state === "NOT_FOUND" && !payment.order?.acceptedAt
          ? retryAt(leased.attempts, context.now)
          : nextLookAt(payment, gotNowhere ? leased.attempts + 1 : 0, context.now);
      return { next: "again", at, gotNowhere };
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

/** Batched write of the usual first outcome: the wallet accepted the order, the buyer has yet to pay. */
function acceptedTogether(driver: WalletDriver): WrittenTogether<Payment, OrderReport, Accepted> {
  return {
    item(payment, report, leased) {
      const isNews = payment.status === "PROCESSING" && !payment.order?.acceptedAt;
      const isLeaving = payment.cancelRequestedAt !== undefined || isChanging(payment);
      if (report.state !== "OPEN" || !isNews || isLeaving || orderMismatch(payment, report)) return undefined;
      const { now } = driver.context(leased);
      const { code, url } = report;
      return { payment, leased, code, url, at: now, lookAt: nextLookAt(payment, 0, now) };
    },
    write: updateOrdersAccepted,
  };
}

async function newOrderOf(driver: WalletDriver, payment: Payment, { aheadMs }: LeasedJob): Promise<NewOrder> {
  const { clientId, paymentId, amount, order, expiresAt, redirectUrl, captureMode } = payment;
  if (!amount || !order || !expiresAt) throw new Error(`Payment ${paymentId} has no order to send.`);
  // The merchant's test clock may be ahead; the wallet's is not.
  const walletExpiresAt = new Date(expiresAt.getTime() - aheadMs);
  return {
    reference: order.reference,
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
    ...paidBy(payment, payment.sealedSecret && driver.secrets.unseal(payment.sealedSecret, paymentId)),
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
