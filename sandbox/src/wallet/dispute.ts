import type { Amount } from "./amount.ts";

export const disputeTypes = ["CHARGEBACK", "RETRIEVAL_REQUEST", "COMPLIANCE_REQUEST", "RDR"] as const;

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
};

/** The terms with which the buyer or the card scheme opens a dispute. They never change. */
export interface DisputeTerms {
  readonly reference: string;
  readonly paymentId: string;
  readonly walletOrderId: string;
  readonly walletDisputeId: string;
  readonly disputeType: DisputeType;
  readonly amount: Amount;
  readonly reasonCode: string;
  readonly reasonMessage: string;
  readonly source: string;
  readonly defendable: boolean;
  /** The merchant's deadline for an answer; a dispute of type RDR has none. */
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

/** Whether disputes of this type hold or move money: only a chargeback and an RDR do. */
export function holdsMoney(disputeType: DisputeType): boolean {
  return disputeType === "CHARGEBACK" || disputeType === "RDR";
}

/** A dispute as the provider protocol writes it. */
export function disputeOnTheWire(dispute: Dispute): object {
  const { takenAmount, acceptReason, judgedResult, changedTime, dueTime } = dispute;
  return {
    reference: dispute.reference,
    paymentId: dispute.paymentId,
    walletDisputeId: dispute.walletDisputeId,
    disputeType: dispute.disputeType,
    state: dispute.state,
    amount: dispute.amount,
    reasonCode: dispute.reasonCode,
    reasonMessage: dispute.reasonMessage,
    source: dispute.source,
    defendable: dispute.defendable,
    createdTime: dispute.createdTime,
    ...(dueTime && { dueTime }),
    ...(changedTime && { changedTime }),
    ...(takenAmount && { takenAmount }),
    ...(acceptReason && { acceptReason }),
    ...(judgedResult && { judgedResult }),
    sequence: dispute.sequence,
  };
}
