import type { Amount } from "./amount.ts";
import type { Authorization } from "./authorization.ts";
import type { DisputeEvent, DisputeState, DisputeTerms } from "./dispute.ts";
import type { CaptureMode } from "./order.ts";
import type { CodeVerdict } from "./payment-code.ts";
import type { Registration } from "./registration.ts";

/** The contents of the journal's lines, in the order of the events. README.md specifies the format. */
export type Effect =
  | CallReceived
  | StateChanged
  | Captured
  | Refunded
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
  readonly walletDisputeId?: string;
  readonly answerReference?: string;
  /** The other fields of the order; set only if the call opened an order. */
  readonly order?: OpenedOrder;
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

export interface OpenedOrder {
  readonly walletOrderId: string;
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
}

export interface StartedRefund {
  readonly paymentId: string;
  readonly walletOrderId: string;
  readonly walletRefundId: string;
  /**
   * The time at which the refund completes automatically. If it is not set, the control API must complete the refund.
   */
  readonly finishTime?: string;
}

export type OpenedRegistration = Omit<Registration, "reference" | "state" | "rejectReasons">;

export type OpenedAuthorization = Omit<Authorization, "reference" | "state" | "sequence">;

interface OrderReferences {
  readonly reference: string;
  readonly paymentId: string;
  readonly walletOrderId: string;
}

/** The order has a new state. Every line of this kind requires a callback to the gateway. */
export interface StateChanged extends OrderReferences {
  readonly kind: "pending" | "authorized" | "paid" | "declined" | "closed";
  readonly sequence: number;
  /** The cause of the change: the buyer (page or payment code), a test through the control API, or the gateway. */
  readonly by: "buyer" | "control" | "gateway";
  readonly amount: Amount;
  readonly paidAmount?: Amount;
  readonly resultCode?: string;
}

export interface Captured extends OrderReferences {
  readonly kind: "captured";
  readonly captureReference: string;
  readonly walletCaptureId: string;
  readonly amount: Amount;
  /**
   * The amount that the last capture released to the buyer; undefined if the capture is not the last one, or if no
   * money remained.
   */
  readonly released?: Amount;
}

export interface Refunded extends OrderReferences {
  readonly kind: "refunded";
  readonly refundReference: string;
  readonly walletRefundId: string;
  readonly amount: Amount;
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
  readonly walletRegistrationId: string;
  readonly state: "APPROVED" | "REJECTED";
  readonly rejectReasons?: readonly string[];
  readonly by: "wallet" | "control";
}

/** The consent has a new state. Unless the gateway caused the change, the line requires a callback to the gateway. */
export interface AuthorizationChanged {
  readonly kind: "authorization-changed";
  readonly reference: string;
  readonly walletAuthorizationId: string;
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
  readonly walletDisputeId: string;
  readonly sequence: number;
}

/** A buyer, or the card scheme, disputes a payment. Every line of this kind requires a callback to the gateway. */
export interface DisputeOpened extends DisputeReferences {
  readonly kind: "dispute-opened";
  readonly dispute: DisputeTerms;
  /** The amount that was returned to the buyer; set only for an RDR, because an RDR is decided on arrival. */
  readonly takenAmount?: Amount;
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

/** The merchant's answer, from the gateway; of a document only the SHA-256 is stored. */
export interface DisputeAnswered {
  readonly kind: "accept-dispute" | "defend-dispute";
  readonly walletDisputeId: string;
  readonly answerReference: string;
  readonly contentHash: string;
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
