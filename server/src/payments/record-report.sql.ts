import { newId } from "../core/id.ts";
import { walletReference } from "../core/reference.ts";
import { deleteJob, insertDueJob } from "../jobs/job.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { tellMerchant } from "../notifications/tell-merchant.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import type { OrderReport } from "../wallets/wallet.ts";
import type { RecordingContext } from "./payment-driver.ts";
import { isSettled, type Payment } from "./payment.ts";
import { isTold, paymentNotificationBody } from "./payment-notification.ts";
import { updateOrderAccepted, updatePaymentMoved } from "./payment.sql.ts";
import { insertReversal } from "./reversal.sql.ts";
import { decide, type Decision } from "./settlement.ts";

/** The decision on a report, for callers that have to alert the operator. */
export interface Recorded {
  readonly payment: Payment;
  readonly decision: Decision;
}

/**
 * Records a wallet's report on a payment that the caller's transaction has locked. State, event, ledger and
 * the merchant's notification (outbox) commit in one transaction. Callbacks, answers and inquiries all end
 * here.
 */
export async function recordReport(
  tx: Tx,
  payment: Payment,
  report: OrderReport,
  context: RecordingContext,
): Promise<Recorded> {
  const decision = decide(payment, onClock(report, context), context.now);
  switch (decision.kind) {
    case "accepted":
      updateOrderAccepted(tx, payment, decision, context.now);
      break;
    case "moved":
      return { decision, payment: move(tx, payment, decision.change, context) };
    case "late success":
      await reverse(tx, payment, decision, context);
      break;
    case "held again":
      letGoAgain(tx, payment, context);
      break;
    case "nothing":
    case "contradiction":
      break;
  }
  return { payment, decision };
}

/** Moves the wallet's times to the merchant's test clock. */
function onClock(report: OrderReport, { aheadMs }: RecordingContext): OrderReport {
  return "paidAt" in report ? { ...report, paidAt: new Date(report.paidAt.getTime() + aheadMs) } : report;
}

function move(
  tx: Tx,
  before: Payment,
  change: (Decision & { readonly kind: "moved" })["change"],
  context: RecordingContext,
): Payment {
  const { now, aheadMs } = context;
  const payment = updatePaymentMoved(tx, before, change, now);
  const { bucket, clientId, paymentId } = payment;
  if (change.effect) insertEffect(tx, { bucket, clientId, subjectId: paymentId }, change.effect, now);
  if (payment.authExpiresAt && payment.status === "SUCCESS") {
    const key = { bucket, clientId, subjectId: paymentId, job: "release-authorization" };
    insertDueJob(tx, key, payment.authExpiresAt, aheadMs);
  }
  if (isSettled(payment)) deleteJob(tx, { bucket, clientId, subjectId: paymentId, job: "drive-payment" });
  if (isTold(payment)) {
    const { sequence, notifyUrl: url } = payment;
    const body = paymentNotificationBody(payment);
    const news = {
      bucket,
      clientId,
      kind: "notifyPayment",
      subjectId: paymentId,
      sequence,
      url,
      body,
    } as const;
    tellMerchant(tx, news, context);
  }
  return payment;
}

/** Late success: the merchant's answer stays; the money is in the suspense account until it is reversed. */
async function reverse(
  tx: Tx,
  payment: Payment,
  { paid, effect }: Decision & { readonly kind: "late success" },
  context: RecordingContext,
): Promise<void> {
  const { bucket, clientId, paymentId, wallet } = payment;
  const { environment, now, aheadMs, randomBelow } = context;
  if (!wallet) return;
  const reversalId = newId("reversal", bucket, now, randomBelow);
  const first = await insertReversal(tx, {
    bucket,
    clientId,
    reversalId,
    paymentId,
    connector: wallet.connector,
    reference: walletReference(environment, clientId, "reversal", paymentId),
    reason: "LATE_SUCCESS",
    status: "PROCESSING",
    resultCode: undefined,
    amount: paid,
    createdAt: now,
    acceptedAt: undefined,
  });
  if (!first) return payment.captureMode === "MANUAL" ? letGoAgain(tx, payment, context) : undefined;
  if (effect) insertEffect(tx, { bucket, clientId, subjectId: paymentId }, effect, now);
  insertDueJob(tx, { bucket, clientId, subjectId: reversalId, job: "reverse-payment" }, now, aheadMs);
}

function letGoAgain(
  tx: Tx,
  { bucket, clientId, paymentId }: Payment,
  { now, aheadMs }: RecordingContext,
): void {
  insertDueJob(tx, { bucket, clientId, subjectId: paymentId, job: "release-authorization" }, now, aheadMs);
}
