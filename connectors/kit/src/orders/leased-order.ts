import { setTimeout as wait } from "node:timers/promises";
import { requireCommitted, systemScope } from "../../../../server/src/postgres/database.ts";
import type { Tx } from "../../../../server/src/postgres/sql.ts";
import type { Context, Found, OrderReport } from "../connector.ts";
import type { Engine } from "../engine.ts";
import { toKnownOrder, type Order, type OrderRow } from "./order.ts";
import { leaseOrder, releaseOrder, selectOrder } from "./order.sql.ts";

/** Longer than a message to the provider takes; a crashed process blocks a repeat for this time. */
const leaseSeconds = 30;
/** How long a request waits for another request that sends a message about the same record. */
const waitMs = 6_000;
const waitStepMs = 50;

/** Runs one transaction, and throws if its outcome is not a commit. */
export async function inTransaction<Value>(
  { database }: Engine,
  work: (tx: Tx) => Promise<Value>,
): Promise<Value> {
  return requireCommitted(await database.transaction(systemScope, work));
}

export async function findOrder({ database }: Engine, reference: string): Promise<OrderRow | undefined> {
  const [row] = await database.reader(systemScope).query<OrderRow>(selectOrder(reference));
  return row;
}

/**
 * `withLease` takes a lease, runs the work, and releases the lease. Returns `busy` if another process has the lease for
 * too long, so that the outcome is not known here.
 */
export async function withLease<Row extends object, Value>(
  engine: Engine,
  { take, release }: { take(): Promise<Row | undefined>; release(tx: Tx): void },
  work: (row: Row) => Promise<Value>,
): Promise<Value | "busy"> {
  const deadline = performance.now() + waitMs;
  let row = await take();
  while (!row) {
    if (performance.now() > deadline) return "busy";
    await wait(waitStepMs);
    row = await take();
  }
  try {
    return await work(row);
  } finally {
    await inTransaction(engine, async (tx) => release(tx));
  }
}

export function withOrderLease<Value>(
  engine: Engine,
  reference: string,
  work: (order: OrderRow) => Promise<Value>,
): Promise<Value | "busy"> {
  const take = (): Promise<OrderRow | undefined> =>
    inTransaction(engine, async (tx) => (await tx.query<OrderRow>(leaseOrder(reference, leaseSeconds)))[0]);
  return withLease(engine, { take, release: (tx) => tx.write(releaseOrder(reference)) }, work);
}

/** The context of a call about an order of this account; undefined if the connector has no secrets of the account. */
export function newContextOf(
  { connector, secretsOf, callProvider, now }: Engine,
  account: string | null,
): ((idempotencyKey: string) => Context) | undefined {
  const { usesOwnSecretsForAccounts = true } = connector;
  const secrets = secretsOf(usesOwnSecretsForAccounts && account !== null ? account : undefined);
  return secrets && ((idempotencyKey) => ({ idempotencyKey, secrets, callProvider, nowMs: now().getTime() }));
}

/** The look-up of an order, if the connector has one. */
export function orderLookup(
  { connector }: Engine,
  order: Order,
): ((context: Context) => Promise<Found<OrderReport>>) | undefined {
  const find = connector.findOrder?.bind(connector);
  return find && ((context) => find(toKnownOrder(order), context));
}
