import { newId } from "../core/id.ts";
import { providerReference } from "../core/provider-reference.ts";
import { deleteJob, insertDueJob, insertUrgentJob } from "../jobs/job.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { notifyMerchant } from "../notifications/notify-merchant.tx.ts";
import type { Tx } from "../postgres/sql.ts";
import { defaultTerms } from "../providers/connector.ts";
import { shiftToMerchantClock } from "../providers/merchant-clock.ts";
import type { OrderReport } from "../providers/provider.ts";
import type { RecordingContext } from "../contract/provider-driver.ts";
import { isSettled, type Payment } from "./payment.ts";
import { isNotifiable, paymentNotificationBody } from "./payment-notification.ts";
import { updateOrderAccepted } from "./next-actions/accepted-order.sql.ts";
import { updateOrderAbandoned, updatePaymentStatus } from "./payment.sql.ts";
import { findReversalOfPayment, insertReversal, updateHoldReleased } from "./reversals/reversal.sql.ts";
import { decidePayment, type PaymentDecision } from "./decide-payment.ts";

/** The decision on a provider's report. If the decision has a `why`, the caller alerts the operator. */
export interface RecordedReport {
  readonly payment: Payment;
  readonly decision: PaymentDecision;
}

/**
 * `recordReport` records a provider's report on a payment that the caller's transaction has locked. State, event,
 * ledger rows and the merchant's webhook (outbox) commit in one transaction. Reports from callbacks, responses and
 * inquiries all go through `recordReport`.
 */
export async function recordReport(
  tx: Tx,
  payment: Payment,
  report: OrderReport,
  context: RecordingContext,
): Promise<RecordedReport> {
  const { holdSeconds } = payment.order ? context.termsOf(payment.order.connector) : defaultTerms;
  const decision = decidePayment(payment, shiftToMerchantClock(report, context), context.now, holdSeconds);
  switch (decision.kind) {
    case "accepted":
      return { decision, payment: updateOrderAccepted(tx, payment, decision.action, context.now) };
    case "moved":
      return { decision, payment: applyStatusChange(tx, payment, decision.change, context) };
    case "left":
      return { decision, payment: abandonOrder(tx, payment, context) };
    case "late success":
      await recordLateSuccess(tx, payment, decision, context);
      break;
    case "held again":
      insertReleaseJob(tx, payment, context);
      break;
    case "hold lapsed": {
      const { bucket, clientId, paymentId } = payment;
      updateHoldReleased(tx, payment, paymentId, context.now);
      deleteJob(tx, { bucket, clientId, subjectId: paymentId, job: "release-hold" });
      break;
    }
    case "cancel ended":
      await makeReversalDue(tx, payment);
      break;
    case "nothing":
    case "contradiction":
      break;
  }
  return { payment, decision };
}

function applyStatusChange(
  tx: Tx,
  previous: Payment,
  change: (PaymentDecision & { readonly kind: "moved" })["change"],
  context: RecordingContext,
): Payment {
  const { now, aheadMs } = context;
  const payment = updatePaymentStatus(tx, previous, change, now);
  const { bucket, clientId, paymentId } = payment;
  if (change.effect) insertEffect(tx, { bucket, clientId, subjectId: paymentId }, change.effect, now);
  if (payment.authExpiresAt && payment.status === "SUCCESS") {
    const key = { bucket, clientId, subjectId: paymentId, job: "release-hold" } as const;
    insertDueJob(tx, key, payment.authExpiresAt, aheadMs);
  }
  if (isSettled(payment)) deleteJob(tx, { bucket, clientId, subjectId: paymentId, job: "drive-payment" });
  if (isNotifiable(payment)) {
    const { sequence, notifyUrl: url } = payment;
    const body = paymentNotificationBody(payment);
    const notification = {
      bucket,
      clientId,
      kind: "notifyPayment",
      subjectId: paymentId,
      sequence,
      url,
      body,
    } as const;
    notifyMerchant(tx, notification, context);
  }
  return payment;
}

/**
 * `abandonOrder` returns a session to the state before the buyer's choice. The session expires unless the buyer chooses
 * another payment method.
 */
function abandonOrder(tx: Tx, payment: Payment, { aheadMs }: RecordingContext): Payment {
  const { bucket, clientId, paymentId, session } = payment;
  if (!session) throw new Error(`Payment ${paymentId} has no session.`);
  deleteJob(tx, { bucket, clientId, subjectId: paymentId, job: "drive-payment" });
  const key = { bucket, clientId, subjectId: paymentId, job: "close-session" } as const;
  insertDueJob(tx, key, session.expiresAt, aheadMs);
  return updateOrderAbandoned(tx, payment, session);
}

/**
 * Records a late success: the merchant's result does not change, and the money is in the suspense account until it is
 * reversed.
 */
async function recordLateSuccess(
  tx: Tx,
  payment: Payment,
  { paidAmount, effect }: PaymentDecision & { readonly kind: "late success" },
  context: RecordingContext,
): Promise<void> {
  const { bucket, clientId, paymentId, order } = payment;
  const { environment, now, aheadMs, randomBelow } = context;
  if (!order) return;
  const reversalId = newId("reversal", bucket, now, randomBelow);
  const isInserted = await insertReversal(tx, {
    bucket,
    clientId,
    reversalId,
    paymentId,
    connector: order.connector,
    reference: providerReference(environment, clientId, "reversal", paymentId),
    reason: "LATE_SUCCESS",
    status: "PROCESSING",
    resultCode: undefined,
    amount: paidAmount,
    createdAt: now,
    acceptedAt: undefined,
  });
  if (!isInserted)
    return payment.captureMode === "MANUAL" ? insertReleaseJob(tx, payment, context) : undefined;
  if (effect) insertEffect(tx, { bucket, clientId, subjectId: paymentId }, effect, now);
  insertDueJob(tx, { bucket, clientId, subjectId: reversalId, job: "reverse-payment" }, now, aheadMs);
}

/** Makes the job of the merchant's cancel due, which asks the provider for the result. */
async function makeReversalDue(tx: Tx, payment: Payment): Promise<void> {
  const reversal = await findReversalOfPayment(tx, payment, payment.paymentId);
  if (reversal?.status !== "PROCESSING") return;
  const { bucket, clientId, reversalId: subjectId } = reversal;
  insertUrgentJob(tx, { bucket, clientId, subjectId, job: "reverse-payment" });
}

function insertReleaseJob(
  tx: Tx,
  { bucket, clientId, paymentId }: Payment,
  { now, aheadMs }: RecordingContext,
): void {
  insertDueJob(tx, { bucket, clientId, subjectId: paymentId, job: "release-hold" }, now, aheadMs);
}
