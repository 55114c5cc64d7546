import type { Amount } from "./amount.ts";
import type { Authorization } from "./authorization.ts";
import type { DisputeEvent, DisputeState, DisputeTerms, EvidenceType } from "./dispute.ts";
import type { PlannedEnd } from "./money-record.ts";
import type { CaptureMode, OrderOwner } from "./order.ts";
import type { ChosenAction } from "./next-action.ts";
import type { CodeVerdict } from "./payment-code.ts";
import type { Registration } from "./registration.ts";

/** The contents of the journal's lines, in the order of the events. README.md specifies the format. */
export type Effect =
  | CallReceived
  | StateChanged
  | CancelChanged
  | CodeRenewed
  | Captured
  | CaptureFailed
  | Refunded
  | RefundFailed
  | Tombstone
  | CodeIssued
  | RegistrationPlanned
  | RegistrationDecided
  | DisputeOpened
  | DisputeChanged
  | AuthorizationChanged
  | AuthorizationCallbackDelivered
  | CallbackDelivered
  | FaultInjected;

/** A line of effects.jsonl. */
export type Line = Effect & { readonly n: number; readonly at: string };

/** A received call that may act, including repeats, rejections, and calls that a fault prevented from acting. */
export interface CallReceived {
  readonly kind:
    | "submit"
    | "cancel"
    | "capture"
    | "refund"
    | "register"
    | "authorize"
    | "exchange-code"
    | "revoke"
    | "accept-dispute"
    | "defend-dispute";
  readonly outcome: CallOutcome;
  readonly reference?: string;
  readonly paymentId?: string;
  readonly captureReference?: string;
  readonly refundReference?: string;
  readonly amount?: Amount;
  readonly paymentMethodType?: string;
  readonly providerDisputeId?: string;
  readonly answerReference?: string;
  /** The other fields of the order; set only if the call opened an order. */
  readonly order?: OpenedOrder;
  /** The capture; set only if the call started a capture that did not complete at once. */
  readonly capture?: StartedCapture;
  /** The refund; set only if the call started a refund that did not complete at once. */
  readonly refund?: StartedRefund;
  /** The registration; set only if the call created it. */
  readonly registration?: OpenedRegistration;
  /** The consent; set only if the call created it. */
  readonly authorization?: OpenedAuthorization;
}

export type CallOutcome =
  | "opened"
  | "opened-again"
  | "repeated"
  | "inconsistent"
  | "too-late"
  | "tombstoned"
  | "closed"
  | "unchanged"
  | "done"
  | "done-again"
  | "started"
  | "started-again"
  | "refused"
  | "malformed"
  | "not-acted";

export interface OpenedOrder extends OrderOwner {
  readonly providerOrderId: string;
  readonly token: string;
  readonly merchantName: string;
  readonly description: string;
  /** The capture mode; undefined means AUTOMATIC, because older journals do not have this field. */
  readonly capture?: CaptureMode;
  readonly expiryTime: string;
  readonly callbackUrl: string;
  readonly redirectUrl?: string;
  /** The SHA-256 of the payment code; set only if the order has one. `codeVerdict` is the wallet's verdict on it. */
  readonly codeHash?: string;
  readonly codeVerdict?: CodeVerdict;
  /**
   * The SHA-256 of the agreement's token; set only if an agreement should pay the order. `codeVerdict` is the wallet's
   * verdict on it.
   */
  readonly agreementHash?: string;
  /** The names of the received groups of data, without their content. */
  readonly dataGroups?: readonly string[];
  /** The next action of the buyer; set only if a fault chose it. */
  readonly chosenAction?: ChosenAction;
}

export interface StartedCapture extends PlannedEnd {
  readonly paymentId: string;
  readonly providerOrderId: string;
  readonly providerCaptureId: string;
  readonly isLast?: boolean;
}

export interface StartedRefund extends PlannedEnd {
  readonly paymentId: string;
  readonly providerOrderId: string;
  readonly providerRefundId: string;
}

/** The order has another code. Every line of this kind requires a callback. */
export interface CodeRenewed extends OrderReferences {
  readonly kind: "code-renewed";
  readonly sequence: number;
  readonly expiryTime: string;
}

export type OpenedRegistration = Omit<Registration, "reference" | "state" | "rejectReasons">;

export type OpenedAuthorization = Omit<Authorization, "reference" | "state" | "sequence">;

interface OrderReferences {
  readonly reference: string;
  readonly paymentId: string;
  readonly providerOrderId: string;
}

/** The order has a new state. Every line of this kind requires a callback to the gateway. */
export interface StateChanged extends OrderReferences {
  readonly kind: "pending" | "authorized" | "paid" | "declined" | "closed" | "lapsed";
  readonly sequence: number;
  /** The cause of the change: the buyer (page or payment code), a test through the control API, or the gateway. */
  readonly by: "buyer" | "control" | "gateway";
  readonly amount: Amount;
  readonly paidAmount?: Amount;
  readonly resultCode?: string;
  /** The name of the test card. */
  readonly card?: string;
  readonly hasCardNumber?: boolean;
}

/** The order's cancel has a new state, and the order does not. Every line of this kind requires a callback. */
export interface CancelChanged extends OrderReferences, PlannedEnd {
  readonly kind: "cancel-started" | "cancel-failed";
  readonly sequence: number;
  /** Why the cancel failed. */
  readonly resultCode?: string;
}

export interface Captured extends OrderReferences {
  readonly kind: "captured";
  readonly captureReference: string;
  readonly providerCaptureId: string;
  readonly amount: Amount;
  /**
   * The amount that the last capture released to the buyer; undefined if the capture is not the last one, or if no
   * money remained.
   */
  readonly released?: Amount;
}

export interface CaptureFailed extends OrderReferences {
  readonly kind: "capture-failed";
  readonly captureReference: string;
  readonly providerCaptureId: string;
  readonly amount: Amount;
  readonly resultCode: string;
}

export interface Refunded extends OrderReferences {
  readonly kind: "refunded";
  readonly refundReference: string;
  readonly providerRefundId: string;
  readonly amount: Amount;
}

export interface RefundFailed extends OrderReferences {
  readonly kind: "refund-failed";
  readonly refundReference: string;
  readonly providerRefundId: string;
  readonly amount: Amount;
  readonly resultCode: string;
  /** Whether the refund was done before, so that its money has come back. */
  readonly isReversal?: boolean;
}

/** A tombstone: the wallet will never open an order under this reference. */
export interface Tombstone {
  readonly kind: "tombstone";
  readonly reference: string;
  readonly because: "cancel" | "too-late";
}

/** A payment code was issued to a buyer. */
export interface CodeIssued {
  readonly kind: "payment-code";
  /** SHA-256 of the code, in hexadecimal digits. */
  readonly codeHash: string;
  readonly expiryTime: string;
  readonly buyer?: string;
  readonly asks?: boolean;
  readonly declines?: string;
}

/** The control API has planned the decision about a registration that has not arrived yet. */
export interface RegistrationPlanned {
  readonly kind: "registration-planned";
  /** The registration's reference, or its request id. */
  readonly name: string;
  readonly action: "accept" | "reject" | "hold";
  readonly rejectReasons?: readonly string[];
}

export interface RegistrationDecided {
  readonly kind: "registration-decided";
  readonly reference: string;
  readonly providerRegistrationId: string;
  readonly state: "APPROVED" | "REJECTED";
  readonly rejectReasons?: readonly string[];
  readonly by: "wallet" | "control";
}

/** The consent has a new state. Unless the gateway caused the change, the line requires a callback to the gateway. */
export interface AuthorizationChanged {
  readonly kind: "authorization-changed";
  readonly reference: string;
  readonly providerAuthorizationId: string;
  readonly state: Authorization["state"];
  readonly sequence: number;
  readonly by: "buyer" | "control" | "gateway";
  /** SHA-256 of the code, in hexadecimal digits, after the buyer has agreed. */
  readonly codeHash?: string;
  readonly codeExpiryTime?: string;
  /** SHA-256 of the agreement's token, after the code was exchanged. */
  readonly agreementHash?: string;
  readonly reason?: string;
  readonly asks?: boolean;
  readonly declines?: string;
}

/** The gateway has confirmed a callback about a consent. */
export interface AuthorizationCallbackDelivered {
  readonly kind: "authorization-callback";
  readonly eventId: string;
  readonly reference: string;
  readonly sequence: number;
  readonly attempts: number;
}

interface DisputeReferences extends OrderReferences {
  readonly providerDisputeId: string;
  readonly sequence: number;
}

/** A buyer, or the card scheme, disputes a payment. Every line of this kind requires a callback to the gateway. */
export interface DisputeOpened extends DisputeReferences {
  readonly kind: "dispute-opened";
  readonly dispute: DisputeTerms;
  /** The amount that was returned to the buyer; set only for an RDR or a returned payment, which arrive decided. */
  readonly takenAmount?: Amount;
  /** Set only for a returned payment. */
  readonly judgedResult?: string;
}

/** The dispute has a new state. Every line of this kind requires a callback to the gateway. */
export interface DisputeChanged extends DisputeReferences {
  readonly kind: "dispute-changed";
  readonly event: DisputeEvent;
  readonly state: DisputeState;
  readonly by: "control" | "gateway";
  readonly takenAmount?: Amount;
  readonly acceptReason?: string;
  readonly judgedResult?: string;
  /** The merchant's answer; set only if the answer caused the change. */
  readonly answer?: DisputeAnswered;
}

/** The merchant's answer, from the gateway; the content of its documents is not stored. */
export interface DisputeAnswered {
  readonly kind: "accept-dispute" | "defend-dispute";
  readonly providerDisputeId: string;
  readonly answerReference: string;
  readonly contentHash: string;
  readonly documents?: readonly StoredDocument[];
}

/** A document of a defense, without its content. */
export interface StoredDocument {
  readonly type: EvidenceType;
  readonly format: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface CallbackDelivered extends OrderReferences {
  readonly kind: "callback";
  readonly eventId: string;
  readonly sequence: number;
  readonly attempts: number;
}

export interface FaultInjected {
  readonly kind: "fault";
  readonly fault: string;
  readonly verb: string;
  readonly reference?: string;
  readonly paymentId?: string;
}
