import { sql, type Tx } from "../postgres/sql.ts";

interface Account {
  readonly bucket: number;
  readonly clientId: string;
  readonly account: string;
  readonly currency: string;
}

/**
 * Debits less credits, to the last row that this transaction sees. One statement reads the sum and what came
 * after it: between two, a roll-up could move rows from one to the other.
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

/** For whoever has to ask for a balance in one trip. */
export async function findBalancePosition(tx: Tx): Promise<string> {
  const [position] = await tx.query<{ summed_up_to: string }>(sql`
    select summed_up_to::text from balances_position
  `);
  return position?.summed_up_to ?? "0";
}

/** Adds to the sums what has come since; gives the number of the ledger's rows. */
export async function rollUpBalances(tx: Tx): Promise<bigint> {
  const [row] = await tx.query<{ added: string }>(sql`select roll_up_balances() as added`);
  return BigInt(row?.added ?? 0);
}
