import { fragment, sql, type Statement } from "../../../../server/src/postgres/sql.ts";
import type { SubmitCall } from "../protocol/messages.schema.ts";
import type { OrderChange } from "./order.ts";

const columns = fragment`reference, payment_id as "paymentId", merchant_id as "merchantId", account, currency,
  amount_minor::text as "amountMinor", method_type as "methodType", capture_mode as "captureMode",
  content_hash as "contentHash", callback_url as "callbackUrl", created_at as "createdAt",
  first_sent_at as "firstSentAt", last_sent_at as "lastSentAt", key_number as "keyNumber",
  has_stored_error as "hasStoredError", state, provider_order_id as "providerOrderId", sequence, report,
  cancel_state as "cancelState", cancel_code as "cancelCode"`;

export function insertOrder(call: SubmitCall, contentHash: Buffer, now: Date): Statement {
  const {
    reference,
    paymentId,
    merchantId,
    account,
    amount,
    paymentMethodType,
    capture = "AUTOMATIC",
  } = call;
  return sql`
    insert into orders (reference, payment_id, merchant_id, account, currency, amount_minor, method_type, capture_mode,
      content_hash, callback_url, expiry_time, created_at)
    values (${reference}, ${paymentId}, ${merchantId}, ${account}, ${amount.currency}, ${amount.value}::bigint,
      ${paymentMethodType}, ${capture}, ${contentHash}, ${call.callbackUrl}, ${call.expiryTime}::timestamptz, ${now})
    on conflict do nothing
    returning ${columns}`;
}

export function insertTombstone(reference: string, now: Date): Statement {
  return sql`
    insert into orders (reference, state, created_at) values (${reference}, 'CLOSED', ${now})
    on conflict do nothing
    returning ${columns}`;
}

export function selectOrder(reference: string): Statement {
  return sql`select ${columns} from orders where reference = ${reference}`;
}

export function selectOrderByProviderId(providerOrderId: string): Statement {
  return sql`select ${columns} from orders where provider_order_id = ${providerOrderId}`;
}

export function lockOrder(reference: string): Statement {
  return sql`select ${columns} from orders where reference = ${reference} for update`;
}

/**
 * Leases the order for a message to the provider, so that two processes never send at the same time. A lease that its
 * process does not release expires.
 */
export function leaseOrder(reference: string, leaseSeconds: number): Statement {
  return sql`
    update orders set leased_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
    where reference = ${reference} and (leased_until is null or leased_until < clock_timestamp())
    returning ${columns}`;
}

export function releaseOrder(reference: string): Statement {
  return sql`update orders set leased_until = null where reference = ${reference}`;
}

/** Stores before the send that the message may have been sent. */
export function markOrderSent(reference: string, keyNumber: number, now: Date): Statement {
  return sql`
    update orders set first_sent_at = coalesce(first_sent_at, ${now}), last_sent_at = ${now},
      key_number = ${keyNumber}, has_stored_error = false
    where reference = ${reference}`;
}

export function markOrderStoredError(reference: string): Statement {
  return sql`update orders set has_stored_error = true where reference = ${reference}`;
}

export function updateOrder(reference: string, change: OrderChange, pollAt: Date | undefined): Statement {
  return sql`
    update orders set state = ${change.state ?? undefined}, provider_order_id = ${change.providerOrderId ?? undefined},
      sequence = ${change.sequence}, report = ${JSON.stringify(change.report)}::json,
      cancel_state = ${change.cancelState ?? undefined}, cancel_code = ${change.cancelCode ?? undefined},
      poll_at = ${pollAt}, polls = 0
    where reference = ${reference}
    returning ${columns}`;
}

/** Takes orders that are due for a poll, and sets the time of the next poll: 30 s, doubled up to 15 minutes. */
export function takeOrdersToPoll(now: Date, count: number): Statement {
  return sql`
    update orders set polls = polls + 1,
      poll_at = ${now}::timestamptz + least(900, 30 * power(2, least(polls, 5))) * interval '1 second'
    where reference in (
      select reference from orders where poll_at <= ${now} order by poll_at limit ${count} for update skip locked)
    returning ${columns}`;
}
