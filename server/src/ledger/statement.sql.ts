import type { ClientKey } from "../core/client-key.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import { accountingDayOf, accountingMonth } from "../core/accounting-day.ts";
import { findBalancePosition } from "./balance.sql.ts";
import {
  searchStart,
  type StatementDay,
  type StatementLine,
  type StatementPart,
  type StatementPosition,
} from "./statement.ts";
import { payableAccount, type EffectName } from "./transfer.ts";

/**
 * Sums the changes of an account, with our fee and its tax in separate columns. The rows must have `change` and the
 * `other` account.
 */
export const grossFeeTax = fragment`
  coalesce(sum(change) filter (where other not in ('fee revenue', 'tax payable')), 0)::text as gross,
  coalesce(sum(change) filter (where other = 'fee revenue'), 0)::text as fee,
  coalesce(sum(change) filter (where other = 'tax payable'), 0)::text as tax`;

interface StatementQuery {
  readonly currency: string;
  readonly from: Date;
  readonly until: Date;
  readonly after: StatementPosition | undefined;
  readonly limit: number;
}

/**
 * Returns up to `limit` lines of a statement, and the balance before the first line. It returns one more line if there
 * is a next page. The lines and the later or earlier changes come from one SQL statement and so from one snapshot.
 */
export async function findStatement(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { currency, from, until, after, limit }: StatementQuery,
): Promise<StatementPart> {
  const account = payableAccount(clientId);
  const start = searchStart(from, after);
  // The position is a parameter, so that the planner uses the index, as in `findBalance`.
  const [position, known] = await Promise.all([
    findBalancePosition(tx),
    findKnownBalance(tx, { clientId, account, currency }, start),
  ]);
  // The changes from the known balance to the first line are added, and those from the first line to it subtracted.
  const addedFrom = known?.at ?? distantFuture;
  const addedUntil = after ? new Date(start.getTime() + 1) : from;
  const subtractedUntil = known?.at ?? distantFuture;
  const rows = await tx.query<StatementRow>(sql`
    with place as (
      select ${after?.subjectId}::text as subject_id, ${after?.effect}::text as effect,
        timestamptz 'epoch' + ${after?.atMicros}::bigint * interval '1 microsecond' as at
    ), movements as not materialized (
      select l.subject_id, l.effect, l.at,
        case when l.credit_account = ${account} then l.amount_minor else -l.amount_minor end as change,
        case when l.credit_account = ${account} then l.debit_account else l.credit_account end as other,
        place.at is null or (l.at, l.subject_id, l.effect) > (place.at, place.subject_id, place.effect) as is_after
      from ledger_transfers as l, place
      where l.client_id collate "C" = ${clientId} and l.currency = ${currency}
        and ${account} in (l.debit_account, l.credit_account)
    ), page as (
      select at, subject_id, effect,
        ${grossFeeTax}
      -- The condition on the time repeats is_after for the index: PostgreSQL does not search the index by a row of
      -- three columns.
      from movements where at >= ${start} and is_after and at < ${until}
      group by at, subject_id, effect order by at, subject_id, effect limit ${limit}::int + 1
    ), opening as (
      select coalesce(${known?.minor}::numeric, - coalesce((
          select amount_minor from balances
          where bucket = ${bucket} and client_id = ${clientId} and account = ${account} and currency = ${currency}
        ), 0) - coalesce((
          select sum(case when debit_account = ${account} then amount_minor else -amount_minor end)
          from ledger_transfers
          where transaction >= ${position}::xid8 and transaction >= (select summed_up_to from balances_position)
            and client_id = ${clientId} and currency = ${currency}
            and ${account} in (debit_account, credit_account)
        ), 0)) + coalesce((
          select sum(change) from movements
          where at >= ${addedFrom} and at < ${addedUntil} and (at < ${start} or not is_after)
        ), 0) - coalesce((
          select sum(change) from movements where at >= ${start} and is_after and at < ${subtractedUntil}
        ), 0) as minor
    )
    select opening.minor::text as opening, page.*, (extract(epoch from page.at) * 1000000)::bigint::text as at_micros
    from opening left join page on true order by page.at, page.subject_id, page.effect
  `);
  return {
    openingMinor: BigInt(rows[0]?.opening ?? 0),
    lines: rows.flatMap((row) => (row.subject_id === null ? [] : [toLine(row)])),
  };
}

const distantFuture = new Date(Date.UTC(9999, 0));

/** The balance of an account at a time, as a month close stored it; positive if we owe the merchant. */
interface KnownBalance {
  readonly at: Date;
  readonly minor: string;
}

/**
 * Returns the stored balance nearest to a time: undefined if none is nearer than now, whose balance is known as well. So
 * a statement of an old month reads the movements of at most half a month, and not all since.
 */
async function findKnownBalance(
  tx: Tx,
  {
    clientId,
    account,
    currency,
  }: { readonly clientId: string; readonly account: string; readonly currency: string },
  time: Date,
): Promise<KnownBalance | undefined> {
  const month = accountingDayOf(time).slice(0, 7);
  const rows = await tx.query<{ month: string; minor: string; now: Date }>(sql`
    select month, (-amount_minor)::text as minor, now()
    from closings_around(${clientId}, ${account}, ${currency}, ${month})
  `);
  const distanceTo = (at: Date): number => Math.abs(at.getTime() - time.getTime());
  return rows
    .map((row) => ({ at: accountingMonth(row.month).until, minor: row.minor, now: row.now }))
    .filter(({ at, now }) => distanceTo(at) < distanceTo(now))
    .toSorted((a, b) => distanceTo(a.at) - distanceTo(b.at))[0];
}

/**
 * Returns the opening balance of a statement and the sum of each day. They come from two snapshots, but still add up,
 * because a posting between these belongs to a day and not to the time before.
 */
export async function listStatementDays(
  tx: Tx,
  key: ClientKey,
  { currency, from, until }: Omit<StatementQuery, "after" | "limit">,
): Promise<{ readonly openingMinor: bigint; readonly days: readonly StatementDay[] }> {
  const { clientId } = key;
  const account = payableAccount(clientId);
  const { openingMinor } = await findStatement(tx, key, {
    currency,
    from,
    until,
    after: undefined,
    limit: 0,
  });
  const rows = await tx.query<DayRow>(sql`
    select (l.at at time zone 'UTC' + interval '8 hours')::date::text as day, count(distinct (l.subject_id, l.effect))::int as line_count,
      ${grossFeeTax}
    from ledger_transfers as l
    cross join lateral (select
      case when l.credit_account = ${account} then l.amount_minor else -l.amount_minor end as change,
      case when l.credit_account = ${account} then l.debit_account else l.credit_account end as other) as side
    where l.client_id collate "C" = ${clientId} and l.currency = ${currency}
      and ${account} in (l.debit_account, l.credit_account) and l.at >= ${from} and l.at < ${until}
    group by day order by day
  `);
  const days = rows.map((row) => ({
    day: row.day,
    lineCount: row.line_count,
    grossMinor: BigInt(row.gross),
    feeMinor: BigInt(row.fee),
    taxMinor: BigInt(row.tax),
  }));
  return { openingMinor, days };
}

interface DayRow {
  readonly day: string;
  readonly line_count: number;
  readonly gross: string;
  readonly fee: string;
  readonly tax: string;
}

interface LineRow {
  readonly subject_id: string;
  readonly effect: EffectName;
  readonly at: Date;
  readonly at_micros: string;
  readonly gross: string;
  readonly fee: string;
  readonly tax: string;
}

type StatementRow = { readonly opening: string } & (LineRow | { readonly subject_id: null });

function toLine(row: LineRow): StatementLine {
  const { subject_id: subjectId, effect, at, at_micros: atMicros } = row;
  return {
    subjectId,
    effect,
    at,
    grossMinor: BigInt(row.gross),
    feeMinor: BigInt(row.fee),
    taxMinor: BigInt(row.tax),
    position: { atMicros, subjectId, effect },
  };
}

/** Returns the merchant's registered name, for the header of a statement. */
export async function findMerchantName(tx: Tx, { bucket, clientId }: ClientKey): Promise<string | undefined> {
  const rows = await tx.query<{ readonly name: string }>(sql`
    select name from clients where bucket = ${bucket} and client_id = ${clientId}
  `);
  return rows[0]?.name;
}
