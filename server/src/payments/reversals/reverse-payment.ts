import { backOff, retryAt } from "../../resilience/backoff.ts";
import type { BeforeSend } from "../../core/before-send.ts";
import { jobDone, type LeasedJob, type Job } from "../../contract/job.ts";
import {
  rescheduleJob,
  isNewContradiction,
  maySend,
  moneyBackoff,
  sendDeadline,
} from "../../providers/provider-message.ts";
import { decideReversal, type ReversalReport } from "./decide-reversal.ts";
import type { ProviderDriver } from "../../contract/provider-driver.ts";
import { orderOf, ownerOf } from "../payment.ts";
import { findPayment, lockPayment } from "../payment.sql.ts";
import {
  recordReturnedReversal,
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
      const payment = reversal && (await findPayment(tx, { bucket, clientId }, reversal.paymentId));
      return payment && mayChange({ reversal, payment }) ? { reversal, payment } : undefined;
    },

    call: (record, leased, signal, beforeSend) =>
      sendReversal(driver, record, leased, { signal, beforeSend }),

    async lock(tx, { bucket, clientId, subjectId }, record) {
      const owner = { bucket, clientId };
      const [payment, reversal] = await Promise.all([
        lockPayment(tx, owner, record.payment.paymentId),
        findReversal(tx, owner, subjectId),
      ]);
      return payment && reversal && mayChange({ reversal, payment }) ? { payment, reversal } : undefined;
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
        case "reversed":
          recordReturnedReversal(tx, record, decision.resultCode, now);
          driver.alert(decision.why, payment);
          return jobDone;
        case "unchanged":
          if (decision.why) driver.alert(decision.why, payment);
          return jobDone;
        case "accepted":
          updateReversalAccepted(tx, reversal, now);
          return rescheduleJob(decision, backOff(moneyBackoff, 0, now));
        case "contradiction":
          if (isNewContradiction(decision, leased)) driver.alert(decision.why, payment);
          break;
        case "open":
          break;
      }
      const nextPollAt =
        reversal.acceptedAt || reversal.status !== "PROCESSING"
          ? backOff(moneyBackoff, leased.attempts, now)
          : retryAt(leased.attempts, now);
      return rescheduleJob(decision, nextPollAt);
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

/**
 * Whether a report can change a reversal: it is in progress, or it returned money, which the buyer's bank may not have
 * kept. A released hold is final.
 */
function mayChange({ reversal, payment }: ReversalWithPayment): boolean {
  return reversal.status === "PROCESSING" || payment.captureMode === "AUTOMATIC";
}

async function sendReversal(
  driver: ProviderDriver,
  { reversal, payment }: ReversalWithPayment,
  leased: LeasedJob,
  { signal, beforeSend }: { readonly signal: AbortSignal; readonly beforeSend: BeforeSend },
): Promise<ReversalReport> {
  const { connector, reference: refundReference, amount, status, acceptedAt } = reversal;
  const provider = await driver.providerOf(connector);
  const terms = driver.termsOf(connector);
  const context = driver.context(leased);
  const orderKey = { reference: orderOf(payment).reference, owner: ownerOf(payment) };
  if (payment.captureMode === "MANUAL") {
    const inquired = acceptedAt && (await provider.inquire(orderKey, signal));
    if (inquired && inquired.state !== "NO_QUERY") return { order: inquired };
    // A cancel that the provider has accepted and that is repeated returns the order, as an inquiry does.
    return { order: await provider.cancel({ ...orderKey, notAfter: sendDeadline(context, terms) }, signal) };
  }
  const notAfter = sendDeadline(context, terms, leased);
  const refundRequest = { ...orderKey, notAfter, refundReference, amount };
  const refund =
    status === "PROCESSING" && !acceptedAt && maySend(leased, terms, context.now)
      ? provider.refund(refundRequest, signal, beforeSend)
      : provider.inquireRefund(refundRequest, signal);
  return { refund: await refund };
}
