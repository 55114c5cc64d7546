import { endCancel, failMoney, finishMoney } from "../wallet/end-operation.ts";
import { moneyOnTheWire, type MoneyKind, type MoneyRecord } from "../wallet/money-record.ts";
import { orderOnTheWire, type Order } from "../wallet/order.ts";
import { conflict, notFound, ok, type Outcome } from "../wallet/outcome.ts";
import type { Wallet } from "../wallet/wallet.ts";
import { ordersOfPayment, waitForArrival } from "./payment-control.ts";

interface MoneyEnd {
  readonly moneyReference: string;
  /** The result code of a failure; undefined completes the capture or the refund. */
  readonly failsWith: string | undefined;
}

/**
 * Ends a capture or a refund that is PROCESSING, or fails a refund that is DONE. If it has not arrived yet, waits for
 * it.
 */
export async function endMoneyRecords(
  wallet: Wallet,
  kind: MoneyKind,
  { moneyReference, failsWith }: MoneyEnd,
): Promise<Outcome> {
  const { projection } = wallet;
  if (!projection.moneyRecord(kind, moneyReference))
    await waitForArrival(wallet, `${kind}:${moneyReference}`);

  const mayEnd = ({ state }: MoneyRecord): boolean =>
    state === "PROCESSING" || (state === "DONE" && kind === "refund" && failsWith !== undefined);
  // A wallet with the fault not-idempotent may have several with this reference.
  const ending = projection.moneyRecords(kind, moneyReference).filter(mayEnd);
  for (const each of ending)
    if (failsWith === undefined) finishMoney(wallet, each);
    else failMoney(wallet, each, failsWith);
  const record = projection.moneyRecord(kind, moneyReference);
  if (!record) return notFound(`There is no ${kind} ${moneyReference}.`);
  const report = { [kind]: moneyOnTheWire(record) };
  return ending.length > 0 ? ok(report) : conflict(`The ${kind} is ${record.state}.`, report);
}

/** Ends the cancel of a payment's order. If no cancel is PROCESSING, waits for one. */
export async function endCancelOfPayment(
  wallet: Wallet,
  paymentId: string,
  failsWith: string | undefined,
): Promise<Outcome> {
  const before = (await ordersOfPayment(wallet, paymentId)).findLast(hasCancel);
  if (!before) await waitForArrival(wallet, `cancel:${paymentId}`);
  const orders = wallet.projection.ordersOfPayment(paymentId);
  const order = orders.findLast(({ cancel }) => cancel?.state === "PROCESSING") ?? orders.findLast(hasCancel);
  if (!order) return notFound(`There is no pending cancel of payment ${paymentId}.`);
  const report = ({ providerOrderId }: Order): object => {
    const now = wallet.projection.orderById(providerOrderId) ?? order;
    return { order: orderOnTheWire(now, wallet.pageUrl) };
  };
  if (order.cancel?.state !== "PROCESSING")
    return conflict(`The cancel is ${order.cancel?.state}.`, report(order));
  endCancel(wallet, order, failsWith);
  return ok(report(order));
}

function hasCancel({ cancel }: Order): boolean {
  return cancel !== undefined;
}
