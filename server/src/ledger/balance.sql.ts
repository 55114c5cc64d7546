import { sql, type Tx } from "../postgres/sql.ts";

interface Account {
  readonly bucket: number;
  readonly clientId: string;
  readonly account: string;
  readonly currency: string;
}

/**
 * Debits less credits, to the last row that this transaction sees. One statement reads the sum and what came
 * after it: between two, a roll-up could move rows from one to the other. Throws when the sums are those of another
 * server: whoever asks what a merchant has is better told nothing than something wrong.
 */
export async function findBalance(
  tx: Tx,
  { bucket, clientId, account, currency }: Account,
  knownPosition?: string,
): Promise<bigint> {
  // The position only grows, so asking for it as a value changes nothing but the plan: an index, and not the ledger.
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
          and bucket = ${bucket} and client_id = ${clientId} and currency = ${currency}
          and ${account} in (debit_account, credit_account)
      ), 0) as balance
  `);
  return BigInt(row?.balance ?? 0);
}

/** A dump was restored here, or the server's major version changed: transactions are numbered anew. */
export const foreignBalances = "The balances were summed on another server.";

/** For whoever has to ask for a balance in one trip. Throws when the sums are another server's. */
export async function findBalancePosition(tx: Tx): Promise<string> {
  const [position] = await tx.query<{ summed_up_to: string; is_ours: boolean | null }>(sql`
    select summed_up_to::text, server = (select system_identifier from pg_control_system()) as is_ours
    from balances_position
  `);
  if (!position?.is_ours) throw new Error(`${foreignBalances} Run \`balances rebuild\`.`);
  return position.summed_up_to;
}

/** Adds to the sums what has come since; gives the number of the ledger's rows. Throws when they are another server's. */
export async function rollUpBalances(tx: Tx): Promise<bigint> {
  const [row] = await tx.query<{ added: string }>(sql`select roll_up_balances() as added`);
  return BigInt(row?.added ?? 0);
}

/** What summing the whole ledger anew came to. */
export interface Rebuilt {
  readonly rowCount: number;
  readonly differences: readonly BalanceDifference[];
}

/** A balance that was not the sum of the ledger's rows; what had not been rolled up yet is among them. */
export interface BalanceDifference {
  readonly clientId: string;
  readonly account: string;
  readonly currency: string;
  readonly wasMinor: bigint;
  readonly sumMinor: bigint;
}

/** Sums the whole ledger anew, as the owner; whoever writes to it waits meanwhile. */
export async function rebuildBalances(tx: Tx): Promise<Rebuilt> {
  const [row] = await tx.query<{ rebuilt: RebuiltJson }>(sql`select rebuild_balances() as rebuilt`);
  const { rowCount = 0, differences = [] } = row?.rebuilt ?? {};
  return {
    rowCount,
    differences: differences.map(({ was, sum, ...of }) => ({
      ...of,
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
