import { Type, type Static } from "typebox";
import {
  Amount,
  described,
  DisputeId,
  OneOf,
  PaymentId,
  Time,
  toTime,
  type Meanings,
} from "../api/schemas.ts";
import { toAmount } from "../core/money.ts";
import type { AcceptReason, DisputeType, JudgedResult } from "../wallets/dispute-words.ts";
import {
  acceptRefusal,
  defenseRefusal,
  type DefenseRefusal,
  type Dispute,
  type DisputeStatus,
  type PendingAnswer,
} from "./dispute.ts";

export const disputeStatuses: Meanings<DisputeStatus> = {
  CREATED: "It waits for your answer.",
  DEFENDED: "You have answered, and the wallet decides.",
  ACCEPTED: "The buyer gets the money back.",
  CANCELLED: "The buyer took it back.",
  JUDGED: "It was decided.",
  EXPIRED: "The time to answer is over.",
  RESOLVED: "It was settled without you.",
};

const typesInWords: Meanings<DisputeType> = {
  CHARGEBACK: "The buyer wants the money back.",
  RETRIEVAL_REQUEST: "The wallet asks for papers.",
  COMPLIANCE_REQUEST: "The wallet asks whether rules were kept.",
  RDR: "The scheme decides by rules, and asks nobody.",
};

const judgementsInWords: Meanings<JudgedResult> = {
  ACCEPT_BY_CUSTOMER: "For you: you keep the money.",
  ACCEPT_BY_MERCHANT: "For the buyer, who gets the money back.",
  VALIDATE_SUCCESS: "What you handed in is good enough.",
  VALIDATE_FAIL: "What you handed in is not good enough.",
};

const acceptReasons: Meanings<AcceptReason> = {
  MERCHANT_ACCEPTED: "You gave in to it.",
  TIMEOUT: "You did not answer in time.",
  MANUAL_PROCESSING_ACCEPTED: "The wallet accepted it by hand.",
};

const answersInWords: Meanings<PendingAnswer["kind"]> = {
  ACCEPT: "You give in to it.",
  DEFEND: "You have handed in a document.",
};

const refusalsInWords: Meanings<DefenseRefusal> = {
  PARAM_ILLEGAL: "Disputes of this kind take no such answer.",
  REPEAT_REQUEST: "It was answered, or is over.",
  TIME_EXCEEDS_LIMIT: "The time to answer is over.",
  DEFENSE_EXCEED_LIMIT: "Three documents were handed in, and there is no fourth.",
  NOT_ALLOW_IN_CURRENT_STATUS: "The wallet still looks at the last document.",
};

/** A dispute, as lists show it, with what may be done about it: decided here, by the rules that the acts themselves keep. */
export const DisputeSummary = Type.Object(
  {
    disputeId: DisputeId,
    paymentId: PaymentId,
    disputeType: OneOf(typesInWords, "What kind of dispute it is."),
    disputeStatus: OneOf(disputeStatuses, "Where it stands."),
    disputeAmount: described(Amount, "How much is disputed."),
    frozenAmount: Type.Optional(described(Amount, "How much of your balance it freezes, if any.")),
    debitedAmount: Type.Optional(described(Amount, "How much went back to the buyer, if any.")),
    reasonCode: Type.String({ maxLength: 64, description: "Why, by the wallet's code." }),
    reasonMessage: Type.String({ maxLength: 512, description: "Why, in the wallet's words." }),
    createdTime: described(Time, "When it began."),
    defenseDueTime: Type.Optional(described(Time, "Until when you can answer.")),
    secondsToAnswer: Type.Optional(
      Type.Integer({ minimum: 0, description: "How long that is from now on, by the clock of the gateway." }),
    ),
    answerUnderWay: Type.Optional(
      OneOf(answersInWords, "What you have answered, while the wallet has not confirmed it."),
    ),
    canAccept: Type.Boolean({ description: "Whether you can give in to it now." }),
    whyNotAccept: Type.Optional(OneOf(refusalsInWords, "Why you cannot.")),
    canDefend: Type.Boolean({ description: "Whether you can hand in a document now." }),
    whyNotDefend: Type.Optional(OneOf(refusalsInWords, "Why you cannot.")),
    acceptReason: Type.Optional(OneOf(acceptReasons, "Why it was accepted.")),
    judgedResult: Type.Optional(OneOf(judgementsInWords, "How it was decided.")),
  },
  { title: "DisputeSummary", description: "A dispute." },
);

export function summaryOf(dispute: Dispute, now: Date): Static<typeof DisputeSummary> {
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
