import { retryAt } from "../resilience/backoff.ts";
import { jobDone, type LeasedJob, type Job, type OutcomeBatchWriter } from "../contract/job.ts";
import { isQuietOver, maySend, sendDeadline, inFlightSince } from "../providers/provider-message.ts";
import type { NewOrder, OrderReport } from "../providers/provider.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import { isMethodChangeRequested, isSettled, orderOf, type Payment } from "./payment.ts";
import { findPayment, lockPayment, updateOrdersAccepted, type AcceptedOrder } from "./payment.sql.ts";
import { recordReport } from "./record-report.tx.ts";
import { mayExpire, nextPollAt, nextStep, orderMismatch } from "./decide-payment.ts";

/**
 * The job that brings a payment to a final status: it submits the order to the provider, polls it, and closes it after
 * its expiry.
 */
export function drivePayment(driver: ProviderDriver): Job<Payment, OrderReport> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const payment = await findPayment(tx, { bucket, clientId }, subjectId);
      return payment?.order && !isSettled(payment) ? payment : undefined;
    },

    async call(payment, leased, signal, beforeSend) {
      const order = orderOf(payment);
      const context = driver.context(leased);
      const { now } = context;
      const { reference } = order;
      const provider = await driver.providerOf(order.connector);
      const terms = driver.termsOf(order.connector);
      const closeRequest = { reference, notAfter: sendDeadline(context, terms) };
      switch (nextStep(payment, now, maySend(leased, terms))) {
        case "submit": {
          const report = await provider.submit(
            await buildNewOrder(driver, payment, leased),
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
          const report = await provider.inquire(reference, signal);
          // The order did not arrive within the quiet time, and must not be submitted again, so the gateway closes it.
          const neverArrived = report.state === "NOT_FOUND" && !order.acceptedAt;
          return neverArrived && leased.sentAt && isQuietOver(leased.sentAt, terms, now)
            ? provider.cancel(closeRequest, signal)
            : report;
        }
        case "expire": {
          const report = await provider.inquire(reference, signal);
          return mayExpire(report) ? provider.cancel(closeRequest, signal) : report;
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
      if (report.state !== "OPEN" || !isFirstAcceptance || isClosing || orderMismatch(payment, report))
        return undefined;
      const { now } = driver.context(leased);
      const { code, url } = report;
      return { payment, leased, code, url, at: now, pollAt: nextPollAt(payment, 0, now) };
    },
    write: updateOrdersAccepted,
  };
}

async function buildNewOrder(
  driver: ProviderDriver,
  payment: Payment,
  { aheadMs }: LeasedJob,
): Promise<NewOrder> {
  const { clientId, paymentId, amount, order, expiresAt, redirectUrl, captureMode } = payment;
  if (!amount || !order || !expiresAt) throw new Error(`Payment ${paymentId} has no order to send.`);
  // The merchant's test clock may be ahead of real time, but the provider's clock is not. So the expiry is sent in real
  // time.
  const providerExpiresAt = new Date(expiresAt.getTime() - aheadMs);
  return {
    reference: order.reference,
    clientId,
    paymentId,
    merchantName: await driver.merchantName(clientId),
    description: payment.orderDescription ?? "",
    amount,
    paymentMethodType: payment.paymentMethodType ?? "",
    notAfter: providerExpiresAt,
    expiresAt: providerExpiresAt,
    redirectUrl,
    captureMode,
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
