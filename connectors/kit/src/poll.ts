import { takeDisputesToPoll, type DisputeRow } from "./disputes/dispute.sql.ts";
import { refreshDispute } from "./disputes/refresh-dispute.ts";
import type { Engine } from "./engine.ts";
import { refreshOperation } from "./money/refresh-operation.ts";
import { takeOperationsToPoll } from "./money/money-operation.sql.ts";
import type { OperationRow } from "./money/operation.ts";
import { findOrder, inTransaction } from "./orders/leased-order.ts";
import { takeOrdersToPoll } from "./orders/order.sql.ts";
import type { OrderRow } from "./orders/order.ts";
import { refreshOrder } from "./orders/refresh-order.ts";

const countMax = 10;

/** Asks the provider about orders, captures, refunds and disputes of which no webhook has come; returns their number. */
export async function poll(engine: Engine): Promise<number> {
  const now = engine.now();
  const orders = engine.connector.findOrder
    ? await inTransaction(engine, (tx) => tx.query<OrderRow>(takeOrdersToPoll(now, countMax)))
    : [];
  const operations = await inTransaction(engine, (tx) =>
    tx.query<OperationRow>(takeOperationsToPoll(now, countMax)),
  );
  const disputes = engine.connector.disputes
    ? await inTransaction(engine, (tx) => tx.query<DisputeRow>(takeDisputesToPoll(now, countMax)))
    : [];
  await Promise.all([
    ...disputes.map((dispute) => refreshKnownDispute(engine, dispute)),
    ...orders.map((order) => refreshOrder(engine, order)),
    ...operations.map((operation) => refreshOperation(engine, operation)),
  ]);
  return orders.length + operations.length + disputes.length;
}

async function refreshKnownDispute(
  engine: Engine,
  { providerDisputeId, orderReference }: DisputeRow,
): Promise<void> {
  const order = await findOrder(engine, orderReference);
  await refreshDispute(engine, providerDisputeId, order?.account ?? null);
}
