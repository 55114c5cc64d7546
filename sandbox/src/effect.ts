import type { Amount } from "./amount.ts";
import type { CaptureMode } from "./order.ts";

/** What is written down, in the order in which it happened. The line format is in README.md. */
export type Effect =
  | CallReceived
  | StateChanged
  | Captured
  | Refunded
  | Tombstone
  | CallbackDelivered
  | FaultStruck;

/** A line of effects.jsonl. */
export type Line = Effect & { readonly n: number; readonly at: string };

/** A call that may act, as it came: repeats, refusals and calls that a fault kept from acting included. */
export interface CallReceived {
  readonly kind: "submit" | "cancel" | "capture" | "refund";
  readonly outcome: CallOutcome;
  readonly reference?: string;
  readonly paymentId?: string;
  readonly captureReference?: string;
  readonly refundReference?: string;
  readonly amount?: Amount;
  readonly paymentMethodType?: string;
  /** Only when an order was opened: the rest of it. */
  readonly order?: OpenedOrder;
  /** Only when a refund was begun that is not done at once. */
  readonly refund?: StartedRefund;
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
  /** Automatic when it is left out, as journals did before there was a choice. */
  readonly capture?: CaptureMode;
  readonly expiryTime: string;
  readonly callbackUrl: string;
  readonly redirectUrl?: string;
}

export interface StartedRefund {
  readonly paymentId: string;
  readonly walletOrderId: string;
  readonly walletRefundId: string;
  /** When it becomes done by itself; without it, control has to say so. */
  readonly finishTime?: string;
}

interface OrderNamed {
  readonly reference: string;
  readonly paymentId: string;
  readonly walletOrderId: string;
}

/** An order is in another state. Every such line owes the gateway a callback. */
export interface StateChanged extends OrderNamed {
  readonly kind: "pending" | "authorized" | "paid" | "declined" | "closed";
  readonly sequence: number;
  /** Who wanted it: the buyer on the wallet's page, a test through control, or the gateway. */
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
}

export interface Refunded extends OrderNamed {
  readonly kind: "refunded";
  readonly refundReference: string;
  readonly walletRefundId: string;
  readonly amount: Amount;
}

/** A reference under which no order will ever be opened. */
export interface Tombstone {
  readonly kind: "tombstone";
  readonly reference: string;
  readonly because: "cancel" | "too-late";
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
