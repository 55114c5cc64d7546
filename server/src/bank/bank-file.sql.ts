import { bankEntryEffect, bankOpeningEffect } from "../ledger/bank-effects.ts";
import { insertHouseEffects } from "../ledger/house.sql.ts";
import { unnest, type ColumnTable } from "../postgres/column-table.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { signedMinor, type BankEntry, type CamtKind } from "./camt.ts";
import type { BookableStatement } from "./statement.ts";

export interface BankFile {
  readonly bank: string;
  readonly name: string;
  readonly sha256: Uint8Array;
  readonly kind: CamtKind;
}

export async function findIsImported(tx: Tx, { bank, sha256 }: BankFile): Promise<boolean> {
  const rows = await tx.query(sql`
    select from bank_files where bank = ${bank} and sha256 = ${sha256} limit 1
  `);
  return rows.length > 0;
}

/** Another bank that is said to have this account of ours: one of the two names was written wrongly. */
export async function findOtherBank(tx: Tx, bank: string, account: string): Promise<string | undefined> {
  const [row] = await tx.query<{ bank: string }>(sql`
    select bank from bank_files where account = ${account} and bank <> ${bank} limit 1
  `);
  return row?.bank;
}

/** The file that a statement came with before. */
export async function findFileOf(
  tx: Tx,
  { bank, kind }: BankFile,
  { account, statementId }: BookableStatement,
): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(sql`
    select name from bank_files
    where bank = ${bank} and account = ${account} and kind = ${kind} and statement_id = ${statementId}
  `);
  return row?.name;
}

/** When the first statement of an account begins that was imported. Its opening balance is in the books, and with it all that was before. */
export async function findFirstOpening(
  tx: Tx,
  bank: string,
  { account, opening }: BookableStatement,
): Promise<Date | undefined> {
  const [row] = await tx.query<{ opening_at: Date | null }>(sql`
    select min(opening_at) as opening_at from bank_files
    where bank = ${bank} and account = ${account} and currency = ${opening.amount.currency} and kind = 'camt.053'
  `);
  return row?.opening_at ?? undefined;
}

/** The first of these references that an earlier statement has had. */
export async function findBookedBefore(
  tx: Tx,
  bank: string,
  entries: readonly BankEntry[],
): Promise<string | undefined> {
  const [row] = await tx.query<{ entry_reference: string }>(sql`
    select entry_reference from bank_lines
    where bank = ${bank} and entry_reference = any(${entries.map((entry) => entry.entryReference)}::text[])
    order by entry_reference limit 1
  `);
  return row?.entry_reference;
}

const batchSize = 5_000;

/** Keeps a statement, and posts its entries; of the first one of an account its opening balance, too. */
export async function insertStatement(
  tx: Tx,
  file: BankFile,
  statement: BookableStatement,
  { isFirst, now }: { readonly isFirst: boolean; readonly now: Date },
): Promise<void> {
  const { bank } = file;
  const { account, opening, entries } = statement;
  const fileId = await insertFile(tx, file, statement, now);
  if (isFirst && opening.amount.minor !== 0n) {
    const subjectId = `${bank} ${account} ${opening.amount.currency}`;
    await insertHouseEffects(tx, [{ subjectId, ...bankOpeningEffect(bank, opening.amount) }], now);
  }
  for (let at = 0; at < entries.length; at += batchSize) {
    const lines = entries.slice(at, at + batchSize).map((entry, index) => ({
      ...entry,
      line: at + index + 1,
    }));
    await insertLines(tx, bank, fileId, lines);
    const postings = lines.map((line) => ({
      subjectId: `${bank} ${line.entryReference}`,
      ...bankEntryEffect(bank, { currency: line.amount.currency, minor: signedMinor(line) }),
    }));
    await insertHouseEffects(tx, postings, now);
  }
}

async function insertFile(
  tx: Tx,
  { bank, name, sha256, kind }: BankFile,
  { statementId, account, opening, closing, entries }: BookableStatement,
  now: Date,
): Promise<string> {
  const [row] = await tx.query<{ file_id: string }>(sql`
    insert into bank_files (bank, name, sha256, kind, statement_id, account, currency, opening_minor, opening_at,
      closing_minor, closing_at, entry_count, imported_at)
    values (${bank}, ${name}, ${sha256}, ${kind}, ${statementId}, ${account}, ${opening.amount.currency},
      ${opening.amount.minor}, ${opening.at}, ${closing.amount.minor}, ${closing.at}, ${entries.length}, ${now})
    returning file_id
  `);
  return row?.file_id ?? "";
}

interface Line extends BankEntry {
  readonly line: number;
}

async function insertLines(tx: Tx, bank: string, fileId: string, lines: readonly Line[]): Promise<void> {
  await tx.query(sql`
    insert into bank_lines (bank, file_id, entry_reference, currency, amount_minor, is_credit, is_reversal, booked_at,
      end_to_end_id, reference, return_reason, line)
    select ${bank}, ${fileId}, booked.* from ${unnest(lineColumns, lines)} as booked
  `);
}

const lineColumns: ColumnTable<Line> = [
  ["entry_reference", "text", ({ entryReference }) => entryReference],
  ["currency", "text", ({ amount }) => amount.currency],
  ["amount_minor", "bigint", ({ amount }) => amount.minor],
  ["is_credit", "boolean", ({ isCredit }) => isCredit],
  ["is_reversal", "boolean", ({ isReversal }) => isReversal],
  ["booked_at", "timestamptz", ({ bookedAt }) => bookedAt],
  ["end_to_end_id", "text", ({ endToEndId }) => endToEndId],
  ["reference", "text", ({ reference }) => reference],
  ["return_reason", "text", ({ returnReason }) => returnReason],
  ["line", "int", ({ line }) => line],
];
