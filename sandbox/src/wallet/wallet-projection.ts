import assert from "node:assert/strict";
import { newAuthorizationProjection, type AuthorizationProjection } from "./authorization-projection.ts";
import { newCodeProjection, type CodeProjection } from "./code-projection.ts";
import { newDisputeProjection, type DisputeProjection } from "./dispute-projection.ts";
import type { CallReceived, CancelChanged, Line, OpenedOrder, StateChanged } from "./effect.ts";
import {
  newMoneyProjection,
  readMoneyStep,
  type MoneyProjection,
  type MoneyStep,
} from "./money-projection.ts";
import type { MoneyState } from "./money-record.ts";
import { heldMinor, noMoney, type Cancel, type Order, type OrderState } from "./order.ts";
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
  orderById(providerOrderId: string): Order | undefined;
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
    orders.set(order.providerOrderId, order);
    idsByReference.set(order.reference, order.providerOrderId);
    idsByToken.set(order.token, order.providerOrderId);
    idsByPayment.set(order.paymentId, [...(idsByPayment.get(order.paymentId) ?? []), order.providerOrderId]);
  }

  function existingOrder(providerOrderId: string): Order {
    const order = orders.get(providerOrderId);
    assert(order, `no order ${providerOrderId}`);
    return order;
  }

  function apply(line: Line): void {
    if (line.kind === "submit" && line.order) open(newOrder(line, line.order));
    if (isStateChange(line))
      orders.set(line.providerOrderId, applyStateChange(existingOrder(line.providerOrderId), line, line.at));
    if (line.kind === "cancel-started" || line.kind === "cancel-failed")
      orders.set(line.providerOrderId, applyCancelChange(existingOrder(line.providerOrderId), line));
    if (line.kind === "code-renewed") {
      const { providerOrderId, sequence, expiryTime } = line;
      const order = existingOrder(providerOrderId);
      orders.set(providerOrderId, { ...order, sequence, actionExpiryTime: expiryTime });
    }
    const step = readMoneyStep(line);
    if (step) {
      const before = money.moneyRecordById(step.providerMoneyId)?.state;
      orders.set(step.providerOrderId, applyMoneyStep(existingOrder(step.providerOrderId), step, before));
    }
    if (line.kind === "captured" && line.released) {
      const order = existingOrder(line.providerOrderId);
      const releasedMinor = order.releasedMinor + BigInt(line.released.value);
      orders.set(line.providerOrderId, { ...order, releasedMinor });
    }
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
    ...(opened.chosenAction?.expiryTime && { actionExpiryTime: opened.chosenAction.expiryTime }),
    reference,
    paymentId,
    amount,
    paymentMethodType,
    state: "OPEN",
    sequence: 1,
    changedTime: wholeSeconds(line.at),
    captures: noMoney,
    refunds: noMoney,
    releasedMinor: 0n,
  };
}

const stateAfter: Readonly<Record<StateChanged["kind"], OrderState>> = {
  pending: "PENDING",
  authorized: "AUTHORIZED",
  paid: "PAID",
  declined: "DECLINED",
  closed: "CLOSED",
  lapsed: "LAPSED",
};

function isStateChange(line: Line): line is Line & StateChanged {
  return Object.hasOwn(stateAfter, line.kind);
}

function applyStateChange(before: Order, line: StateChanged, at: string): Order {
  // The paid amount is removed first, because a closed order has no paid amount. A lapsed hold may be captured in part.
  const { paidAmount, paidTime, ...order } = before;
  const isPaid = line.kind === "paid" || line.kind === "authorized";
  const isReleased = line.kind === "closed" || line.kind === "lapsed";
  const state = stateAfter[line.kind];
  const cancel = cancelAfter(before, line, state);
  return {
    ...order,
    state,
    sequence: line.sequence,
    changedTime: wholeSeconds(at),
    // An order that is held again after a release is held in full.
    releasedMinor: isReleased ? before.releasedMinor + heldMinor(before) : 0n,
    ...(line.kind === "lapsed" && paidAmount && { paidAmount }),
    ...(line.kind === "lapsed" && paidTime && { paidTime }),
    ...(isPaid && { paidAmount: line.paidAmount ?? order.amount, paidTime: wholeSeconds(at) }),
    ...(line.resultCode && { resultCode: line.resultCode }),
    ...(line.card && { card: line.card }),
    ...(line.hasCardNumber && { hasCardNumber: true }),
    ...(cancel && { cancel }),
  };
}

/** A cancel ends with its order: it is done when the order is closed, and fails with any other final state. */
function cancelAfter(
  { cancel }: Order,
  { by, sequence }: StateChanged,
  state: OrderState,
): Cancel | undefined {
  const startedSequence = cancel?.startedSequence ?? sequence;
  const isProcessing = cancel?.state === "PROCESSING";
  if (state === "CLOSED" && (by === "gateway" || isProcessing)) return { state: "DONE", startedSequence };
  const isFinal = state === "PAID" || state === "DECLINED" || state === "LAPSED";
  return isProcessing && isFinal
    ? { state: "FAILED", startedSequence, resultCode: "ORDER_STATUS_INVALID" }
    : cancel;
}

function applyCancelChange(order: Order, { kind, sequence, resultCode, ...planned }: CancelChanged): Order {
  const { finishTime, failsWith } = planned;
  const startedSequence = order.cancel?.startedSequence ?? sequence;
  const cancel: Cancel =
    kind === "cancel-failed"
      ? { state: "FAILED", startedSequence, ...(resultCode && { resultCode }) }
      : {
          state: "PROCESSING",
          startedSequence: sequence,
          ...(finishTime && { finishTime }),
          ...(failsWith && { failsWith }),
        };
  return { ...order, sequence, cancel };
}

/** Moves the amount of a capture or a refund from the sum of its earlier state to the sum of its new state. */
function applyMoneyStep(order: Order, step: MoneyStep, before: MoneyState | undefined): Order {
  const minor = BigInt(step.amount.value);
  const sums = step.kind === "capture" ? order.captures : order.refunds;
  const rest = before ? { ...sums, [before]: sums[before] - minor } : sums;
  const moved = { ...rest, [step.state]: rest[step.state] + minor };
  if (step.kind === "refund") return { ...order, refunds: moved };
  // The hold behind a lapsed order's failed capture has expired, so its amount goes back to the buyer.
  const isReleased = step.state === "FAILED" && order.state === "LAPSED";
  return { ...order, captures: moved, releasedMinor: order.releasedMinor + (isReleased ? minor : 0n) };
}
