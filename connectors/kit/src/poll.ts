import type { Engine } from "./engine.ts";
import { refreshOperation } from "./money/refresh-operation.ts";
import { takeOperationsToPoll } from "./money/money-operation.sql.ts";
import type { OperationRow } from "./money/operation.ts";
import { inTransaction } from "./orders/leased-order.ts";
import { takeOrdersToPoll } from "./orders/order.sql.ts";
import type { OrderRow } from "./orders/order.ts";
import { refreshOrder } from "./orders/refresh-order.ts";

const countMax = 10;

/** Asks the provider about orders, captures and refunds of which no webhook has come; returns their number. */
export async function poll(engine: Engine): Promise<number> {
  const now = engine.now();
  const orders = engine.connector.findOrder
    ? await inTransaction(engine, (tx) => tx.query<OrderRow>(takeOrdersToPoll(now, countMax)))
    : [];
  const operations = await inTransaction(engine, (tx) =>
    tx.query<OperationRow>(takeOperationsToPoll(now, countMax)),
  );
  await Promise.all([
    ...orders.map((order) => refreshOrder(engine, order)),
    ...operations.map((operation) => refreshOperation(engine, operation)),
  ]);
  return orders.length + operations.length;
}
