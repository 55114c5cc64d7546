import type { Amount } from "./amount.ts";
import type { CodeVerdict } from "./payment-code.ts";
import { parseTime } from "./wire-time.ts";

export type OrderState = "OPEN" | "PENDING" | "AUTHORIZED" | "PAID" | "DECLINED" | "CLOSED";
export type OrderEvent = "pay" | "hold" | "decline" | "pend" | "close";

/**
 * The capture modes. AUTOMATIC: an approved amount is paid at once. MANUAL: it is held, and the gateway captures it in
 * full or in parts.
 */
export const captureModes = ["AUTOMATIC", "MANUAL"] as const;

export type CaptureMode = (typeof captureModes)[number];

/** The lifecycle: for each state, the next state after each event. An event that is not listed is not allowed. */
const orderLifecycle: {
  readonly [from in OrderState]: { readonly [event in OrderEvent]?: OrderState };
} = {
  OPEN: { pay: "PAID", hold: "AUTHORIZED", decline: "DECLINED", pend: "PENDING", close: "CLOSED" },
  PENDING: { pay: "PAID", hold: "AUTHORIZED", decline: "DECLINED", close: "CLOSED" },
  AUTHORIZED: { close: "CLOSED" },
  PAID: {},
  DECLINED: {},
  CLOSED: {},
};

/** The terms of the gateway's request; immutable. */
export interface OrderTerms {
  readonly reference: string;
  readonly paymentId: string;
  readonly merchantName: string;
  readonly description: string;
  readonly amount: Amount;
  readonly paymentMethodType: string;
  readonly capture: CaptureMode;
  readonly expiryTime: string;
  readonly callbackUrl: string;
  readonly redirectUrl?: string;
  /** Hash of the payment code that the buyer showed in the shop. */
  readonly codeHash?: string;
  /** Hash of the token of the agreement that pays it. */
  readonly agreementHash?: string;
}

export interface Order extends OrderTerms {
  readonly walletOrderId: string;
  /** Capability in the URL of the buyer's page: its holder may pay. */
  readonly token: string;
  readonly codeVerdict?: CodeVerdict;
  readonly state: OrderState;
  /** Version of its state. */
  readonly sequence: number;
  /** The amount that the buyer paid; for a manual capture, the held amount. */
  readonly paidAmount?: Amount;
  readonly paidTime?: string;
  readonly resultCode?: string;
  /** The time of the last change of its state. */
  readonly changedTime: string;
  /** The captured amount in minor units. */
  readonly capturedMinor: bigint;
  /** The released part of the hold: the rest after the last capture, or all of it. */
  readonly releasedMinor: bigint;
  /** Includes pending refunds. */
  readonly refundedMinor: bigint;
}

/** The event that follows when the buyer approves an order. */
export function approvalEvent({ capture }: OrderTerms): "pay" | "hold" {
  return capture === "MANUAL" ? "hold" : "pay";
}

/** The currently held amount, neither captured nor released, in minor units. */
export function heldMinor({ state, paidAmount, capturedMinor, releasedMinor }: Order): bigint {
  if (state !== "AUTHORIZED" || !paidAmount) return 0n;
  return BigInt(paidAmount.value) - capturedMinor - releasedMinor;
}

/** Returns why an event is not possible for an order now, or undefined if it is. */
export function eventRefusal(order: Order, event: OrderEvent, nowMs: number): string | undefined {
  if (!orderLifecycle[order.state][event]) return `The order is ${order.state}.`;
  // A partly captured hold can not be released. The gateway can only capture the rest, or refund.
  if (event === "close" && order.capturedMinor > 0n) return "A part of it was captured.";
  const takesBuyer = event === "pay" || event === "hold" || event === "pend";
  if (takesBuyer && order.state === "OPEN" && isExpired(order, nowMs)) return "The order has expired.";
  return undefined;
}

/**
 * Whether an order has expired. Buyers can no longer pay an expired order, but it stays open until the gateway cancels
 * it.
 */
export function isExpired({ expiryTime }: OrderTerms, nowMs: number): boolean {
  return nowMs > (parseTime(expiryTime) ?? 0);
}

/** Whether an order waits for the buyer, or for the wallet's pending decision. */
export function isWaiting(order: Order, nowMs: number): boolean {
  return order.state === "PENDING" || (order.state === "OPEN" && !isExpired(order, nowMs));
}

/** Whether the buyer must confirm an order that a payment code or an agreement has started. */
export function needsApproval(order: Order, nowMs: number): boolean {
  return order.state === "OPEN" && order.codeVerdict?.kind === "asks" && !isExpired(order, nowMs);
}

/** Idempotency: whether two submits are the same order. Times, texts and addresses may differ. */
export function sameOrder(a: OrderTerms, b: OrderTerms): boolean {
  return (
    a.paymentId === b.paymentId &&
    a.paymentMethodType === b.paymentMethodType &&
    a.capture === b.capture &&
    a.codeHash === b.codeHash &&
    a.agreementHash === b.agreementHash &&
    a.amount.currency === b.amount.currency &&
    a.amount.value === b.amount.value
  );
}

/** Whether the buyer pays the order with a card, on the card page. */
export function paysByCard({ paymentMethodType }: OrderTerms): boolean {
  return paymentMethodType === "CARD";
}

/** The address of the buyer's page. */
export type PageUrl = (order: Order) => string;

/** An order as the provider protocol writes it. */
export function orderOnTheWire(order: Order, pageUrl: PageUrl): object {
  const url = pageUrl(order);
  return {
    reference: order.reference,
    paymentId: order.paymentId,
    walletOrderId: order.walletOrderId,
    state: order.state,
    amount: order.amount,
    ...(order.paidAmount && { paidAmount: order.paidAmount }),
    ...(order.paidTime && { paidTime: order.paidTime }),
    ...(order.resultCode && { resultCode: order.resultCode }),
    // An order by card has no code, because a card is entered and not scanned.
    ...(!paysByCard(order) && { code: url }),
    url,
    sequence: order.sequence,
  };
}
