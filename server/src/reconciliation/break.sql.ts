import type { Money } from "../core/money.ts";
import { columnNames, unnest, type ColumnTable } from "../postgres/column-table.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import {
  bankBreakKinds,
  breaksThatNeedFile,
  costBreakKinds,
  sumNames,
  writtenOffThenBooked,
  type Break,
  type BreakKind,
} from "./break.ts";
import { receivableRowKinds } from "../ledger/bank-effects.ts";
import type { CutOff } from "./compare.sql.ts";

/** A break as it is stored from run to run. */
export interface StoredBreak extends Break {
  readonly breakId: number;
  readonly firstSeenAt: Date;
  /** The explanation, if a person has explained the break. */
  readonly closed?: Closing | undefined;
  /** The person responsible. */
  readonly assigned?: Assignment | undefined;
  /** The written-off part in minor units; positive if the ledger had too much. */
  readonly writtenOffMinor: bigint;
  readonly writeOffCount: number;
  /** The account to which the break was written off. */
  readonly writeOffAccount: string | undefined;
}

interface Assignment {
  readonly to: string;
  readonly at: Date;
}

/** The explanation of a closed break. */
export interface Closing {
  readonly at: Date;
  readonly by: string;
  readonly reason: string;
}

const batchSize = 5_000;

/** Inserts breaks in batches (upsert): an open break is only marked as seen again. */
export async function insertBreaks(tx: Tx, breaks: readonly Break[], now: Date): Promise<void> {
  for (let at = 0; at < breaks.length; at += batchSize) {
    await insertBatch(tx, breaks.slice(at, at + batchSize), now);
  }
}

async function insertBatch(tx: Tx, breaks: readonly Break[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into breaks (kind, connector, subject, reference, payment_id, currency, sums, effect_at, first_seen_at,
      last_seen_at)
    select distinct on (kind, connector, subject, reference, currency)
      kind, connector, subject, reference, payment_id, currency, sums::jsonb, effect_at, ${now}::timestamptz,
      ${now}::timestamptz
    from ${unnest(breakColumns, breaks)} as found (${breakColumnNames})
    on conflict (coalesce(connector, ''), subject, reference, currency, kind) where resolved_at is null
      do update set last_seen_at = excluded.last_seen_at, sums = excluded.sums, payment_id = excluded.payment_id,
        closed_at = case when breaks.sums = excluded.sums then breaks.closed_at end,
        closed_by = case when breaks.sums = excluded.sums then breaks.closed_by end,
        closing_reason = case when breaks.sums = excluded.sums then breaks.closing_reason end
  `);
}

const breakColumns: ColumnTable<Break> = [
  ["kind", "text", ({ kind }) => kind],
  ["connector", "text", ({ connector }) => connector],
  ["subject", "text", ({ subject }) => subject],
  ["reference", "text", ({ reference }) => reference],
  ["payment_id", "text", ({ paymentId }) => paymentId],
  ["currency", "text", ({ currency }) => currency],
  ["sums", "text", ({ sums }) => toJson(sums)],
  ["effect_at", "timestamptz", ({ at }) => at],
];
const breakColumnNames = columnNames(breakColumns);

/** Lists the open breaks of the run at this time, the oldest movement first, without explained breaks. */
export async function listBreaks(tx: Tx, seenAt: Date): Promise<readonly StoredBreak[]> {
  const rows = await tx.query<BreakRow>(sql`
    select ${columns} from breaks where resolved_at is null and closed_at is null and last_seen_at = ${seenAt}
    order by connector nulls last, effect_at nulls last, break_id
  `);
  return rows.map(toStoredBreak);
}

/** Lists all unresolved breaks, unexplained ones first. */
export async function listUnresolvedBreaks(tx: Tx, limit: number): Promise<readonly StoredBreak[]> {
  const rows = await tx.query<BreakRow>(sql`
    select ${columns} from breaks where resolved_at is null
    order by closed_at is not null, effect_at nulls last, break_id limit ${limit}
  `);
  return rows.map(toStoredBreak);
}

export async function findUnresolvedBreak(tx: Tx, breakId: number): Promise<StoredBreak | undefined> {
  const [row] = await tx.query<BreakRow>(sql`
    select ${columns} from breaks where resolved_at is null and break_id = ${breakId} for update
  `);
  return row && toStoredBreak(row);
}

/** Closes a break with an explanation, or reopens it without one. */
export async function updateBreakClosing(
  tx: Tx,
  breakId: number,
  closing: Closing | undefined,
): Promise<void> {
  await tx.query(sql`
    update breaks set closed_at = ${closing?.at}, closed_by = ${closing?.by}, closing_reason = ${closing?.reason}
    where break_id = ${breakId}
  `);
}

export async function updateBreakAssignment(
  tx: Tx,
  breakId: number,
  assignment: Assignment | undefined,
): Promise<void> {
  await tx.query(sql`
    update breaks set assigned_to = ${assignment?.to}, assigned_at = ${assignment?.at} where break_id = ${breakId}
  `);
}

/**
 * Posts the rest of a break as a write-off and closes the break. PostgreSQL also computes the amount, and rejects a
 * different one.
 */
export async function updateBreakWrittenOff(
  tx: Tx,
  breakId: number,
  minor: bigint,
  { by, reason }: Omit<Closing, "at">,
): Promise<void> {
  await tx.query(sql`select write_off_break(${breakId}, ${minor}, ${by}, ${reason})`);
}

/** Lists the write-offs of an account by currency: the posted sum, and the sum that unresolved breaks explain. */
export async function listWriteOffSums(
  tx: Tx,
  account: string,
): Promise<
  readonly { readonly currency: string; readonly postedMinor: bigint; readonly explainedMinor: bigint }[]
> {
  const rows = await tx.query<{ currency: string; posted: string; explained: string }>(sql`
    select currency, coalesce(sum(posted), 0)::text as posted, coalesce(sum(explained), 0)::text as explained from (
      select currency, case when credit_account = ${account} then amount_minor else -amount_minor end as posted, null as explained
      from public.ledger_transfers where effect = 'write-off' and ${account} in (debit_account, credit_account)
      union all
      select currency, null, written_off_minor from breaks where resolved_at is null and write_off_account = ${account}
    ) as written group by currency
  `);
  return rows.map(({ currency, posted, explained }) => ({
    currency,
    postedMinor: BigInt(posted),
    explainedMinor: BigInt(explained),
  }));
}

const columns = fragment`break_id, kind, connector, subject, reference, payment_id, currency, sums, effect_at, first_seen_at,
      closed_at, closed_by, closing_reason, assigned_to, assigned_at, written_off_minor, write_off_count,
      write_off_account`;

/** The scope of a run. */
interface RunScope {
  readonly connector: string | undefined;
  readonly cutOffs: readonly CutOff[];
  readonly isDay: boolean;
  /** The kinds of breaks with banks and contracts that the run looked for. */
  readonly checkedKinds: readonly BreakKind[];
}

/** Kinds of breaks that not every run looks for. A run that looks for them covers all of their breaks. */
const conditionalKinds = [...bankBreakKinds, ...costBreakKinds];

/**
 * Resolves breaks that were not seen again; returns their number. A break that only a file can show stays open if it is
 * after the cut-off of this run. If a written-off break disappears, the money moved after all and the write-off is
 * wrong: a break of a separate kind then stays open until the write-off is reversed.
 */
export async function updateBreaksResolved(
  tx: Tx,
  { connector, cutOffs, isDay, checkedKinds }: RunScope,
  now: Date,
): Promise<number> {
  await tx.query(sql`
    update breaks set last_seen_at = ${now}
    where resolved_at is null and kind = ${writtenOffThenBooked} and written_off_minor <> 0
      and (${connector}::text is null or connector = ${connector})
  `);
  const rows = await tx.query(sql`
    with resolved as (
      update breaks set resolved_at = ${now}
      where resolved_at is null and last_seen_at <> ${now}
        and (${connector}::text is null or connector = ${connector})
        and case when kind = any (${conditionalKinds}::text[]) then kind = any (${checkedKinds}::text[])
          -- A run of one day compares the payments of all breaks. Breaks without a payment, mainly balances, need a
          -- run without --day.
          else not ${isDay}::boolean or (payment_id is not null and subject <> all (${receivableRowKinds}::text[])) end
        and (kind <> all (${breaksThatNeedFile}::text[]) or exists (
          select from unnest(${cutOffs.map((each) => each.connector)}::text[],
            ${cutOffs.map(({ until }) => until)}::timestamptz[]) as cut_off (connector, until)
          where cut_off.connector = breaks.connector and breaks.effect_at < cut_off.until))
      returning *
    ), reopened as (
      insert into breaks (kind, connector, subject, reference, payment_id, currency, sums, effect_at, first_seen_at,
        last_seen_at, assigned_to, assigned_at, written_off_minor, write_off_account)
      select ${writtenOffThenBooked}, connector, subject, reference, min(payment_id), currency,
        jsonb_build_object('written', jsonb_build_object('currency', currency, 'minor', sum(written_off_minor)::text),
          'expected', jsonb_build_object('currency', currency, 'minor', '0')),
        max(effect_at), ${now}::timestamptz, ${now}::timestamptz, min(assigned_to), min(assigned_at), sum(written_off_minor),
        min(write_off_account)
      from resolved where written_off_minor <> 0 group by connector, subject, reference, currency
      on conflict (coalesce(connector, ''), subject, reference, currency, kind) where resolved_at is null
        do update set last_seen_at = excluded.last_seen_at,
          written_off_minor = breaks.written_off_minor + excluded.written_off_minor,
          sums = jsonb_set(breaks.sums, '{written,minor}',
            to_jsonb((breaks.written_off_minor + excluded.written_off_minor)::text)),
          closed_at = null, closed_by = null, closing_reason = null
    )
    select from resolved where written_off_minor = 0
  `);
  return rows.length;
}

type Sums = Break["sums"];

function toJson(sums: Sums): string {
  return JSON.stringify(sums, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value));
}

interface BreakRow {
  readonly break_id: string;
  readonly kind: BreakKind;
  readonly connector: string | null;
  readonly subject: string;
  readonly reference: string;
  readonly payment_id: string | null;
  readonly currency: string;
  readonly sums: Readonly<Record<string, { readonly currency: string; readonly minor: string }>>;
  readonly effect_at: Date | null;
  readonly first_seen_at: Date;
  readonly closed_at: Date | null;
  readonly closed_by: string | null;
  readonly closing_reason: string | null;
  readonly assigned_to: string | null;
  readonly assigned_at: Date | null;
  readonly written_off_minor: string;
  readonly write_off_count: number;
  readonly write_off_account: string | null;
}

function toStoredBreak(row: BreakRow): StoredBreak {
  const sums = sumNames.flatMap((name): [string, Money][] => {
    const sum = row.sums[name];
    return sum ? [[name, { currency: sum.currency, minor: BigInt(sum.minor) }]] : [];
  });
  return {
    breakId: Number(row.break_id),
    kind: row.kind,
    connector: row.connector ?? undefined,
    subject: row.subject,
    reference: row.reference,
    paymentId: row.payment_id ?? undefined,
    currency: row.currency,
    sums: Object.fromEntries(sums),
    at: row.effect_at ?? undefined,
    firstSeenAt: row.first_seen_at,
    closed: row.closed_at
      ? { at: row.closed_at, by: row.closed_by ?? "", reason: row.closing_reason ?? "" }
      : undefined,
    assigned: row.assigned_at ? { to: row.assigned_to ?? "", at: row.assigned_at } : undefined,
    writtenOffMinor: BigInt(row.written_off_minor),
    writeOffCount: row.write_off_count,
    writeOffAccount: row.write_off_account ?? undefined,
  };
}
