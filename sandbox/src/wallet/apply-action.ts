import type { Amount } from "./amount.ts";
import { approvalEvent, eventRefusal, paysByCard, type Order, type OrderEvent } from "./order.ts";
import { changeState, type Change, type Wallet } from "./wallet.ts";

/** Actions of a buyer on an order, and the expiry of the order or of its hold. */
export const actions = ["approve", "decline", "pend", "expire", "lapse"] as const;

export type Action = (typeof actions)[number];

export interface ActionDetails {
  readonly action: Action;
  readonly by: "buyer" | "control";
  /** The paid amount, for `approve` (default: the order's own amount). */
  readonly paidAmount?: Amount;
  /** For decline. */
  readonly resultCode?: string;
  /** The name of the test card, for `approve` and `decline` of an order by card. */
  readonly card?: string;
}

/** Changes the order and returns its new state, or an error message. */
export function applyAction(
  wallet: Wallet,
  order: Order,
  { action, by, ...more }: ActionDetails,
): Order | string {
  const refusal = actionRefusal(order, action, wallet.now());
  if (refusal && !isLateSuccess(wallet, order, action)) return refusal;
  const hasCardNumber = action === "approve" && hasCardNumberFault(wallet, order);
  const change = { ...stateChangeOf(order, action, more), ...(hasCardNumber && { hasCardNumber }) };
  return changeState(wallet, order, { ...change, by });
}

/** The fault card-number: the details of an order by card contain the whole card number. */
function hasCardNumberFault(wallet: Wallet, order: Order): boolean {
  const { reference, paymentId } = order;
  if (!paysByCard(order)) return false;
  return wallet.faults.take(["card-number"], { verb: "approve", reference, paymentId }) !== undefined;
}

/** Returns why the action is not possible now, or undefined if it is. */
export function actionRefusal(order: Order, action: Action, nowMs: number): string | undefined {
  return eventRefusal(order, eventOf(order, action), nowMs);
}

function eventOf(order: Order, action: Action): OrderEvent {
  if (action === "approve") return approvalEvent(order);
  return action === "expire" ? "close" : action;
}

/** The fault late-success: a closed order is paid nevertheless. Real wallets do this, too. */
function isLateSuccess(wallet: Wallet, { state, reference, paymentId }: Order, action: Action): boolean {
  if (state !== "CLOSED" || action !== "approve") return false;
  return wallet.faults.take(["late-success"], { verb: "approve", reference, paymentId }) !== undefined;
}

function stateChangeOf(
  order: Order,
  action: Action,
  { paidAmount = order.amount, resultCode = "USER_BALANCE_NOT_ENOUGH", card }: Partial<ActionDetails>,
): Omit<Change, "by"> {
  const byCard = card !== undefined && paysByCard(order) && { card };
  switch (action) {
    case "approve":
      return { kind: approvalEvent(order) === "hold" ? "authorized" : "paid", paidAmount, ...byCard };
    case "decline":
      return { kind: "declined", resultCode, ...byCard };
    case "pend":
      return { kind: "pending" };
    case "expire":
      return { kind: "closed" };
    case "lapse":
      return { kind: "lapsed" };
  }
}
