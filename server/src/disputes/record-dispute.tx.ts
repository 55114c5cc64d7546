import { newId } from "../core/id.ts";
import { deleteJob, insertDueJob } from "../jobs/job.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { disputeDebitEffect, disputeFreezeEffect, disputeReleaseEffect } from "../ledger/transfer.ts";
import { notifyMerchant } from "../notifications/notify-merchant.tx.ts";
import type { RecordingContext } from "../contract/provider-driver.ts";
import { isInStore, type Payment } from "../payments/payment.ts";
import type { Tx } from "../postgres/sql.ts";
import { sumCaptured } from "../captures/capture.sql.ts";
import { shiftToMerchantClock } from "../providers/merchant-clock.ts";
import type { DisputeReport } from "../providers/provider.ts";
import {
  blockedMinorChange,
  decideDispute,
  disputableMinor,
  openDispute,
  resolveAtOnce,
  type DisputeDecision,
  type DisputeNotificationType,
} from "./decide-dispute.ts";
import { buildDisputeNotification } from "./dispute-notification.ts";
import {
  findDisputeByProviderId,
  insertDispute,
  insertDisputeEvent,
  sumRefunded,
  updateDispute,
  addDisputedAmount,
} from "./dispute.sql.ts";
import { nextDisputePollAt, type Dispute } from "./dispute.ts";

/**
 * `recordDisputeReport` records a provider's report on a dispute whose payment the caller's transaction has locked. The
 * dispute, its payment, the ledger rows and the merchant's webhook (outbox) commit in one transaction. Reports from
 * callbacks, responses and inquiries all go through `recordDisputeReport`.
 */
export async function recordDisputeReport(
  tx: Tx,
  payment: Payment,
  originalReport: DisputeReport,
  context: RecordingContext,
): Promise<DisputeDecision> {
  const { paymentId = payment.paymentId } = originalReport;
  if (originalReport.reference !== payment.order?.reference || paymentId !== payment.paymentId)
    return { kind: "contradiction", why: "The payment provider reports a dispute of another payment." };
  const report = shiftToMerchantClock(originalReport, context);
  const { captureMode, capturedMinor } = payment;
  const { connector } = payment.order;
  const [knownDispute, totalCapturedMinor] = await Promise.all([
    findDisputeByProviderId(tx, payment, { connector, providerDisputeId: report.providerDisputeId }),
    captureMode === "MANUAL" ? sumCaptured(tx, payment, payment.paymentId) : capturedMinor,
  ]);
  const remainingMinor = disputableMinor(payment, totalCapturedMinor);
  if (!knownDispute)
    return recordNewDispute(tx, { payment, report, connector, totalCapturedMinor, remainingMinor, context });
  const decision = decideDispute(knownDispute, report, remainingMinor);
  if (decision.kind === "changed") recordDisputeChange(tx, knownDispute, decision, { payment, context });
  return decision;
}

interface FirstReport {
  readonly payment: Payment;
  readonly report: DisputeReport;
  readonly connector: string;
  /** Captured amount in minor units. */
  readonly totalCapturedMinor: bigint;
  readonly remainingMinor: bigint;
  readonly context: RecordingContext;
}

async function recordNewDispute(
  tx: Tx,
  { payment, report, connector, totalCapturedMinor, remainingMinor, context }: FirstReport,
): Promise<DisputeDecision> {
  const { now, aheadMs, randomBelow } = context;
  const { paidAmount } = payment;
  if (report.amount.currency !== paidAmount?.currency || report.amount.minor > paidAmount.minor)
    return {
      kind: "contradiction",
      why: "The payment provider disputes more than the paid amount, or another currency.",
    };
  const disputeId = newId("dispute", payment.bucket, now, randomBelow);
  const isFullyReturned =
    payment.status !== "SUCCESS" || (await sumRefunded(tx, payment)) >= totalCapturedMinor;
  const newDispute = openDispute(report, {
    disputeId,
    payment,
    connector,
    remainingMinor,
    isFullyReturned,
    now,
  });
  const isResolved = report.state === "RESOLVED";
  const dispute = isResolved ? resolveAtOnce(newDispute, report, remainingMinor) : newDispute;
  if (!dispute)
    return {
      kind: "contradiction",
      why:
        report.type === "FRAUD_WARNING"
          ? "The payment provider debited money for a fraud warning."
          : "The payment provider debited more than the rest of the payment.",
    };
  await insertDispute(tx, dispute);
  const notificationType = report.type === "RDR" ? "RDR_RESOLVED" : "DISPUTE_CREATED";
  postDisputeEffects(tx, undefined, dispute, context.now);
  notifyDisputeChange(tx, dispute, notificationType, { payment, context });
  const decision: DisputeDecision = { kind: "changed", dispute, notificationType };
  if (isResolved) return decision;

  const { bucket, clientId } = dispute;
  const key = { bucket, clientId, subjectId: disputeId };
  insertDueJob(tx, { ...key, job: "watch-dispute" }, nextDisputePollAt(dispute, 0, now), aheadMs);
  if (dispute.answer) insertDueJob(tx, { ...key, job: "answer-dispute" }, now, aheadMs);
  if (report.state === "OPEN") return decision;
  // If the first callback was lost, this report also has later changes: record and report them, too.
  const next = decideDispute(dispute, report, remainingMinor - dispute.frozenMinor);
  if (next.kind === "changed") recordDisputeChange(tx, dispute, next, { payment, context });
  return next;
}

interface ChangeContext {
  readonly payment: Payment;
  readonly context: RecordingContext;
}

/** `recordDisputeChange` records a change of a dispute whose payment the transaction has locked. */
export function recordDisputeChange(
  tx: Tx,
  before: Dispute,
  {
    dispute,
    notificationType,
  }: { readonly dispute: Dispute; readonly notificationType?: DisputeNotificationType },
  changeContext: ChangeContext,
): void {
  updateDispute(tx, dispute);
  postDisputeEffects(tx, before, dispute, changeContext.context.now);
  notifyDisputeChange(tx, dispute, notificationType, changeContext);
  const { bucket, clientId, disputeId: subjectId } = dispute;
  if (before.answer && !dispute.answer) deleteJob(tx, { bucket, clientId, subjectId, job: "answer-dispute" });
  if (dispute.resolvedAt) deleteJob(tx, { bucket, clientId, subjectId, job: "watch-dispute" });
}

/** `postDisputeEffects` posts to the ledger. Frozen money stays the merchant's until it is released or goes to the buyer. */
function postDisputeEffects(tx: Tx, before: Dispute | undefined, dispute: Dispute, now: Date): void {
  const { bucket, clientId, disputeId: subjectId, connector, amount } = dispute;
  const blockedChangeMinor = blockedMinorChange(before, dispute);
  if (blockedChangeMinor !== 0n) addDisputedAmount(tx, dispute, blockedChangeMinor);
  const subject = { bucket, clientId, subjectId };
  const frozen = { currency: amount.currency, minor: before?.frozenMinor ?? 0n };
  const debited = { currency: amount.currency, minor: dispute.debitedMinor };
  if (!before && dispute.frozenMinor > 0n) {
    const newlyFrozen = { currency: amount.currency, minor: dispute.frozenMinor };
    insertEffect(tx, subject, disputeFreezeEffect(clientId, newlyFrozen), now);
  }
  if (debited.minor > 0n && !before?.debitedMinor)
    insertEffect(tx, subject, disputeDebitEffect(clientId, connector, { frozen, debited }), now);
  else if (frozen.minor > 0n && dispute.frozenMinor === 0n)
    insertEffect(tx, subject, disputeReleaseEffect(clientId, frozen), now);
}

function notifyDisputeChange(
  tx: Tx,
  dispute: Dispute,
  notificationType: DisputeNotificationType | undefined,
  { payment, context }: ChangeContext,
): void {
  insertDisputeEvent(tx, dispute, notificationType, context.now);
  // A merchant with a point of sale device polls and gets no webhook.
  if (!notificationType || isInStore(payment)) return;
  const { bucket, clientId, disputeId: subjectId, sequence } = dispute;
  const body = buildDisputeNotification(dispute, payment, notificationType);
  notifyMerchant(
    tx,
    { bucket, clientId, kind: "notifyDispute", subjectId, sequence, url: undefined, body },
    context,
  );
}
