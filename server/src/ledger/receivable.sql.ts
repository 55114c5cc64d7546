import { isHomeHere } from "../cells/home.sql.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { findBalancePosition } from "./balance.sql.ts";
import { receivableAccount } from "./transfer.ts";

/** A provider's receivable in one currency, and its increases by period. */
export interface Receivable {
  readonly connector: string;
  readonly currency: string;
  readonly minor: bigint;
  /** Amounts that payments added, from each time of `since` up to the previous, later one. */
  readonly added: readonly bigint[];
}

/**
 * Lists the provider receivables of all merchants together: rolled-up sums and the rows after them, as for any balance.
 * `since` is a list of times, latest first; only rows after its last time are read individually.
 */
export async function listReceivables(tx: Tx, since: readonly Date[]): Promise<readonly Receivable[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const position = await findBalancePosition(tx);
  const prefix = receivableAccount("");
  const rows = await tx.query<{
    account: string;
    currency: string;
    minor: string;
    added: readonly string[];
  }>(sql`
    with known as (
      select account, currency, amount_minor::numeric as minor from balances
      where starts_with(account, ${prefix}) and ${isHomeHere}
      union all
      select side.account, l.currency, side.minor
      from ledger_transfers as l
      cross join lateral (values (l.debit_account, l.amount_minor), (l.credit_account, -l.amount_minor)) as side (account, minor)
      where l.transaction >= ${position}::xid8 and l.transaction >= (select summed_up_to from balances_position)
        and starts_with(side.account, ${prefix}) and ${isHomeHere}
    ), ages as (
      select number, start, lag(start, 1, 'infinity') over (order by number) as until
      from unnest(${since}::timestamptz[]) with ordinality as given (start, number)
    ), added as (
      select debit_account as account, currency, number, sum(amount_minor) as minor
      from ledger_transfers join ages on at > start and at <= until
      where at > (select min(start) from ages) and starts_with(debit_account, ${prefix}) and ${isHomeHere}
      group by debit_account, currency, number
    )
    select account, currency, sum(minor)::text as minor, array(
      select coalesce((select minor from added where added.account = known.account and added.currency = known.currency
        and added.number = ages.number), 0)::text from ages order by number) as added
    from known group by account, currency having sum(minor) <> 0 order by account, currency
  `);
  return rows.map(({ account, currency, minor, added }) => ({
    connector: account.slice(prefix.length),
    currency,
    minor: BigInt(minor),
    added: added.map(BigInt),
  }));
}
