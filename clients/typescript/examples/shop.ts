import { Pool } from "pg";
import { applyOnceSql, type Applying, type Notification } from "@tollgate/client";

// Your own database, here PostgreSQL. Add the first of these tables to your migrations.
const pool = new Pool({ connectionString: process.env["DATABASE_URL"] });
await pool.query(applyOnceSql.postgresql.createTable);
await pool.query("create table if not exists orders (payment_request_id text primary key, status text)");

/** Runs `applyOnce` and the update of the order in the same transaction. */
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
    // After a failure the connection is closed and not reused, which rolls back the open transaction.
    connection.release(failure);
  }
}

/** Updates your order from a webhook about a payment. Webhooks report failures, too. */
export async function settle(database: Applying, notification: Notification): Promise<void> {
  if (notification.kind !== "notifyPayment") return;
  const { isPaid, isFailed, paymentRequestId } = notification.body;
  // The payment is pending, or its money is only held: it is not paid yet.
  if (!isPaid && !isFailed) return;
  const status = isPaid ? "PAID" : "FAILED";
  const sql = "update orders set status = $1 where payment_request_id = $2";
  const changed = await database.execute(sql, [status, paymentRequestId]);
  // If the order does not exist yet, fail: the gateway sends the webhook again, and the order may exist by
  // then.
  if (changed === 0) throw new Error(`There is no order ${paymentRequestId} yet.`);
}

/** Another route of the shop, unrelated to the gateway. */
export async function order(paymentRequestId: string): Promise<{ paymentRequestId: string; status: string }> {
  await pool.query("insert into orders values ($1, 'WAITING') on conflict do nothing", [paymentRequestId]);
  const sql = "select status from orders where payment_request_id = $1";
  const { rows } = await pool.query<{ status: string }>(sql, [paymentRequestId]);
  return { paymentRequestId, status: rows[0]?.status ?? "" };
}
