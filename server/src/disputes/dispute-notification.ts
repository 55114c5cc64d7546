import { toAmount, type Money } from "../core/money.ts";
import { formatWireTime } from "../core/request-time.ts";
import type { Payment } from "../payments/payment.ts";
import type { DisputeNotificationType } from "./decide-dispute.ts";
import type { Dispute } from "./dispute.ts";

/**
 * `buildDisputeNotification` returns the body of `notifyDispute`. The bytes are stored, so that each delivery attempt
 * sends the same body.
 */
export function buildDisputeNotification(
  dispute: Dispute,
  { paymentRequestId }: Pick<Payment, "paymentRequestId">,
  type: DisputeNotificationType,
): Buffer {
  const { disputeId, paymentId, dueAt, sequence } = dispute;
  const isFirst = type === "DISPUTE_CREATED" || type === "RDR_RESOLVED";
  const includesSource = isFirst || type === "DISPUTE_JUDGED";
  const body = {
    disputeNotificationType: type,
    disputeId,
    paymentId,
    paymentRequestId,
    disputeTime: formatTime(dispute.createdAt),
    ...(isFirst && { disputeAmount: toAmount(dispute.amount) }),
    // An RDR (rapid dispute resolution) has its own webhook type, and is not a dispute type that can be answered.
    ...(dispute.type !== "RDR" && { disputeType: dispute.type }),
    ...(dispute.reasonCode && { disputeReasonCode: dispute.reasonCode }),
    ...(dispute.reasonMessage && { disputeReasonMsg: dispute.reasonMessage }),
    ...(dispute.source && includesSource && { disputeSource: dispute.source }),
    defendable: dispute.defendable,
    ...(isDefensePossible(dispute) && { wantedEvidence: dispute.wantedEvidence }),
    ...(dueAt && { defenseDueTime: formatTime(dueAt) }),
    ...(type === "DISPUTE_JUDGED" && judgementFields(dispute)),
    ...(type === "DISPUTE_ACCEPTED" && acceptanceFields(dispute)),
    ...(dispute.autoDefendReason && { autoDefendReason: dispute.autoDefendReason }),
    sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}

function isDefensePossible({ defendable, wantedEvidence, status }: Dispute): boolean {
  return defendable && wantedEvidence.length > 0 && status === "CREATED";
}

function judgementFields({ judgedResult, judgedAt, judgedMinor, amount }: Dispute): object {
  const judgedAmount: Money | undefined = judgedMinor
    ? { currency: amount.currency, minor: judgedMinor }
    : undefined;
  return {
    ...(judgedAt && { disputeJudgedTime: formatTime(judgedAt) }),
    ...(judgedAmount && { disputeJudgedAmount: toAmount(judgedAmount) }),
    disputeJudgedResult: judgedResult,
  };
}

function acceptanceFields({ acceptReason, answeredAt }: Dispute): object {
  return {
    disputeAcceptReason: acceptReason,
    ...(answeredAt && { disputeAcceptTime: formatTime(answeredAt) }),
  };
}

function formatTime(date: Date): string {
  return formatWireTime(date.getTime());
}
