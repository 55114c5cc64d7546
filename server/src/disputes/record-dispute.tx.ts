import { newId } from "../core/id.ts";
import { deleteJob, insertDueJob } from "../jobs/job.sql.ts";
import { insertEffect } from "../ledger/transfer.sql.ts";
import { disputeDebitEffect, disputeFreezeEffect, disputeReleaseEffect } from "../ledger/transfer.ts";
import { notifyMerchant } from "../notifications/notify-merchant.tx.ts";
import type { RecordingContext } from "../contract/provider-driver.ts";
import { isInStore, type Payment } from "../payments/payment.ts";
import type { Tx } from "../postgres/sql.ts";
import { sumCaptured } from "../captures/capture.sql.ts";
import { onMerchantClock } from "../providers/merchant-clock.ts";
import type { DisputeReport } from "../providers/provider.ts";
import {
  blockedMinorChange,
  decideDispute,
  disputableMinor,
  openDispute,
  resolveRdr,
  type DisputeDecision,
  type DisputeNotificationType,
} from "./decide-dispute.ts";
import { disputeNotificationBody } from "./dispute-notification.ts";
import {
  findDisputeAt,
  insertDispute,
  insertDisputeEvent,
  sumRefunded,
  updateDispute,
  updatePaymentDisputed,
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
  given: DisputeReport,
  context: RecordingContext,
): Promise<DisputeDecision> {
  const { paymentId = payment.paymentId } = given;
  if (given.reference !== payment.order?.reference || paymentId !== payment.paymentId)
    return { kind: "contradiction", why: "The payment provider reports a dispute of another payment." };
  const report = onMerchantClock(given, context);
  const { captureMode, capturedMinor } = payment;
  const { connector } = payment.order;
  const [known, taken] = await Promise.all([
    findDisputeAt(tx, payment, { connector, walletDisputeId: report.walletDisputeId }),
    captureMode === "MANUAL" ? sumCaptured(tx, payment, payment.paymentId) : capturedMinor,
  ]);
  const leftMinor = disputableMinor(payment, taken);
  if (!known) return recordOpened(tx, { payment, report, connector, taken, leftMinor, context });
  const decision = decideDispute(known, report, leftMinor);
  if (decision.kind === "changed") recordChanged(tx, known, decision, { payment, context });
  return decision;
}

interface Opened {
  readonly payment: Payment;
  readonly report: DisputeReport;
  readonly connector: string;
  /** Captured amount in minor units. */
  readonly taken: bigint;
  readonly leftMinor: bigint;
  readonly context: RecordingContext;
}

async function recordOpened(
  tx: Tx,
  { payment, report, connector, taken, leftMinor, context }: Opened,
): Promise<DisputeDecision> {
  const { now, aheadMs, randomBelow } = context;
  const { paidAmount } = payment;
  if (report.amount.currency !== paidAmount?.currency || report.amount.minor > paidAmount.minor)
    return {
      kind: "contradiction",
      why: "The payment provider disputes more than the paid amount, or another currency.",
    };
  const disputeId = newId("dispute", payment.bucket, now, randomBelow);
  const isGivenBack = payment.status !== "SUCCESS" || (await sumRefunded(tx, payment)) >= taken;
  const opened = openDispute(report, { disputeId, payment, connector, leftMinor, isGivenBack, now });
  const isOver = report.state === "RESOLVED";
  const dispute = isOver ? resolveRdr(opened, report, leftMinor) : opened;
  if (!dispute)
    return { kind: "contradiction", why: "The payment provider debited more than the rest of the payment." };
  await insertDispute(tx, dispute);
  const told = isOver ? "RDR_RESOLVED" : "DISPUTE_CREATED";
  recordEffects(tx, undefined, dispute, context.now);
  tell(tx, dispute, told, { payment, context });
  const decision: DisputeDecision = { kind: "changed", dispute, told };
  if (isOver) return decision;

  const { bucket, clientId } = dispute;
  const key = { bucket, clientId, subjectId: disputeId };
  insertDueJob(tx, { ...key, job: "watch-dispute" }, nextDisputePollAt(dispute, 0, now), aheadMs);
  if (dispute.answer) insertDueJob(tx, { ...key, job: "answer-dispute" }, now, aheadMs);
  if (report.state === "OPEN") return decision;
  // If the first callback was lost, this report also has later changes: record and report them, too.
  const next = decideDispute(dispute, report, leftMinor - dispute.frozenMinor);
  if (next.kind === "changed") recordChanged(tx, dispute, next, { payment, context });
  return next;
}

interface About {
  readonly payment: Payment;
  readonly context: RecordingContext;
}

/** `recordChanged` records a change of a dispute whose payment the transaction has locked. */
export function recordChanged(
  tx: Tx,
  before: Dispute,
  { dispute, told }: { readonly dispute: Dispute; readonly told?: DisputeNotificationType },
  about: About,
): void {
  updateDispute(tx, dispute);
  recordEffects(tx, before, dispute, about.context.now);
  tell(tx, dispute, told, about);
  const { bucket, clientId, disputeId: subjectId } = dispute;
  if (before.answer && !dispute.answer) deleteJob(tx, { bucket, clientId, subjectId, job: "answer-dispute" });
  if (dispute.resolvedAt) deleteJob(tx, { bucket, clientId, subjectId, job: "watch-dispute" });
}

/** `recordEffects` posts to the ledger. Frozen money stays the merchant's until it is released or goes to the buyer. */
function recordEffects(tx: Tx, before: Dispute | undefined, dispute: Dispute, now: Date): void {
  const { bucket, clientId, disputeId: subjectId, connector, amount } = dispute;
  const more = blockedMinorChange(before, dispute);
  if (more !== 0n) updatePaymentDisputed(tx, dispute, more);
  const subject = { bucket, clientId, subjectId };
  const frozen = { currency: amount.currency, minor: before?.frozenMinor ?? 0n };
  const debited = { currency: amount.currency, minor: dispute.debitedMinor };
  if (!before && dispute.frozenMinor > 0n) {
    const froze = { currency: amount.currency, minor: dispute.frozenMinor };
    insertEffect(tx, subject, disputeFreezeEffect(clientId, froze), now);
  }
  if (debited.minor > 0n && !before?.debitedMinor)
    insertEffect(tx, subject, disputeDebitEffect(clientId, connector, { frozen, debited }), now);
  else if (frozen.minor > 0n && dispute.frozenMinor === 0n)
    insertEffect(tx, subject, disputeReleaseEffect(clientId, frozen), now);
}

function tell(
  tx: Tx,
  dispute: Dispute,
  told: DisputeNotificationType | undefined,
  { payment, context }: About,
): void {
  insertDisputeEvent(tx, dispute, told, context.now);
  // A merchant with a point of sale device polls and gets no webhook.
  if (!told || isInStore(payment)) return;
  const { bucket, clientId, disputeId: subjectId, sequence } = dispute;
  const body = disputeNotificationBody(dispute, payment, told);
  notifyMerchant(
    tx,
    { bucket, clientId, kind: "notifyDispute", subjectId, sequence, url: undefined, body },
    context,
  );
}
