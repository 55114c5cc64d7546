import { Type, type Static } from "typebox";
import {
  Amount,
  withDescription,
  DisputeId,
  OneOf,
  PaymentId,
  Time,
  toTime,
  type Meanings,
} from "../contract/schemas.ts";
import { toAmount } from "../core/money.ts";
import type { AcceptReason, DisputeType, JudgedResult } from "../providers/dispute-values.ts";
import {
  acceptRefusal,
  defenseRefusal,
  type DefenseRefusal,
  type Dispute,
  type DisputeStatus,
  type PendingAnswer,
} from "./dispute.ts";
import { evidenceTypeMeanings } from "./evidence-format.schema.ts";

export const disputeStatuses: Meanings<DisputeStatus> = {
  CREATED: "The dispute waits for your answer.",
  DEFENDED: "You have answered, and the payment provider decides.",
  ACCEPTED: "The dispute was accepted: the buyer gets the money back.",
  CANCELLED: "The buyer withdrew the dispute.",
  JUDGED: "The dispute was decided.",
  EXPIRED: "The deadline has passed.",
  RESOLVED: "No answer is needed: the scheme has settled the dispute, or it is only a warning.",
};

const typeMeanings: Meanings<DisputeType> = {
  CHARGEBACK: "The buyer wants the money back.",
  RETRIEVAL_REQUEST: "The payment provider requests documents.",
  COMPLIANCE_REQUEST: "The payment provider asks whether its rules were kept.",
  RDR: "Rapid dispute resolution: the scheme decides by rules, without an answer.",
  FRAUD_WARNING:
    "The card issuer reports fraud (TC40, SAFE). No money moved. A refund now may prevent a chargeback.",
};

const judgementMeanings: Meanings<JudgedResult> = {
  ACCEPT_BY_CUSTOMER: "In your favour: you keep the money.",
  ACCEPT_BY_MERCHANT: "In the buyer's favour: the buyer gets the money back.",
  VALIDATE_SUCCESS: "Your documents were sufficient.",
  VALIDATE_FAIL: "Your documents were not sufficient.",
};

const acceptReasonMeanings: Meanings<AcceptReason> = {
  MERCHANT_ACCEPTED: "You accepted the dispute.",
  TIMEOUT: "You did not answer in time.",
  MANUAL_PROCESSING_ACCEPTED: "The payment provider accepted the dispute manually.",
};

const answerMeanings: Meanings<PendingAnswer["kind"]> = {
  ACCEPT: "You accept the dispute.",
  DEFEND: "You have supplied documents.",
};

const refusalMeanings: Meanings<DefenseRefusal> = {
  PARAM_ILLEGAL: "This answer is not possible for this type of dispute.",
  REPEAT_REQUEST: "The dispute was answered, or it is final.",
  TIME_EXCEEDS_LIMIT: "The deadline has passed.",
  DEFENSE_EXCEED_LIMIT: "Documents were supplied three times, which is the maximum.",
  NOT_ALLOW_IN_CURRENT_STATUS: "The payment provider still checks the last documents.",
};

/** A dispute as in lists, with the possible answers. The operations that answer a dispute use the same rules. */
export const DisputeSummary = Type.Object(
  {
    disputeId: DisputeId,
    paymentId: PaymentId,
    disputeType: OneOf(typeMeanings, "The type of the dispute."),
    disputeStatus: OneOf(disputeStatuses, "The status of the dispute."),
    disputeAmount: withDescription(Amount, "The disputed amount."),
    frozenAmount: Type.Optional(
      withDescription(Amount, "The frozen part of your balance; absent if there is none."),
    ),
    debitedAmount: Type.Optional(
      withDescription(Amount, "The amount that was returned to the buyer; absent if there is none."),
    ),
    reasonCode: Type.String({ maxLength: 64, description: "The payment provider's reason code." }),
    reasonMessage: Type.String({ maxLength: 512, description: "The payment provider's reason text." }),
    createdTime: withDescription(Time, "When the dispute was opened."),
    defenseDueTime: Type.Optional(withDescription(Time, "Until when you can answer.")),
    secondsToAnswer: Type.Optional(
      Type.Integer({ minimum: 0, description: "Seconds until the deadline, by the gateway's clock." }),
    ),
    answerUnderWay: Type.Optional(
      OneOf(answerMeanings, "Your answer, if the payment provider has not confirmed it yet."),
    ),
    wantedEvidence: Type.Optional(
      Type.Array(OneOf(evidenceTypeMeanings, "A type of evidence."), {
        description:
          "The types of evidence that the payment provider wants for a defense; absent if it does not say.",
      }),
    ),
    canAccept: Type.Boolean({ description: "Whether you can accept the dispute now." }),
    whyNotAccept: Type.Optional(OneOf(refusalMeanings, "The reason why you cannot accept the dispute.")),
    canDefend: Type.Boolean({ description: "Whether you can supply documents now." }),
    whyNotDefend: Type.Optional(OneOf(refusalMeanings, "The reason why you cannot supply documents.")),
    acceptReason: Type.Optional(OneOf(acceptReasonMeanings, "The reason of the acceptance.")),
    judgedResult: Type.Optional(OneOf(judgementMeanings, "The decision.")),
  },
  { title: "DisputeSummary", description: "A dispute." },
);

export function summarizeDispute(dispute: Dispute, now: Date): Static<typeof DisputeSummary> {
  const { amount, frozenMinor, debitedMinor, answer } = dispute;
  const whyNotAccept = answer ? "REPEAT_REQUEST" : acceptRefusal(dispute, now);
  const whyNotDefend = answer ? "REPEAT_REQUEST" : defenseRefusal(dispute, now);
  return {
    disputeId: dispute.disputeId,
    paymentId: dispute.paymentId,
    disputeType: dispute.type,
    disputeStatus: dispute.status,
    disputeAmount: toAmount(amount),
    ...(frozenMinor > 0n && { frozenAmount: toAmount({ ...amount, minor: frozenMinor }) }),
    ...(debitedMinor > 0n && { debitedAmount: toAmount({ ...amount, minor: debitedMinor }) }),
    reasonCode: dispute.reasonCode,
    reasonMessage: dispute.reasonMessage,
    createdTime: toTime(dispute.createdAt),
    ...(dispute.dueAt && { defenseDueTime: toTime(dispute.dueAt) }),
    ...(whyNotDefend === undefined && dispute.dueAt && { secondsToAnswer: secondsUntil(dispute.dueAt, now) }),
    ...(answer && { answerUnderWay: answer.kind }),
    ...(dispute.wantedEvidence.length > 0 && { wantedEvidence: [...dispute.wantedEvidence] }),
    canAccept: whyNotAccept === undefined,
    ...(whyNotAccept && { whyNotAccept }),
    canDefend: whyNotDefend === undefined,
    ...(whyNotDefend && { whyNotDefend }),
    ...(dispute.acceptReason && { acceptReason: dispute.acceptReason }),
    ...(dispute.judgedResult && { judgedResult: dispute.judgedResult }),
  };
}

function secondsUntil(at: Date, now: Date): number {
  return Math.max(0, Math.floor((at.getTime() - now.getTime()) / 1000));
}
