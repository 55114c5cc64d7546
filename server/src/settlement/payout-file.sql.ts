import { bookDayOf } from "../core/book-day.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { FileAccount, PayoutFormat } from "./payout-file.ts";

/** A file that a bank is given. */
export interface KeptFile {
  readonly fileId: string;
  readonly bank: string;
  readonly currency: string;
  readonly format: PayoutFormat;
  readonly sha256: Buffer;
  readonly payoutCount: number;
  readonly sumMinor: bigint;
  readonly createdAt: Date;
  /** The day on which the bank is asked to pay: the file's day, or the first working day after it. */
  readonly executionDay: string;
}

export async function insertPayoutFile(tx: Tx, file: KeptFile): Promise<void> {
  await tx.query(sql`
    insert into payout_files (file_id, bank, currency, format, sha256, payout_count, sum_minor, created_at,
      execution_day)
    values (${file.fileId}, ${file.bank}, ${file.currency}, ${file.format}, ${file.sha256}, ${file.payoutCount},
      ${file.sumMinor}, ${file.createdAt}, ${file.executionDay})
  `);
}

/** Files that may not have reached the bank yet, the oldest first. */
export async function listFilesToHandOver(tx: Tx, bank: string): Promise<readonly KeptFile[]> {
  const rows = await tx.query<FileRow>(sql`
    select file_id, bank, currency, format, sha256, payout_count, sum_minor, created_at, execution_day::text from payout_files
    where bank = ${bank} and handed_over_at is null order by file_id
  `);
  return rows.map((row) => ({
    fileId: row.file_id,
    bank: row.bank,
    currency: row.currency,
    format: row.format,
    sha256: row.sha256,
    payoutCount: row.payout_count,
    sumMinor: BigInt(row.sum_minor),
    createdAt: row.created_at,
    executionDay: row.execution_day ?? bookDayOf(row.created_at),
  }));
}

interface FileRow {
  readonly file_id: string;
  readonly bank: string;
  readonly currency: string;
  readonly format: PayoutFormat;
  readonly sha256: Buffer;
  readonly payout_count: number;
  readonly sum_minor: string;
  readonly created_at: Date;
  /** Null where the file was made before there were holidays: it says its own day. */
  readonly execution_day: string | null;
}

/** Notes that the bank can have it. */
export async function updateHandedOver(tx: Tx, fileId: string, at: Date): Promise<void> {
  await tx.query(sql`
    update payout_files set handed_over_at = ${at} where file_id = ${fileId} and handed_over_at is null
  `);
}

/** Our own account at a bank in one currency. */
export interface OwnAccount extends FileAccount {
  readonly bank: string;
  readonly currency: string;
}

export async function listOwnAccounts(tx: Tx): Promise<readonly OwnAccount[]> {
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

export async function writeOwnAccount(tx: Tx, account: OwnAccount): Promise<void> {
  await tx.query(sql`
    insert into banks (name, currency, holder, iban, bic)
    values (${account.bank}, ${account.currency}, ${account.holder}, ${account.iban}, ${account.bic})
    on conflict (name, currency) do update set holder = excluded.holder, iban = excluded.iban, bic = excluded.bic
  `);
}

/** One at a time makes and hands over files of payouts, in the whole installation. */
export async function lockPayoutFiles(tx: Tx): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(7045530)`);
}
