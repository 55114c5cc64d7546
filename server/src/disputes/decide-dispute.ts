import type { Payment } from "../payments/payment.ts";
import { takesAnswer } from "../providers/dispute-values.ts";
import type { DisputeReport } from "../providers/provider.ts";
import { blockedMinor, type Dispute, type DisputeStatus } from "./dispute.ts";

/** Types of webhooks about a dispute (`notifyDispute`). */
export type DisputeNotificationType =
  | "DISPUTE_CREATED"
  | "DISPUTE_JUDGED"
  | "DISPUTE_CANCELLED"
  | "DEFENSE_SUPPLIED"
  | "DEFENSE_DUE_ALERT"
  | "DISPUTE_ACCEPTED"
  | "RDR_RESOLVED";

/** The outcome of a provider's report of a known dispute. */
export type DisputeDecision =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "changed";
      readonly dispute: Dispute;
      readonly notificationType: DisputeNotificationType;
    }
  /** The report contradicts our records. The gateway changes nothing and alerts the operator. */
  | { readonly kind: "contradiction"; readonly why: string };

/**
 * `disputableMinor` returns the amount that can still be disputed, in minor units: the captured amount that is neither
 * refunded nor disputed.
 */
export function disputableMinor(payment: Payment, capturedMinor: bigint): bigint {
  // A cancel in progress returns the whole amount, so no amount can be disputed.
  if (payment.status !== "SUCCESS" || payment.cancelRequestedAt) return 0n;
  return capturedMinor - payment.refundedMinor - payment.disputedMinor;
}

export interface NewDispute {
  readonly disputeId: string;
  readonly payment: Payment;
  readonly connector: string;
  readonly remainingMinor: bigint;
  /**
   * Whether the whole amount was returned to the buyer. Refunds in progress do not count, because they may still fail.
   */
  readonly isFullyReturned: boolean;
  readonly now: Date;
}

/** `openDispute` builds a dispute from its first report, in its initial state. */
export function openDispute(
  report: DisputeReport,
  { disputeId, payment, connector, remainingMinor, isFullyReturned, now }: NewDispute,
): Dispute {
  const { bucket, clientId, paymentId } = payment;
  const isOpen = report.state === "OPEN";
  const frozenMinor = report.type === "CHARGEBACK" ? smaller(report.amount.minor, remainingMinor) : 0n;
  // Auto-defense: a chargeback of a refunded payment is answered without the merchant.
  const isAutoDefended = report.type === "CHARGEBACK" && isFullyReturned;
  return {
    bucket,
    clientId,
    disputeId,
    paymentId,
    connector,
    providerDisputeId: report.providerDisputeId,
    providerSequence: isOpen ? report.sequence : 0,
    type: report.type,
    status: "CREATED",
    amount: report.amount,
    frozenMinor,
    debitedMinor: 0n,
    reasonCode: report.reasonCode,
    reasonMessage: report.reasonMessage,
    source: report.source,
    defendable: report.defendable && takesAnswer(report.type) && !isAutoDefended,
    wantedEvidence: report.wantedEvidence,
    autoDefendReason: isAutoDefended ? "FULLY_REFUNDED" : undefined,
    createdAt: report.createdAt,
    dueAt: report.dueAt,
    alertedAt: undefined,
    answer: isAutoDefended && isOpen ? { kind: "DEFEND", requestedAt: now } : undefined,
    defenses: isAutoDefended ? 1 : 0,
    answeredAt: undefined,
    acceptReason: undefined,
    judgedResult: undefined,
    judgedMinor: undefined,
    judgedAt: undefined,
    resolvedAt: undefined,
    sequence: 1,
  };
}

/**
 * `resolveAtOnce` resolves a dispute that is final in its first report. An RDR (rapid dispute resolution) has debited
 * money, and a fraud warning never does. The function returns undefined if the provider debited more than the rest of
 * the payment, another currency, or anything for a warning.
 */
export function resolveAtOnce(
  dispute: Dispute,
  report: DisputeReport,
  remainingMinor: bigint,
): Dispute | undefined {
  const warned = { currency: report.amount.currency, minor: 0n };
  const debitedAmount = report.takenAmount ?? (report.type === "RDR" ? report.amount : warned);
  if (report.type === "FRAUD_WARNING" && debitedAmount.minor > 0n) return undefined;
  if (debitedAmount.currency !== report.amount.currency || debitedAmount.minor > remainingMinor)
    return undefined;
  const debitedMinor = debitedAmount.minor;
  const resolvedAt = dispute.createdAt;
  const { sequence: providerSequence } = report;
  // The gateway does not freeze money that was already returned to the buyer.
  return { ...dispute, status: "RESOLVED", frozenMinor: 0n, debitedMinor, resolvedAt, providerSequence };
}

/**
 * `decideDispute` returns the outcome of a report for a dispute; `remainingMinor` is the amount of its payment that can
 * still be disputed.
 */
export function decideDispute(
  dispute: Dispute,
  report: DisputeReport,
  remainingMinor: bigint,
): DisputeDecision {
  if (dispute.resolvedAt || report.sequence <= dispute.providerSequence) return { kind: "nothing" };
  const { currency, minor } = dispute.amount;
  if (report.type !== dispute.type || report.amount.currency !== currency || report.amount.minor !== minor)
    return {
      kind: "contradiction",
      why: "The payment provider reports another type or amount of the dispute than before.",
    };
  if (report.takenAmount && report.takenAmount.currency !== currency)
    return {
      kind: "contradiction",
      why: "The payment provider debited another currency than the disputed one.",
    };
  switch (report.state) {
    case "OPEN":
      return reopenDispute(dispute, report);
    case "DEFENDED":
      return recordDefense(dispute, report);
    case "ACCEPTED": {
      const acceptReason = report.acceptReason ?? "MANUAL_PROCESSING_ACCEPTED";
      return resolveDispute(dispute, report, {
        status: "ACCEPTED",
        notificationType: "DISPUTE_ACCEPTED",
        acceptReason,
        remainingMinor,
      });
    }
    case "CANCELLED":
      return resolveDispute(dispute, report, {
        status: "CANCELLED",
        notificationType: "DISPUTE_CANCELLED",
        remainingMinor,
      });
    case "JUDGED": {
      const judgedResult = report.judgedResult;
      const isChargebackJudgement =
        judgedResult === "ACCEPT_BY_CUSTOMER" || judgedResult === "ACCEPT_BY_MERCHANT";
      if (!judgedResult || isChargebackJudgement !== (dispute.type === "CHARGEBACK"))
        return {
          kind: "contradiction",
          why: "The payment provider reports a judgement that does not fit the type of the dispute.",
        };
      return resolveDispute(dispute, report, {
        status: "JUDGED",
        notificationType: "DISPUTE_JUDGED",
        judgedResult,
        remainingMinor,
      });
    }
    case "RESOLVED":
      return {
        kind: "contradiction",
        why: "The payment provider reports RESOLVED for a dispute that needs an answer.",
      };
  }
}

/**
 * `reopenDispute` reopens a defended dispute: the supplied documents were insufficient, so the merchant may answer again.
 */
function reopenDispute(dispute: Dispute, report: DisputeReport): DisputeDecision {
  if (dispute.status !== "DEFENDED" || report.judgedResult !== "VALIDATE_FAIL") return { kind: "nothing" };
  const changed: Dispute = {
    ...dispute,
    status: "CREATED",
    judgedResult: report.judgedResult,
    judgedAt: report.changedAt,
    answer: undefined,
  };
  return buildChange(changed, report, "DISPUTE_JUDGED");
}

function recordDefense(dispute: Dispute, report: DisputeReport): DisputeDecision {
  if (dispute.status !== "CREATED") return { kind: "nothing" };
  // A retrieval request ends when the merchant supplies the documents: no judgement follows.
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
  return buildChange(changed, report, "DEFENSE_SUPPLIED");
}

interface Resolution extends Partial<Pick<Dispute, "acceptReason" | "judgedResult">> {
  readonly status: DisputeStatus;
  readonly notificationType: DisputeNotificationType;
  readonly remainingMinor: bigint;
}

function resolveDispute(dispute: Dispute, report: DisputeReport, resolution: Resolution): DisputeDecision {
  const { status, notificationType, remainingMinor, acceptReason, judgedResult } = resolution;
  const isLost = status === "ACCEPTED" || judgedResult === "ACCEPT_BY_MERCHANT";
  // A report of a lost chargeback must have the debited amount. Without it, releasing the freeze would pay both the
  // merchant and the buyer.
  if (isLost && dispute.frozenMinor > 0n && !report.takenAmount)
    return {
      kind: "contradiction",
      why: "The merchant lost the dispute, and the payment provider does not report the debited amount.",
    };
  const debitedMinor = report.takenAmount?.minor ?? 0n;
  if (debitedMinor > 0n && (!isLost || dispute.type !== "CHARGEBACK"))
    return {
      kind: "contradiction",
      why: "The payment provider debited money, although the merchant did not lose the dispute.",
    };
  // A debit above the frozen amount is valid only if a refund has failed since the freeze.
  if (debitedMinor > dispute.frozenMinor + remainingMinor)
    return { kind: "contradiction", why: "The payment provider debited more than the rest of the payment." };
  const changed: Dispute = {
    ...dispute,
    status,
    frozenMinor: 0n,
    debitedMinor,
    answer: undefined,
    acceptReason,
    ...(status === "ACCEPTED" && { answeredAt: report.changedAt }),
    ...(judgedResult && { judgedResult, judgedAt: report.changedAt }),
    ...(judgedResult && { judgedMinor: isLost ? debitedMinor : dispute.amount.minor }),
    resolvedAt: report.changedAt,
  };
  return buildChange(changed, report, notificationType);
}

function buildChange(
  dispute: Dispute,
  { sequence: providerSequence, wantedEvidence }: DisputeReport,
  notificationType: DisputeNotificationType,
): DisputeDecision {
  const changed = { ...dispute, providerSequence, wantedEvidence, sequence: dispute.sequence + 1 };
  return { kind: "changed", dispute: changed, notificationType };
}

/** `blockedMinorChange` returns the change of the sum that a payment's disputes block. */
export function blockedMinorChange(before: Dispute | undefined, after: Dispute): bigint {
  return blockedMinor(after) - (before ? blockedMinor(before) : 0n);
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
