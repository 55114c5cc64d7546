import { done, type HeldJob, type Job } from "../jobs/job.ts";
import { lockReserve } from "../ledger/reserve.sql.ts";
import type { RefundReport } from "../wallets/wallet.ts";
import type { PaymentDriver } from "./payment-driver.ts";
import { findPayment, lockPayment } from "./payment.sql.ts";
import { isSetAside, recordRefused, recordSentBack, type Reversing } from "./record-reversal.sql.ts";
import { findReversal } from "./reversal.sql.ts";
import { isQuietOver, maySend, retryAt } from "./settlement.ts";

/** Sends money back that came after the merchant had been told "no", or that the merchant does not want. */
export function reversePayment(driver: PaymentDriver): Job<Reversing, RefundReport> {
  return {
    name: "reverse-payment",
    lane: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const reversal = await findReversal(tx, { bucket, clientId }, subjectId);
      if (reversal?.status !== "PROCESSING") return undefined;
      const payment = await findPayment(tx, { bucket, clientId }, reversal.paymentId);
      return payment && { reversal, payment };
    },

    call: (reversing, held, signal) => sendBack(driver, reversing, held, signal),

    async lock(tx, { bucket, clientId, subjectId }, reversing) {
      const owner = { bucket, clientId };
      const { currency } = reversing.reversal.amount;
      const [payment, , reversal] = await Promise.all([
        lockPayment(tx, owner, reversing.payment.paymentId),
        isSetAside(reversing) ? lockReserve(tx, { ...owner, currency }) : undefined,
        findReversal(tx, owner, subjectId),
      ]);
      return payment && reversal?.status === "PROCESSING" ? { payment, reversal } : undefined;
    },

    async settle(tx, { reversal, payment }, report, held) {
      const { now } = driver.context(held);
      const isOpen =
        report.state === "PROCESSING" ||
        (report.state === "NOT_FOUND" &&
          !isQuietOver(reversal.createdAt, driver.termsOf(reversal.connector), held.askedAt));
      if (isOpen) return { next: "again", at: retryAt(held.attempts, now), gotNowhere: true };
      if (report.state === "DONE") {
        recordSentBack(tx, { reversal, payment }, now);
        return done;
      }
      const resultCode = report.state === "REFUSED" ? report.resultCode : "PROCESS_FAIL";
      recordRefused(tx, { reversal, payment }, resultCode, now);
      if (reversal.reason === "LATE_SUCCESS")
        driver.alert(`The wallet refuses to take the money back: ${resultCode}.`, payment);
      return done;
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

async function sendBack(
  driver: PaymentDriver,
  { reversal, payment }: Reversing,
  held: HeldJob,
  signal: AbortSignal,
): Promise<RefundReport> {
  const { connector, reference: refundReference, amount, reason } = reversal;
  const wallet = await driver.walletOf(connector);
  const reference = payment.wallet?.reference ?? "";
  if (payment.captureMode === "MANUAL") {
    const { state } = await wallet.cancel(reference, signal);
    return { state: state === "CLOSED" ? "DONE" : "PROCESSING" };
  }
  // A cancel's job is held by whoever asked for it; that of a late success was first counted by a worker.
  const epoch = reason === "CANCEL" ? held.epoch : held.epoch - 1;
  return maySend(driver.termsOf(connector), { epoch, attempts: held.attempts })
    ? wallet.refund({ reference, refundReference, amount }, signal)
    : wallet.inquireRefund(refundReference, signal);
}
