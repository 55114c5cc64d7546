import { cardDetails } from "./card-details.ts";
import type { Amount } from "./amount.ts";
import { nextActionOnTheWire, type ChosenAction } from "./next-action.ts";
import type { MoneyState, PlannedEnd } from "./money-record.ts";
import type { CodeVerdict } from "./payment-code.ts";
import { parseTime, wireTime } from "./wire-time.ts";

export type OrderState = "OPEN" | "PENDING" | "AUTHORIZED" | "PAID" | "DECLINED" | "CLOSED" | "LAPSED";
export type OrderEvent = "pay" | "hold" | "decline" | "pend" | "close" | "lapse";

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
  AUTHORIZED: { close: "CLOSED", lapse: "LAPSED" },
  PAID: {},
  DECLINED: {},
  CLOSED: {},
  LAPSED: {},
};

/** For whom the wallet collects. Older journals have none of these fields. */
export interface OrderOwner {
  readonly merchantId?: string;
  /** The merchant's account at the wallet. A call for another account does not find the order. */
  readonly account?: string;
  readonly registrationId?: string;
}

/** The terms of the gateway's request; immutable. */
export interface OrderTerms extends OrderOwner {
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
  /** The names of the groups of data about the buyer and the goods. The wallet stores none of their content. */
  readonly dataGroups?: readonly string[];
}

/** The newest cancel of an order. PROCESSING: the wallet has accepted it, and has not closed the order yet. */
export interface Cancel extends PlannedEnd {
  readonly state: MoneyState;
  /** The order's `sequence` when this cancel started, which distinguishes it from an earlier one. */
  readonly startedSequence: number;
  /** Why it failed. */
  readonly resultCode?: string;
}

/** The sums of an order's captures or refunds by state, in minor units. */
export type MoneySums = Readonly<Record<MoneyState, bigint>>;

export const noMoney: MoneySums = { PROCESSING: 0n, DONE: 0n, FAILED: 0n };

export interface Order extends OrderTerms {
  readonly providerOrderId: string;
  /** Capability in the URL of the buyer's page: its holder may pay. */
  readonly token: string;
  readonly codeVerdict?: CodeVerdict;
  readonly chosenAction?: ChosenAction;
  /** When the current code, or the time to confirm, expires. */
  readonly actionExpiryTime?: string;
  readonly state: OrderState;
  /** Version of its state. */
  readonly sequence: number;
  /** The amount that the buyer paid; for a manual capture, the held amount. */
  readonly paidAmount?: Amount;
  readonly paidTime?: string;
  readonly resultCode?: string;
  /** The name of the test card with which the buyer decided it. */
  readonly card?: string;
  /** The fault card-number: its details contain the whole card number. */
  readonly hasCardNumber?: boolean;
  /** The time of the last change of its state. */
  readonly changedTime: string;
  readonly cancel?: Cancel;
  readonly captures: MoneySums;
  readonly refunds: MoneySums;
  /** The released part of the hold: the rest after the last capture, or all of it. */
  readonly releasedMinor: bigint;
}

/** The event that follows when the buyer approves an order. */
export function approvalEvent({ capture }: OrderTerms): "pay" | "hold" {
  return capture === "MANUAL" ? "hold" : "pay";
}

/** The currently held amount, neither captured nor being captured nor released, in minor units. */
export function heldMinor({ state, paidAmount, captures, releasedMinor }: Order): bigint {
  if (state !== "AUTHORIZED" || !paidAmount) return 0n;
  return BigInt(paidAmount.value) - claimedMinor(captures) - releasedMinor;
}

/** The sum of captures or refunds that are done or can still become done, in minor units. */
export function claimedMinor({ PROCESSING, DONE }: MoneySums): bigint {
  return PROCESSING + DONE;
}

/** Returns why an event is not possible for an order now, or undefined if it is. */
export function eventRefusal(order: Order, event: OrderEvent, nowMs: number): string | undefined {
  if (!orderLifecycle[order.state][event]) return `The order is ${order.state}.`;
  // A partly captured hold can not be released. The gateway can only capture the rest, or refund.
  if (event === "close" && claimedMinor(order.captures) > 0n) return "A part of it was captured.";
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
    a.account === b.account &&
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
  const details = paysByCard(order) ? cardDetails(order) : undefined;
  return {
    reference: order.reference,
    paymentId: order.paymentId,
    providerOrderId: order.providerOrderId,
    state: order.state,
    amount: order.amount,
    ...(order.paidAmount && { paidAmount: order.paidAmount }),
    ...(order.paidTime && { paidTime: order.paidTime }),
    ...(order.state === "AUTHORIZED" && order.paidTime && { holdExpiryTime: holdEnd(order.paidTime) }),
    ...(order.resultCode && { resultCode: order.resultCode }),
    ...(details && { details }),
    ...(order.cancel && { cancel: cancelOnTheWire(order.cancel) }),
    ...(order.state === "OPEN" && {
      nextAction: nextActionOnTheWire(order, pageUrl(order), paysByCard(order)),
    }),
    sequence: order.sequence,
  };
}

/** The length of a hold. The wallet releases no hold by itself; the control interface can make one lapse. */
export const holdSeconds = 7 * 24 * 3600;

function holdEnd(paidTime: string): string {
  return wireTime((parseTime(paidTime) ?? 0) + holdSeconds * 1000);
}

function cancelOnTheWire({ state, resultCode }: Cancel): object {
  return { state, ...(resultCode && { resultCode }) };
}
