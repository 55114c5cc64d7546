import { hasHouseAccount, insertProviderEffects } from "../ledger/house-account.sql.ts";
import { unnest, type ColumnTable } from "../postgres/column-table.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { SettlementRow } from "./settlement-row.ts";

export interface SettlementFile {
  readonly connector: string;
  readonly name: string;
  readonly sha256: Uint8Array;
  readonly rowCount: number;
}

/** The numbers of rows that an import of a provider's file added. */
export interface ImportCounts {
  /** Number of rows of movements that are in no earlier file. */
  readonly newCount: number;
  /** Number of rows of known movements, with other content or a second time in this file. */
  readonly repeatCount: number;
}

/** Staging table for the rows of a file: temporary, private to this connection, dropped with the transaction. */
export async function createStagingTable(tx: Tx): Promise<void> {
  await tx.query(sql`
    create temporary table staged (
      line integer, kind text, operation_reference text, reference text, payment_id text, currency text,
      amount_minor bigint, at timestamptz, fee_of text, payout_id text, value_date date
    ) on commit drop
  `);
}

export async function insertStagedRows(tx: Tx, rows: readonly SettlementRow[]): Promise<void> {
  await tx.query(sql`
    insert into staged select * from ${unnest(stagedColumns, rows)}
  `);
}

const stagedColumns: ColumnTable<SettlementRow> = [
  ["line", "int", ({ line }) => line],
  ["kind", "text", ({ kind }) => kind],
  ["operation_reference", "text", ({ operationReference }) => operationReference],
  ["reference", "text", ({ reference }) => reference],
  ["payment_id", "text", ({ paymentId }) => paymentId],
  ["currency", "text", ({ amount }) => amount.currency],
  ["amount_minor", "bigint", ({ amount }) => amount.minor],
  ["at", "timestamptz", ({ at }) => at],
  ["fee_of", "text", ({ feeOf }) => feeOf],
  ["payout_id", "text", ({ payoutId }) => payoutId],
  ["value_date", "date", ({ valueDate }) => valueDate],
];

/**
 * Idempotent import of a provider's file: keeps new staged rows, and posts fees, payouts and adjustments if the house
 * account is in this cell. Returns undefined if the same file was already imported.
 */
export async function insertSettlementFile(
  tx: Tx,
  { connector, name, sha256, rowCount }: SettlementFile,
  now: Date,
): Promise<ImportCounts | undefined> {
  const [file] = await tx.query<{ file_id: string }>(sql`
    insert into settlement_files (connector, name, sha256, row_count, newest_at, imported_at)
    select ${connector}, ${name}, ${sha256}, ${rowCount}, max(at), ${now} from staged
    on conflict (connector, sha256) do nothing
    returning file_id
  `);
  if (!file) return undefined;
  const newCount = await insertRows(tx, connector, file.file_id);
  await insertPayoutRows(tx, connector, file.file_id);
  if (await hasHouseAccount(tx)) await insertProviderEffects(tx, connector, file.file_id, now);
  return { newCount, repeatCount: await insertRepeats(tx, connector, file.file_id) };
}

/** Inserts rows of new movements. It deduplicates by reference: the first of several lines counts. */
async function insertRows(tx: Tx, connector: string, fileId: string): Promise<number> {
  const [inserted] = await tx.query<{ count: number }>(sql`
    with inserted as (
      insert into settlement_rows
        (connector, kind, operation_reference, reference, payment_id, currency, amount_minor, at, file_id, line, fee_of)
      select ${connector}, kind, operation_reference, reference, payment_id, currency, amount_minor, at, ${fileId}, line, fee_of
      from staged order by line
      on conflict (connector, kind, operation_reference) do nothing
      returning 1
    )
    select count(*)::int as count from inserted
  `);
  return inserted?.count ?? 0;
}

/**
 * Inserts the payouts of rows, also of rows that an earlier file had without a payout. The first payout of a row counts.
 */
async function insertPayoutRows(tx: Tx, connector: string, fileId: string): Promise<void> {
  await tx.query(sql`
    insert into settlement_payout_rows (connector, kind, operation_reference, payout_id, value_date, file_id)
    select ${connector}, kind, operation_reference, payout_id, value_date, ${fileId}
    from staged where payout_id <> '' order by line
    on conflict (connector, kind, operation_reference) do nothing
  `);
}

/**
 * Inserts repeated lines. Equal lines are repeats only within one file; in another file they are the same movement,
 * listed again.
 */
async function insertRepeats(tx: Tx, connector: string, fileId: string): Promise<number> {
  const [inserted] = await tx.query<{ count: number }>(sql`
    with named_twice as (
      select kind, operation_reference from staged group by kind, operation_reference having count(*) > 1
    ), suspects as (
      select staged.*, (staged.reference, staged.payment_id, staged.currency, staged.amount_minor, staged.at)
          = (kept.reference, kept.payment_id, kept.currency, kept.amount_minor, kept.at) as is_kept
      from staged
      join settlement_rows as kept on kept.connector = ${connector} and kept.kind = staged.kind
        and kept.operation_reference = staged.operation_reference
      left join named_twice on named_twice.kind = staged.kind
        and named_twice.operation_reference = staged.operation_reference
      where named_twice.kind is not null
        or (staged.reference, staged.payment_id, staged.currency, staged.amount_minor, staged.at)
          <> (kept.reference, kept.payment_id, kept.currency, kept.amount_minor, kept.at)
    ), numbered as (
      select suspects.*, row_number() over (
        partition by kind, operation_reference, reference, payment_id, currency, amount_minor, at order by line) as nth
      from suspects
    ), inserted as (
      insert into settlement_repeats
        (connector, kind, operation_reference, reference, payment_id, currency, amount_minor, at, nth, file_id, line)
      select ${connector}, kind, operation_reference, reference, payment_id, currency, amount_minor, at, nth,
        ${fileId}, line
      from numbered where not is_kept or nth > 1
      on conflict do nothing
      returning 1
    )
    select count(*)::int as count from inserted
  `);
  return inserted?.count ?? 0;
}
