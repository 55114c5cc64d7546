import type { ClientKey } from "../core/client-key.ts";
import { sql, type Tx } from "../postgres/sql.ts";

interface Account {
  readonly bucket: number;
  readonly clientId: string;
  readonly account: string;
  readonly currency: string;
}

/**
 * `findBalance` returns debits minus credits, up to the last row in the statement's snapshot. One statement reads the
 * rolled-up sum and the later rows, because a concurrent roll-up could move rows between two statements. It throws if
 * the sums are from another server, because no balance is better than a wrong one.
 */
export async function findBalance(
  tx: Tx,
  { bucket, clientId, account, currency }: Account,
  knownPosition?: string,
): Promise<bigint> {
  // The position is a parameter, so that the planner uses the index on the transaction id; the subquery below keeps the
  // result exact. There is no condition on the bucket, because the planner would then read the whole bucket: it cannot
  // estimate how few rows follow the position.
  const position = knownPosition ?? (await findBalancePosition(tx));
  const [row] = await tx.query<{ balance: string }>(sql`
    select coalesce((
        select amount_minor from balances
        where bucket = ${bucket} and client_id = ${clientId} and account = ${account} and currency = ${currency}
      ), 0) + coalesce((
        select sum(case when debit_account = ${account} then amount_minor else -amount_minor end)
        from ledger_transfers
        where transaction >= ${position}::xid8
          and transaction >= (select summed_up_to from balances_position)
          and client_id = ${clientId} and currency = ${currency}
          and ${account} in (debit_account, credit_account)
      ), 0) as balance
  `);
  return BigInt(row?.balance ?? 0);
}

/** Returns the balances of these accounts in each of their currencies. `findBalance` explains how they are read. */
export async function listBalances(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  accounts: readonly string[],
): Promise<readonly { readonly account: string; readonly currency: string; readonly minor: bigint }[]> {
  const position = await findBalancePosition(tx);
  const rows = await tx.query<{ account: string; currency: string; minor: string }>(sql`
    select account, currency, sum(minor)::text as minor
    from (
      select account, currency, amount_minor as minor from balances
      where bucket = ${bucket} and client_id = ${clientId} and account = any(${accounts}::text[])
      union all
      select side.account, l.currency, side.minor
      from ledger_transfers as l
      cross join lateral (values (l.debit_account, l.amount_minor), (l.credit_account, -l.amount_minor))
        as side (account, minor)
      where l.transaction >= ${position}::xid8
        and l.transaction >= (select summed_up_to from balances_position)
        and l.client_id = ${clientId} and side.account = any(${accounts}::text[])
    ) as known
    group by account, currency order by currency, account
  `);
  return rows.map(({ minor, ...balanceKey }) => ({ ...balanceKey, minor: BigInt(minor) }));
}

/** The error after a restored dump or a major upgrade, because transaction ids (xid8) start again. */
export const foreignBalancesMessage = "The balances were summed on another server.";

/**
 * Returns the roll-up position of the balances, so that a balance can be read in one round trip. Throws if the sums are
 * from another server.
 */
export async function findBalancePosition(tx: Tx): Promise<string> {
  const [position] = await tx.query<{ summed_up_to: string; is_ours: boolean | null }>(sql`
    select summed_up_to::text, server = (select system_identifier from pg_control_system()) as is_ours
    from balances_position
  `);
  if (!position?.is_ours) throw new Error(`${foreignBalancesMessage} Run \`tollgate balances rebuild\`.`);
  return position.summed_up_to;
}

/**
 * Adds new ledger rows to the stored sums of accounts; returns the number of rows. Throws if the sums are from another
 * server.
 */
export async function rollUpBalances(tx: Tx): Promise<bigint> {
  const [row] = await tx.query<{ added: string }>(sql`select roll_up_balances() as added`);
  return BigInt(row?.added ?? 0);
}

/** The result of summing the whole ledger again. */
export interface RebuildResult {
  readonly rowCount: number;
  readonly differences: readonly BalanceDifference[];
}

/** A balance that differed from the sum of its ledger rows. The cause may be only that a roll-up was due. */
export interface BalanceDifference {
  readonly clientId: string;
  readonly account: string;
  readonly currency: string;
  readonly wasMinor: bigint;
  readonly sumMinor: bigint;
}

/** Sums the whole ledger again, as the owner of the tables. Writers of the ledger are locked out meanwhile. */
export async function rebuildBalances(tx: Tx): Promise<RebuildResult> {
  const [row] = await tx.query<{ rebuilt: RebuiltJson }>(sql`select rebuild_balances() as rebuilt`);
  const { rowCount = 0, differences = [] } = row?.rebuilt ?? {};
  return {
    rowCount,
    differences: differences.map(({ was, sum, ...balanceKey }) => ({
      ...balanceKey,
      wasMinor: BigInt(was),
      sumMinor: BigInt(sum),
    })),
  };
}

interface RebuiltJson {
  readonly rowCount: number;
  readonly differences: readonly (Pick<BalanceDifference, "clientId" | "account" | "currency"> & {
    readonly was: string;
    readonly sum: string;
  })[];
}
