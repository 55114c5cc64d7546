import { createHash } from "node:crypto";
import type { Amount, KnownOrder, OrderReport, OrderState } from "../connector.ts";
import type { SubmitCall } from "../protocol/messages.schema.ts";

/** A row of `orders`. */
export interface OrderRow {
  readonly reference: string;
  readonly paymentId: string | null;
  readonly merchantId: string | null;
  readonly account: string | null;
  readonly currency: string | null;
  readonly amountMinor: string | null;
  readonly methodType: string | null;
  readonly captureMode: "AUTOMATIC" | "MANUAL" | null;
  readonly contentHash: Buffer | null;
  readonly callbackUrl: string | null;
  readonly createdAt: Date;
  readonly firstSentAt: Date | null;
  readonly lastSentAt: Date | null;
  readonly keyNumber: number;
  readonly hasStoredError: boolean;
  readonly state: OrderState | null;
  readonly providerOrderId: string | null;
  readonly sequence: number;
  readonly report: StoredReport;
  readonly cancelState: CancelState | null;
  readonly cancelCode: string | null;
}

export type CancelState = "PROCESSING" | "DONE" | "FAILED";

/** The fields of a report that the gateway gets unchanged. */
export type StoredReport = Omit<OrderReport, "providerOrderId" | "state" | "cancel">;

type OrderField =
  | "paymentId"
  | "merchantId"
  | "currency"
  | "amountMinor"
  | "methodType"
  | "captureMode"
  | "callbackUrl";

/** An order that is not a tombstone. */
export type Order = OrderRow & { readonly [Field in OrderField]: NonNullable<OrderRow[Field]> };

export function isOrder(row: OrderRow): row is Order {
  return row.contentHash !== null;
}

/** The digest of the fields by which repeated submits are compared. Texts, times, addresses and data are not. */
export function hashContent(call: SubmitCall): Buffer {
  const { amount, paymentMethodType, paymentId, account, capture, paymentCode, agreementToken } = call;
  const compared = [
    amount.currency,
    amount.value,
    paymentMethodType,
    paymentId,
    account ?? null,
    capture ?? "AUTOMATIC",
    paymentCode ?? null,
    agreementToken ?? null,
  ];
  return createHash("sha256").update(JSON.stringify(compared)).digest();
}

function amountOf({ currency, amountMinor }: Pick<Order, "currency" | "amountMinor">): Amount {
  return { currency, value: amountMinor };
}

export function toKnownOrder(order: Order): KnownOrder {
  return {
    reference: order.reference,
    paymentId: order.paymentId,
    merchantId: order.merchantId,
    ...(order.account !== null && { account: order.account }),
    amount: amountOf(order),
    paymentMethodType: order.methodType,
    capture: order.captureMode,
    ...(order.providerOrderId !== null && { providerOrderId: order.providerOrderId }),
    ...(order.state !== null && { state: order.state }),
    createdAt: order.createdAt,
  };
}

/**
 * The states that a report may give an order in each state. Money that the provider takes after it had closed an order
 * must reach the gateway, which returns it to the buyer.
 */
const nextStates: Readonly<Record<OrderState, readonly OrderState[]>> = {
  OPEN: ["OPEN", "PENDING", "PAID", "AUTHORIZED", "DECLINED", "CLOSED"],
  PENDING: ["PENDING", "PAID", "AUTHORIZED", "DECLINED", "CLOSED"],
  AUTHORIZED: ["AUTHORIZED", "CLOSED", "LAPSED"],
  PAID: ["PAID"],
  DECLINED: ["DECLINED"],
  CLOSED: ["CLOSED", "PAID", "AUTHORIZED"],
  LAPSED: ["LAPSED"],
};

function canBecome(from: OrderState | null, to: OrderState): boolean {
  return from === null || nextStates[from].includes(to);
}

/** Whether no report can change the order any more, so that polls are useless. */
export function isFinal({ state, cancelState }: Pick<OrderRow, "state" | "cancelState">): boolean {
  return state !== null && !["OPEN", "PENDING", "AUTHORIZED"].includes(state) && cancelState !== "PROCESSING";
}

/** The fields that a report changes. */
export type OrderChange = Pick<
  OrderRow,
  "state" | "providerOrderId" | "sequence" | "report" | "cancelState" | "cancelCode"
>;

/**
 * `decideChange` returns the change by a report: `same` if the gateway would see no difference, `contradiction` if the
 * order cannot go from its state to the reported one.
 */
export function decideChange(order: OrderRow, report: OrderReport): OrderChange | "same" | "contradiction" {
  const { providerOrderId, state: reported, cancel, ...stored } = report;
  // A provider calls a captured hold paid. For the gateway the order stays authorized, and the captures have the money.
  const state = reported === "PAID" && order.captureMode === "MANUAL" ? "AUTHORIZED" : reported;
  if (!canBecome(order.state, state)) return "contradiction";
  // All reports about an order in one state have the same details: the first report counts, except for its next action.
  const nextAction = stored.nextAction ?? order.report.nextAction;
  const sameState = { ...stored, ...order.report, ...(nextAction && { nextAction }) };
  const change = {
    state,
    providerOrderId,
    report: state === order.state ? sameState : stored,
    ...decideCancel(order, state, cancel),
  };
  const isSame =
    state === order.state &&
    change.cancelState === order.cancelState &&
    JSON.stringify(change.report.nextAction) === JSON.stringify(order.report.nextAction);
  return isSame ? "same" : { ...change, sequence: order.sequence + 1 };
}

function decideCancel(
  order: OrderRow,
  state: OrderState,
  cancel: OrderReport["cancel"],
): Pick<OrderRow, "cancelState" | "cancelCode"> {
  if (cancel) return { cancelState: cancel.state, cancelCode: cancel.resultCode ?? null };
  const isEnded = order.cancelState === "PROCESSING" && state !== "AUTHORIZED" && state !== "PENDING";
  if (!isEnded) return { cancelState: order.cancelState, cancelCode: order.cancelCode };
  return { cancelState: state === "CLOSED" ? "DONE" : "FAILED", cancelCode: null };
}

/** The order in the form of the provider protocol. A tombstone has only its reference and its state. */
export function toWireOrder(row: OrderRow): object {
  if (!isOrder(row)) return { reference: row.reference, state: "CLOSED" };
  const { reference, paymentId, providerOrderId, state, sequence, report, cancelState, cancelCode } = row;
  const { nextAction, ...more } = report;
  return {
    reference,
    paymentId,
    providerOrderId: providerOrderId ?? reference,
    state,
    amount: amountOf(row),
    sequence,
    ...more,
    ...(state === "OPEN" && nextAction && { nextAction }),
    ...(cancelState && { cancel: { state: cancelState, ...(cancelCode && { resultCode: cancelCode }) } }),
  };
}
