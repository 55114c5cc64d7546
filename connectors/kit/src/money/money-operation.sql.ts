import { fragment, sql, type Statement } from "../../../../server/src/postgres/sql.ts";
import type { MoneyKind, OperationChange } from "./operation.ts";

const columns = fragment`kind, reference, order_reference as "orderReference", currency,
  amount_minor::text as "amountMinor", is_last as "isLast", first_sent_at as "firstSentAt",
  last_sent_at as "lastSentAt", key_number as "keyNumber", has_stored_error as "hasStoredError", state,
  provider_id as "providerId", sequence, done_time as "doneTime", result_code as "resultCode"`;

export interface NewOperation {
  readonly kind: MoneyKind;
  readonly reference: string;
  readonly orderReference: string;
  readonly currency: string;
  readonly amountMinor: bigint;
  readonly isLast: boolean;
}

export function insertOperation(operation: NewOperation, now: Date): Statement {
  const { kind, reference, orderReference, currency, amountMinor, isLast } = operation;
  return sql`
    insert into money_operations (kind, reference, order_reference, currency, amount_minor, is_last, created_at)
    values (${kind}, ${reference}, ${orderReference}, ${currency}, ${amountMinor}, ${isLast}, ${now})
    returning ${columns}`;
}

export function selectOperation(kind: MoneyKind, reference: string): Statement {
  return sql`select ${columns} from money_operations where kind = ${kind} and reference = ${reference}`;
}

export function selectOperationByProviderId(kind: MoneyKind, providerId: string): Statement {
  return sql`select ${columns} from money_operations where kind = ${kind} and provider_id = ${providerId}`;
}

/** Sums of the operations that have moved money or may still move it. */
export function sumOperations(orderReference: string): Statement {
  return sql`
    select coalesce(sum(amount_minor) filter (where kind = 'capture'), 0)::text as "capturedMinor",
      coalesce(sum(amount_minor) filter (where kind = 'refund'), 0)::text as "refundedMinor",
      coalesce(bool_or(is_last) filter (where kind = 'capture'), false) as "hasLast",
      count(*) filter (where kind = 'capture')::int as captures,
      count(*) filter (where kind = 'refund')::int as refunds
    from money_operations
    where order_reference = ${orderReference} and (state is null or state in ('PROCESSING', 'DONE'))`;
}

export function countCaptures(orderReference: string): Statement {
  return sql`
    select count(*)::int as count from money_operations
    where order_reference = ${orderReference} and kind = 'capture' and (state is null or state in ('PROCESSING', 'DONE'))`;
}

export function lockOperation(kind: MoneyKind, reference: string): Statement {
  return sql`select ${columns} from money_operations where kind = ${kind} and reference = ${reference} for update`;
}

export function leaseOperation(kind: MoneyKind, reference: string, leaseSeconds: number): Statement {
  return sql`
    update money_operations set leased_until = clock_timestamp() + ${leaseSeconds} * interval '1 second'
    where kind = ${kind} and reference = ${reference}
      and (leased_until is null or leased_until < clock_timestamp())
    returning ${columns}`;
}

export function releaseOperation(kind: MoneyKind, reference: string): Statement {
  return sql`update money_operations set leased_until = null where kind = ${kind} and reference = ${reference}`;
}

export function markOperationSent(
  kind: MoneyKind,
  reference: string,
  keyNumber: number,
  now: Date,
): Statement {
  return sql`
    update money_operations set first_sent_at = coalesce(first_sent_at, ${now}), last_sent_at = ${now},
      key_number = ${keyNumber}, has_stored_error = false
    where kind = ${kind} and reference = ${reference}`;
}

export function markOperationStoredError(kind: MoneyKind, reference: string): Statement {
  return sql`update money_operations set has_stored_error = true where kind = ${kind} and reference = ${reference}`;
}

/** The provider did not act. A request after this is a new message, so it has another key and another window. */
export function rejectOperation(kind: MoneyKind, reference: string, resultCode: string): Statement {
  return sql`
    update money_operations set state = 'REJECTED', result_code = ${resultCode}, key_number = key_number + 1,
      first_sent_at = null, last_sent_at = null, has_stored_error = false, poll_at = null
    where kind = ${kind} and reference = ${reference}`;
}

/** A rejected operation that the gateway requests again counts as open while it is sent. */
export function reopenOperation(kind: MoneyKind, reference: string): Statement {
  return sql`
    update money_operations set state = null, result_code = null
    where kind = ${kind} and reference = ${reference} and state = 'REJECTED'
    returning ${columns}`;
}

export function updateOperation(
  kind: MoneyKind,
  reference: string,
  change: OperationChange,
  pollAt: Date | undefined,
): Statement {
  return sql`
    update money_operations set state = ${change.state ?? undefined}, provider_id = ${change.providerId ?? undefined},
      sequence = ${change.sequence}, done_time = ${change.doneTime ?? undefined},
      result_code = ${change.resultCode ?? undefined}, poll_at = ${pollAt}, polls = 0
    where kind = ${kind} and reference = ${reference}
    returning ${columns}`;
}

/** Takes operations that are due for a poll, and sets the time of the next poll: 30 s, doubled up to 15 minutes. */
export function takeOperationsToPoll(now: Date, count: number): Statement {
  return sql`
    update money_operations set polls = polls + 1,
      poll_at = ${now}::timestamptz + least(900, 30 * power(2, least(polls, 5))) * interval '1 second'
    where (kind, reference) in (
      select kind, reference from money_operations where poll_at <= ${now}
      order by poll_at limit ${count} for update skip locked)
    returning ${columns}`;
}
