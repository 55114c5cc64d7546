import type { Amount } from "./amount.ts";
import { approvalEvent, eventRefusal, type Order, type OrderEvent } from "./order.ts";
import { changeState, type Change, type Wallet } from "./wallet.ts";

/** Actions of a buyer on an order, and its expiry. */
export const actions = ["approve", "decline", "pend", "expire"] as const;

export type Action = (typeof actions)[number];

export interface ActionDetails {
  readonly action: Action;
  readonly by: "buyer" | "control";
  /** The paid amount, for `approve` (default: the order's own amount). */
  readonly paidAmount?: Amount;
  /** For decline. */
  readonly resultCode?: string;
}

/** Changes the order and returns its new state, or an error message. */
export function applyAction(
  wallet: Wallet,
  order: Order,
  { action, by, ...more }: ActionDetails,
): Order | string {
  const refusal = actionRefusal(order, action, wallet.now());
  if (refusal && !isLateSuccess(wallet, order, action)) return refusal;
  return changeState(wallet, order, { ...stateChangeOf(order, action, more), by });
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
  { paidAmount = order.amount, resultCode = "USER_BALANCE_NOT_ENOUGH" }: Partial<ActionDetails>,
): Omit<Change, "by"> {
  switch (action) {
    case "approve":
      return { kind: approvalEvent(order) === "hold" ? "authorized" : "paid", paidAmount };
    case "decline":
      return { kind: "declined", resultCode };
    case "pend":
      return { kind: "pending" };
    case "expire":
      return { kind: "closed" };
  }
}
