import type { ClientKey } from "../core/client-key.ts";
import { toMoney } from "../postgres/money-columns.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { OwnedPayment, PlannedJob, TimelineEntry, TimelineKind } from "./timeline.ts";

/**
 * `findPaymentByRecordId` finds the payment that one of our ids belongs to, of any merchant. Only for the operator:
 * `app.oversight` lets the transaction read the rows of all merchants.
 */
export async function findPaymentByRecordId(
  tx: Tx,
  { bucket, id }: { readonly bucket: number; readonly id: string },
): Promise<OwnedPayment | undefined> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const [row] = await tx.query<OwnedRow>(sql`
    select client_id, payment_id from payments where bucket = ${bucket} and payment_id = ${id}
    union all
    select client_id, payment_id from captures where bucket = ${bucket} and capture_id = ${id}
    union all
    select client_id, payment_id from refunds where bucket = ${bucket} and refund_id = ${id}
    union all
    select client_id, payment_id from reversals where bucket = ${bucket} and reversal_id = ${id}
    union all
    select client_id, payment_id from disputes where bucket = ${bucket} and dispute_id = ${id}
  `);
  return row && toOwnedPayment(row);
}

/**
 * `findWebhookSubject` returns the id of the record that a webhook is about, of any merchant. Only for the operator,
 * with `app.oversight`.
 */
export async function findWebhookSubject(
  tx: Tx,
  { bucket, id }: { readonly bucket: number; readonly id: string },
): Promise<string | undefined> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const [row] = await tx.query<{ subject_id: string }>(
    sql`select subject_id from notifications where bucket = ${bucket} and notification_id = ${id}`,
  );
  return row?.subject_id;
}

/**
 * `listPaymentsByRequest` lists payments of all merchants with this request id, by one key lookup per merchant. Only
 * for the operator, with `app.oversight`.
 */
export async function listPaymentsByRequest(tx: Tx, requestId: string): Promise<readonly OwnedPayment[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<OwnedRow>(sql`
    select p.client_id, p.payment_id from clients as c
    join payments as p on p.bucket = c.bucket and p.client_id = c.client_id and p.payment_request_id = ${requestId}
    order by p.payment_id limit 20
  `);
  return rows.map(toOwnedPayment);
}

/**
 * `findPaymentByReference` finds the payment with this reference at its provider, by a sequential scan of all payments.
 * There is no index by reference, because `pay` would have to write it. Only for the operator, with `app.oversight`.
 */
export async function findPaymentByReference(tx: Tx, reference: string): Promise<OwnedPayment | undefined> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const [row] = await tx.query<OwnedRow>(sql`
    select client_id, payment_id from payments where provider_reference = ${reference} limit 1
  `);
  return row && toOwnedPayment(row);
}

interface OwnedRow {
  readonly client_id: string;
  readonly payment_id: string;
}

function toOwnedPayment({ client_id, payment_id }: OwnedRow): OwnedPayment {
  return { clientId: client_id, paymentId: payment_id };
}

/**
 * `findPaymentIdByAnyId` finds the merchant's payment that an id belongs to: one of our ids, or a request id of the
 * merchant.
 */
export async function findPaymentIdByAnyId(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  id: string,
): Promise<string | undefined> {
  const [row] = await tx.query<{ payment_id: string }>(sql`
    select payment_id from payments where bucket = ${bucket} and client_id = ${clientId} and payment_id = ${id}
    union all
    select payment_id from payments where bucket = ${bucket} and client_id = ${clientId} and payment_request_id = ${id}
    union all
    select payment_id from captures where bucket = ${bucket} and client_id = ${clientId} and capture_id = ${id}
    union all
    select payment_id from captures where bucket = ${bucket} and client_id = ${clientId} and capture_request_id = ${id}
    union all
    select payment_id from refunds where bucket = ${bucket} and client_id = ${clientId} and refund_id = ${id}
    union all
    select payment_id from refunds where bucket = ${bucket} and client_id = ${clientId} and refund_request_id = ${id}
    union all
    select payment_id from reversals where bucket = ${bucket} and client_id = ${clientId} and reversal_id = ${id}
    union all
    select payment_id from disputes where bucket = ${bucket} and client_id = ${clientId} and dispute_id = ${id}
    limit 1
  `);
  return row?.payment_id;
}

/**
 * `listTimeline` lists all events of a payment and of its captures, refunds, reversals, disputes, ledger rows and
 * webhooks, in time order.
 */
export async function listTimeline(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  paymentId: string,
): Promise<readonly TimelineEntry[]> {
  const rows = await tx.query<TimelineRow>(sql`
    with asked as not materialized (
      select ${bucket}::smallint as bucket, ${clientId}::text as client_id, ${paymentId}::text as payment_id
    ), ${recordsOfPayment}
    select e.at, 'payment' as kind, e.payment_id as subject_id, e.status as what, e.result_code as detail,
      null as currency, null as minor, null as about_id, 1 as place
    from asked join payment_events as e using (bucket, client_id, payment_id)
    union all
    select p.provider_accepted_at, 'order', p.payment_id, 'accepted', 'by ' || p.connector || ' as ' || p.provider_reference,
      null, null, null, 2
    from asked join payments as p using (bucket, client_id, payment_id) where p.provider_accepted_at is not null
    union all
    select p.released_at, 'payment', p.payment_id,
      -- The gateway releases a hold only at its deadline. An earlier end is the provider's: the hold has lapsed.
      case when p.released_at < p.auth_expires_at then 'hold lapsed' else 'hold released' end, null, null, null, null, 2
    from asked join payments as p using (bucket, client_id, payment_id) where p.released_at is not null
    union all
    select w.at, 'callback', w.payment_id, 'received', 'from ' || w.connector || ', ' || w.event_id, null, null, null, 0
    from asked join payments as p using (bucket, client_id, payment_id) join provider_events as w
      on w.bucket = p.bucket and w.connector = p.connector and w.client_id = p.client_id and w.payment_id = p.payment_id
    union all
    ${recordEvents}
    union all
    select e.at, 'dispute', s.id, e.status, e.told, null, null, null, 5
    from subjects as s join dispute_events as e
      on e.bucket = s.bucket and e.client_id = s.client_id and e.dispute_id = s.id
    union all
    select l.at, 'ledger', l.subject_id, l.effect, l.debit_account || ' to ' || l.credit_account, l.currency,
      l.amount_minor::text, null, 6
    from subjects as s join ledger_transfers as l
      on l.bucket = s.bucket and l.subject_id = s.id and l.client_id = s.client_id
    union all
    select created_at, 'notification', notification_id, kind, status, null, null, subject_id, 7 from told
    union all
    select a.at, 'attempt', a.notification_id, 'HTTP ' || a.http_status,
      concat_ws(', ', a.failure, round(a.total_ms) || ' ms'), null, null, null, 8
    from told join notification_attempts as a using (bucket, client_id, notification_id)
    order by at, place
  `);
  return rows.map((row) => ({
    at: row.at,
    kind: row.kind,
    subjectId: row.subject_id,
    what: row.what,
    detail: row.detail ?? undefined,
    aboutId: row.about_id ?? undefined,
    amount: toMoney(row.currency, row.minor),
  }));
}

/** The beginning, the acceptance by the provider, and the end of each capture, refund, reversal and dispute. */
const recordEvents = fragment`select begun_at, kind, id, what, detail, currency, minor, null, 3 from subjects where kind <> 'payment'
    union all
    select accepted_at, kind, id, 'accepted', 'by the payment provider as ' || reference, null, null, null, 4
    from subjects where accepted_at is not null
    union all
    select ended_at, kind, id, case when reversed_at is null then status else 'SUCCESS' end,
      case when reversed_at is null then code else 'SUCCESS' end, null, null, null, 5
    from subjects where ended_at is not null
    union all
    select reversed_at, kind, id, status, code || ', failed after it had succeeded', null, null, null, 5
    from subjects where reversed_at is not null`;

/**
 * `listPlannedJobs` lists the scheduled jobs of a payment, of its records and of their webhooks. Due times are stored
 * in real time; `aheadMs` converts them to the merchant's test clock.
 */
export async function listPlannedJobs(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  paymentId: string,
  aheadMs = 0,
): Promise<readonly PlannedJob[]> {
  const rows = await tx.query<PlannedRow>(sql`
    with asked as not materialized (
      select ${bucket}::smallint as bucket, ${clientId}::text as client_id, ${paymentId}::text as payment_id
    ), ${recordsOfPayment}
    select j.job, j.subject_id, nullif(j.due_at, 'infinity') as due_at, j.attempts, j.connector, j.sent_at, j.last_word
    from (select bucket, client_id, id from subjects union all select bucket, client_id, notification_id from told) as s
    join jobs as j on j.bucket = s.bucket and j.subject_id = s.id and j.client_id = s.client_id
    order by j.due_at
  `);
  return rows.map((row) => ({
    job: row.job,
    subjectId: row.subject_id,
    dueAt: row.due_at ? new Date(row.due_at.getTime() + aheadMs) : undefined,
    attempts: row.attempts,
    connector: row.connector ?? undefined,
    sentAt: row.sent_at ?? undefined,
    lastWord: row.last_word ?? undefined,
  }));
}

/**
 * CTEs for the payment in `asked`: `subjects` are the payment and its records, `told` the webhooks about them. A refund
 * that failed after it succeeded has `reversed_at`, and its status and code are those of the failure. There is
 * no index by the subject of a webhook. But a webhook is inserted in the transaction of its event, with the same time,
 * and its id starts with this time. So `windows` has the id ranges of one second around each event.
 *
 * Planner: `asked` is not materialized, because only with parameters the planner knows that a merchant has one bucket.
 * The windows are computed texts: under row-level security, an index is not searched with the result of a function
 * (`to_char`).
 */
const recordsOfPayment = fragment`subjects as materialized (
      select bucket, client_id, payment_id as id, 'payment' as kind, created_at as begun_at, null as what,
        null as detail, null as currency, null as minor, null as reference, null::timestamptz as accepted_at,
        null::timestamptz as ended_at, null::timestamptz as reversed_at, null as status, null as code
      from asked join payments using (bucket, client_id, payment_id)
      union all
      select bucket, client_id, capture_id, 'capture', created_at, 'requested', capture_request_id, currency,
        amount_minor::text, reference, accepted_at, finished_at, null, status, result_code
      from asked join captures using (bucket, client_id, payment_id)
      union all
      select bucket, client_id, refund_id, 'refund', created_at, 'requested', refund_request_id, currency,
        amount_minor::text, reference, accepted_at, finished_at, reversed_at, status, result_code
      from asked join refunds using (bucket, client_id, payment_id)
      union all
      select bucket, client_id, reversal_id, 'reversal', created_at, 'begun', reason, currency, amount_minor::text,
        reference, accepted_at, finished_at, reversed_at, status, result_code
      from asked join reversals using (bucket, client_id, payment_id)
      union all
      select bucket, client_id, dispute_id, 'dispute', created_at, type, reason_code, currency, amount_minor::text,
        null, null, null, null, status, judged_result
      from asked join disputes using (bucket, client_id, payment_id)
    ), moments as materialized (
      select at from asked join payment_events using (bucket, client_id, payment_id)
      union
      select ended_at from subjects where ended_at is not null
      union
      select reversed_at from subjects where reversed_at is not null
      union
      select e.at from subjects as s join dispute_events as e
        on e.bucket = s.bucket and e.client_id = s.client_id and e.dispute_id = s.id
    ), windows as materialized (
      select to_char(at at time zone 'utc' - interval '1 second', 'YYYYMMDDHH24MISSMS') as id_from,
        to_char(at at time zone 'utc' + interval '1 second', 'YYYYMMDDHH24MISSMS') as id_until
      from moments
    ), near as materialized (
      select distinct n.bucket, n.client_id, n.notification_id, n.kind, n.subject_id, n.status, n.created_at
      from asked cross join windows cross join lateral (
        select * from notifications
        where bucket = asked.bucket and notification_id >= windows.id_from and notification_id < windows.id_until offset 0
      ) as n where n.client_id = asked.client_id
    ), told as materialized (
      select * from near where subject_id in (select id from subjects)
    )`;

interface TimelineRow {
  readonly at: Date;
  readonly kind: TimelineKind;
  readonly subject_id: string;
  readonly what: string;
  readonly detail: string | null;
  readonly currency: string | null;
  readonly minor: string | null;
  readonly about_id: string | null;
}

interface PlannedRow {
  readonly job: string;
  readonly subject_id: string;
  readonly due_at: Date | null;
  readonly attempts: number;
  readonly connector: string | null;
  readonly sent_at: Date | null;
  readonly last_word: string | null;
}
