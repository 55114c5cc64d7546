import { Pool } from "pg";
import { applyOnceSql, type Applying, type Notification } from "@tollgate/client";

// Your own database, here PostgreSQL. The first of these tables belongs into your migrations, beside your own.
const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });
await pool.query(applyOnceSql.postgresql.createTable);
await pool.query("create table if not exists orders (payment_request_id text primary key, status text)");

/** For `applyOnce`: what you write about the order has to be in the same transaction. */
export async function inTransaction<Outcome>(
  work: (database: Applying) => Promise<Outcome>,
): Promise<Outcome> {
  const connection = await pool.connect();
  let failure: Error | undefined;
  try {
    await connection.query("begin");
    const outcome = await work({
      dialect: "postgresql",
      execute: async (sql, values) => (await connection.query(sql, [...values])).rowCount ?? 0,
    });
    await connection.query("commit");
    return outcome;
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    // After a failure the connection is closed and not used again; that rolls back whatever was begun on it.
    connection.release(failure);
  }
}

/** Writes what the gateway tells of a payment to your order. It tells of failures as well. */
export async function settle(database: Applying, notification: Notification): Promise<void> {
  if (notification.kind !== "notifyPayment") return;
  const { isPaid, isFailed, paymentRequestId } = notification.body;
  // Pending, or held until you capture it: nothing is paid yet.
  if (!isPaid && !isFailed) return;
  const status = isPaid ? "PAID" : "FAILED";
  const sql = "update orders set status = $1 where payment_request_id = $2";
  const changed = await database.execute(sql, [status, paymentRequestId]);
  // Nothing is lost by saying no: the gateway comes again, and then the order may be there.
  if (changed === 0) throw new Error(`There is no order ${paymentRequestId} yet.`);
}

/** Another route of the shop, which has nothing to do with the gateway. */
export async function order(paymentRequestId: string): Promise<{ paymentRequestId: string; status: string }> {
  await pool.query("insert into orders values ($1, 'WAITING') on conflict do nothing", [paymentRequestId]);
  const sql = "select status from orders where payment_request_id = $1";
  const { rows } = await pool.query<{ status: string }>(sql, [paymentRequestId]);
  return { paymentRequestId, status: rows[0]?.status ?? "" };
}
