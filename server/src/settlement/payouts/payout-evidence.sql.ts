import type { CamtKind } from "../../bank/camt.ts";
import { bucketOf } from "../../core/bucket.ts";
import { isHomeHere } from "../../cells/home.sql.ts";
import { unnest, type ColumnTable } from "../../postgres/column-table.ts";
import { sql, type Tx } from "../../postgres/sql.ts";
import type { PayoutEntry, UnappliedReport } from "./payout-evidence.ts";
import type { Payout, PayoutStatus } from "./payout.ts";

/** An entry with its payout and source. */
export interface StoredEntry extends PayoutEntry {
  readonly clientId: string;
  readonly payoutId: string;
  /** The key of the entry in all files: if the same statement is imported again, its entries have the same keys. */
  readonly entryKey: Uint8Array;
  readonly account: string;
  readonly statementId: string;
}

export interface StoredReport extends UnappliedReport {
  readonly clientId: string;
  readonly payoutId: string;
  readonly sha256: Uint8Array;
}

/** All bank reports about a payout. */
export interface PayoutEvidence {
  readonly entries: readonly PayoutEntry[];
  readonly reports: readonly UnappliedReport[];
}

/** Stores entries of an account, each only once; returns the number of new entries. */
export async function insertPayoutEntries(
  tx: Tx,
  entries: readonly StoredEntry[],
  now: Date,
): Promise<number> {
  const rows = await tx.query(sql`
    insert into payout_entries (imported_at, bucket, client_id, payout_id, entry_key, account, kind, statement_id, bank_reference,
      currency, amount_minor, is_credit, return_code, booked_at)
    select ${now}::timestamptz, booked.* from ${unnest(entryColumns, entries)} as booked
    on conflict do nothing returning 1
  `);
  return rows.length;
}

const entryColumns: ColumnTable<StoredEntry> = [
  ["bucket", "smallint", ({ clientId }) => bucketOf(clientId)],
  ["client_id", "text", ({ clientId }) => clientId],
  ["payout_id", "text", ({ payoutId }) => payoutId],
  ["entry_key", "bytea", ({ entryKey }) => entryKey],
  ["account", "text", ({ account }) => account],
  ["kind", "text", ({ kind }) => kind],
  ["statement_id", "text", ({ statementId }) => statementId],
  ["bank_reference", "text", ({ bankReference }) => bankReference],
  ["currency", "text", ({ amount }) => amount.currency],
  ["amount_minor", "bigint", ({ amount }) => amount.minor],
  ["is_credit", "boolean", ({ isCredit }) => isCredit],
  ["return_code", "text", ({ returnCode }) => returnCode],
  ["booked_at", "timestamptz", ({ bookedAt }) => bookedAt],
];

/** Stores status reports that changed nothing, each only once; returns the number of new reports. */
export async function insertPayoutReports(
  tx: Tx,
  reports: readonly StoredReport[],
  now: Date,
): Promise<number> {
  const rows = await tx.query(sql`
    insert into payout_reports (imported_at, bucket, client_id, payout_id, sha256, outcome, is_duplicate, reason_code)
    select ${now}::timestamptz, reported.* from ${unnest(reportColumns, reports)} as reported
    on conflict do nothing returning 1
  `);
  return rows.length;
}

const reportColumns: ColumnTable<StoredReport> = [
  ["bucket", "smallint", ({ clientId }) => bucketOf(clientId)],
  ["client_id", "text", ({ clientId }) => clientId],
  ["payout_id", "text", ({ payoutId }) => payoutId],
  ["sha256", "bytea", ({ sha256 }) => sha256],
  ["outcome", "text", ({ outcome }) => outcome],
  ["is_duplicate", "boolean", ({ isDuplicate }) => isDuplicate],
  ["reason_code", "text", ({ reasonCode }) => reasonCode],
];

/** Lists all imported evidence about these payouts, from all files, by payout id. */
export async function listPayoutEvidence(
  tx: Tx,
  payouts: readonly Pick<Payout, "clientId" | "payoutId">[],
): Promise<ReadonlyMap<string, PayoutEvidence>> {
  const keys = unnest(keyColumns, payouts);
  const entries = await tx.query<EntryRow>(sql`
    select payout_id, kind, bank_reference, currency, amount_minor, is_credit, return_code, booked_at
    from ${keys} as named (bucket, client_id, payout_id) join payout_entries using (bucket, client_id, payout_id)
    order by booked_at, entry_key
  `);
  const reports = await tx.query<ReportRow>(sql`
    select payout_id, outcome, is_duplicate, reason_code
    from ${keys} as named (bucket, client_id, payout_id) join payout_reports using (bucket, client_id, payout_id)
    order by imported_at, sha256
  `);
  const entriesBy = Map.groupBy(entries, ({ payout_id }) => payout_id);
  const reportsBy = Map.groupBy(reports, ({ payout_id }) => payout_id);
  return new Map(
    payouts.map(({ payoutId }) => [
      payoutId,
      {
        entries: (entriesBy.get(payoutId) ?? []).map(toEntry),
        reports: (reportsBy.get(payoutId) ?? []).map(toReport),
      },
    ]),
  );
}

const keyColumns: ColumnTable<Pick<Payout, "clientId" | "payoutId">> = [
  ["bucket", "smallint", ({ clientId }) => bucketOf(clientId)],
  ["client_id", "text", ({ clientId }) => clientId],
  ["payout_id", "text", ({ payoutId }) => payoutId],
];

/** A payout that may need a decision by people. */
export interface DoubtfulPayout {
  readonly clientId: string;
  readonly payoutId: string;
  readonly endToEndId: string;
  readonly status: PayoutStatus;
  readonly amount: Payout["amount"];
  /** The newest booking date, or the import time of the newest report. */
  readonly at: Date;
}

/**
 * Lists payouts whose entries are neither one debit, nor one debit and one return, and payouts with a contradicting
 * report. The exact rule is `payoutProblemOf`; this query only excludes the many payouts without a problem.
 */
export async function listDoubtfulPayouts(tx: Tx): Promise<readonly DoubtfulPayout[]> {
  const rows = await tx.query<DoubtfulRow>(sql`
    with by_kind as (
      select bucket, client_id, payout_id, kind, p.status, max(e.booked_at) as at, count(*) as entries,
        count(*) filter (where e.currency = p.currency and e.amount_minor = p.amount_minor and not is_credit) as debits,
        count(*) filter (where e.currency = p.currency and e.amount_minor = p.amount_minor and is_credit
          and return_code is not null) as returns,
        min(bank_reference) as least, max(bank_reference) as most, count(bank_reference) as named
      from payout_entries as e join payouts as p using (bucket, client_id, payout_id)
      where ${isHomeHere} group by bucket, client_id, payout_id, kind, p.status
    ), doubtful as (
      select bucket, client_id, payout_id, max(at) as at from by_kind
      group by bucket, client_id, payout_id, status
      having not coalesce(bool_and(entries = debits + returns and case status
          when 'PAID' then debits = 1 and returns = 0 when 'RETURNED' then debits <= 1 and returns <= 1 else false end)
        and (count(*) = 1 or (status = 'PAID' and min(least) = max(most) and bool_and(named = entries))), false)
      union all
      select bucket, client_id, payout_id, max(imported_at) from payout_reports where not is_duplicate and ${isHomeHere}
      group by bucket, client_id, payout_id
    )
    select client_id, payout_id, p.end_to_end_id, p.status, p.currency, p.amount_minor, max(at) as at
    from doubtful join payouts as p using (bucket, client_id, payout_id)
    group by client_id, payout_id, p.end_to_end_id, p.status, p.currency, p.amount_minor
    order by payout_id
  `);
  return rows.map((row) => ({
    clientId: row.client_id,
    payoutId: row.payout_id,
    endToEndId: row.end_to_end_id,
    status: row.status,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    at: row.at,
  }));
}

interface EntryRow {
  readonly payout_id: string;
  readonly kind: CamtKind;
  readonly bank_reference: string | null;
  readonly currency: string;
  readonly amount_minor: string;
  readonly is_credit: boolean;
  readonly return_code: string | null;
  readonly booked_at: Date;
}

function toEntry(row: EntryRow): PayoutEntry {
  return {
    kind: row.kind,
    bankReference: row.bank_reference ?? undefined,
    amount: { currency: row.currency, minor: BigInt(row.amount_minor) },
    isCredit: row.is_credit,
    returnCode: row.return_code ?? undefined,
    bookedAt: row.booked_at,
  };
}

interface ReportRow {
  readonly payout_id: string;
  readonly outcome: UnappliedReport["outcome"];
  readonly is_duplicate: boolean;
  readonly reason_code: string | null;
}

function toReport(row: ReportRow): UnappliedReport {
  return {
    outcome: row.outcome,
    isDuplicate: row.is_duplicate,
    reasonCode: row.reason_code ?? undefined,
  };
}

interface DoubtfulRow {
  readonly client_id: string;
  readonly payout_id: string;
  readonly end_to_end_id: string;
  readonly status: PayoutStatus;
  readonly currency: string;
  readonly amount_minor: string;
  readonly at: Date;
}
