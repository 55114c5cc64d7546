import { startOfAccountingDay } from "../core/accounting-day.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
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
 * because a day has far fewer groups than payments. If all fees come from the column of their row, each row is returned
 * with its fee. Fees of other rows than payments and captures have no contract. It is for an operator with oversight.
 */
export async function listReportedByProviders(
  tx: Tx,
  { connector, from, until }: ReportedPeriod,
): Promise<readonly ReportedByProvider[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<ReportedRow>(sql`
    with told as materialized (
      select connector, currency, payment_id, kind, operation_reference, fee_of, amount_minor, at from public.settlement_rows
      where at >= ${from} and at < ${until}::timestamptz + interval '5 days' and (${connector}::text is null or connector = ${connector})
        and ${isCompared}
    ), of_day as (
      select * from told where at < ${until}
    ), named as (
      select connector, currency, bool_and(fee_of is not null) as by_row from told where kind = 'fee'
      group by connector, currency having bool_and(payment_id <> '')
    ), compared as (
      select connector, currency, payment_id, kind, amount_minor, at, payment_id as named_id,
        case when by_row then substr(operation_reference, coalesce(length(fee_of) + 2, 1)) end as row_reference
      from (
        select distinct connector, currency, payment_id, by_row from of_day join named using (connector, currency) where kind <> 'fee'
      ) as payment join public.settlement_rows using (connector, currency, payment_id)
      where ${isCompared}
      union all
      select connector, currency, payment_id, kind, amount_minor, at, null, null from of_day where (connector, currency) not in (select connector, currency from named)
    )
    select compared.connector, compared.currency, named_id, row_reference, kind = 'fee' as is_fee, compared.amount_minor, payment_method_type,
      min(at) as at, count(*)::int as count
    from compared left join public.payments as payment on kind <> 'fee' and payment.payment_id = compared.payment_id
      and payment.bucket = case when compared.payment_id ~ '^\\d{35}$' then substr(compared.payment_id, 18, 4)::smallint end
    group by 1, 2, 3, 4, 5, 6, 7
  `);
  return rows.map((row) => ({
    connector: row.connector,
    currency: row.currency,
    paymentId: row.named_id ?? undefined,
    reference: row.row_reference ?? undefined,
    isFee: row.is_fee,
    paymentMethodType: row.payment_method_type ?? undefined,
    amountMinor: BigInt(row.amount_minor),
    at: row.at,
    count: row.count,
  }));
}

/** Rows that a contract is about: payments, captures and their fees. A returned fee has no contract. */
const isCompared = fragment`(kind in ('payment', 'capture')
        or (kind = 'fee' and amount_minor > 0 and coalesce(fee_of, 'payment') in ('payment', 'capture')))`;

interface ReportedRow {
  readonly connector: string;
  readonly currency: string;
  readonly named_id: string | null;
  readonly row_reference: string | null;
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
