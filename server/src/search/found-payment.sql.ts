import type { ClientKey } from "../core/client-key.ts";
import type { PageWindow } from "../core/page.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import { timeOfId, type AmountRange, type FoundAmount, type PaymentKind } from "./found-payment.ts";

/** The newest first, one more than the limit: along the primary key, past what does not fit. */
export async function listAlong(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { status, paymentMethodType, currency }: PaymentKind,
  { fromMinor, untilMinor }: AmountRange,
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly string[]> {
  const rows = await tx.query<{ payment_id: string }>(sql`
    select payment_id from search_payments
    where bucket = ${bucket} and client_id = ${clientId}
      and payment_id >= ${idFrom} and payment_id < ${idBefore}
      and (${status}::text is null or status = ${status})
      and (${paymentMethodType}::text is null or payment_method_type = ${paymentMethodType})
      and (${currency}::text is null or currency = ${currency})
      and (${fromMinor}::bigint is null or amount_minor >= ${fromMinor}::bigint)
      and (${untilMinor}::bigint is null or amount_minor <= ${untilMinor}::bigint)
    order by payment_id desc limit ${limit}::int + 1
  `);
  return rows.map(({ payment_id }) => payment_id);
}

/**
 * The same for a kind that may be rare, without an index that changes with the status. The counts say in which days, and in these
 * in which hours, there is something: only as many of the newest as it takes to fill the page are read. An hour that the
 * cursor cuts may have less than it counts, so nothing is counted on it.
 */
export async function listByKind(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { status, paymentMethodType, currency }: PaymentKind,
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly string[]> {
  const [from, before] = [timeOfId(idFrom), timeOfId(idBefore)];
  const rows = await tx.query<{ payment_id: string }>(sql`
    with days as materialized (
      select starts_at, sum(payment_count) as held from payment_counts
      where bucket = ${bucket} and client_id = ${clientId} and span = 'day'
        and starts_at > coalesce(${from}::timestamptz, '-infinity') - interval '1 day'
        and starts_at <= coalesce(${before}::timestamptz, 'infinity') and payment_count > 0
        and (${status}::text is null or status = ${status})
        and (${paymentMethodType}::text is null or payment_method_type = ${paymentMethodType})
        and (${currency}::text is null or currency = ${currency})
      group by starts_at
    ), newest_days as materialized (
      select starts_at from (
        select starts_at, sum(held) filter (where starts_at + interval '1 day' <= coalesce(${before}::timestamptz, 'infinity'))
          over (order by starts_at desc rows between unbounded preceding and 1 preceding) as newer
        from days
      ) as summed where coalesce(newer, 0) <= ${limit}::int
    ), hours as materialized (
      select h.starts_at, sum(h.payment_count) as held
      from newest_days as d join payment_counts as h on h.bucket = ${bucket} and h.client_id = ${clientId}
        and h.span = 'hour' and h.starts_at >= d.starts_at and h.starts_at < d.starts_at + interval '1 day'
      where h.payment_count > 0
        and (${status}::text is null or h.status = ${status})
        and (${paymentMethodType}::text is null or h.payment_method_type = ${paymentMethodType})
        and (${currency}::text is null or h.currency = ${currency})
        and h.starts_at <= coalesce(${before}::timestamptz, 'infinity')
      group by h.starts_at
    ), newest_hours as materialized (
      select ${hourAsIds} from (
        select starts_at, sum(held) filter (where starts_at + interval '1 hour' <= coalesce(${before}::timestamptz, 'infinity'))
          over (order by starts_at desc rows between unbounded preceding and 1 preceding) as newer
        from hours
      ) as summed where coalesce(newer, 0) <= ${limit}::int
    )
    select found.payment_id from newest_hours as h cross join lateral (
      select payment_id from search_payments as s
      where s.bucket = ${bucket} and s.client_id = ${clientId}
        and s.payment_id >= h.id_from and s.payment_id < h.id_before
        and s.payment_id >= ${idFrom} and s.payment_id < ${idBefore}
        and (${status}::text is null or s.status = ${status})
        and (${paymentMethodType}::text is null or s.payment_method_type = ${paymentMethodType})
        and (${currency}::text is null or s.currency = ${currency})
      order by s.payment_id desc limit ${limit}::int + 1
    ) as found
    order by found.payment_id desc limit ${limit}::int + 1
  `);
  return rows.map(({ payment_id }) => payment_id);
}

/** Texts of their own: behind row-level security, an index is not searched with what a function gives (`to_char`). */
const hourAsIds = fragment`to_char(starts_at at time zone 'utc', 'YYYYMMDDHH24') as id_from,
        to_char(starts_at at time zone 'utc' + interval '1 hour', 'YYYYMMDDHH24') as id_before`;

/** The same for amounts of which there are few; undefined when there are more than `fewMax`. */
export async function listByAmount(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { status, paymentMethodType, currency }: PaymentKind,
  { fromMinor = "0", untilMinor = amountMax }: AmountRange,
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly string[] | undefined> {
  const [row] = await tx.query<{ are_few: boolean; ids: readonly string[] }>(sql`
    with near as materialized (
      select payment_id, status, payment_method_type, currency from search_payments
      where bucket = ${bucket} and client_id = ${clientId}
        and amount_minor >= ${fromMinor}::bigint and amount_minor <= ${untilMinor}::bigint
      limit ${fewMax}::int + 1
    )
    select count(*) <= ${fewMax}::int as are_few, array(
      select payment_id from near
      where payment_id >= ${idFrom} and payment_id < ${idBefore}
        and (${status}::text is null or status = ${status})
        and (${paymentMethodType}::text is null or payment_method_type = ${paymentMethodType})
        and (${currency}::text is null or currency = ${currency})
      order by payment_id desc limit ${limit}::int + 1
    ) as ids
    from near
  `);
  return row?.are_few ? row.ids : undefined;
}

const fewMax = 5_000;
const amountMax = "9223372036854775807";

/** Payments to which this text belongs: an id of theirs or of what followed them, the wallet's reference, or how your own id begins. */
export async function listByText(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  text: string,
): Promise<readonly string[]> {
  const rows = await tx.query<{ payment_id: string }>(sql`
    (select payment_id from search_payments
     where bucket = ${bucket} and client_id = ${clientId} and payment_request_id >= ${text}
       and payment_request_id < ${text}::text || chr(127) order by payment_request_id limit ${sameBeginningMax}::int)
    union
    select payment_id from search_payments
    where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${text}
    union
    select payment_id from search_payments
    where bucket = ${bucket} and client_id = ${clientId} and wallet_reference = ${text}
    union
    select payment_id from captures where bucket = ${bucket} and client_id = ${clientId} and capture_id = ${text}
    union
    select payment_id from captures
    where bucket = ${bucket} and client_id = ${clientId} and capture_request_id = ${text}
    union
    select payment_id from refunds where bucket = ${bucket} and client_id = ${clientId} and refund_id = ${text}
    union
    select payment_id from refunds
    where bucket = ${bucket} and client_id = ${clientId} and refund_request_id = ${text}
    union
    select payment_id from disputes where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${text}
  `);
  return rows.map(({ payment_id }) => payment_id);
}

const sameBeginningMax = 1_000;

/** The newest payments of exactly these amounts, whatever their currency: what 12.50 is in minor units differs by it. */
export async function listByMinor(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  minors: readonly bigint[],
): Promise<readonly FoundAmount[]> {
  const rows = await tx.query<{ payment_id: string; currency: string; amount_minor: string }>(sql`
    select found.* from unnest(${minors}::bigint[]) as asked (minor) cross join lateral (
      select payment_id, currency, amount_minor::text from search_payments
      where bucket = ${bucket} and client_id = ${clientId} and amount_minor = asked.minor
      order by payment_id desc limit ${sameBeginningMax}::int
    ) as found
  `);
  return rows.map((row) => ({
    paymentId: row.payment_id,
    currency: row.currency,
    minor: BigInt(row.amount_minor),
  }));
}
