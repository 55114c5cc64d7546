import { retryAt } from "../../resilience/backoff.ts";
import type { BeforeSend } from "../../core/before-send.ts";
import { done, type LeasedJob, type Job } from "../../contract/job.ts";
import { goOn, isNews, maySend, notAfter } from "../../providers/message.ts";
import { decideReversal, type ReversalReport } from "./decide-reversal.ts";
import type { ProviderDriver } from "../../contract/provider-driver.ts";
import { orderOf } from "../payment.ts";
import { findPayment, lockPayment } from "../payment.sql.ts";
import { recordReversalRefused, recordReversed, type Reversing } from "./record-reversal.tx.ts";
import { findReversal, updateReversalAccepted } from "./reversal.sql.ts";

/** The job that reverses a payment: a late success, or a payment that the merchant cancelled. */
export function reversePayment(driver: ProviderDriver): Job<Reversing, ReversalReport> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const reversal = await findReversal(tx, { bucket, clientId }, subjectId);
      if (reversal?.status !== "PROCESSING") return undefined;
      const payment = await findPayment(tx, { bucket, clientId }, reversal.paymentId);
      return payment && { reversal, payment };
    },

    call: (reversing, leased, signal, beforeSend) =>
      sendReversal(driver, reversing, leased, { signal, beforeSend }),

    async lock(tx, { bucket, clientId, subjectId }, reversing) {
      const owner = { bucket, clientId };
      const [payment, reversal] = await Promise.all([
        lockPayment(tx, owner, reversing.payment.paymentId),
        findReversal(tx, owner, subjectId),
      ]);
      return payment && reversal?.status === "PROCESSING" ? { payment, reversal } : undefined;
    },

    async write(tx, reversing, report, leased) {
      const { reversal, payment } = reversing;
      const { now } = driver.context(leased);
      const decision = decideReversal(reversing, report, leased, driver.termsOf(reversal.connector));
      switch (decision.kind) {
        case "sent back":
          recordReversed(tx, reversing, now);
          return done;
        case "refused":
          recordReversalRefused(tx, reversing, decision.resultCode, now);
          if (decision.why) driver.alert(decision.why, payment);
          return done;
        case "accepted":
          updateReversalAccepted(tx, reversal, now);
          break;
        case "contradiction":
          if (isNews(decision, leased)) driver.alert(decision.why, payment);
          break;
        case "open":
          break;
      }
      return goOn(decision, retryAt(leased.attempts, now));
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

async function sendReversal(
  driver: ProviderDriver,
  { reversal, payment }: Reversing,
  leased: LeasedJob,
  { signal, beforeSend }: { readonly signal: AbortSignal; readonly beforeSend: BeforeSend },
): Promise<ReversalReport> {
  const { connector, reference: refundReference, amount, acceptedAt } = reversal;
  const provider = await driver.providerOf(connector);
  const terms = driver.termsOf(connector);
  const order = {
    reference: orderOf(payment).reference,
    notAfter: notAfter(driver.context(leased), terms),
  };
  if (payment.captureMode === "MANUAL") return { order: await provider.cancel(order, signal) };
  const requested = { ...order, refundReference, amount };
  const refund =
    !acceptedAt && maySend(leased, terms)
      ? provider.refund(requested, signal, beforeSend)
      : provider.inquireRefund(requested, signal);
  return { refund: await refund };
}
