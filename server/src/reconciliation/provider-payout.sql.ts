import { nextAccountingDay, startOfAccountingDay } from "../core/accounting-day.ts";
import { sql, type Tx } from "../postgres/sql.ts";

/** A provider's payout, and the sum of the rows that name it. */
export interface ComparedPayout {
  readonly connector: string;
  readonly payoutId: string;
  readonly currency: string;
  /** The amount of the payout's own row; zero if the files have no such row. */
  readonly paidMinor: bigint;
  readonly rowsMinor: bigint;
  /** Time of the payout's own row, or the end of the value date of its rows; undefined if the files have neither. */
  readonly at: Date | undefined;
}

interface PayoutScope {
  readonly connector: string | undefined;
  /** The accounting day with the payouts' rows, together with payouts that differed before; absent for all payouts. */
  readonly day: string | undefined;
}

/**
 * `listDifferentPayouts` lists payouts whose amount is not the sum of their rows, by currency. It names the schema
 * `public`, because a run of one day shadows the tables with temporary copies.
 */
export async function listDifferentPayouts(
  tx: Tx,
  { connector, day }: PayoutScope,
): Promise<readonly ComparedPayout[]> {
  const [from, until] =
    day === undefined ? [] : [startOfAccountingDay(day), startOfAccountingDay(nextAccountingDay(day))];
  const rows = await tx.query<ComparedPayoutRow>(sql`
    with asked as materialized (
      select distinct connector, payout_id from public.settlement_payout_rows as named
      where (${connector}::text is null or connector = ${connector}) and ${day}::text is null
      union
      select connector, payout_id from public.settlement_rows as row
      join public.settlement_payout_rows as named using (connector, kind, operation_reference)
      where row.at >= ${from}::timestamptz and row.at < ${until}::timestamptz
        and (${connector}::text is null or connector = ${connector})
      union
      select connector, reference from breaks
      where resolved_at is null and kind = 'provider payout differs' and ${day}::text is not null
        and (${connector}::text is null or connector = ${connector})
    ), summed as (
      select connector, payout_id, currency,
        coalesce(sum(amount_minor) filter (where kind = 'payout'), 0) as paid_minor,
        coalesce(sum(case when kind in ('payment', 'capture', 'refund_reversal', 'chargeback_reversal', 'adjustment')
          then amount_minor else -amount_minor end) filter (where kind <> 'payout'), 0) as rows_minor,
        coalesce(max(at) filter (where kind = 'payout'),
          (max(value_date) + 1)::timestamp at time zone 'UTC') as at
      from asked join public.settlement_payout_rows using (connector, payout_id)
      join public.settlement_rows using (connector, kind, operation_reference)
      group by connector, payout_id, currency
    )
    select * from summed where paid_minor <> rows_minor order by connector, payout_id, currency
  `);
  return rows.map((row) => ({
    connector: row.connector,
    payoutId: row.payout_id,
    currency: row.currency,
    paidMinor: BigInt(row.paid_minor),
    rowsMinor: BigInt(row.rows_minor),
    at: row.at ?? undefined,
  }));
}

interface ComparedPayoutRow {
  readonly connector: string;
  readonly payout_id: string;
  readonly currency: string;
  readonly paid_minor: string;
  readonly rows_minor: string;
  readonly at: Date | null;
}
