import { retryAt } from "../resilience/backoff.ts";
import { jobDone, type LeasedJob, type Job, type OutcomeBatchWriter } from "../contract/job.ts";
import { isQuietOver, maySend, sendDeadline, inFlightSince } from "../providers/provider-message.ts";
import type { ConnectorTerms } from "../providers/connector.ts";
import { shiftToMerchantClock } from "../providers/merchant-clock.ts";
import type { NewOrder, OrderReport } from "../providers/provider.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { isMethodChangeRequested, isSettled, orderOf, ownerOf, type Payment } from "./payment.ts";
import { updateOrdersAccepted, type AcceptedOrder } from "./next-actions/accepted-order.sql.ts";
import { selectOrderData } from "./order-data/order-data.ts";
import { findOrderData } from "./order-data/order-data.sql.ts";
import { findPayment, lockPayment } from "./payment.sql.ts";
import { recordReport } from "./record-report.tx.ts";
import { buyerActionOf, mayExpire, nextPollAt, nextStep, orderMismatch } from "./decide-payment.ts";

/**
 * The job that brings a payment to a final status: it submits the order to the provider, polls it, and closes it after
 * its expiry.
 */
export function drivePayment(driver: ProviderDriver): Job<Payment, OrderReport> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const payment = await findPayment(tx, { bucket, clientId }, subjectId);
      if (!payment?.order || isSettled(payment)) return undefined;
      const { acceptedAt, connector } = payment.order;
      // An accepted order is not submitted again, and most connectors want no data.
      if (acceptedAt || driver.wantsOf(connector).length === 0) return payment;
      return { ...payment, orderData: await findOrderData(tx, payment) };
    },

    async call(payment, leased, signal, beforeSend) {
      const order = orderOf(payment);
      const context = driver.context(leased);
      const { now } = context;
      const orderKey = { reference: order.reference, owner: ownerOf(payment) };
      const provider = await driver.providerOf(order.connector);
      const terms = driver.termsOf(order.connector);
      const closeRequest = { ...orderKey, notAfter: sendDeadline(context, terms) };
      switch (nextStep(payment, now, maySend(leased, terms, now))) {
        case "submit": {
          const report = await provider.submit(
            await buildNewOrder(driver, payment, leased, terms),
            signal,
            beforeSend,
          );
          if (report.state !== "REFUSED" || !inFlightSince(leased, terms)) return report;
          // An earlier submit may still be in flight, so the gateway closes the order. Then the provider rejects that
          // submit, too.
          const closed = await provider.cancel(closeRequest, signal);
          return closed.state === "CLOSED" && !orderMismatch(payment, closed) ? report : closed;
        }
        case "inquire": {
          const report = await provider.inquire(orderKey, signal);
          // The order did not arrive within the quiet time, and must not be submitted again, so the gateway closes it.
          const neverArrived = report.state === "NOT_FOUND" && !order.acceptedAt;
          const since = inFlightSince(leased, terms);
          return neverArrived && since && isQuietOver(since, terms, now)
            ? provider.cancel(closeRequest, signal)
            : report;
        }
        case "expire": {
          const report = await provider.inquire(orderKey, signal);
          return mayExpire(report, payment) ? provider.cancel(closeRequest, signal) : report;
        }
        case "close":
          return provider.cancel(closeRequest, signal);
      }
    },

    batchWriter: acceptanceWriter(driver),

    lock: (tx, { bucket, clientId, subjectId }) => lockPayment(tx, { bucket, clientId }, subjectId),

    async write(tx, locked, report, leased) {
      const context = driver.context(leased);
      const { payment, decision } = await recordReport(tx, locked, report, context);
      if ("why" in decision) driver.alert(decision.why, payment);
      if (isSettled(payment) || decision.kind === "left") return jobDone;
      const noProgress = decision.kind === "nothing" || decision.kind === "contradiction";
      const nextRunAt =
        report.state === "NOT_FOUND" && !payment.order?.acceptedAt
          ? retryAt(leased.attempts, context.now)
          : nextPollAt(payment, noProgress ? leased.attempts + 1 : 0, context.now);
      return { next: "again", at: nextRunAt, noProgress };
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

/** Batch writer for the usual first outcome: the provider has accepted the order, and the buyer has not paid yet. */
function acceptanceWriter(driver: ProviderDriver): OutcomeBatchWriter<Payment, OrderReport, AcceptedOrder> {
  return {
    item(payment, report, leased) {
      const isFirstAcceptance = payment.status === "PROCESSING" && !payment.order?.acceptedAt;
      const isClosing = payment.cancelRequestedAt !== undefined || isMethodChangeRequested(payment);
      const context = driver.context(leased);
      const shifted = shiftToMerchantClock(report, context);
      if (shifted.state !== "OPEN" || !isFirstAcceptance || isClosing || orderMismatch(payment, report))
        return undefined;
      const { now } = context;
      const action = buyerActionOf(shifted);
      const accepted = { ...payment, order: { ...orderOf(payment), ...action } };
      return { payment, leased, action, at: now, pollAt: nextPollAt(accepted, 0, now) };
    },
    write: updateOrdersAccepted,
  };
}

async function buildNewOrder(
  driver: ProviderDriver,
  payment: Payment,
  leased: LeasedJob,
  terms: ConnectorTerms,
): Promise<NewOrder> {
  const { clientId, paymentId, amount, order, expiresAt, redirectUrl, captureMode } = payment;
  if (!amount || !order || !expiresAt) throw new Error(`Payment ${paymentId} has no order to send.`);
  // The merchant's test clock may be ahead of real time, but the provider's clock is not. So the expiry is sent in real
  // time.
  const providerExpiresAt = new Date(expiresAt.getTime() - leased.aheadMs);
  const merchantName = await driver.merchantName(clientId);
  const data = selectOrderData(payment, driver.wantsOf(order.connector), merchantName);
  return {
    reference: order.reference,
    owner: ownerOf(payment),
    paymentId,
    merchantName,
    description: payment.orderDescription ?? "",
    amount,
    paymentMethodType: payment.paymentMethodType ?? "",
    notAfter: sendDeadline(driver.context(leased), terms, leased, expiresAt),
    expiresAt: providerExpiresAt,
    redirectUrl,
    captureMode,
    ...(data && { data }),
    ...buyerCredential(
      payment,
      payment.sealedSecret && driver.secrets.decrypt(payment.sealedSecret, paymentId),
    ),
  };
}

/**
 * Returns the secret that authorizes a payment without a checkout page: the buyer's payment code in a store, or the
 * token of the agreement.
 */
function buyerCredential(
  { productCode }: Payment,
  secret: string | undefined,
): Pick<NewOrder, "paymentCode" | "agreementToken"> {
  const isAgreed = productCode === "AGREEMENT_PAYMENT" && secret !== undefined;
  return isAgreed ? { paymentCode: undefined, agreementToken: secret } : { paymentCode: secret };
}
