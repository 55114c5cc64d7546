import { done, type Job } from "../jobs/job.ts";
import type { PaymentDriver } from "../payments/payment-driver.ts";
import { findPayment, lockPayment } from "../payments/payment.sql.ts";
import type { Payment } from "../payments/payment.ts";
import { retryAt } from "../payments/settlement.ts";
import { listCaptures, updateReleased } from "./capture.sql.ts";
import type { Capture } from "./capture.ts";

interface Holding {
  readonly payment: Payment;
  readonly captures: readonly Capture[];
}

/** What became of the rest. */
type Released = "released" | "still held";

/** Lets go what a wallet holds, when nobody has captured it in time. */
export function releaseAuthorization(driver: PaymentDriver): Job<Holding, Released> {
  return {
    name: "release-authorization",
    lane: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const owner = { bucket, clientId };
      const payment = await findPayment(tx, owner, subjectId);
      if (!payment || !isHeld(payment)) return undefined;
      return { payment, captures: await listCaptures(tx, owner, subjectId) };
    },

    async call({ payment, captures }, _held, signal) {
      const { wallet: order, cancelRequestedAt } = payment;
      // How those end decides whether there is anything to let go.
      if (!order || cancelRequestedAt || captures.some(({ status }) => status === "PROCESSING"))
        return "still held";
      // A wallet lets go by itself what is left of money that was captured in part.
      if (captures.some(({ status }) => status === "SUCCESS")) return "released";
      const wallet = await driver.walletOf(order.connector);
      const { state } = await wallet.cancel(order.reference, signal);
      return state === "CLOSED" ? "released" : "still held";
    },

    async lock(tx, { bucket, clientId, subjectId }, { captures }) {
      const payment = await lockPayment(tx, { bucket, clientId }, subjectId);
      return payment && isHeld(payment) ? { payment, captures } : undefined;
    },

    async settle(tx, { payment }, released, held) {
      const { now } = driver.context(held);
      if (released === "still held")
        return { next: "again", at: retryAt(held.attempts, now), gotNowhere: true };
      updateReleased(tx, payment, payment.paymentId, now);
      return done;
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

function isHeld({ status, captureMode, releasedAt }: Payment): boolean {
  return status === "SUCCESS" && captureMode === "MANUAL" && !releasedAt;
}
