import { retryAt } from "../../resilience/backoff.ts";
import type { BeforeSend } from "../../core/before-send.ts";
import { jobDone, type LeasedJob, type Job } from "../../contract/job.ts";
import {
  rescheduleJob,
  isNewContradiction,
  maySend,
  sendDeadline,
} from "../../providers/provider-message.ts";
import { decideReversal, type ReversalReport } from "./decide-reversal.ts";
import type { ProviderDriver } from "../../contract/provider-driver.ts";
import { orderOf } from "../payment.ts";
import { findPayment, lockPayment } from "../payment.sql.ts";
import {
  recordReversalRefused,
  recordReversalSuccess,
  type ReversalWithPayment,
} from "./record-reversal.tx.ts";
import { findReversal, updateReversalAccepted } from "./reversal.sql.ts";

/** The job that reverses a payment: a late success, or a payment that the merchant cancelled. */
export function reversePayment(driver: ProviderDriver): Job<ReversalWithPayment, ReversalReport> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const reversal = await findReversal(tx, { bucket, clientId }, subjectId);
      if (reversal?.status !== "PROCESSING") return undefined;
      const payment = await findPayment(tx, { bucket, clientId }, reversal.paymentId);
      return payment && { reversal, payment };
    },

    call: (record, leased, signal, beforeSend) =>
      sendReversal(driver, record, leased, { signal, beforeSend }),

    async lock(tx, { bucket, clientId, subjectId }, record) {
      const owner = { bucket, clientId };
      const [payment, reversal] = await Promise.all([
        lockPayment(tx, owner, record.payment.paymentId),
        findReversal(tx, owner, subjectId),
      ]);
      return payment && reversal?.status === "PROCESSING" ? { payment, reversal } : undefined;
    },

    async write(tx, record, report, leased) {
      const { reversal, payment } = record;
      const { now } = driver.context(leased);
      const decision = decideReversal(record, report, leased, driver.termsOf(reversal.connector));
      switch (decision.kind) {
        case "sent back":
          recordReversalSuccess(tx, record, now);
          return jobDone;
        case "refused":
          recordReversalRefused(tx, record, decision.resultCode, now);
          if (decision.why) driver.alert(decision.why, payment);
          return jobDone;
        case "accepted":
          updateReversalAccepted(tx, reversal, now);
          break;
        case "contradiction":
          if (isNewContradiction(decision, leased)) driver.alert(decision.why, payment);
          break;
        case "open":
          break;
      }
      return rescheduleJob(decision, retryAt(leased.attempts, now));
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

async function sendReversal(
  driver: ProviderDriver,
  { reversal, payment }: ReversalWithPayment,
  leased: LeasedJob,
  { signal, beforeSend }: { readonly signal: AbortSignal; readonly beforeSend: BeforeSend },
): Promise<ReversalReport> {
  const { connector, reference: refundReference, amount, acceptedAt } = reversal;
  const provider = await driver.providerOf(connector);
  const terms = driver.termsOf(connector);
  const order = {
    reference: orderOf(payment).reference,
    notAfter: sendDeadline(driver.context(leased), terms),
  };
  if (payment.captureMode === "MANUAL") return { order: await provider.cancel(order, signal) };
  const refundRequest = { ...order, refundReference, amount };
  const refund =
    !acceptedAt && maySend(leased, terms)
      ? provider.refund(refundRequest, signal, beforeSend)
      : provider.inquireRefund(refundRequest, signal);
  return { refund: await refund };
}
