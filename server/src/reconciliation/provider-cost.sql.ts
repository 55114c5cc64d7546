import { startOfAccountingDay } from "../core/accounting-day.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { ReportedByProvider } from "./provider-cost.ts";

interface ReportedPeriod {
  readonly connector: string | undefined;
  readonly from: Date;
  readonly until: Date;
}

/**
 * Lists the providers' rows of a day. The query names the schema `public`, because a run of one day shadows the tables
 * with temporary copies. If a provider's fees name their payments, each payment of the day is returned with all its
 * amounts and fees, because a fee may be reported days later; otherwise the day is one group. The rows are grouped,
 * because a day has far fewer groups than payments. It is for an operator with oversight.
 */
export async function listReportedByProviders(
  tx: Tx,
  { connector, from, until }: ReportedPeriod,
): Promise<readonly ReportedByProvider[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<ReportedRow>(sql`
    with told as materialized (
      select connector, currency, payment_id, kind, amount_minor, at from public.settlement_rows
      where at >= ${from} and at < ${until}::timestamptz + interval '5 days' and (${connector}::text is null or connector = ${connector})
        and (kind in ('payment', 'capture') or (kind = 'fee' and amount_minor > 0))
    ), of_day as (
      select * from told where at < ${until}
    ), named as (
      select connector, currency from told where kind = 'fee' group by connector, currency having bool_and(payment_id <> '')
    ), compared as (
      select row.connector, row.currency, row.payment_id, row.kind, row.amount_minor, row.at, row.payment_id as named_id
      from (
        select distinct connector, currency, payment_id from of_day join named using (connector, currency) where kind <> 'fee'
      ) as payment join public.settlement_rows as row using (connector, currency, payment_id)
      where row.kind in ('payment', 'capture') or (row.kind = 'fee' and row.amount_minor > 0)
      union all
      select of_day.*, null from of_day where (connector, currency) not in (select connector, currency from named)
    )
    select compared.connector, compared.currency, named_id, kind = 'fee' as is_fee, compared.amount_minor, payment_method_type,
      min(at) as at, count(*)::int as count
    from compared left join public.payments as payment on kind <> 'fee' and payment.payment_id = compared.payment_id
      and payment.bucket = case when compared.payment_id ~ '^\\d{35}$' then substr(compared.payment_id, 18, 4)::smallint end
    group by 1, 2, 3, 4, 5, 6
  `);
  return rows.map((row) => ({
    connector: row.connector,
    currency: row.currency,
    paymentId: row.named_id ?? undefined,
    isFee: row.is_fee,
    paymentMethodType: row.payment_method_type ?? undefined,
    amountMinor: BigInt(row.amount_minor),
    at: row.at,
    count: row.count,
  }));
}

interface ReportedRow {
  readonly connector: string;
  readonly currency: string;
  readonly named_id: string | null;
  readonly is_fee: boolean;
  readonly payment_method_type: string | null;
  readonly amount_minor: string;
  readonly at: Date;
  readonly count: number;
}

/** Lists accounting days, from a day on, with rows in providers' files. */
export async function listReportedDays(tx: Tx, fromDay: string): Promise<readonly string[]> {
  const rows = await tx.query<{ day: string }>(sql`
    select distinct (at at time zone interval '8 hours')::date::text as day from public.settlement_rows
    where at >= ${startOfAccountingDay(fromDay)} order by 1
  `);
  return rows.map(({ day }) => day);
}

/** Lists accounting days with an unresolved difference. */
export async function listDaysWithDifference(tx: Tx): Promise<readonly string[]> {
  const rows = await tx.query<{ day: string }>(sql`
    select distinct (effect_at at time zone interval '8 hours')::date::text as day from breaks
    where resolved_at is null and kind = 'provider fee differs'
  `);
  return rows.map(({ day }) => day);
}
