import { isHomeHere } from "../../cells/home.sql.ts";
import { bucketOf } from "../../core/bucket.ts";
import type { ClientKey } from "../../core/client-key.ts";
import { fragment, sql, type Tx } from "../../postgres/sql.ts";
import type { FileAccount } from "./payout-file.ts";
import type { Payout } from "./payout.ts";

/** A merchant's bank account with the masked IBAN. */
export interface BankAccount {
  readonly clientId: string;
  readonly accountId: string;
  readonly currency: string;
  readonly holder: string;
  /** The first and the last four characters of the IBAN. */
  readonly ibanShown: string;
  readonly bic: string | undefined;
  readonly waitHours: number;
  readonly askedBy: string;
  readonly askedLogin: string;
  readonly askedAt: Date;
  readonly approvedBy: string | undefined;
  readonly usableFrom: Date | undefined;
  readonly endedAt: Date | undefined;
}

export interface NewBankAccount {
  readonly accountId: string;
  readonly currency: string;
  readonly holder: string;
  readonly iban: string;
  readonly bic: string | undefined;
  readonly waitHours: number;
  readonly askedBy: string;
  readonly askedAt: Date;
}

export async function insertBankAccount(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  account: NewBankAccount,
): Promise<void> {
  await tx.query(sql`
    insert into bank_accounts (bucket, client_id, account_id, currency, holder, iban, iban_shown, bic, wait_hours, asked_by,
      asked_login, asked_at)
    values (${bucket}, ${clientId}, ${account.accountId}, ${account.currency}, ${account.holder}, ${account.iban}::text,
      left(${account.iban}::text, 4) || ' … ' || right(${account.iban}::text, 4), ${account.bic}, ${account.waitHours},
      ${account.askedBy}, session_user, ${account.askedAt})
  `);
}

/** Returns the merchant's account that is approved and not ended, even if its cooling-off period has not passed. */
export async function findApprovedAccount(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  currency: string,
): Promise<BankAccount | undefined> {
  const [row] = await tx.query<AccountRow>(sql`
    select ${columns} from bank_accounts
    where bucket = ${bucket} and client_id = ${clientId} and currency = ${currency}
      and approved_at is not null and ended_at is null
  `);
  return row && toAccount(row);
}

/** Whether the merchant ever had an approved account, in any currency, ended or not. */
export async function hasHadAccount(tx: Tx, { bucket, clientId }: ClientKey): Promise<boolean> {
  const [row] = await tx.query<{ had: boolean }>(sql`
    select exists (select from bank_accounts
      where bucket = ${bucket} and client_id = ${clientId} and approved_at is not null) as had
  `);
  return row?.had ?? false;
}

export async function lockAccount(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  accountId: string,
): Promise<BankAccount | undefined> {
  const [row] = await tx.query<AccountRow>(sql`
    select ${columns} from bank_accounts
    where bucket = ${bucket} and client_id = ${clientId} and account_id = ${accountId} for update
  `);
  return row && toAccount(row);
}

/** Lists the accounts of a merchant, or of all merchants of this cell, without ended ones. */
export async function listAccounts(tx: Tx, clientId: string | undefined): Promise<readonly BankAccount[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<AccountRow>(sql`
    select ${columns} from bank_accounts
    where ended_at is null and (${clientId}::text is null or client_id = ${clientId}) and ${isHomeHere}
    order by client_id, currency, asked_at
  `);
  return rows.map(toAccount);
}

/** The merchant and the id of a payout's account. */
type AccountKey = Pick<Payout, "clientId" | "accountId">;

/**
 * Lists the full accounts of payouts for a payout file. The key includes the merchant, because account ids are unique
 * only per merchant. Only finance may read a full IBAN.
 */
export async function findPayoutAccounts(
  tx: Tx,
  payouts: readonly AccountKey[],
): Promise<(payout: AccountKey) => FileAccount | undefined> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<AccountInFull>(sql`
    select client_id, account_id, holder, iban, bic
    from unnest(${payouts.map(({ clientId }) => bucketOf(clientId))}::smallint[],
        ${payouts.map(({ clientId }) => clientId)}::text[], ${payouts.map(({ accountId }) => accountId)}::text[])
      as paid (bucket, client_id, account_id)
    join bank_accounts using (bucket, client_id, account_id)
  `);
  const byKey = new Map(rows.map((row) => [`${row.client_id} ${row.account_id}`, row]));
  return ({ clientId, accountId }) => {
    const found = byKey.get(`${clientId} ${accountId}`);
    return found && { holder: found.holder, iban: found.iban, bic: found.bic ?? undefined };
  };
}

interface AccountInFull {
  readonly client_id: string;
  readonly account_id: string;
  readonly holder: string;
  readonly iban: string;
  readonly bic: string | null;
}

export async function findSessionLogin(tx: Tx): Promise<string> {
  const [row] = await tx.query<{ login: string }>(sql`select session_user::text as login`);
  return row?.login ?? "";
}

/**
 * Approves an account, to which the database adds the cooling-off period. Returns the time from which the account can
 * be paid.
 */
export async function updateAccountApproved(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  accountId: string,
  approved: { readonly by: string; readonly at: Date },
): Promise<Date> {
  const [row] = await tx.query<{ usable_from: Date }>(sql`
    update bank_accounts set approved_by = ${approved.by}, approved_login = session_user, approved_at = ${approved.at},
      usable_from = ${approved.at}
    where bucket = ${bucket} and client_id = ${clientId} and account_id = ${accountId}
    returning usable_from
  `);
  if (!row) throw new Error(`There is no bank account ${accountId} of ${clientId}.`);
  return row.usable_from;
}

export async function updateAccountEnded(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  accountId: string,
  at: Date,
): Promise<void> {
  await tx.query(sql`
    update bank_accounts set ended_at = ${at}
    where bucket = ${bucket} and client_id = ${clientId} and account_id = ${accountId}
  `);
}

const columns = fragment`client_id, account_id, currency, holder, iban_shown, bic, wait_hours, asked_by, asked_login, asked_at,
  approved_by, usable_from, ended_at`;

interface AccountRow {
  readonly client_id: string;
  readonly account_id: string;
  readonly currency: string;
  readonly holder: string;
  readonly iban_shown: string;
  readonly bic: string | null;
  readonly wait_hours: number;
  readonly asked_by: string;
  readonly asked_login: string;
  readonly asked_at: Date;
  readonly approved_by: string | null;
  readonly usable_from: Date | null;
  readonly ended_at: Date | null;
}

function toAccount(row: AccountRow): BankAccount {
  return {
    clientId: row.client_id,
    accountId: row.account_id,
    currency: row.currency,
    holder: row.holder,
    ibanShown: row.iban_shown,
    bic: row.bic ?? undefined,
    waitHours: row.wait_hours,
    askedBy: row.asked_by,
    askedLogin: row.asked_login,
    askedAt: row.asked_at,
    approvedBy: row.approved_by ?? undefined,
    usableFrom: row.usable_from ?? undefined,
    endedAt: row.ended_at ?? undefined,
  };
}
