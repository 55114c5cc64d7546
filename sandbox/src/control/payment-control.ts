import assert from "node:assert/strict";
import { once } from "node:events";
import {
  applyAction,
  actions,
  actionRefusal,
  type ActionDetails,
  type Action,
} from "../wallet/apply-action.ts";
import { findTestCard } from "../wallet/test-cards.ts";
import { isAmount } from "../wallet/amount.ts";
import { paidMinorOf } from "../wallet/change-dispute.ts";
import { disputeOrder, readDispute } from "./dispute-control.ts";
import type { Fault } from "../wallet/faults.ts";
import { orderOnTheWire, type Order } from "../wallet/order.ts";
import { ok, notFound, conflict, badRequest, type Outcome } from "../wallet/outcome.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { wireTime } from "../wallet/wire-time.ts";

/** Outcomes that a buyer can not choose. Only the control API, and developers on the order's page, can cause them. */
const testOutcomes = ["approve-later", "lose-answer", "pay-twice", "dispute-later"] as const;

export const paymentActions = [...actions, ...testOutcomes] as const;

export type PaymentAction = (typeof paymentActions)[number];

const arrivalTimeoutMs = 5_000;
const secondsDefault = 10;
const secondsMax = 24 * 3600;
const countMax = 1_000;
/**
 * The default number of lost callbacks. With the default pauses, the first callback that arrives comes almost a minute
 * later, after the gateway has sent inquiries.
 */
const lostCallbacksDefault = 5;

export interface ActionRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly by: ActionDetails["by"];
}

/** Applies an action to a payment. If the payment's order has not arrived yet, it waits for the order. */
export async function actOnPayment(
  wallet: Wallet,
  paymentId: string,
  name: PaymentAction,
  request: ActionRequest,
): Promise<Outcome> {
  const terms = readTerms(request.body);
  if (typeof terms === "string") return badRequest(terms);
  const orders = await ordersOfPayment(wallet, paymentId);
  // A wallet with the fault not-idempotent may have several orders of one payment. The action applies to the newest
  // order that allows it.
  const action = isAction(name) ? name : "approve";
  const isPossible = (each: Order): boolean => !actionRefusal(each, action, wallet.now());
  const order = orders.findLast(isPossible) ?? orders.at(-1);
  return order
    ? applyTestOutcome(wallet, order, name, request)
    : notFound(`There is no order for payment ${paymentId}.`);
}

/**
 * Returns the orders of a payment, oldest first. If there are none, it waits, because a test may be faster than the
 * gateway.
 */
export async function ordersOfPayment(wallet: Wallet, paymentId: string): Promise<readonly Order[]> {
  if (wallet.projection.ordersOfPayment(paymentId).length === 0)
    await waitForArrival(wallet, `opened:${paymentId}`);
  return wallet.projection.ordersOfPayment(paymentId);
}

/** Waits for an event of the wallet, up to a time limit. */
export async function waitForArrival({ events }: Wallet, name: string): Promise<void> {
  const signal = AbortSignal.timeout(arrivalTimeoutMs);
  await once(events, name, { signal }).catch(() => undefined);
}

export function applyTestOutcome(
  wallet: Wallet,
  order: Order,
  name: PaymentAction,
  { body, by }: ActionRequest,
): Outcome {
  const terms = readTerms(body);
  if (typeof terms === "string") return badRequest(terms);
  switch (name) {
    case "approve-later":
      return approveLater(wallet, order, { ...terms, by });
    case "lose-answer":
      return payAndLoseCallbacks(wallet, order, { ...terms, by });
    case "pay-twice":
      return payTwice(wallet, order, by);
    case "dispute-later":
      return disputeLater(wallet, order, { ...terms, by, body });
    case "approve":
    case "decline":
    case "pend":
    case "expire":
    case "lapse":
      return applyPlainAction(wallet, order, { ...terms, by, action: name });
  }
}

interface ActionTerms extends Pick<ActionDetails, "paidAmount" | "resultCode" | "card"> {
  readonly seconds?: number;
  readonly count?: number;
}

/** Reads the optional details of an action, or returns an error message. */
function readTerms(body: ActionRequest["body"]): ActionTerms | string {
  const { paidAmount, resultCode, card, seconds, count } = body;
  if (paidAmount !== undefined && !isAmount(paidAmount)) return "paidAmount is not an amount.";
  if (resultCode !== undefined && typeof resultCode !== "string") return "resultCode is not text.";
  if (card !== undefined && (typeof card !== "string" || !findTestCard(card)))
    return "card is the name of a test card.";
  if (seconds !== undefined && !isWholeNumberIn(seconds, 0, secondsMax))
    return `seconds is a whole number from 0 to ${secondsMax}.`;
  if (count !== undefined && !isWholeNumberIn(count, 1, countMax))
    return `count is a whole number from 1 to ${countMax}.`;
  return {
    ...(paidAmount && { paidAmount: { currency: paidAmount.currency, value: paidAmount.value } }),
    ...(resultCode && { resultCode }),
    ...(card !== undefined && { card }),
    ...(seconds !== undefined && { seconds }),
    ...(count !== undefined && { count }),
  };
}

function applyPlainAction(
  wallet: Wallet,
  order: Order,
  { action, by, ...terms }: ActionDetails & ActionTerms,
): Outcome {
  const { paidAmount, resultCode, card } = terms;
  const changed = applyAction(wallet, order, {
    action,
    by,
    ...(paidAmount && { paidAmount }),
    ...(resultCode && { resultCode }),
    ...(card !== undefined && { card }),
  });
  return typeof changed === "string"
    ? conflictOfOrder(wallet, order, changed)
    : orderOutcome(wallet, changed);
}

/** Simulates a slow bank: the buyer confirms now, and the money arrives later. */
function approveLater(
  wallet: Wallet,
  order: Order,
  { seconds = secondsDefault, by, ...terms }: ActionTerms & Pick<ActionRequest, "by">,
): Outcome {
  const refusal = actionRefusal(order, "approve", wallet.now());
  if (refusal) return conflictOfOrder(wallet, order, refusal);
  const pending = order.state === "OPEN" ? applyAction(wallet, order, { action: "pend", by }) : order;
  if (typeof pending === "string") return conflictOfOrder(wallet, order, pending);
  const { providerOrderId } = order;
  const plan = wallet.plans.add({ providerOrderId, action: "approve" }, seconds * 1000, () => {
    const later = wallet.projection.orderById(providerOrderId);
    // If the order was decided in the meantime, `applyAction` changes nothing.
    if (later) applyPlainAction(wallet, later, { ...terms, action: "approve", by });
  });
  return orderOutcome(wallet, pending, { plannedTime: wireTime(plan.atMs) });
}

/** The buyer pays, and the first callbacks are lost. */
function payAndLoseCallbacks(
  wallet: Wallet,
  order: Order,
  { count = lostCallbacksDefault, by, ...terms }: ActionTerms & Pick<ActionRequest, "by">,
): Outcome {
  const refusal = actionRefusal(order, "approve", wallet.now());
  if (refusal) return conflictOfOrder(wallet, order, refusal);
  wallet.faults.add(callbackFault("callback-drop", order, count));
  return applyPlainAction(wallet, order, { ...terms, action: "approve", by });
}

/** Simulates a buyer who presses twice: the gateway gets two callbacks, and the wallet rejects the second payment. */
function payTwice(wallet: Wallet, order: Order, by: ActionRequest["by"]): Outcome {
  const refusal = actionRefusal(order, "approve", wallet.now());
  if (refusal) return conflictOfOrder(wallet, order, refusal);
  wallet.faults.add(callbackFault("callback-twice", order, 1));
  const paid = applyAction(wallet, order, { action: "approve", by });
  if (typeof paid === "string") return conflictOfOrder(wallet, order, paid);
  const second = applyAction(wallet, paid, { action: "approve", by });
  assert(typeof second === "string", "an order is paid once");
  return orderOutcome(wallet, paid, { secondAttempt: second });
}

/** Pays the order if it is not paid yet, and disputes it now or later. */
function disputeLater(
  wallet: Wallet,
  order: Order,
  { seconds = secondsDefault, body, by }: ActionTerms & ActionRequest,
): Outcome {
  const newDispute = readDispute(body, order, wallet.now());
  if (typeof newDispute === "string") return badRequest(newDispute);
  const isPayable = !actionRefusal(order, "approve", wallet.now());
  const paid = isPayable ? applyAction(wallet, order, { action: "approve", by }) : order;
  if (typeof paid === "string") return conflictOfOrder(wallet, order, paid);
  if (paidMinorOf(paid) === undefined)
    return conflictOfOrder(wallet, order, `The order is ${order.state}, and nothing was paid.`);
  if (seconds === 0) return disputeOrder(wallet, paid, body);
  const { providerOrderId } = paid;
  const plan = wallet.plans.add({ providerOrderId, action: "dispute" }, seconds * 1000, () => {
    const later = wallet.projection.orderById(providerOrderId);
    if (later) disputeOrder(wallet, later, body);
  });
  return orderOutcome(wallet, paid, { plannedTime: wireTime(plan.atMs) });
}

function callbackFault(kind: Fault["kind"], { paymentId }: Order, count: number): Fault {
  const defaults = { delayMs: 0, wrong: "body", outcome: "DONE", resultCode: "PROCESS_FAIL" } as const;
  return { kind, count, match: { paymentId, verb: "callback" }, ...defaults };
}

function orderOutcome({ pageUrl }: Wallet, order: Order, more: object = {}): Outcome {
  return ok({ order: orderOnTheWire(order, pageUrl), ...more });
}

function conflictOfOrder({ pageUrl }: Wallet, order: Order, problem: string): Outcome {
  return conflict(problem, { order: orderOnTheWire(order, pageUrl) });
}

function isAction(name: PaymentAction): name is Action {
  return actions.some((each) => each === name);
}

function isWholeNumberIn(value: unknown, least: number, most: number): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most;
}
