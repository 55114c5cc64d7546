import type { ClientKey } from "../core/client-key.ts";
import type { PageWindow } from "../core/page-window.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { timeOfId, type AmountRange, type FoundAmount, type PaymentFilter } from "./payment-search.ts";

/**
 * `listByPrimaryKey` lists payment ids, the newest first. It returns one id more than the limit, to show whether there
 * is a next page. It scans the primary key and skips payments with other amounts.
 */
export async function listByPrimaryKey(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { fromMinor, untilMinor }: AmountRange,
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly string[]> {
  const rows = await tx.query<{ payment_id: string }>(sql`
    select payment_id from search_payments
    where bucket = ${bucket} and client_id = ${clientId}
      and payment_id >= ${idFrom} and payment_id < ${idBefore}
      and (${fromMinor}::bigint is null or amount_minor >= ${fromMinor}::bigint)
      and (${untilMinor}::bigint is null or amount_minor <= ${untilMinor}::bigint)
    order by payment_id desc limit ${limit}::int + 1
  `);
  return rows.map(({ payment_id }) => payment_id);
}

/**
 * `listByFilter` lists payment ids for filters that may match few payments. It reads the newest ids of each matching
 * combination of status, currency and method, and merges them. The stored counts show which combinations exist. So the
 * cost depends on the number of combinations, and not on the number of payments.
 */
export async function listByFilter(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { status, paymentMethodType, currency }: PaymentFilter,
  { fromMinor, untilMinor }: AmountRange,
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly string[]> {
  const [from, before] = [timeOfId(idFrom), timeOfId(idBefore)];
  const rows = await tx.query<{ payment_id: string }>(sql`
    with kinds as materialized (
      select distinct status, currency, payment_method_type from payment_counts
      where bucket = ${bucket} and client_id = ${clientId} and span = 'day'
        and starts_at > coalesce(${from}::timestamptz, '-infinity') - interval '1 day'
        and starts_at <= coalesce(${before}::timestamptz, 'infinity') and payment_count > 0
        and (${status}::text is null or status = ${status})
        and (${paymentMethodType}::text is null or payment_method_type = ${paymentMethodType})
        and (${currency}::text is null or currency = ${currency})
    )
    select found.payment_id from kinds cross join lateral (
      select payment_id from search_payments as s
      where s.bucket = ${bucket} and s.client_id = ${clientId} and s.status = kinds.status
        and s.currency = kinds.currency and s.payment_method_type = kinds.payment_method_type
        and s.payment_id >= ${idFrom} and s.payment_id < ${idBefore}
        and (${fromMinor}::bigint is null or s.amount_minor >= ${fromMinor}::bigint)
        and (${untilMinor}::bigint is null or s.amount_minor <= ${untilMinor}::bigint)
      order by s.payment_id desc limit ${limit}::int + 1
    ) as found
    order by found.payment_id desc limit ${limit}::int + 1
  `);
  return rows.map(({ payment_id }) => payment_id);
}

/**
 * `listByDisplayStatus` lists ids of payments with a display status, by the index `search_payments_by_display_status`.
 * Method, currency and amount are checked row by row: a page reads at most the merchant's payments with this display
 * status.
 */
export async function listByDisplayStatus(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { displayStatus, paymentMethodType, currency }: PaymentFilter,
  { fromMinor, untilMinor }: AmountRange,
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly string[]> {
  const rows = await tx.query<{ payment_id: string }>(sql`
    select payment_id from search_payments
    where bucket = ${bucket} and client_id = ${clientId} and status = 'SUCCESS' and display_status = ${displayStatus}
      and payment_id >= ${idFrom} and payment_id < ${idBefore}
      and (${paymentMethodType}::text is null or payment_method_type = ${paymentMethodType})
      and (${currency}::text is null or currency = ${currency})
      and (${fromMinor}::bigint is null or amount_minor >= ${fromMinor}::bigint)
      and (${untilMinor}::bigint is null or amount_minor <= ${untilMinor}::bigint)
    order by payment_id desc limit ${limit}::int + 1
  `);
  return rows.map(({ payment_id }) => payment_id);
}

/**
 * `listByAmount` lists ids of payments within an amount range that has few payments; undefined if there are more than
 * `smallResultMax`.
 */
export async function listByAmount(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { status, paymentMethodType, currency }: PaymentFilter,
  { fromMinor = "0", untilMinor = amountMax }: AmountRange,
  { idFrom, idBefore, limit }: PageWindow,
): Promise<readonly string[] | undefined> {
  const [row] = await tx.query<{ are_few: boolean; ids: readonly string[] }>(sql`
    with near as materialized (
      select payment_id, status, payment_method_type, currency from search_payments
      where bucket = ${bucket} and client_id = ${clientId}
        and amount_minor >= ${fromMinor}::bigint and amount_minor <= ${untilMinor}::bigint
      limit ${smallResultMax}::int + 1
    )
    select count(*) <= ${smallResultMax}::int as are_few, array(
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

const smallResultMax = 5_000;
const amountMax = "9223372036854775807";

/**
 * `listByText` finds payments by their own ids or those of their captures, refunds and disputes, by the provider's
 * reference, or by the beginning of the merchant's request id or order number.
 *
 * Planner: each part on `search_payments` uses a range and an order, even for one value. Without statistics, all
 * indexes that start with bucket and client have the same cost, and the planner could choose one without the text
 * column and read all of the merchant's payments.
 */
export async function listByText(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  text: string,
): Promise<readonly string[]> {
  const rows = await tx.query<{ payment_id: string }>(sql`
    (select payment_id from search_payments
     where bucket = ${bucket} and client_id = ${clientId} and payment_request_id >= ${text}
       and payment_request_id < ${text}::text || chr(127) order by payment_request_id limit ${prefixMatchesMax}::int)
    union
    (select payment_id from search_payments
     where bucket = ${bucket} and client_id = ${clientId} and reference_order_id >= ${text}
       and reference_order_id < ${text}::text || chr(1114111) order by reference_order_id limit ${prefixMatchesMax}::int)
    union
    (select payment_id from search_payments
     where bucket = ${bucket} and client_id = ${clientId} and payment_id >= ${text} and payment_id <= ${text}
     order by payment_id limit 1)
    union
    (select payment_id from search_payments
     where bucket = ${bucket} and client_id = ${clientId} and provider_reference >= ${text} and provider_reference <= ${text}
     order by provider_reference limit ${prefixMatchesMax}::int)
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

const prefixMatchesMax = 1_000;

/**
 * `listByAmountMinor` lists the newest payments with exactly one of these amounts in any currency, because 12.50 in
 * minor units depends on the currency.
 */
export async function listByAmountMinor(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  minors: readonly bigint[],
): Promise<readonly FoundAmount[]> {
  const rows = await tx.query<{ payment_id: string; currency: string; amount_minor: string }>(sql`
    select found.* from unnest(${minors}::bigint[]) as asked (minor) cross join lateral (
      select payment_id, currency, amount_minor::text from search_payments
      where bucket = ${bucket} and client_id = ${clientId} and amount_minor = asked.minor
      order by payment_id desc limit ${prefixMatchesMax}::int
    ) as found
  `);
  return rows.map((row) => ({
    paymentId: row.payment_id,
    currency: row.currency,
    minor: BigInt(row.amount_minor),
  }));
}
