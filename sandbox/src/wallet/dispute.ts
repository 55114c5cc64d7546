import type { Amount } from "./amount.ts";

export const disputeTypes = [
  "CHARGEBACK",
  "RETRIEVAL_REQUEST",
  "COMPLIANCE_REQUEST",
  "RDR",
  "FRAUD_WARNING",
] as const;

/** The types of evidence, of which the wallet may want some. */
export const evidenceTypes = [
  "RECEIPT",
  "PROOF_OF_DELIVERY",
  "CUSTOMER_COMMUNICATION",
  "REFUND_POLICY",
  "TERMS_ACCEPTED",
  "SERVICE_RECORD",
  "DUPLICATE_EXPLANATION",
  "IDENTITY",
  "OTHER",
] as const;

export type EvidenceType = (typeof evidenceTypes)[number];

export type DisputeType = (typeof disputeTypes)[number];
export type DisputeState = "OPEN" | "DEFENDED" | "ACCEPTED" | "CANCELLED" | "JUDGED" | "RESOLVED";

/**
 * The events of a dispute. `accept` and `defend` come from the gateway for a merchant; other events come from the
 * wallet or the buyer.
 */
export type DisputeEvent =
  | "accept"
  | "defend"
  | "expire"
  | "cancel"
  | "judge-won"
  | "judge-lost"
  | "validate"
  | "invalidate";

type Steps = { readonly [from in DisputeState]?: { readonly [event in DisputeEvent]?: DisputeState } };

const ofChargeback: Steps = {
  OPEN: {
    accept: "ACCEPTED",
    defend: "DEFENDED",
    expire: "ACCEPTED",
    cancel: "CANCELLED",
    "judge-won": "JUDGED",
    "judge-lost": "JUDGED",
  },
  DEFENDED: { accept: "ACCEPTED", cancel: "CANCELLED", "judge-won": "JUDGED", "judge-lost": "JUDGED" },
};

/**
 * The lifecycles: for each type and state, the next state after each event. An event that is not listed is not allowed.
 */
const lifecycles: Readonly<Record<DisputeType, Steps>> = {
  CHARGEBACK: ofChargeback,
  RETRIEVAL_REQUEST: { OPEN: { defend: "DEFENDED" } },
  // After `invalidate` (insufficient evidence) the merchant may defend again.
  COMPLIANCE_REQUEST: {
    OPEN: { defend: "DEFENDED" },
    DEFENDED: { validate: "JUDGED", invalidate: "OPEN" },
  },
  RDR: {},
  FRAUD_WARNING: {},
};

/** The terms with which the buyer or the card scheme opens a dispute. They never change. */
export interface DisputeTerms {
  readonly reference: string;
  readonly paymentId: string;
  readonly providerOrderId: string;
  readonly providerDisputeId: string;
  readonly disputeType: DisputeType;
  readonly amount: Amount;
  readonly reasonCode: string;
  readonly reasonMessage: string;
  readonly source: string;
  readonly defendable: boolean;
  /** The types of evidence that a defense should contain. */
  readonly wantedEvidence?: readonly EvidenceType[];
  /** The merchant's deadline for an answer; a dispute that takes no answer has none. */
  readonly dueTime?: string;
  /** The held amount in minor units: the disputed part of the money that was paid and not refunded. */
  readonly heldMinor: string;
}

export interface Dispute extends DisputeTerms {
  readonly state: DisputeState;
  /** Version of its state. */
  readonly sequence: number;
  /** How often it was defended. */
  readonly defenses: number;
  readonly createdTime: string;
  /** The amount that was returned to the buyer. */
  readonly takenAmount?: Amount;
  readonly acceptReason?: string;
  readonly judgedResult?: string;
  readonly changedTime?: string;
}

/** Returns the state that an event leads to, or undefined if the event is not allowed in the current state. */
export function stateAfter({ disputeType, state }: Dispute, event: DisputeEvent): DisputeState | undefined {
  return lifecycles[disputeType][state]?.[event];
}

/** Whether disputes of this type wait for an answer; the others are RESOLVED from the start. */
export function takesAnswer(disputeType: DisputeType): boolean {
  return disputeType !== "RDR" && disputeType !== "FRAUD_WARNING";
}

/** Whether disputes of this type hold or move money: only a chargeback and an RDR do. */
export function holdsMoney(disputeType: DisputeType): boolean {
  return disputeType === "CHARGEBACK" || disputeType === "RDR";
}

/** A dispute as the provider protocol writes it. */
export function disputeOnTheWire(dispute: Dispute): object {
  const { takenAmount, acceptReason, judgedResult, changedTime, dueTime, wantedEvidence } = dispute;
  return {
    reference: dispute.reference,
    paymentId: dispute.paymentId,
    providerDisputeId: dispute.providerDisputeId,
    disputeType: dispute.disputeType,
    state: dispute.state,
    amount: dispute.amount,
    reasonCode: dispute.reasonCode,
    reasonMessage: dispute.reasonMessage,
    source: dispute.source,
    defendable: dispute.defendable,
    ...(wantedEvidence && { wantedEvidence }),
    createdTime: dispute.createdTime,
    ...(dueTime && { dueTime }),
    ...(changedTime && { changedTime }),
    ...(takenAmount && { takenAmount }),
    ...(acceptReason && { acceptReason }),
    ...(judgedResult && { judgedResult }),
    sequence: dispute.sequence,
  };
}
