import { bucketOf } from "../core/bucket.ts";
import { sql, type Tx } from "../postgres/sql.ts";

/** A merchant's account at the provider of a connector. */
export interface ProviderAccount {
  readonly clientId: string;
  readonly connector: string;
  readonly account: string;
  readonly setAt: Date;
}

/** `findProviderAccount` returns the account of a merchant at a connector. */
export async function findProviderAccount(
  tx: Tx,
  clientId: string,
  connector: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ account: string }>(sql`
    select account from provider_accounts
    where bucket = ${bucketOf(clientId)} and client_id = ${clientId} and connector = ${connector}
  `);
  return row?.account;
}

/** `listProviderAccountsOf` lists the accounts of a merchant at all connectors. */
export async function listProviderAccountsOf(tx: Tx, clientId: string): Promise<readonly ProviderAccount[]> {
  const rows = await tx.query<AccountRow>(sql`
    select client_id, connector, account, set_at from provider_accounts
    where bucket = ${bucketOf(clientId)} and client_id = ${clientId} order by connector
  `);
  return rows.map(toProviderAccount);
}

/**
 * `listProviderAccountsAt` lists accounts at a connector, at most `limit`. Only for the operator: `app.oversight` lets
 * the transaction read all merchants.
 */
export async function listProviderAccountsAt(
  tx: Tx,
  connector: string,
  limit: number,
): Promise<readonly ProviderAccount[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<AccountRow>(sql`
    select client_id, connector, account, set_at from provider_accounts
    where connector = ${connector} order by client_id limit ${limit}::int
  `);
  return rows.map(toProviderAccount);
}

function toProviderAccount({ client_id, set_at, ...row }: AccountRow): ProviderAccount {
  return { ...row, clientId: client_id, setAt: set_at };
}

interface AccountRow {
  readonly client_id: string;
  readonly connector: string;
  readonly account: string;
  readonly set_at: Date;
}

/** `upsertProviderAccount` sets the account for new orders. Orders that exist keep theirs. */
export async function upsertProviderAccount(
  tx: Tx,
  { clientId, connector, account }: Omit<ProviderAccount, "setAt">,
): Promise<void> {
  await tx.query(sql`
    insert into provider_accounts (bucket, client_id, connector, account)
    values (${bucketOf(clientId)}, ${clientId}, ${connector}, ${account})
    on conflict (bucket, client_id, connector) do update set account = excluded.account, set_at = clock_timestamp()
  `);
}

/** `deleteProviderAccount` removes the account for new orders. */
export async function deleteProviderAccount(tx: Tx, clientId: string, connector: string): Promise<void> {
  await tx.query(sql`
    delete from provider_accounts
    where bucket = ${bucketOf(clientId)} and client_id = ${clientId} and connector = ${connector}
  `);
}
