import assert from "node:assert/strict";
import { once } from "node:events";
import { act, actions, actRefusal, type Act, type Action } from "../wallet/act.ts";
import { isAmount } from "../wallet/amount.ts";
import { disputeOrder, readDispute } from "./dispute-control.ts";
import type { Fault } from "../wallet/faults.ts";
import { orderOnTheWire, type Order } from "../wallet/order.ts";
import { done, missing, notNow, wrong, type Outcome } from "../wallet/outcome.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { wireTime } from "../wallet/wire-time.ts";

/** Outcomes that a buyer can not choose. Only the control API, and developers on the order's page, can cause them. */
const testOutcomes = ["approve-later", "lose-answer", "pay-twice", "dispute-later"] as const;

export const paymentActs = [...actions, ...testOutcomes] as const;

export type PaymentAct = (typeof paymentActs)[number];

const arrivalTimeoutMs = 5_000;
const secondsDefault = 10;
const secondsMax = 24 * 3600;
const countMax = 1_000;
/**
 * The default number of lost callbacks. With the default pauses, the first callback that arrives comes almost a minute
 * later, after the gateway has sent inquiries.
 */
const lostCallbacksDefault = 5;

export interface Wish {
  readonly body: Readonly<Record<string, unknown>>;
  readonly by: Act["by"];
}

/** Applies an action to a payment. If the payment's order has not arrived yet, it waits for the order. */
export async function actOnPayment(
  wallet: Wallet,
  paymentId: string,
  name: PaymentAct,
  wish: Wish,
): Promise<Outcome> {
  const terms = readTerms(wish.body);
  if (typeof terms === "string") return wrong(terms);
  const orders = await ordersOfPayment(wallet, paymentId);
  // A wallet with the fault not-idempotent may have several orders of one payment. The action applies to the newest
  // order that allows it.
  const action = isAction(name) ? name : "approve";
  const isPossible = (each: Order): boolean => !actRefusal(each, action, wallet.now());
  const order = orders.findLast(isPossible) ?? orders.at(-1);
  return order
    ? applyTestOutcome(wallet, order, name, wish)
    : missing(`There is no order for payment ${paymentId}.`);
}

/**
 * Returns the orders of a payment, oldest first. If there are none, it waits, because a test may be faster than the
 * gateway.
 */
export async function ordersOfPayment(wallet: Wallet, paymentId: string): Promise<readonly Order[]> {
  if (wallet.book.ordersOfPayment(paymentId).length === 0) await arrival(wallet, `opened:${paymentId}`);
  return wallet.book.ordersOfPayment(paymentId);
}

/** Waits for an event of the wallet, up to a time limit. */
export async function arrival({ events }: Wallet, name: string): Promise<void> {
  const signal = AbortSignal.timeout(arrivalTimeoutMs);
  await once(events, name, { signal }).catch(() => undefined);
}

export function applyTestOutcome(
  wallet: Wallet,
  order: Order,
  name: PaymentAct,
  { body, by }: Wish,
): Outcome {
  const terms = readTerms(body);
  if (typeof terms === "string") return wrong(terms);
  switch (name) {
    case "approve-later":
      return approveLater(wallet, order, { ...terms, by });
    case "lose-answer":
      return loseAnswer(wallet, order, { ...terms, by });
    case "pay-twice":
      return payTwice(wallet, order, by);
    case "dispute-later":
      return disputeLater(wallet, order, { ...terms, by, body });
    case "approve":
    case "decline":
    case "pend":
    case "expire":
      return actOnce(wallet, order, { ...terms, by, action: name });
  }
}

interface Terms extends Pick<Act, "paidAmount" | "resultCode"> {
  readonly seconds?: number;
  readonly count?: number;
}

/** Reads the optional details of an action, or returns an error message. */
function readTerms({ paidAmount, resultCode, seconds, count }: Wish["body"]): Terms | string {
  if (paidAmount !== undefined && !isAmount(paidAmount)) return "paidAmount is not an amount.";
  if (resultCode !== undefined && typeof resultCode !== "string") return "resultCode is not text.";
  if (seconds !== undefined && !isWholeIn(seconds, 0, secondsMax))
    return `seconds is a whole number from 0 to ${secondsMax}.`;
  if (count !== undefined && !isWholeIn(count, 1, countMax))
    return `count is a whole number from 1 to ${countMax}.`;
  return {
    ...(paidAmount && { paidAmount: { currency: paidAmount.currency, value: paidAmount.value } }),
    ...(resultCode && { resultCode }),
    ...(seconds !== undefined && { seconds }),
    ...(count !== undefined && { count }),
  };
}

function actOnce(wallet: Wallet, order: Order, { action, by, ...terms }: Act & Terms): Outcome {
  const { paidAmount, resultCode } = terms;
  const changed = act(wallet, order, {
    action,
    by,
    ...(paidAmount && { paidAmount }),
    ...(resultCode && { resultCode }),
  });
  return typeof changed === "string" ? refused(wallet, order, changed) : told(wallet, changed);
}

/** Simulates a slow bank: the buyer confirms now, and the money arrives later. */
function approveLater(
  wallet: Wallet,
  order: Order,
  { seconds = secondsDefault, by }: Terms & Pick<Wish, "by">,
): Outcome {
  const refusal = actRefusal(order, "approve", wallet.now());
  if (refusal) return refused(wallet, order, refusal);
  const pending = order.state === "OPEN" ? act(wallet, order, { action: "pend", by }) : order;
  if (typeof pending === "string") return refused(wallet, order, pending);
  const { walletOrderId } = order;
  const plan = wallet.plans.add({ walletOrderId, what: "approve" }, seconds * 1000, () => {
    const later = wallet.book.orderById(walletOrderId);
    // If the order was decided in the meantime, `act` changes nothing.
    if (later) act(wallet, later, { action: "approve", by });
  });
  return told(wallet, pending, { plannedTime: wireTime(plan.atMs) });
}

/** The buyer pays, and the first callbacks are lost. */
function loseAnswer(
  wallet: Wallet,
  order: Order,
  { count = lostCallbacksDefault, by }: Terms & Pick<Wish, "by">,
): Outcome {
  const refusal = actRefusal(order, "approve", wallet.now());
  if (refusal) return refused(wallet, order, refusal);
  wallet.faults.add(faultOf("callback-drop", order, count));
  return actOnce(wallet, order, { action: "approve", by });
}

/** Simulates a buyer who presses twice: the gateway gets two callbacks, and the wallet rejects the second payment. */
function payTwice(wallet: Wallet, order: Order, by: Wish["by"]): Outcome {
  const refusal = actRefusal(order, "approve", wallet.now());
  if (refusal) return refused(wallet, order, refusal);
  wallet.faults.add(faultOf("callback-twice", order, 1));
  const paid = act(wallet, order, { action: "approve", by });
  if (typeof paid === "string") return refused(wallet, order, paid);
  const second = act(wallet, paid, { action: "approve", by });
  assert(typeof second === "string", "an order is paid once");
  return told(wallet, paid, { secondAttempt: second });
}

/** Pays the order if it is not paid yet, and disputes it now or later. */
function disputeLater(
  wallet: Wallet,
  order: Order,
  { seconds = secondsDefault, body, by }: Terms & Wish,
): Outcome {
  const asked = readDispute(body, order, wallet.now());
  if (typeof asked === "string") return wrong(asked);
  const isPayable = !actRefusal(order, "approve", wallet.now());
  const paid = isPayable ? act(wallet, order, { action: "approve", by }) : order;
  if (typeof paid === "string") return refused(wallet, order, paid);
  if (paid.state !== "PAID" && paid.state !== "AUTHORIZED")
    return refused(wallet, order, `The order is ${order.state}, and nothing was paid.`);
  if (seconds === 0) return disputeOrder(wallet, paid, body);
  const { walletOrderId } = paid;
  const plan = wallet.plans.add({ walletOrderId, what: "dispute" }, seconds * 1000, () => {
    const later = wallet.book.orderById(walletOrderId);
    if (later) disputeOrder(wallet, later, body);
  });
  return told(wallet, paid, { plannedTime: wireTime(plan.atMs) });
}

function faultOf(kind: Fault["kind"], { paymentId }: Order, count: number): Fault {
  const unused = { delayMs: 0, wrong: "body", resultCode: "PROCESS_FAIL" } as const;
  return { kind, count, match: { paymentId, verb: "callback" }, ...unused };
}

function told({ pageUrl }: Wallet, order: Order, more: object = {}): Outcome {
  return done({ order: orderOnTheWire(order, pageUrl), ...more });
}

function refused({ pageUrl }: Wallet, order: Order, problem: string): Outcome {
  return notNow(problem, { order: orderOnTheWire(order, pageUrl) });
}

function isAction(name: PaymentAct): name is Action {
  return actions.some((each) => each === name);
}

function isWholeIn(value: unknown, least: number, most: number): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
}
