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
  | AuthorizationTold
  | CallbackDelivered
  | FaultStruck;

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
  /** Only if an order was opened: its other fields. */
  readonly order?: OpenedOrder;
  /** Only if a refund was started and did not complete at once. */
  readonly refund?: StartedRefund;
  /** Only if the registration is new. */
  readonly registration?: OpenedRegistration;
  /** Only if the consent is new. */
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
  /** Undefined means AUTOMATIC: older journals do not have it. */
  readonly capture?: CaptureMode;
  readonly expiryTime: string;
  readonly callbackUrl: string;
  readonly redirectUrl?: string;
  /** Only with a payment code: the code's SHA-256, and the wallet's verdict on it. */
  readonly codeHash?: string;
  readonly codeVerdict?: CodeVerdict;
  /** Only if an agreement should pay the order: the SHA-256 of its token. Its verdict is in `codeVerdict`. */
  readonly agreementHash?: string;
}

export interface StartedRefund {
  readonly paymentId: string;
  readonly walletOrderId: string;
  readonly walletRefundId: string;
  /** When the refund completes automatically; without it, control must finish it. */
  readonly finishTime?: string;
}

export type OpenedRegistration = Omit<Registration, "reference" | "state" | "rejectReasons">;

export type OpenedAuthorization = Omit<Authorization, "reference" | "state" | "sequence">;

interface OrderNamed {
  readonly reference: string;
  readonly paymentId: string;
  readonly walletOrderId: string;
}

/** The order has a new state. Every such line requires a callback to the gateway. */
export interface StateChanged extends OrderNamed {
  readonly kind: "pending" | "authorized" | "paid" | "declined" | "closed";
  readonly sequence: number;
  /** The actor: the buyer (page or payment code), a test through control, or the gateway. */
  readonly by: "buyer" | "control" | "gateway";
  readonly amount: Amount;
  readonly paidAmount?: Amount;
  readonly resultCode?: string;
}

export interface Captured extends OrderNamed {
  readonly kind: "captured";
  readonly captureReference: string;
  readonly walletCaptureId: string;
  readonly amount: Amount;
  /** Only of the last capture, if it left a rest: the amount that was released to the buyer. */
  readonly released?: Amount;
}

export interface Refunded extends OrderNamed {
  readonly kind: "refunded";
  readonly refundReference: string;
  readonly walletRefundId: string;
  readonly amount: Amount;
}

/** A tombstone: no order will ever be opened under this reference. */
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

/** Control has planned the decision about a registration that has not arrived yet. */
export interface RegistrationPlanned {
  readonly kind: "registration-planned";
  /** Its reference, or its request id. */
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
export interface AuthorizationTold {
  readonly kind: "authorization-callback";
  readonly eventId: string;
  readonly reference: string;
  readonly sequence: number;
  readonly attempts: number;
}

interface DisputeNamed extends OrderNamed {
  readonly walletDisputeId: string;
  readonly sequence: number;
}

/** A buyer, or the card scheme, disputes a payment. Every such line requires a callback to the gateway. */
export interface DisputeOpened extends DisputeNamed {
  readonly kind: "dispute-opened";
  readonly dispute: DisputeTerms;
  /** For an RDR, which is decided on arrival: the amount that was returned to the buyer. */
  readonly takenAmount?: Amount;
}

/** The dispute has a new state. Every such line requires a callback to the gateway. */
export interface DisputeChanged extends DisputeNamed {
  readonly kind: "dispute-changed";
  readonly event: DisputeEvent;
  readonly state: DisputeState;
  readonly by: "control" | "gateway";
  readonly takenAmount?: Amount;
  readonly acceptReason?: string;
  readonly judgedResult?: string;
  /** Only if the change was the merchant's answer. */
  readonly answer?: DisputeAnswered;
}

/** The merchant's answer, from the gateway; of a document only the SHA-256 is stored. */
export interface DisputeAnswered {
  readonly kind: "accept-dispute" | "defend-dispute";
  readonly walletDisputeId: string;
  readonly answerReference: string;
  readonly contentHash: string;
}

export interface CallbackDelivered extends OrderNamed {
  readonly kind: "callback";
  readonly eventId: string;
  readonly sequence: number;
  readonly attempts: number;
}

export interface FaultStruck {
  readonly kind: "fault";
  readonly fault: string;
  readonly verb: string;
  readonly reference?: string;
  readonly paymentId?: string;
}
