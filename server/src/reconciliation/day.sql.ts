import { bucketCount } from "../core/bucket.ts";
import { sql, type Tx } from "../postgres/sql.ts";

/** A calendar day (UTC), from its first moment to the first of the next day, exclusive. */
export interface Day {
  readonly from: Date;
  readonly until: Date;
}

/**
 * How long before the day a payment may have begun to be compared, too. A later payment of an older order has a row in
 * the ledger or in the provider's file.
 */
const startedBeforeMs = 24 * 3600 * 1000;

/**
 * `narrowToDay` restricts this transaction to the payments of one day: those with a movement on that day in the ledger
 * or in the provider's file, those that began on it, and those with an unresolved break. Each payment has all its
 * movements. The rows are copied into temporary tables with the same names, which PostgreSQL finds first (pg_temp), so
 * the same statements compare a day or everything.
 */
export async function narrowToDay(tx: Tx, day: Day): Promise<void> {
  // The planner uses index lookups only, because a day is a small part and a hash join would read each whole table. JIT
  // is off, because disabled plans have a high cost and each statement would be compiled first.
  await tx.query(sql`
    select set_config('enable_hashjoin', 'off', true), set_config('enable_seqscan', 'off', true),
      set_config('jit', 'off', true)
  `);
  await tx.query(sql`
    create temporary table touched (bucket smallint, payment_id text, unique (bucket, payment_id)) on commit drop
  `);
  await insertTouchedPayments(tx, day);
  await tx.query(sql`analyze touched`);
  for (const statement of dayTableCopies) await tx.query(statement);
  await tx.query(sql`
    select set_config('enable_hashjoin', 'on', true), set_config('enable_seqscan', 'on', true)
  `);
}

async function insertTouchedPayments(tx: Tx, { from, until }: Day): Promise<void> {
  const [idFrom, idBefore] = [idAt(new Date(from.getTime() - startedBeforeMs)), idAt(until)];
  await tx.query(sql`
    insert into touched
    select l.bucket, coalesce(refunds.payment_id, captures.payment_id, reversals.payment_id, disputes.payment_id, l.subject_id)
    from ledger_transfers as l
    left join refunds on refunds.bucket = l.bucket and refunds.refund_id = l.subject_id
    left join captures on captures.bucket = l.bucket and captures.capture_id = l.subject_id
    left join reversals on reversals.bucket = l.bucket and reversals.reversal_id = l.subject_id
    left join disputes on disputes.bucket = l.bucket and disputes.dispute_id = l.subject_id
    where l.at >= ${from} and l.at < ${until}
    union
    select bucket, payment_id from generate_series(0, ${bucketCount}::int - 1) as every (number) cross join lateral (
      select bucket, payment_id from payments
      where bucket = every.number and payment_id >= ${idFrom} and payment_id < ${idBefore}
    ) as began
    union
    -- A payment id that is none of the gateway's has no bucket. It is compared all the same, as an unknown payment.
    select case when payment_id ~ '^\\d{35}$' then substr(payment_id, 18, 4)::smallint end, payment_id from (
      select payment_id from settlement_rows where at >= ${from} and at < ${until}
      union all select payment_id from breaks where resolved_at is null and payment_id is not null
    ) as named
  `);
}

/** The beginning of an id for a time, because an id begins with its time. */
function idAt(time: Date): string {
  return time.toISOString().replaceAll(/\D/g, "");
}

const dayTableCopies = [
  sql`create temporary table payments on commit drop as
    select full_row.* from touched join public.payments as full_row using (bucket, payment_id)`,
  sql`create temporary table captures on commit drop as
    select full_row.* from touched join public.captures as full_row using (bucket, payment_id)`,
  sql`create temporary table refunds on commit drop as
    select full_row.* from touched join public.refunds as full_row using (bucket, payment_id)`,
  sql`create temporary table reversals on commit drop as
    select full_row.* from touched join public.reversals as full_row using (bucket, payment_id)`,
  sql`create temporary table disputes on commit drop as
    select full_row.* from touched join public.disputes as full_row using (bucket, payment_id)`,
  sql`create temporary table ledger_transfers on commit drop as
    select full_row.* from (
      select bucket, payment_id as subject_id from touched
      union all select bucket, capture_id from captures
      union all select bucket, refund_id from refunds
      union all select bucket, reversal_id from reversals
      union all select bucket, dispute_id from disputes
    ) as subjects join public.ledger_transfers as full_row using (bucket, subject_id)`,
  // The rows of the providers' files are selected by the payment that the provider names, or by our own reference, in
  // case the provider names another payment.
  sql`create temporary table settlement_rows on commit drop as
    select full_row.* from (select distinct payment_id from touched) as named
    join public.settlement_rows as full_row using (payment_id)
    union
    select full_row.* from (
      select connector, 'payment' as kind, provider_reference as operation_reference from payments
      union select connector, 'capture', reference from captures
      union select connector, named.kind, reference
        from (select connector, reference from refunds union all select connector, reference from reversals) as returned
        cross join (values ('refund'), ('refund_reversal')) as named (kind)
      union select connector, named.kind, provider_dispute_id from disputes
        cross join (values ('refund'), ('chargeback'), ('chargeback_reversal')) as named (kind)
    ) as moved join public.settlement_rows as full_row using (connector, kind, operation_reference)`,
  sql`analyze payments`,
  sql`analyze ledger_transfers`,
  sql`analyze settlement_rows`,
];
