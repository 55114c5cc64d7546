import { bankEntryEffect, bankOpeningEffect } from "../ledger/bank-effects.ts";
import { insertHouseEffects } from "../ledger/house-account.sql.ts";
import { unnest, type ColumnTable } from "../postgres/column-table.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { signedMinor, type BankEntry, type CamtKind } from "./camt.ts";
import type { BookableStatement } from "./bookable-statement.ts";

export interface BankFile {
  readonly bank: string;
  readonly name: string;
  readonly sha256: Uint8Array;
  readonly kind: CamtKind;
}

export async function isImported(tx: Tx, { bank, sha256 }: BankFile): Promise<boolean> {
  const rows = await tx.query(sql`
    select from bank_files where bank = ${bank} and sha256 = ${sha256} limit 1
  `);
  return rows.length > 0;
}

/**
 * Returns another bank name under which statements of the same account were imported; then one of the two names is
 * wrong.
 */
export async function findOtherBank(tx: Tx, bank: string, account: string): Promise<string | undefined> {
  const [row] = await tx.query<{ bank: string }>(sql`
    select bank from bank_files where account = ${account} and bank <> ${bank} limit 1
  `);
  return row?.bank;
}

/** An imported statement. */
export interface ImportedStatement {
  readonly fileId: string;
  readonly name: string;
  /** Whether the imported statement had the same balances and the same number of entries as the new one. */
  readonly isAlike: boolean;
}

/**
 * Lists imported statements that may be the same: with the same id and page, or with the same days and balances under
 * another id.
 */
export async function listSimilarStatements(
  tx: Tx,
  { bank, kind }: BankFile,
  { account, statementId, page, opening, closing, entries }: BookableStatement,
): Promise<readonly (ImportedStatement & { readonly isSameId: boolean })[]> {
  const rows = await tx.query<{ file_id: string; name: string; is_alike: boolean; is_same_id: boolean }>(sql`
    select * from (
      select file_id, name, statement_id = ${statementId} and page = ${page} as is_same_id,
        currency = ${opening.amount.currency} and opening_minor = ${opening.amount.minor} and opening_at = ${opening.at}
          and closing_minor = ${closing.amount.minor} and closing_at = ${closing.at} and entry_count = ${entries.length} as is_alike
      from bank_files where bank = ${bank} and account = ${account} and kind = ${kind}
        and (statement_id = ${statementId} or closing_at = ${closing.at})
    ) as known where is_same_id or (is_alike and ${opening.amount.minor !== closing.amount.minor}::boolean) order by is_same_id desc, file_id
  `);
  return rows.map(({ file_id: fileId, name, is_alike: isAlike, is_same_id: isSameId }) => ({
    fileId,
    name,
    isAlike,
    isSameId,
  }));
}

/** Lists the entries of an imported statement in order, without the names that the import gave them. */
export async function listEntriesOfFile(
  tx: Tx,
  fileId: string,
): Promise<readonly Pick<BankEntry, "amount" | "isCredit" | "bookedAt" | "endToEndId" | "reference">[]> {
  const rows = await tx.query<LineRow>(sql`
    select currency, amount_minor, is_credit, booked_at, end_to_end_id, reference from bank_lines
    where file_id = ${fileId} order by line
  `);
  return rows.map((row) => ({
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    isCredit: row.is_credit,
    bookedAt: row.booked_at,
    endToEndId: row.end_to_end_id ?? undefined,
    reference: row.reference,
  }));
}

interface LineRow {
  readonly currency: string;
  readonly amount_minor: string;
  readonly is_credit: boolean;
  readonly booked_at: Date;
  readonly end_to_end_id: string | null;
  readonly reference: string;
}

/**
 * Returns the start of an account's first imported statement. Its opening balance in the ledger includes all earlier
 * movements.
 */
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

/** Returns which of these names entries of earlier statements already have. */
async function listUsedNames(tx: Tx, bank: string, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ entry_reference: string }>(sql`
    select entry_reference from bank_lines where bank = ${bank} and entry_reference = any(${names}::text[])
  `);
  return new Set(rows.map((row) => row.entry_reference));
}

const batchSize = 5_000;

/**
 * Stores a statement and posts its entries; for an account's first statement also its opening balance. Each entry is
 * posted at the bank's booking date, or at `openFrom` if that is later, because earlier months are closed.
 */
export async function insertStatement(
  tx: Tx,
  file: BankFile,
  statement: BookableStatement,
  { isFirst, openFrom, now }: { readonly isFirst: boolean; readonly openFrom: Date; readonly now: Date },
): Promise<void> {
  const { bank } = file;
  const { account, opening, entries } = statement;
  const postingTime = (at: Date): Date => (at < openFrom ? openFrom : at);
  const fileId = await insertFile(tx, file, statement, now);
  if (isFirst && opening.amount.minor !== 0n) {
    const subjectId = `${bank} ${account} ${opening.amount.currency}`;
    const effect = bankOpeningEffect(bank, opening.amount);
    await insertHouseEffects(tx, [{ subjectId, at: postingTime(opening.at), ...effect }]);
  }
  for (let from = 0; from < entries.length; from += batchSize) {
    const chunk = entries
      .slice(from, from + batchSize)
      .map((entry, index) => ({ ...entry, line: from + index + 1 }));
    const lines = await nameEntries(tx, bank, statement, chunk);
    await insertLines(tx, bank, fileId, lines);
    const postings = lines.map((line) => ({
      subjectId: `${bank} ${line.entryReference}`,
      at: postingTime(line.bookedAt),
      ...bankEntryEffect(bank, { currency: line.amount.currency, minor: signedMinor(line) }),
    }));
    await insertHouseEffects(tx, postings);
  }
}

/**
 * Gives each entry a name that is unique at the bank. An entry is identified by its statement and position. A bank may
 * reuse a reference on another day; then the entry's name also includes the statement and the position, and finally the
 * account and the page.
 */
async function nameEntries(
  tx: Tx,
  bank: string,
  { account, statementId, page }: BookableStatement,
  lines: readonly Line[],
): Promise<readonly Line[]> {
  const namesOf = ({ entryReference, line }: Line): readonly string[] => [
    entryReference,
    `${entryReference} (${statementId}/${line})`,
    `${entryReference} (${account} ${statementId}/${page}/${line})`,
  ];
  const usedNames = await listUsedNames(tx, bank, lines.flatMap(namesOf));
  return lines.map((line) => ({
    ...line,
    entryReference: namesOf(line).find((name) => !usedNames.has(name)) ?? line.entryReference,
  }));
}

async function insertFile(
  tx: Tx,
  { bank, name, sha256, kind }: BankFile,
  { statementId, page, account, opening, closing, entries }: BookableStatement,
  now: Date,
): Promise<string> {
  const [row] = await tx.query<{ file_id: string }>(sql`
    insert into bank_files (bank, name, sha256, kind, statement_id, page, account, currency, opening_minor, opening_at,
      closing_minor, closing_at, entry_count, imported_at)
    values (${bank}, ${name}, ${sha256}, ${kind}, ${statementId}, ${page}, ${account}, ${opening.amount.currency},
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
