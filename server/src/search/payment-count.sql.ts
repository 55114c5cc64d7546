import type { ClientKey } from "../core/client-key.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { ChartPoint, ChartWindow, NamedCount, TimeToPay } from "./payment-count.ts";

/** Filters of a chart. */
export interface ChartScope extends ChartWindow {
  readonly currency: string;
  readonly paymentMethodType: string | undefined;
}

const counts = fragment`sum(payment_count)::float8 as payment_count,
      coalesce(sum(payment_count) filter (where status = 'SUCCESS'), 0)::float8 as success_count`;

interface NamedCountRow {
  readonly name: string;
  readonly payment_count: number;
  readonly success_count: number;
}

function toNamedCount({ name, payment_count, success_count }: NamedCountRow): NamedCount {
  return { name, paymentCount: payment_count, successCount: success_count };
}

/** `listCurrencies` lists the currencies of a merchant's payments, the most frequent first. */
export async function listCurrencies(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { from, until, span }: ChartWindow,
): Promise<readonly string[]> {
  const rows = await tx.query<{ currency: string }>(sql`
    select currency from payment_counts
    where bucket = ${bucket} and client_id = ${clientId} and span = ${span}
      and starts_at >= ${from} and starts_at < ${until} and currency <> ''
    group by currency having sum(payment_count) > 0 order by sum(payment_count) desc, currency
  `);
  return rows.map(({ currency }) => currency);
}

/** `listPoints` returns the counts of payments by hour or day. It omits hours and days without payments. */
export async function listPoints(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { from, until, span, currency, paymentMethodType }: ChartScope,
): Promise<readonly ChartPoint[]> {
  const rows = await tx.query<PointRow>(sql`
    select starts_at, ${counts},
      coalesce(sum(payment_count) filter (where status = 'FAIL'), 0)::float8 as fail_count,
      coalesce(sum(payment_count) filter (where status = 'CANCELLED'), 0)::float8 as cancel_count,
      coalesce(sum(amount_minor) filter (where status = 'SUCCESS'), 0)::text as paid_minor
    from payment_counts
    where bucket = ${bucket} and client_id = ${clientId} and span = ${span}
      and starts_at >= ${from} and starts_at < ${until} and currency = ${currency}
      and (${paymentMethodType}::text is null or payment_method_type = ${paymentMethodType})
    group by starts_at order by starts_at
  `);
  return rows.map((row) => ({
    startsAt: row.starts_at,
    paymentCount: row.payment_count,
    successCount: row.success_count,
    failCount: row.fail_count,
    cancelCount: row.cancel_count,
    paidMinor: BigInt(row.paid_minor),
  }));
}

interface PointRow extends Omit<NamedCountRow, "name"> {
  readonly starts_at: Date;
  readonly fail_count: number;
  readonly cancel_count: number;
  readonly paid_minor: string;
}

/** `listReasons` lists the result codes of failed and cancelled payments, the most frequent first. */
export async function listReasons(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { from, until, span, currency, paymentMethodType }: ChartScope,
): Promise<readonly NamedCount[]> {
  const rows = await tx.query<NamedCountRow>(sql`
    select result_code as name, ${counts} from payment_counts
    where bucket = ${bucket} and client_id = ${clientId} and span = ${span}
      and starts_at >= ${from} and starts_at < ${until} and currency = ${currency}
      and (${paymentMethodType}::text is null or payment_method_type = ${paymentMethodType})
      and status in ('FAIL', 'CANCELLED')
    group by result_code having sum(payment_count) > 0 order by sum(payment_count) desc, result_code limit 20
  `);
  return rows.map(toNamedCount);
}

/**
 * `listMethods` lists all payment methods, the most frequent first. It ignores the filter by method, so that methods
 * can be compared.
 */
export async function listMethods(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { from, until, span, currency }: ChartScope,
): Promise<readonly NamedCount[]> {
  const rows = await tx.query<NamedCountRow>(sql`
    select payment_method_type as name, ${counts} from payment_counts
    where bucket = ${bucket} and client_id = ${clientId} and span = ${span}
      and starts_at >= ${from} and starts_at < ${until} and currency = ${currency} and payment_method_type <> ''
    group by payment_method_type having sum(payment_count) > 0
    order by sum(payment_count) desc, payment_method_type limit 50
  `);
  return rows.map(toNamedCount);
}

export async function findTimeToPay(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { from, until, span, currency, paymentMethodType }: ChartScope,
): Promise<TimeToPay> {
  const [row] = await tx.query<TimeToPayRow>(sql`
    select coalesce(sum(final_count), 0)::float8 as paid_count, coalesce(sum(final_seconds), 0)::float8 as total_seconds,
      coalesce(sum(within_5_s), 0)::float8 as within_5_s, coalesce(sum(within_15_s), 0)::float8 as within_15_s,
      coalesce(sum(within_60_s), 0)::float8 as within_60_s, coalesce(sum(within_300_s), 0)::float8 as within_300_s
    from payment_counts
    where bucket = ${bucket} and client_id = ${clientId} and span = ${span}
      and starts_at >= ${from} and starts_at < ${until} and currency = ${currency} and status = 'SUCCESS'
      and (${paymentMethodType}::text is null or payment_method_type = ${paymentMethodType})
  `);
  if (!row) throw new Error("The sums of payment_counts returned no row.");
  return {
    paidCount: row.paid_count,
    totalSeconds: row.total_seconds,
    within: [
      { seconds: 5, paymentCount: row.within_5_s },
      { seconds: 15, paymentCount: row.within_15_s },
      { seconds: 60, paymentCount: row.within_60_s },
      { seconds: 300, paymentCount: row.within_300_s },
    ],
  };
}

interface TimeToPayRow {
  readonly paid_count: number;
  readonly total_seconds: number;
  readonly within_5_s: number;
  readonly within_15_s: number;
  readonly within_60_s: number;
  readonly within_300_s: number;
}
