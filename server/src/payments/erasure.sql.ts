import type { ClientKey } from "../core/client-key.ts";
import { sql, type Tx } from "../postgres/sql.ts";

/** Subject of an erasure: a payment or an authorization with all its records. */
export interface Erasable {
  /** Ids of the payment, its refunds, captures and disputes, or of the authorization. */
  readonly subjects: readonly string[];
  /** Other ids under which the request log stores the record. */
  readonly names: readonly string[];
  /** Open records that still need the buyer's data; empty if the data can be erased. */
  readonly open: readonly string[];
}

/** Number of erased rows in each table that contained personal data. */
export type ErasedCounts = Readonly<Record<string, number>>;

/**
 * `findErasablePayment` returns a payment with all records of its buyer, for an erasure; undefined if the payment does
 * not exist.
 */
export async function findErasablePayment(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  paymentId: string,
): Promise<Erasable | undefined> {
  const [row] = await tx.query<Erasable>(sql`
    with payment as (
      select * from payments where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${paymentId}
    ), records as (
      select payment_id as id, payment_request_id as name, status in ('PROCESSING', 'PENDING') as is_open, 'the payment' as what
      from payment
      union all select refund_id, refund_request_id, status = 'PROCESSING', 'a refund' from refunds
        where bucket = ${bucket} and payment_id = ${paymentId}
      union all select capture_id, capture_request_id, status = 'PROCESSING', 'a capture' from captures
        where bucket = ${bucket} and payment_id = ${paymentId}
      union all select reversal_id, null, status = 'PROCESSING', 'a reversal' from reversals
        where bucket = ${bucket} and payment_id = ${paymentId}
      union all select dispute_id, null, resolved_at is null, 'a dispute' from disputes
        where bucket = ${bucket} and payment_id = ${paymentId}
    )
    select array_agg(id) as subjects, array_remove(array_agg(name), null) as names,
      coalesce(array_agg(distinct what) filter (where is_open), '{}') as open
    from records having exists (select from payment)
  `);
  if (!row) return undefined;
  const pendingWebhooks = await tx.query(sql`
    select from notifications_about(${bucket}::smallint, ${clientId}, ${row.subjects}::text[]) where status = 'WAITING' limit 1
  `);
  return pendingWebhooks.length === 0 ? row : { ...row, open: [...row.open, "a webhook"] };
}

/**
 * `findErasableAuthorization` returns an authorization with all records of its buyer, for an erasure; undefined if it
 * does not exist.
 */
export async function findErasableAuthorization(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  authorizationId: string,
): Promise<Erasable | undefined> {
  const [row] = await tx.query<Erasable>(sql`
    select array[authorization_id] as subjects, array[auth_state] as names,
      case when ended_at is null then array['the authorization'] else '{}' end as open
    from authorizations
    where bucket = ${bucket} and client_id = ${clientId} and authorization_id = ${authorizationId}
  `);
  return row;
}

/** `updateErased` clears all columns of the class `personal` of a buyer in all tables. */
export async function updateErased(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { subjects, names }: Erasable,
): Promise<ErasedCounts> {
  const [row] = await tx.query<{ counts: ErasedCounts }>(sql`
    select erase_buyer(${bucket}::smallint, ${clientId}, ${subjects}::text[], ${names}::text[]) as counts
  `);
  return row?.counts ?? {};
}
