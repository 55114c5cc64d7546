import { isHomeHere } from "../cells/home.sql.ts";
import { house } from "../ledger/account.ts";
import { bankLedgerAccount } from "../ledger/bank-effects.ts";
import { houseBucket } from "../ledger/house-account.sql.ts";
import type { Money } from "../core/money.ts";
import { receivableAccount } from "../ledger/transfer.ts";
import { unnest, type ColumnTable } from "../postgres/column-table.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { BankLine, ExpectedEntry } from "./bank-pairing.ts";
import type { StatementBalances } from "./statement-chain.ts";

export interface UnpairedItems {
  readonly expected: readonly ExpectedEntry[];
  readonly lines: readonly BankLine[];
  /** Balance of the account `clearing` by currency, from the same snapshot, without write-offs. */
  readonly clearing: readonly Money[];
}

/** A posting to the account `clearing` in another cell. The bank books it in the bank account that the cells share. */
export interface ClearingPosting {
  /** The end-to-end id of a payout, or the subject of another posting. */
  readonly reference: string;
  readonly currency: string;
  /** Positive for incoming money. */
  readonly minor: bigint;
  readonly at: Date;
}

/**
 * Postings to the account `clearing`, with the references that the bank knows. The query names the schema `public`,
 * because a report of one day shadows the tables with temporary copies.
 */
const posted = fragment`(
      select coalesce(payout.end_to_end_id, l.subject_id) as subject_id, l.client_id, l.effect, l.credit_account, l.currency, l.at,
        case when l.debit_account = 'clearing' then l.amount_minor else -l.amount_minor end as minor
      from public.ledger_transfers as l left join public.payouts as payout
        on payout.bucket = l.bucket and payout.client_id = l.client_id and payout.payout_id = l.subject_id
      where (l.debit_account = 'clearing' or l.credit_account = 'clearing') and l.effect not in ('bank entry', 'write-off')
    ) as posted`;

/**
 * `listClearingPostings` lists this cell's postings to `clearing`, for the cell that keeps the house account. It needs
 * an operator with oversight over all merchants.
 */
export async function listClearingPostings(tx: Tx): Promise<readonly ClearingPosting[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<Omit<ClearingPosting, "minor"> & { readonly minor: string }>(sql`
    select subject_id as reference, currency, minor::text, at from ${posted} where ${isHomeHere}
  `);
  return rows.map((row) => ({ ...row, minor: BigInt(row.minor) }));
}

export async function countClearingPostings(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*)::int as count from ${posted} where ${isHomeHere}`,
  );
  return row?.count ?? 0;
}

const clearingColumns: ColumnTable<ClearingPosting> = [
  ["reference", "text", ({ reference }) => reference],
  ["currency", "text", ({ currency }) => currency],
  ["minor", "bigint", ({ minor }) => minor],
  ["at", "timestamptz", ({ at }) => at],
];

/**
 * Lists postings to `clearing`, of this and other cells, and bank entries, without those that have the same name and
 * amount on both sides. Nearly all have; the query pairs them, one to one.
 */
export async function listUnpaired(tx: Tx, otherCells: readonly ClearingPosting[]): Promise<UnpairedItems> {
  const rows = await tx.query<UnpairedRow>(sql`
    with elsewhere as materialized (
      select reference, currency, minor, at
      from ${unnest(clearingColumns, otherCells)} as elsewhere (reference, currency, minor, at)
    ), cleared as (
      select currency, sum(minor) as minor from (
        select currency, case when debit_account = 'clearing' then amount_minor else -amount_minor end as minor
        from public.ledger_transfers
        where (debit_account = 'clearing' or credit_account = 'clearing') and effect <> 'write-off' and ${isHomeHere}
        union all select currency, minor from elsewhere
      ) as postings group by currency
    ), moved as (
      select subject_id, currency, at, minor, case when client_id = ${house} and effect = 'provider payout'
          then substr(credit_account, length(${receivableAccount("")}::text) + 1) end as connector
      from ${posted} where ${isHomeHere}
      union all
      select reference, currency, at, minor, null from elsewhere
    ), named as (
      select moved.connector, moved.currency, minor, coalesce(told.at, moved.at) as at,
        case when moved.connector is null then subject_id else substr(subject_id, length(moved.connector) + 2) end as reference
      from moved left join public.settlement_rows as told on told.connector = moved.connector and told.kind = 'payout'
        and told.operation_reference = substr(subject_id, length(moved.connector) + 2)
    ), expected as (
      select named.*, row_number() over (partition by reference, currency, minor order by at) as nth from named
    ), lines as (
      select bank, entry_reference, currency, case when is_credit then amount_minor else -amount_minor end as minor,
        booked_at, end_to_end_id, reference, row_number() over (
          partition by end_to_end_id, currency, is_credit, amount_minor order by booked_at, entry_reference) as nth
      from bank_lines
    )
    select false as is_clearing, expected.connector, expected.reference as expected_reference, expected.at as expected_at,
      bank, entry_reference, booked_at, end_to_end_id, lines.reference,
      coalesce(expected.currency, lines.currency) as currency, coalesce(expected.minor, lines.minor) as minor
    from expected full join lines on lines.end_to_end_id = expected.reference and lines.currency = expected.currency
      and lines.minor = expected.minor and lines.nth = expected.nth
    where expected.reference is null or lines.bank is null
    union all
    select true, null, null, null, null, null, null, null, null, currency, minor from cleared
  `);
  return {
    expected: rows.flatMap((row) => toExpected(row) ?? []),
    lines: rows.flatMap((row) => toLine(row) ?? []),
    clearing: rows.flatMap(({ is_clearing, currency, minor }) =>
      is_clearing ? [{ currency, minor: BigInt(minor) }] : [],
    ),
  };
}

interface UnpairedRow {
  readonly is_clearing: boolean;
  readonly connector: string | null;
  readonly expected_reference: string | null;
  readonly expected_at: Date | null;
  readonly bank: string | null;
  readonly entry_reference: string | null;
  readonly booked_at: Date | null;
  readonly end_to_end_id: string | null;
  readonly reference: string | null;
  readonly currency: string;
  readonly minor: string;
}

function toExpected(row: UnpairedRow): ExpectedEntry | undefined {
  if (row.expected_reference === null || row.expected_at === null) return undefined;
  return {
    connector: row.connector ?? undefined,
    reference: row.expected_reference,
    amount: { currency: row.currency, minor: BigInt(row.minor) },
    at: row.expected_at,
  };
}

function toLine(row: UnpairedRow): BankLine | undefined {
  if (row.bank === null || row.entry_reference === null || row.booked_at === null) return undefined;
  return {
    bank: row.bank,
    entryReference: row.entry_reference,
    amount: { currency: row.currency, minor: BigInt(row.minor) },
    at: row.booked_at,
    endToEndId: row.end_to_end_id ?? undefined,
    reference: row.reference ?? "",
  };
}

/** Returns the end of the last day with a bank statement; undefined without a statement. */
export async function findReportedUntil(tx: Tx): Promise<Date | undefined> {
  const [row] = await tx.query<{ until: Date | null }>(sql`
    select max(closing_at) + interval '1 day' as until from bank_files where kind = 'camt.053'
  `);
  return row?.until ?? undefined;
}

/**
 * Lists the statements of all accounts, oldest first. Statements of the same days are in the order of their import, and
 * pages in the order of their numbers.
 */
export async function listStatementBalances(tx: Tx): Promise<readonly StatementBalances[]> {
  const rows = await tx.query<StatementRow>(sql`
    select bank, account, currency, statement_id, opening_minor, opening_at, closing_minor, closing_at from (
      select *, min(file_id) over (partition by bank, account, currency, statement_id) as first_file
      from bank_files where kind = 'camt.053'
    ) as statements order by closing_at, opening_at, first_file, page
  `);
  return rows.map((row) => ({
    bank: row.bank,
    account: row.account,
    currency: row.currency,
    statementId: row.statement_id,
    openingMinor: BigInt(row.opening_minor),
    openingAt: row.opening_at,
    closingMinor: BigInt(row.closing_minor),
    closingAt: row.closing_at,
  }));
}

interface StatementRow {
  readonly bank: string;
  readonly account: string;
  readonly currency: string;
  readonly statement_id: string;
  readonly opening_minor: string;
  readonly opening_at: Date;
  readonly closing_minor: string;
  readonly closing_at: Date;
}

/** Lists the ledger balances of bank accounts, by bank and currency. */
export async function listBankBalances(tx: Tx): Promise<readonly (Money & { readonly bank: string })[]> {
  const rows = await tx.query<{ bank: string; currency: string; minor: string }>(sql`
    with sides as (
      select debit_account as account, currency, amount_minor as minor from public.ledger_transfers
      where bucket = ${houseBucket} and client_id = ${house} and starts_with(debit_account, ${bankLedgerAccount("")})
      union all
      select credit_account, currency, -amount_minor from public.ledger_transfers
      where bucket = ${houseBucket} and client_id = ${house} and starts_with(credit_account, ${bankLedgerAccount("")})
    )
    select substr(account, length(${bankLedgerAccount("")}::text) + 1) as bank, currency, sum(minor)::text as minor from sides group by 1, 2
  `);
  return rows.map((row) => ({ ...row, minor: BigInt(row.minor) }));
}
