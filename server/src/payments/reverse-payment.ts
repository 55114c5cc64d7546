import type { BeforeSend } from "../core/before-send.ts";
import { done, type HeldJob, type Job } from "../jobs/job.ts";
import { goOn, isNews, judge, maySend, notAfter } from "../wallets/message.ts";
import type { OrderReport, RefundReport } from "../wallets/wallet.ts";
import { judgeLetGo } from "./hold.ts";
import type { PaymentDriver } from "./payment-driver.ts";
import { findPayment, lockPayment } from "./payment.sql.ts";
import { recordRefused, recordSentBack, type Reversing } from "./record-reversal.sql.ts";
import { findReversal, updateReversalAccepted } from "./reversal.sql.ts";
import { retryAt } from "./settlement.ts";

/** Reverses a payment: a late success, or one that the merchant has cancelled. */
export function reversePayment(driver: PaymentDriver): Job<Reversing, Said> {
  return {
    name: "reverse-payment",
    lane: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const reversal = await findReversal(tx, { bucket, clientId }, subjectId);
      if (reversal?.status !== "PROCESSING") return undefined;
      const payment = await findPayment(tx, { bucket, clientId }, reversal.paymentId);
      return payment && { reversal, payment };
    },

    call: (reversing, held, signal, beforeSend) => sendBack(driver, reversing, held, { signal, beforeSend }),

    async lock(tx, { bucket, clientId, subjectId }, reversing) {
      const owner = { bucket, clientId };
      const [payment, reversal] = await Promise.all([
        lockPayment(tx, owner, reversing.payment.paymentId),
        findReversal(tx, owner, subjectId),
      ]);
      return payment && reversal?.status === "PROCESSING" ? { payment, reversal } : undefined;
    },

    async settle(tx, reversing, said, held) {
      const { reversal, payment } = reversing;
      const { now } = driver.context(held);
      const asked = { ...held, acceptedAt: reversal.acceptedAt };
      const verdict =
        "order" in said
          ? judgeLetGo(said.order)
          : judge(said.refund, asked, driver.termsOf(reversal.connector));
      switch (verdict.kind) {
        case "done":
          recordSentBack(tx, reversing, now);
          return done;
        case "refused":
          recordRefused(tx, reversing, verdict.resultCode, now);
          if (reversal.reason === "LATE_SUCCESS")
            driver.alert(`The wallet refuses to take the money back: ${verdict.resultCode}.`, payment);
          return done;
        case "accepted":
          updateReversalAccepted(tx, reversal, now);
          break;
        case "contradiction":
          if (isNews(verdict, held)) driver.alert(verdict.why, payment);
          break;
        case "open":
          break;
      }
      return goOn(verdict, retryAt(held.attempts, now));
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}

/** The wallet's report: on a refund of money that was taken, or on the order whose hold is released. */
type Said = { readonly refund: RefundReport } | { readonly order: OrderReport };

async function sendBack(
  driver: PaymentDriver,
  { reversal, payment }: Reversing,
  held: HeldJob,
  { signal, beforeSend }: { readonly signal: AbortSignal; readonly beforeSend: BeforeSend },
): Promise<Said> {
  const { connector, reference: refundReference, amount, acceptedAt } = reversal;
  const wallet = await driver.walletOf(connector);
  const terms = driver.termsOf(connector);
  const order = {
    reference: payment.wallet?.reference ?? "",
    notAfter: notAfter(driver.context(held), terms),
  };
  if (payment.captureMode === "MANUAL") return { order: await wallet.cancel(order, signal) };
  const refund =
    !acceptedAt && maySend(held, terms)
      ? wallet.refund({ ...order, refundReference, amount }, signal, beforeSend)
      : wallet.inquireRefund(refundReference, signal);
  return { refund: await refund };
}
