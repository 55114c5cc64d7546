import type { Payment } from "../payments/payment.ts";
import type { DisputeReport } from "../wallets/wallet.ts";
import { countedMinor, type Dispute, type DisputeStatus } from "./dispute.ts";

/** What a merchant is told of a dispute. */
export type DisputeNotificationType =
  | "DISPUTE_CREATED"
  | "DISPUTE_JUDGED"
  | "DISPUTE_CANCELLED"
  | "DEFENSE_SUPPLIED"
  | "DEFENSE_DUE_ALERT"
  | "DISPUTE_ACCEPTED"
  | "RDR_RESOLVED";

/** What follows from a wallet's report of a dispute that we know. */
export type DisputeDecision =
  | { readonly kind: "nothing" }
  | { readonly kind: "changed"; readonly dispute: Dispute; readonly told: DisputeNotificationType }
  /** The report contradicts what we know. Nothing is settled; the operator is alerted. */
  | { readonly kind: "contradiction"; readonly why: string };

/** What can still be disputed, in minor units: captured, and neither refunded nor disputed. */
export function disputableMinor(payment: Payment, capturedMinor: bigint): bigint {
  // A cancel that is under way gives back all of it.
  if (payment.status !== "SUCCESS" || payment.cancelRequestedAt) return 0n;
  return capturedMinor - payment.refundedMinor - payment.disputedMinor;
}

export interface Opening {
  readonly disputeId: string;
  readonly payment: Payment;
  readonly connector: string;
  readonly leftMinor: bigint;
  /** Whether all of it has gone back for certain: a refund that is under way may still fail. */
  readonly isGivenBack: boolean;
  readonly now: Date;
}

/** A dispute from its first report, in its initial state. */
export function openDispute(
  report: DisputeReport,
  { disputeId, payment, connector, leftMinor, isGivenBack, now }: Opening,
): Dispute {
  const { bucket, clientId, paymentId } = payment;
  const isOpen = report.state === "OPEN";
  const frozenMinor = report.type === "CHARGEBACK" ? least(report.amount.minor, leftMinor) : 0n;
  // Auto-defense: a refunded chargeback is answered without the merchant.
  const isAnswered = report.type === "CHARGEBACK" && isGivenBack;
  return {
    bucket,
    clientId,
    disputeId,
    paymentId,
    connector,
    walletDisputeId: report.walletDisputeId,
    walletSequence: isOpen ? report.sequence : 0,
    type: report.type,
    status: "CREATED",
    amount: report.amount,
    frozenMinor,
    debitedMinor: 0n,
    reasonCode: report.reasonCode,
    reasonMessage: report.reasonMessage,
    source: report.source,
    defendable: report.defendable && !isAnswered,
    autoDefendReason: isAnswered ? "FULLY_REFUNDED" : undefined,
    createdAt: report.createdAt,
    dueAt: report.dueAt,
    alertedAt: undefined,
    answer: isAnswered && isOpen ? { kind: "DEFEND", requestedAt: now } : undefined,
    defenses: isAnswered ? 1 : 0,
    answeredAt: undefined,
    acceptReason: undefined,
    judgedResult: undefined,
    judgedMinor: undefined,
    judgedAt: undefined,
    resolvedAt: undefined,
    sequence: 1,
  };
}

/** An RDR is over when it comes. Undefined when the wallet took more than there was, or another currency. */
export function resolvedAtOnce(
  opened: Dispute,
  report: DisputeReport,
  leftMinor: bigint,
): Dispute | undefined {
  const debited = report.takenAmount ?? report.amount;
  if (debited.currency !== report.amount.currency || debited.minor > leftMinor) return undefined;
  const debitedMinor = debited.minor;
  const resolvedAt = opened.createdAt;
  const { sequence: walletSequence } = report;
  // Money that went to the buyer is not frozen as well.
  return { ...opened, status: "RESOLVED", frozenMinor: 0n, debitedMinor, resolvedAt, walletSequence };
}

/** Decides what a report means for a dispute; `leftMinor` is the rest of its payment that can be disputed. */
export function decideDispute(dispute: Dispute, report: DisputeReport, leftMinor: bigint): DisputeDecision {
  if (dispute.resolvedAt || report.sequence <= dispute.walletSequence) return { kind: "nothing" };
  const { currency, minor } = dispute.amount;
  if (report.type !== dispute.type || report.amount.currency !== currency || report.amount.minor !== minor)
    return { kind: "contradiction", why: "The wallet speaks of another dispute." };
  if (report.takenAmount && report.takenAmount.currency !== currency)
    return { kind: "contradiction", why: "The wallet took another currency." };
  switch (report.state) {
    case "OPEN":
      return reopened(dispute, report);
    case "DEFENDED":
      return defended(dispute, report);
    case "ACCEPTED": {
      const acceptReason = report.acceptReason ?? "MANUAL_PROCESSING_ACCEPTED";
      return decided(dispute, report, {
        status: "ACCEPTED",
        told: "DISPUTE_ACCEPTED",
        acceptReason,
        leftMinor,
      });
    }
    case "CANCELLED":
      return decided(dispute, report, { status: "CANCELLED", told: "DISPUTE_CANCELLED", leftMinor });
    case "JUDGED": {
      const judgedResult = report.judgedResult;
      const isOfMoney = judgedResult === "ACCEPT_BY_CUSTOMER" || judgedResult === "ACCEPT_BY_MERCHANT";
      if (!judgedResult || isOfMoney !== (dispute.type === "CHARGEBACK"))
        return { kind: "contradiction", why: "The wallet judged what such a dispute is not about." };
      return decided(dispute, report, { status: "JUDGED", told: "DISPUTE_JUDGED", judgedResult, leftMinor });
    }
    case "RESOLVED":
      return { kind: "contradiction", why: "The wallet has resolved what was to be answered." };
  }
}

/** What was supplied did not satisfy: the merchant may answer once more. */
function reopened(dispute: Dispute, report: DisputeReport): DisputeDecision {
  if (dispute.status !== "DEFENDED" || report.judgedResult !== "VALIDATE_FAIL") return { kind: "nothing" };
  const changed: Dispute = {
    ...dispute,
    status: "CREATED",
    judgedResult: report.judgedResult,
    judgedAt: report.changedAt,
    answer: undefined,
  };
  return told(changed, report, "DISPUTE_JUDGED");
}

function defended(dispute: Dispute, report: DisputeReport): DisputeDecision {
  if (dispute.status !== "CREATED") return { kind: "nothing" };
  // A retrieval request ends with the documents: no judgement follows.
  const resolvedAt = dispute.type === "RETRIEVAL_REQUEST" ? report.changedAt : undefined;
  const changed: Dispute = {
    ...dispute,
    status: "DEFENDED",
    answer: undefined,
    answeredAt: report.changedAt,
    judgedResult: undefined,
    judgedAt: undefined,
    resolvedAt,
  };
  return told(changed, report, "DEFENSE_SUPPLIED");
}

interface Ending extends Partial<Pick<Dispute, "acceptReason" | "judgedResult">> {
  readonly status: DisputeStatus;
  readonly told: DisputeNotificationType;
  readonly leftMinor: bigint;
}

function decided(dispute: Dispute, report: DisputeReport, ending: Ending): DisputeDecision {
  const { status, told: type, leftMinor, acceptReason, judgedResult } = ending;
  const isLost = status === "ACCEPTED" || judgedResult === "ACCEPT_BY_MERCHANT";
  // A lost chargeback has an amount: without one, releasing the freeze would pay the merchant and the buyer.
  if (isLost && dispute.frozenMinor > 0n && !report.takenAmount)
    return { kind: "contradiction", why: "The merchant has lost, and the wallet does not say how much." };
  const takenMinor = report.takenAmount?.minor ?? 0n;
  if (takenMinor > 0n && (!isLost || dispute.type !== "CHARGEBACK"))
    return { kind: "contradiction", why: "The wallet took money, and the merchant has not lost any." };
  // More than was frozen is right only if a refund that was under way has failed since.
  if (takenMinor > dispute.frozenMinor + leftMinor)
    return { kind: "contradiction", why: "The wallet took more than was left of the payment." };
  const changed: Dispute = {
    ...dispute,
    status,
    frozenMinor: 0n,
    debitedMinor: takenMinor,
    answer: undefined,
    acceptReason,
    ...(status === "ACCEPTED" && { answeredAt: report.changedAt }),
    ...(judgedResult && { judgedResult, judgedAt: report.changedAt }),
    ...(judgedResult && { judgedMinor: isLost ? takenMinor : dispute.amount.minor }),
    resolvedAt: report.changedAt,
  };
  return told(changed, report, type);
}

function told(
  dispute: Dispute,
  { sequence: walletSequence }: DisputeReport,
  type: DisputeNotificationType,
): DisputeDecision {
  const changed = { ...dispute, walletSequence, sequence: dispute.sequence + 1 };
  return { kind: "changed", dispute: changed, told: type };
}

/** Change of the sum that a payment's disputes block. */
export function countedMore(before: Dispute | undefined, after: Dispute): bigint {
  return countedMinor(after) - (before ? countedMinor(before) : 0n);
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
