import { bucketCount } from "../core/bucket.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { MerchantLoad } from "./rebalance.ts";

/**
 * `countPaymentsSince` counts payments since a day for every merchant of this cell. Payment ids start with the time, so
 * the query reads no earlier row.
 */
export async function countPaymentsSince(tx: Tx, since: Date): Promise<readonly MerchantLoad[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const from = since.toISOString().replaceAll(/\D/g, "");
  const rows = await tx.query<{ client_id: string; payments: string }>(sql`
    select clients.client_id, coalesce(sum(counted.payments), 0)::text as payments
    from clients left join (
      select made.client_id, count(*) as payments
      from generate_series(0, ${bucketCount - 1}::int) as each (bucket)
      cross join lateral (
        select client_id from payments where payments.bucket = each.bucket and payment_id >= ${from}
      ) as made
      group by made.client_id
    ) as counted using (client_id)
    where not exists (select from client_homes as home where home.client = clients.client_id and home.state <> 'here')
    group by clients.client_id order by clients.client_id
  `);
  return rows.map(({ client_id: clientId, payments }) => ({ clientId, payments: Number(payments) }));
}
