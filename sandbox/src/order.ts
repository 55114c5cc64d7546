import type { Amount } from "./amount.ts";
import { parseTime } from "./wire-time.ts";

export type OrderState = "OPEN" | "PENDING" | "PAID" | "DECLINED" | "CLOSED";
export type OrderEvent = "approve" | "decline" | "pend" | "close";

/** For each state, the state that each event leads to. What is not listed is not allowed. */
const orderLifecycle: {
  readonly [from in OrderState]: { readonly [event in OrderEvent]?: OrderState };
} = {
  OPEN: { approve: "PAID", decline: "DECLINED", pend: "PENDING", close: "CLOSED" },
  PENDING: { approve: "PAID", decline: "DECLINED", close: "CLOSED" },
  PAID: {},
  DECLINED: {},
  CLOSED: {},
};

/** What the gateway asked for; never changes. */
export interface OrderTerms {
  readonly reference: string;
  readonly paymentId: string;
  readonly merchantName: string;
  readonly description: string;
  readonly amount: Amount;
  readonly paymentMethodType: string;
  readonly expiryTime: string;
  readonly callbackUrl: string;
  readonly redirectUrl?: string;
}

export interface Order extends OrderTerms {
  readonly walletOrderId: string;
  /** The end of the address of the buyer's page. Who knows it may pay. */
  readonly token: string;
  readonly state: OrderState;
  /** Counts the states that the order has been in. */
  readonly sequence: number;
  readonly paidAmount?: Amount;
  readonly paidTime?: string;
  readonly resultCode?: string;
  /** In minor units of what was paid. */
  readonly refundedMinor: bigint;
}

/** Why an event cannot happen to an order now, or undefined when it can. */
export function eventRefusal(order: Order, event: OrderEvent, nowMs: number): string | undefined {
  if (!orderLifecycle[order.state][event]) return `The order is ${order.state}.`;
  const takesBuyer = event === "approve" || event === "pend";
  if (takesBuyer && order.state === "OPEN" && isExpired(order, nowMs)) return "The order has expired.";
  return undefined;
}

/** Past its time nobody can pay an open order any more; it is closed only when the gateway cancels it. */
export function isExpired({ expiryTime }: OrderTerms, nowMs: number): boolean {
  return nowMs > (parseTime(expiryTime) ?? 0);
}

export function isFinal({ state }: Order): boolean {
  return Object.keys(orderLifecycle[state]).length === 0;
}

/** What makes two submits under one reference the same. Times, texts and addresses may differ. */
export function sameOrder(a: OrderTerms, b: OrderTerms): boolean {
  return (
    a.paymentId === b.paymentId &&
    a.paymentMethodType === b.paymentMethodType &&
    a.amount.currency === b.amount.currency &&
    a.amount.value === b.amount.value
  );
}

/** An order as the wallet protocol writes it. */
export function orderOnTheWire(order: Order, pageUrl: (token: string) => string): object {
  const url = pageUrl(order.token);
  return {
    reference: order.reference,
    paymentId: order.paymentId,
    walletOrderId: order.walletOrderId,
    state: order.state,
    amount: order.amount,
    ...(order.paidAmount && { paidAmount: order.paidAmount }),
    ...(order.paidTime && { paidTime: order.paidTime }),
    ...(order.resultCode && { resultCode: order.resultCode }),
    code: url,
    url,
    sequence: order.sequence,
  };
}
