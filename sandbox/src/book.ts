import assert from "node:assert/strict";
import type { Amount } from "./amount.ts";
import type { CallReceived, Line, OpenedOrder, StateChanged } from "./effect.ts";
import type { Order, OrderState } from "./order.ts";
import { parseTime, wireTime } from "./wire-time.ts";

export interface Refund {
  readonly reference: string;
  readonly refundReference: string;
  readonly walletRefundId: string;
  readonly amount: Amount;
  readonly refundTime: string;
}

/** What the wallet knows, made of the lines of its journal and of nothing else. */
export interface Book {
  apply(line: Line): void;
  /** The newest under this reference; a wallet that is not idempotent may hold several. */
  order(reference: string): Order | undefined;
  orderById(walletOrderId: string): Order | undefined;
  orderByToken(token: string): Order | undefined;
  /** Oldest first. */
  ordersOfPayment(paymentId: string): readonly Order[];
  orders(): readonly Order[];
  isTombstoned(reference: string): boolean;
  refund(refundReference: string): Refund | undefined;
}

export function newBook(): Book {
  const orders = new Map<string, Order>();
  const idsByReference = new Map<string, string>();
  const idsByToken = new Map<string, string>();
  const idsByPayment = new Map<string, string[]>();
  const tombstones = new Set<string>();
  const refunds = new Map<string, Refund>();

  function open(order: Order): void {
    orders.set(order.walletOrderId, order);
    idsByReference.set(order.reference, order.walletOrderId);
    idsByToken.set(order.token, order.walletOrderId);
    idsByPayment.set(order.paymentId, [...(idsByPayment.get(order.paymentId) ?? []), order.walletOrderId]);
  }

  function known(walletOrderId: string): Order {
    const order = orders.get(walletOrderId);
    assert(order, `no order ${walletOrderId}`);
    return order;
  }

  function apply(line: Line): void {
    switch (line.kind) {
      case "submit":
        if (line.order) open(openedOrder(line, line.order));
        break;
      case "pending":
      case "paid":
      case "declined":
      case "closed":
        orders.set(line.walletOrderId, changedOrder(known(line.walletOrderId), line, line.at));
        break;
      case "refunded": {
        const order = known(line.walletOrderId);
        const refundedMinor = order.refundedMinor + BigInt(line.amount.value);
        orders.set(line.walletOrderId, { ...order, refundedMinor });
        refunds.set(line.refundReference, { ...line, refundTime: seconds(line.at) });
        break;
      }
      case "tombstone":
        tombstones.add(line.reference);
        break;
      case "cancel":
      case "refund":
      case "callback":
      case "fault":
        break;
    }
  }

  const byId = (id: string | undefined): Order | undefined => (id === undefined ? undefined : orders.get(id));
  return {
    apply,
    order: (reference) => byId(idsByReference.get(reference)),
    orderById: byId,
    orderByToken: (token) => byId(idsByToken.get(token)),
    ordersOfPayment: (paymentId) => (idsByPayment.get(paymentId) ?? []).map(known),
    orders: () => [...orders.values()],
    isTombstoned: (reference) => tombstones.has(reference),
    refund: (refundReference) => refunds.get(refundReference),
  };
}

function openedOrder(line: CallReceived, opened: OpenedOrder): Order {
  const { reference, paymentId, amount, paymentMethodType } = line;
  assert(reference && paymentId && amount && paymentMethodType, "an opened order says what it is for");
  return {
    ...opened,
    reference,
    paymentId,
    amount,
    paymentMethodType,
    state: "OPEN",
    sequence: 1,
    refundedMinor: 0n,
  };
}

const stateAfter: Readonly<Record<StateChanged["kind"], OrderState>> = {
  pending: "PENDING",
  paid: "PAID",
  declined: "DECLINED",
  closed: "CLOSED",
};

function changedOrder(order: Order, line: StateChanged, at: string): Order {
  return {
    ...order,
    state: stateAfter[line.kind],
    sequence: line.sequence,
    ...(line.kind === "paid" && { paidAmount: line.paidAmount ?? order.amount, paidTime: seconds(at) }),
    ...(line.resultCode && { resultCode: line.resultCode }),
  };
}

function seconds(at: string): string {
  return wireTime(parseTime(at) ?? 0);
}
