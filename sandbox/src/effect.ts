import type { Amount } from "./amount.ts";
import type { Authorization } from "./authorization.ts";
import type { DisputeEvent, DisputeState, DisputeTerms } from "./dispute.ts";
import type { CaptureMode } from "./order.ts";
import type { CodeVerdict } from "./payment-code.ts";
import type { Registration } from "./registration.ts";

/** What is written down, in the order in which it happened. The line format is in README.md. */
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

/** A call that may act, as it came: repeats, refusals and calls that a fault kept from acting included. */
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
  /** Only when an order was opened: the rest of it. */
  readonly order?: OpenedOrder;
  /** Only when a refund was begun that is not done at once. */
  readonly refund?: StartedRefund;
  /** Only when a registration is new. */
  readonly registration?: OpenedRegistration;
  /** Only when a consent is new. */
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
  /** Only when a payment code came with it: the code's SHA-256, and what the wallet made of it. */
  readonly codeHash?: string;
  readonly codeVerdict?: CodeVerdict;
  /** Only when an agreement is to pay it: the SHA-256 of its token. Its verdict is in `codeVerdict`. */
  readonly agreementHash?: string;
}

export interface StartedRefund {
  readonly paymentId: string;
  readonly walletOrderId: string;
  readonly walletRefundId: string;
  /** When it becomes done by itself; without it, control has to say so. */
  readonly finishTime?: string;
}

export type OpenedRegistration = Omit<Registration, "reference" | "state" | "rejectReasons">;

export type OpenedAuthorization = Omit<Authorization, "reference" | "state" | "sequence">;

interface OrderNamed {
  readonly reference: string;
  readonly paymentId: string;
  readonly walletOrderId: string;
}

/** An order is in another state. Every such line owes the gateway a callback. */
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
  /** Only when it was the last, and left something: what the buyer has back. */
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

/** A payment code was shown to a buyer. */
export interface CodeIssued {
  readonly kind: "payment-code";
  /** SHA-256 of the code, in hexadecimal digits. */
  readonly codeHash: string;
  readonly expiryTime: string;
  readonly buyer?: string;
  readonly asks?: boolean;
  readonly declines?: string;
}

/** Control has said what is to become of a registration that has not come yet. */
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

/** A consent is in another state. Every such line that the gateway did not ask for owes it a callback. */
export interface AuthorizationChanged {
  readonly kind: "authorization-changed";
  readonly reference: string;
  readonly walletAuthorizationId: string;
  readonly state: Authorization["state"];
  readonly sequence: number;
  readonly by: "buyer" | "control" | "gateway";
  /** SHA-256 of the code, in hexadecimal digits, once the buyer has agreed. */
  readonly codeHash?: string;
  readonly codeExpiryTime?: string;
  /** SHA-256 of the agreement's token, once the code was exchanged. */
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

/** A buyer, or the scheme, disputes a payment. Every such line owes the gateway a callback. */
export interface DisputeOpened extends DisputeNamed {
  readonly kind: "dispute-opened";
  readonly dispute: DisputeTerms;
  /** For an RDR, which is decided when it arrives: what the buyer got back. */
  readonly takenAmount?: Amount;
}

/** A dispute is in another state. Every such line owes the gateway a callback. */
export interface DisputeChanged extends DisputeNamed {
  readonly kind: "dispute-changed";
  readonly event: DisputeEvent;
  readonly state: DisputeState;
  readonly by: "control" | "gateway";
  readonly takenAmount?: Amount;
  readonly acceptReason?: string;
  readonly judgedResult?: string;
  /** Only when it was the merchant's answer. */
  readonly answer?: DisputeAnswered;
}

/** The merchant's answer, from the gateway; only the SHA-256 of a document is kept. */
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
