import { sql, type Tx } from "../../postgres/sql.ts";
import type { FileAccount } from "./payout-file.ts";

/** Our own account at a bank in one currency: the debtor account of payout files. */
export interface DebtorAccount extends FileAccount {
  readonly bank: string;
  readonly currency: string;
}

export async function listDebtorAccounts(tx: Tx): Promise<readonly DebtorAccount[]> {
  const rows = await tx.query<{
    name: string;
    currency: string;
    holder: string;
    iban: string;
    bic: string;
  }>(sql`
    select name, currency, holder, iban, bic from banks order by name, currency
  `);
  return rows.map(({ name, ...row }) => ({ bank: name, ...row }));
}

export async function writeDebtorAccount(tx: Tx, account: DebtorAccount): Promise<void> {
  await tx.query(sql`
    insert into banks (name, currency, holder, iban, bic)
    values (${account.bank}, ${account.currency}, ${account.holder}, ${account.iban}, ${account.bic})
    on conflict (name, currency) do update set holder = excluded.holder, iban = excluded.iban, bic = excluded.bic
  `);
}
