import { columnNames, unnest, type ColumnTable } from "../../postgres/column-table.ts";
import { sql, type Tx } from "../../postgres/sql.ts";
import type { OrderData } from "../../providers/provider.ts";
import type { Payment } from "../payment.ts";

/** `insertOrderData` inserts the data of payments that were just inserted. Without any data, it sends no statement. */
export function insertOrderData(tx: Tx, payments: readonly Payment[], inserted: ReadonlySet<string>): void {
  const withData = payments.filter(({ orderData, paymentId }) => orderData && inserted.has(paymentId));
  if (withData.length === 0) return;
  tx.write(sql`
    insert into order_data (bucket, payment_id, client_id, data)
    select bucket, payment_id, client_id, data::jsonb
    from ${unnest(columns, withData)} as given (${columnList})
  `);
}

/** `findOrderData` returns the stored data of a payment, in all groups. */
export async function findOrderData(
  tx: Tx,
  { bucket, clientId, paymentId }: Payment,
): Promise<OrderData | undefined> {
  const [row] = await tx.query<{ data: OrderData }>(sql`
    select data from order_data
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
  `);
  return row?.data;
}

/** `upsertBuyerLanguage` stores the language of the checkout page, unless the merchant has sent the buyer's language. */
export function upsertBuyerLanguage(
  tx: Tx,
  { bucket, clientId, paymentId }: Pick<Payment, "bucket" | "clientId" | "paymentId">,
  language: string,
): void {
  tx.write(sql`
    insert into order_data as stored (bucket, payment_id, client_id, data)
    values (${bucket}, ${paymentId}, ${clientId},
      jsonb_build_object('locale', jsonb_build_object('locale', ${language}::text)))
    on conflict (bucket, payment_id) do update set data = jsonb_set(stored.data, '{locale}',
      (excluded.data -> 'locale') || coalesce(stored.data -> 'locale', '{}'))
  `);
}

const columns = [
  ["bucket", "smallint", ({ bucket }) => bucket],
  ["payment_id", "text", ({ paymentId }) => paymentId],
  ["client_id", "text", ({ clientId }) => clientId],
  ["data", "text", ({ orderData }) => JSON.stringify(orderData)],
] as const satisfies ColumnTable<Payment>;

const columnList = columnNames(columns);
