import { chmodSync, closeSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { applyOnceSql, type Applying } from "../../../clients/typescript/src/apply-once.ts";
import type { StepTone, Order, OrderStatus, Step } from "./order.ts";

/** The shop's own database. */
export interface OrderStore {
  /** Adds an order; has no effect if the order exists. */
  add(order: Pick<Order, "id" | "name" | "amount" | "paymentId">): void;
  find(id: string): Order | undefined;
  findByPayment(paymentId: string): Order | undefined;
  /** Newest first. */
  newest(): readonly Order[];
  setPayment(id: string, payment: { readonly paymentId: string; readonly payPage: string }): void;
  setStatus(id: string, status: OrderStatus): void;
  /** Adds a refund to an order; has no effect if the refund exists. */
  addRefund(id: string, refundId: string, minor: bigint): void;
  /** Removes a refund that failed after it had succeeded. */
  removeRefund(refundId: string): void;
  addStep(id: string, mood: StepTone, text: string): void;
  /** Oldest first. */
  listSteps(id: string): readonly Step[];
  /**
   * Runs one transaction at a time, because webhooks arrive concurrently, but there is only one database connection.
   */
  inTransaction<Outcome>(work: (database: Applying) => Promise<Outcome>): Promise<Outcome>;
  close(): void;
}

const tables = `
  create table if not exists orders (
    id text primary key, name text not null, currency text not null, value text not null, status text not null,
    payment_id text, pay_page text);
  create index if not exists orders_payment on orders (payment_id);
  create table if not exists refunds (id text primary key, order_id text not null, value integer not null);
  create index if not exists refunds_order on refunds (order_id);
  create table if not exists steps (
    number integer primary key, order_id text not null, at text not null, mood text not null, text text not null);
  create index if not exists steps_order on steps (order_id);
  ${applyOnceSql.sqlite.createTable}`;

const selectOrders =
  "select *, (select coalesce(sum(value), 0) from refunds where order_id = orders.id) as refunded from orders";

/** SQLite gives its `-wal` and `-shm` files the mode of the database. */
function restrictToOwner(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  chmodSync(file, 0o600);
}

export function openOrderStore(file: string): OrderStore {
  if (file !== ":memory:") restrictToOwner(file);
  const database = new DatabaseSync(file);
  // `synchronous = off` is faster, and can lose orders at a power failure. A demo may lose them; the gateway must not.
  database.exec(`pragma journal_mode = wal; pragma synchronous = off; ${tables}`);
  const run = (sql: string, ...values: SQLInputValue[]): number =>
    Number(database.prepare(sql).run(...values).changes);
  const query = (sql: string, ...values: SQLInputValue[]): readonly Row[] =>
    database.prepare(sql).all(...values) as Row[];
  const findOrders = (condition: string, ...values: SQLInputValue[]): readonly Order[] =>
    query(`${selectOrders} where ${condition} order by rowid desc limit 20`, ...values).map(readOrder);
  let queue: Promise<unknown> = Promise.resolve();
  return {
    add: ({ id, name, amount: { currency, value }, paymentId }) =>
      void run(
        `insert or ignore into orders (id, name, currency, value, status, payment_id) values (?, ?, ?, ?, 'WAITING', ?)`,
        id,
        name,
        currency,
        value,
        paymentId ?? null,
      ),
    find: (id) => findOrders("id = ?", id)[0],
    findByPayment: (paymentId) => findOrders("payment_id = ?", paymentId)[0],
    newest: () => findOrders("true"),
    setPayment: (id, { paymentId, payPage }) =>
      void run("update orders set payment_id = ?, pay_page = ? where id = ?", paymentId, payPage, id),
    setStatus: (id, status) => void run("update orders set status = ? where id = ?", status, id),
    addRefund: (id, refundId, minor) =>
      void run("insert or ignore into refunds (id, order_id, value) values (?, ?, ?)", refundId, id, minor),
    removeRefund: (refundId) => void run("delete from refunds where id = ?", refundId),
    addStep: (id, mood, text) =>
      void run(
        "insert into steps (order_id, at, mood, text) values (?, ?, ?, ?)",
        id,
        new Date().toISOString(),
        mood,
        text,
      ),
    listSteps: (id) =>
      query("select at, mood, text from steps where order_id = ? order by number", id) as unknown as Step[],
    inTransaction(work) {
      const done = queue.then(() => inTransaction(database, work));
      queue = done.catch(() => undefined);
      return done;
    },
    close: () => database.close(),
  };
}

/** Runs like a merchant's system: the change of the order and the mark of the applied webhook commit together. */
async function inTransaction<Outcome>(
  database: DatabaseSync,
  work: (database: Applying) => Promise<Outcome>,
): Promise<Outcome> {
  database.exec("begin immediate");
  try {
    const outcome = await work({
      dialect: "sqlite",
      execute: (sql, values) => Number(database.prepare(sql).run(...values).changes),
    });
    database.exec("commit");
    return outcome;
  } catch (error) {
    database.exec("rollback");
    throw error;
  }
}

type Row = Readonly<Record<string, string | number | null>>;

function readOrder(row: Row): Order {
  const { id, name, currency, value, status, payment_id: paymentId, pay_page: payPage, refunded } = row;
  return {
    id: String(id),
    name: String(name),
    amount: { currency: String(currency), value: String(value) },
    status: status as OrderStatus,
    ...(typeof paymentId === "string" && { paymentId }),
    ...(typeof payPage === "string" && { payPage }),
    refundedMinor: BigInt(refunded ?? 0),
  };
}
