import assert from "node:assert/strict";
import type { Amount } from "./amount.ts";
import { newAuthorizationProjection, type AuthorizationProjection } from "./authorization-projection.ts";
import { newCodeProjection, type CodeProjection } from "./code-projection.ts";
import { newDisputeProjection, type DisputeProjection } from "./dispute-projection.ts";
import type { CallReceived, Line, OpenedOrder, StateChanged } from "./effect.ts";
import { newMoneyProjection, startedRefund, type MoneyProjection } from "./money-projection.ts";
import { heldMinor, type Order, type OrderState } from "./order.ts";
import { newRegistrationProjection, type RegistrationProjection } from "./registration-projection.ts";
import { wholeSeconds } from "./wire-time.ts";

/** The wallet's state, derived only from the journal (event sourcing). */
export interface WalletProjection
  extends
    OrderProjection,
    MoneyProjection,
    CodeProjection,
    RegistrationProjection,
    AuthorizationProjection,
    DisputeProjection {}

export function newWalletProjection(): WalletProjection {
  const money = newMoneyProjection();
  const codes = newCodeProjection();
  const registrations = newRegistrationProjection();
  const authorizations = newAuthorizationProjection();
  const disputes = newDisputeProjection();
  const orders = newOrderProjection(money);
  const apply = (line: Line): void => {
    orders.apply(line);
    money.apply(line);
    codes.apply(line);
    registrations.apply(line);
    authorizations.apply(line);
    disputes.apply(line);
  };
  return { ...orders, ...money, ...codes, ...registrations, ...authorizations, ...disputes, apply };
}

interface OrderProjection {
  apply(line: Line): void;
  /** Returns the newest order with this reference; a wallet with the fault not-idempotent may have several. */
  order(reference: string): Order | undefined;
  orderById(walletOrderId: string): Order | undefined;
  orderByToken(token: string): Order | undefined;
  /** Oldest first. */
  ordersOfPayment(paymentId: string): readonly Order[];
  orders(): readonly Order[];
  isTombstoned(reference: string): boolean;
}

/** Creates the projection of orders, which must process each line of the journal before the money projection does. */
function newOrderProjection(money: MoneyProjection): OrderProjection {
  const orders = new Map<string, Order>();
  const idsByReference = new Map<string, string>();
  const idsByToken = new Map<string, string>();
  const idsByPayment = new Map<string, string[]>();
  const tombstones = new Set<string>();

  function open(order: Order): void {
    orders.set(order.walletOrderId, order);
    idsByReference.set(order.reference, order.walletOrderId);
    idsByToken.set(order.token, order.walletOrderId);
    idsByPayment.set(order.paymentId, [...(idsByPayment.get(order.paymentId) ?? []), order.walletOrderId]);
  }

  function existingOrder(walletOrderId: string): Order {
    const order = orders.get(walletOrderId);
    assert(order, `no order ${walletOrderId}`);
    return order;
  }

  type Sum = "capturedMinor" | "releasedMinor" | "refundedMinor";
  function add(walletOrderId: string, sum: Sum, { value }: Amount): void {
    const order = existingOrder(walletOrderId);
    orders.set(walletOrderId, { ...order, [sum]: order[sum] + BigInt(value) });
  }

  function apply(line: Line): void {
    if (line.kind === "submit" && line.order) open(newOrder(line, line.order));
    if (isStateChange(line))
      orders.set(line.walletOrderId, applyStateChange(existingOrder(line.walletOrderId), line, line.at));
    if (line.kind === "captured") {
      add(line.walletOrderId, "capturedMinor", line.amount);
      if (line.released) add(line.walletOrderId, "releasedMinor", line.released);
    }
    if (line.kind === "refund") {
      const started = startedRefund(line);
      if (started) add(started.walletOrderId, "refundedMinor", started.amount);
    }
    // A refund that was pending is not added here, because it was added when it started.
    if (line.kind === "refunded" && !money.refundById(line.walletRefundId))
      add(line.walletOrderId, "refundedMinor", line.amount);
    if (line.kind === "tombstone") tombstones.add(line.reference);
  }

  const byId = (id: string | undefined): Order | undefined => (id === undefined ? undefined : orders.get(id));
  return {
    apply,
    order: (reference) => byId(idsByReference.get(reference)),
    orderById: byId,
    orderByToken: (token) => byId(idsByToken.get(token)),
    ordersOfPayment: (paymentId) => (idsByPayment.get(paymentId) ?? []).map(existingOrder),
    orders: () => [...orders.values()],
    isTombstoned: (reference) => tombstones.has(reference),
  };
}

function newOrder(line: CallReceived & { readonly at: string }, opened: OpenedOrder): Order {
  const { reference, paymentId, amount, paymentMethodType } = line;
  assert(reference && paymentId && amount && paymentMethodType, "an opened order has its terms");
  return {
    capture: "AUTOMATIC",
    ...opened,
    reference,
    paymentId,
    amount,
    paymentMethodType,
    state: "OPEN",
    sequence: 1,
    changedTime: wholeSeconds(line.at),
    capturedMinor: 0n,
    releasedMinor: 0n,
    refundedMinor: 0n,
  };
}

const stateAfter: Readonly<Record<StateChanged["kind"], OrderState>> = {
  pending: "PENDING",
  authorized: "AUTHORIZED",
  paid: "PAID",
  declined: "DECLINED",
  closed: "CLOSED",
};

function isStateChange(line: Line): line is Line & StateChanged {
  return Object.hasOwn(stateAfter, line.kind);
}

function applyStateChange(before: Order, line: StateChanged, at: string): Order {
  // The paid amount is removed first, because a released hold has no paid amount.
  const { paidAmount: _, paidTime: __, ...order } = before;
  const isPaid = line.kind === "paid" || line.kind === "authorized";
  // Only a closed order has a released amount: an order that is held again after a release is held in full.
  const releasedMinor = line.kind === "closed" ? heldMinor(before) : 0n;
  return {
    ...order,
    state: stateAfter[line.kind],
    sequence: line.sequence,
    changedTime: wholeSeconds(at),
    releasedMinor,
    ...(isPaid && { paidAmount: line.paidAmount ?? order.amount, paidTime: wholeSeconds(at) }),
    ...(line.resultCode && { resultCode: line.resultCode }),
  };
}
