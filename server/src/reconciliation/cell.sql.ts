import { bucketCount } from "../core/bucket.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";

/** Returns those of these payments that are unknown in this cell and known in another cell. */
export type FindInOtherCells = (paymentIds: readonly string[]) => Promise<readonly string[]>;

/**
 * Returns whether this database has all merchants and payouts: the installation is not a cell, or is the only one. If
 * it does not, a comparison with the bank needs the other cells.
 */
export async function findIsWholeFleet(tx: Tx): Promise<boolean> {
  const [row] = await tx.query<{ whole: boolean }>(sql`
    select not exists (select from cell) or ((select count(*) from cell_buckets where given_to is null) = ${bucketCount}
      and not exists (select from client_homes where state <> 'here')) as whole
  `);
  return row?.whole ?? false;
}

/** Clients that have left this cell, so that their rows are copies, or whose move to this cell is in progress. */
const departedClients = fragment`(select client from public.client_homes where state <> 'here')`;

/** SQL for the bucket in a gateway id; null for any other id. */
const bucketOfPayment = fragment`case when row.payment_id ~ '^\\d{35}$' then substr(row.payment_id, 18, 4)::smallint end`;

/**
 * `narrowToCell` restricts this transaction to the merchants of this cell and to their rows in the fleet's provider
 * files. The owner of a bucket also reports payments in the bucket that no cell knows. Like `narrowToDay`, it uses
 * temporary relations with the names of the tables, which PostgreSQL finds first. In a run of a day, it deletes rows
 * from the day's copies instead.
 */
export async function narrowToCell(
  tx: Tx,
  isDay: boolean,
  findInOtherCells: FindInOtherCells,
): Promise<void> {
  const unknown = await tx.query<{ id: string }>(sql`
    select distinct row.payment_id as id from settlement_rows as row
    where ${bucketOfPayment} in (select bucket from public.cell_buckets where given_to is null)
      and not exists (select from public.payments as known
        where known.bucket = ${bucketOfPayment} and known.payment_id = row.payment_id)
  `);
  const otherCellPayments = unknown.length === 0 ? [] : await findInOtherCells(unknown.map(({ id }) => id));
  await tx.query(sql`create temporary table lives_elsewhere (payment_id text primary key) on commit drop`);
  await tx.query(sql`
    insert into lives_elsewhere
    select unnest(${otherCellPayments}::text[]) union select payment_id from public.payments where client_id in ${departedClients}
  `);
  await tx.query(sql`analyze lives_elsewhere`);
  for (const statement of isDay ? deletions : views) await tx.query(statement);
}

/** A row of a provider's file that belongs to another cell. */
const belongsToOtherCell = fragment`exists (select from lives_elsewhere as other where other.payment_id = row.payment_id)
      or (case when row.payment_id ~ '^\\d{35}$' then substr(row.payment_id, 18, 4)::smallint not in (select bucket from public.cell_buckets where given_to is null)
          and not exists (select from public.payments as known
            where known.bucket = substr(row.payment_id, 18, 4)::smallint and known.payment_id = row.payment_id)
        else false end)`;

const deletions = [
  sql`delete from payments where client_id in ${departedClients}`,
  sql`delete from captures where client_id in ${departedClients}`,
  sql`delete from refunds where client_id in ${departedClients}`,
  sql`delete from reversals where client_id in ${departedClients}`,
  sql`delete from disputes where client_id in ${departedClients}`,
  sql`delete from ledger_transfers where client_id in ${departedClients}`,
  sql`delete from settlement_rows as row where ${belongsToOtherCell}`,
];

/** The run of a cell reads views, because the tables of a cell may be large. */
const views = [
  sql`create temporary view payments as select * from public.payments where client_id not in ${departedClients}`,
  sql`create temporary view captures as select * from public.captures where client_id not in ${departedClients}`,
  sql`create temporary view refunds as select * from public.refunds where client_id not in ${departedClients}`,
  sql`create temporary view reversals as select * from public.reversals where client_id not in ${departedClients}`,
  sql`create temporary view disputes as select * from public.disputes where client_id not in ${departedClients}`,
  sql`create temporary view ledger_transfers as
    select * from public.ledger_transfers where client_id not in ${departedClients}`,
  sql`create temporary view balances as select * from public.balances where client_id not in ${departedClients}`,
  sql`create temporary view reserves as select * from public.reserves where client_id not in ${departedClients}`,
  sql`create temporary table settlement_rows on commit drop as
    select * from public.settlement_rows as row where not (${belongsToOtherCell})`,
];

/**
 * `dropCellViews` drops the views of `narrowToCell`. PostgreSQL keeps temporary views until the connection ends, so
 * later transactions on the same connection would read them instead of the tables.
 */
export async function dropCellViews(tx: Tx): Promise<void> {
  await tx.query(sql`
    drop view if exists pg_temp.payments, pg_temp.captures, pg_temp.refunds, pg_temp.reversals, pg_temp.disputes,
      pg_temp.ledger_transfers, pg_temp.balances, pg_temp.reserves
  `);
}

/** Returns those of these payments whose merchant has its home in this cell. */
export async function listOwnPayments(tx: Tx, paymentIds: readonly string[]): Promise<readonly string[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<{ id: string }>(sql`
    select known.payment_id as id from unnest(${paymentIds}::text[]) as asked (payment_id)
    join payments as known on known.bucket = substr(asked.payment_id, 18, 4)::smallint
      and known.payment_id = asked.payment_id
    where known.client_id not in ${departedClients}
  `);
  return rows.map(({ id }) => id);
}
