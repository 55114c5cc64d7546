import { isHomeHere } from "../cells/home.sql.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { AccountSums } from "./trial-balance.ts";

/** Sums the accounts from the whole ledger, so that no stored sum is trusted. It is for the operator. */
export async function listAccountSums(tx: Tx, until: Date): Promise<readonly AccountSums[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true), set_config('work_mem', '128MB', true)`);
  const rows = await tx.query<{ account: string; currency: string; debit: string; credit: string }>(sql`
    with moved as materialized (
      select debit_account, credit_account, currency, sum(amount_minor) as minor from ledger_transfers
      where at < ${until} and ${isHomeHere} group by debit_account, credit_account, currency
    )
    select account, currency, sum(debit)::text as debit, sum(credit)::text as credit
    from moved cross join lateral (values (debit_account, minor, 0), (credit_account, 0, minor))
      as side (account, debit, credit)
    group by account, currency
  `);
  return rows.map(({ account, currency, debit, credit }) => ({
    account,
    currency,
    debitMinor: BigInt(debit),
    creditMinor: BigInt(credit),
  }));
}

/** Returns the last closed month. */
export async function findLastClosedMonth(tx: Tx): Promise<string | undefined> {
  const [row] = await tx.query<{ month: string | null }>(sql`select max(month) as month from closed_months`);
  return row?.month ?? undefined;
}

export interface ClosedMonth {
  readonly month: string;
  readonly closedAt: Date;
  readonly rowCount: number;
}

export async function listClosedMonths(tx: Tx): Promise<readonly ClosedMonth[]> {
  const rows = await tx.query<{ month: string; closed_at: Date; row_count: string }>(sql`
    select month, closed_at, row_count from closed_months order by month
  `);
  return rows.map((row) => ({ month: row.month, closedAt: row.closed_at, rowCount: Number(row.row_count) }));
}

/** Stores the closing balances of a month; returns the number of ledger rows in the month. */
export async function insertClosedMonth(
  tx: Tx,
  { month, from, until }: { readonly month: string; readonly from: Date; readonly until: Date },
  now: Date,
): Promise<{ readonly rowCount: number; readonly sumCount: number }> {
  await tx.query(sql`select set_config('app.oversight', 'on', true), set_config('work_mem', '128MB', true)`);
  const [closedMonth] = await tx.query<{ row_count: string }>(sql`
    insert into closed_months (month, row_count, closed_at)
    select ${month}, count(*), ${now} from ledger_transfers
    where at >= ${from} and at < ${until} and client_id not like ${testMerchantPattern} and ${isHomeHere}
    returning row_count
  `);
  const sums = await tx.query(sql`
    insert into closed_sums (month, client, account, currency, amount_minor, row_count)
    select ${month}, client_id, account, currency, sum(minor), count(*) from ledger_transfers
    cross join lateral (values (debit_account, amount_minor::numeric), (credit_account, -amount_minor::numeric))
      as side (account, minor)
    where at < ${until} and client_id not like ${testMerchantPattern} and ${isHomeHere}
    group by client_id, account, currency returning 1
  `);
  return { rowCount: Number(closedMonth?.row_count ?? 0), sumCount: sums.length };
}

/**
 * Client ids of isolated test merchants. The deletion of these merchants deletes their postings, so a closed month
 * omits them.
 */
const testMerchantPattern = "SANDBOX\\_U%";

/** An account whose closing balance changed after its month was closed. */
export interface ChangedSum {
  readonly month: string;
  readonly client: string;
  readonly account: string;
  readonly currency: string;
  readonly closedMinor: bigint;
  readonly nowMinor: bigint;
}

/**
 * Compares the last closed month with the ledger. A closing balance includes all earlier months, so one month is
 * enough. The comparison omits merchants that moved between cells: another cell closed the rows of a merchant that
 * arrived, and a merchant that left took its rows along.
 */
export async function listChangedSums(tx: Tx, month: string, until: Date): Promise<readonly ChangedSum[]> {
  const rows = await tx.query<ChangedRow>(sql`
    with summed as (
      select client_id as client, account, currency, sum(minor) as minor, count(*) as row_count from ledger_transfers
      cross join lateral (values (debit_account, amount_minor::numeric), (credit_account, -amount_minor::numeric))
        as side (account, minor)
      where at < ${until} and client_id not like ${testMerchantPattern}
        and (client_id not in (select client from client_homes)
          or client_id in (select client from closed_sums where month = ${month}))
      group by client_id, account, currency
    ), closed as (
      select client, account, currency, amount_minor, row_count from closed_sums where month = ${month}
    )
    select client, account, currency, coalesce(closed.amount_minor, 0)::text as closed_minor,
      coalesce(summed.minor, 0)::text as now_minor
    from closed full join summed using (client, account, currency)
    where (closed.amount_minor, closed.row_count) is distinct from (summed.minor, summed.row_count)
      and client not in (select client from client_homes where state <> 'here')
    order by client, account, currency
  `);
  return rows.map((row) => ({
    month,
    client: row.client,
    account: row.account,
    currency: row.currency,
    closedMinor: BigInt(row.closed_minor),
    nowMinor: BigInt(row.now_minor),
  }));
}

interface ChangedRow {
  readonly client: string;
  readonly account: string;
  readonly currency: string;
  readonly closed_minor: string;
  readonly now_minor: string;
}
