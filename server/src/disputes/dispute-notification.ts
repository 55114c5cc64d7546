import { toAmount, type Money } from "../core/money.ts";
import { wireTime } from "../core/request-time.ts";
import type { Payment } from "../payments/payment.ts";
import type { DisputeNotificationType } from "./decide-dispute.ts";
import type { Dispute } from "./dispute.ts";

/**
 * `disputeNotificationBody` returns the body of `notifyDispute`. The bytes are stored, so that each delivery attempt
 * sends the same body.
 */
export function disputeNotificationBody(
  dispute: Dispute,
  { paymentRequestId }: Pick<Payment, "paymentRequestId">,
  type: DisputeNotificationType,
): Buffer {
  const { disputeId, paymentId, dueAt, sequence } = dispute;
  const isFirst = type === "DISPUTE_CREATED" || type === "RDR_RESOLVED";
  const isSourceTold = isFirst || type === "DISPUTE_JUDGED";
  const body = {
    disputeNotificationType: type,
    disputeId,
    paymentId,
    paymentRequestId,
    disputeTime: timeOf(dispute.createdAt),
    ...(isFirst && { disputeAmount: toAmount(dispute.amount) }),
    // An RDR (rapid dispute resolution) has its own webhook type, and is not a dispute type that can be answered.
    ...(dispute.type !== "RDR" && { disputeType: dispute.type }),
    ...(dispute.reasonCode && { disputeReasonCode: dispute.reasonCode }),
    ...(dispute.reasonMessage && { disputeReasonMsg: dispute.reasonMessage }),
    ...(dispute.source && isSourceTold && { disputeSource: dispute.source }),
    defendable: dispute.defendable,
    ...(dueAt && { defenseDueTime: timeOf(dueAt) }),
    ...(type === "DISPUTE_JUDGED" && judgement(dispute)),
    ...(type === "DISPUTE_ACCEPTED" && acceptance(dispute)),
    ...(dispute.autoDefendReason && { autoDefendReason: dispute.autoDefendReason }),
    sequence,
  };
  return Buffer.from(JSON.stringify(body), "utf8");
}

function judgement({ judgedResult, judgedAt, judgedMinor, amount }: Dispute): object {
  const judged: Money | undefined = judgedMinor
    ? { currency: amount.currency, minor: judgedMinor }
    : undefined;
  return {
    ...(judgedAt && { disputeJudgedTime: timeOf(judgedAt) }),
    ...(judged && { disputeJudgedAmount: toAmount(judged) }),
    disputeJudgedResult: judgedResult,
  };
}

function acceptance({ acceptReason, answeredAt }: Dispute): object {
  return {
    disputeAcceptReason: acceptReason,
    ...(answeredAt && { disputeAcceptTime: timeOf(answeredAt) }),
  };
}

function timeOf(date: Date): string {
  return wireTime(date.getTime());
}
