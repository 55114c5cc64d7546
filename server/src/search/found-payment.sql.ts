import type { ClientKey } from "../core/client-key.ts";
import type { PageWindow } from "../core/page.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import { timeOfId, type AmountRange, type FoundAmount, type PaymentKind } from "./found-payment.ts";

/** The newest first, one more than the limit: along the primary key, past amounts that do not fit. */
export async function listAlong(
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
 * The same for a kind that may be rare: the newest of each status, currency and method that fits, merged. The counts say which there
 * are, so what is read depends on how many kinds a merchant has, and not on how many payments.
 */
export async function listByKind(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { status, paymentMethodType, currency }: PaymentKind,
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
 * The same for a display status, along `search_payments_by_display_status`. Conditions on method, currency and amount are checked row by row:
 * a page reads at most the merchant's payments with this display status.
 */
export async function listByDisplayStatus(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { displayStatus, paymentMethodType, currency }: PaymentKind,
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

/**
 * Payments to which this text belongs: an id of theirs or of what followed them, the wallet's reference, or how your own request id or order
 * number begins. Each part on `search_payments` asks for a range and an order, also for one value. Without statistics all indexes that begin with bucket and
 * client cost the same, and the planner would choose one that does not hold the text and read all of the merchant's payments.
 */
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
    (select payment_id from search_payments
     where bucket = ${bucket} and client_id = ${clientId} and reference_order_id >= ${text}
       and reference_order_id < ${text}::text || chr(1114111) order by reference_order_id limit ${sameBeginningMax}::int)
    union
    (select payment_id from search_payments
     where bucket = ${bucket} and client_id = ${clientId} and payment_id >= ${text} and payment_id <= ${text}
     order by payment_id limit 1)
    union
    (select payment_id from search_payments
     where bucket = ${bucket} and client_id = ${clientId} and wallet_reference >= ${text} and wallet_reference <= ${text}
     order by wallet_reference limit ${sameBeginningMax}::int)
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
