import { isHomeHere } from "../cells/home.sql.ts";
import type { ClientKey } from "../core/client-key.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import {
  monthOfId,
  type Archive,
  type ArchivedRow,
  type ArchivedTable,
  type Month,
  type RowCounts,
  type ArchiveCandidate,
} from "./archive.ts";

/** A bucket with its merchants: row-level security lets a batch read these merchants. */
export interface BucketMerchants {
  readonly bucket: number;
  readonly clientIds: readonly string[];
}

/** `listBuckets` lists the buckets with payments that were created in a month, with their merchants of this cell. */
export async function listBuckets(tx: Tx, { idFrom, idBefore }: Month): Promise<readonly BucketMerchants[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  return tx.query<BucketMerchants>(sql`
    select bucket, "clientIds" from (
      select bucket, array_agg(client_id) as "clientIds" from clients where ${isHomeHere} group by bucket
    ) as every
    where exists (
      select from payments as p
      where p.bucket = every.bucket and p.payment_id >= ${idFrom} and p.payment_id < ${idBefore})
    order by bucket
  `);
}

/**
 * `findFirstMonth` returns the month of the oldest payment; undefined without payments. It makes one key lookup per
 * bucket.
 */
export async function findFirstMonth(tx: Tx): Promise<string | undefined> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const [row] = await tx.query<{ id: string | null }>(sql`
    select min(oldest.payment_id) as id from (select distinct bucket from clients) as every cross join lateral (
      select payment_id from payments where payments.bucket = every.bucket order by payment_id limit 1
    ) as oldest
  `);
  return row?.id ? monthOfId(row.id) : undefined;
}

/** The place where a batch starts: after this payment of this month. */
export interface BatchStart {
  readonly bucket: number;
  readonly month: Month;
  readonly after: string;
  readonly limit: number;
}

/** `listUnarchived` lists the next payments that are not archived, in order. */
export async function listUnarchived(
  tx: Tx,
  { bucket, month, after, limit }: BatchStart,
): Promise<readonly string[]> {
  const rows = await tx.query<{ payment_id: string }>(sql`
    select payment_id from payments
    where bucket = ${bucket} and payment_id > ${after} and payment_id >= ${month.idFrom}
      and payment_id < ${month.idBefore} and archive_id is null
    order by payment_id limit ${limit}
  `);
  return rows.map(({ payment_id }) => payment_id);
}

/**
 * `lockUnarchived` lists the next payments that are not archived, and locks their rows. A payment that another
 * transaction has locked is skipped, because it is in use.
 */
export async function lockUnarchived(
  tx: Tx,
  { bucket, month, after, limit }: BatchStart,
): Promise<readonly string[]> {
  const rows = await tx.query<{ payment_id: string }>(sql`
    select payment_id from payments
    where bucket = ${bucket} and payment_id > ${after} and payment_id >= ${month.idFrom}
      and payment_id < ${month.idBefore} and archive_id is null
    order by payment_id limit ${limit} for update skip locked
  `);
  return rows.map(({ payment_id }) => payment_id);
}

/**
 * `listCandidates` returns for each payment its open records, except webhooks, and the time of its last movement of
 * money.
 */
export async function listCandidates(
  tx: Tx,
  bucket: number,
  paymentIds: readonly string[],
): Promise<readonly ArchiveCandidate[]> {
  const rows = await tx.query<CandidateRow>(sql`
    with asked as materialized (
      select p.* from unnest(${paymentIds}::text[]) as given (id)
      join payments as p on p.bucket = ${bucket} and p.payment_id = given.id
    ), parts as materialized (
      select payment_id, payment_id as id, greatest(created_at, paid_at, cancelled_at, released_at) as moved_at,
        status in ('PROCESSING', 'PENDING') as is_open, 'the payment' as what
      from asked
      union all select payment_id, refund_id, coalesce(r.reversed_at, r.finished_at, r.created_at), r.status = 'PROCESSING', 'a refund'
      from asked join refunds as r using (bucket, payment_id)
      union all select payment_id, capture_id, coalesce(c.finished_at, c.created_at), c.status = 'PROCESSING', 'a capture'
      from asked join captures as c using (bucket, payment_id)
      union all select payment_id, reversal_id, coalesce(v.reversed_at, v.finished_at, v.created_at), v.status = 'PROCESSING', 'a reversal'
      from asked join reversals as v using (bucket, payment_id)
      union all select payment_id, dispute_id, coalesce(d.resolved_at, d.created_at), d.resolved_at is null, 'a dispute'
      from asked join disputes as d using (bucket, payment_id)
    ), facts as (
      -- The query groups the facts by payment and does not join payments again. Without hash joins, a join would
      -- compare every fact with every payment.
      select payment_id, moved_at, is_open, what, 0 as refund_window_days from parts
      union all select payment_id, null, true, 'a job', 0 from parts
      join jobs on jobs.bucket = ${bucket} and jobs.subject_id = parts.id
      union all select payment_id, null, true, 'a break', 0 from asked
      -- Planner: "is true" makes PostgreSQL read breaks once per batch, into a hash table.
      where (payment_id in (select b.payment_id from breaks as b where resolved_at is null and b.payment_id is not null)) is true
      union all select payment_id, null, false, null, connectors.refund_window_days
      from asked join connectors on connectors.name = asked.connector where asked.paid_at is not null
    )
    select payment_id, coalesce(array_agg(distinct what) filter (where is_open), '{}') as open, max(moved_at) as moved_at,
      coalesce(max(refund_window_days), 0) as refund_window_days
    from facts group by payment_id order by payment_id
  `);
  return rows.map((row) => ({
    paymentId: row.payment_id,
    openRecords: row.open,
    movedAt: row.moved_at,
    refundWindowDays: row.refund_window_days,
  }));
}

interface CandidateRow {
  readonly payment_id: string;
  readonly open: string[];
  readonly moved_at: Date;
  readonly refund_window_days: number;
}

/** A webhook about a payment or one of its records. */
export interface PaymentWebhook {
  readonly paymentId: string;
  readonly notificationId: string;
  /** Whether the webhook is still pending: it is neither delivered nor exhausted, or it has no feed position yet. */
  readonly isWaiting: boolean;
}

/**
 * `lockWebhooks` locks and returns the webhooks about these payments. There is no index by the subject of a webhook.
 * But a webhook is inserted in the transaction of its event, with the same time, and its id starts with this time
 * (payments/timeline.sql.ts). Time windows of nearby payments overlap, so they are merged into few windows, and each
 * webhook is read once per batch.
 */
export async function lockWebhooks(
  tx: Tx,
  bucket: number,
  paymentIds: readonly string[],
): Promise<readonly PaymentWebhook[]> {
  return tx.query<PaymentWebhook>(sql`
    with asked as materialized (
      select ${bucket}::smallint as bucket, id as payment_id from unnest(${paymentIds}::text[]) as given (id)
    ), subjects as materialized (
      select bucket, payment_id, payment_id as id, null::timestamptz as ended_at from asked
      union all select bucket, payment_id, refund_id, finished_at from asked join refunds using (bucket, payment_id)
      union all select bucket, payment_id, refund_id, reversed_at from asked join refunds using (bucket, payment_id)
      union all select bucket, payment_id, capture_id, finished_at from asked join captures using (bucket, payment_id)
      union all select bucket, payment_id, reversal_id, finished_at from asked join reversals using (bucket, payment_id)
      union all select bucket, payment_id, dispute_id, null from asked join disputes using (bucket, payment_id)
    ), moments as materialized (
      select at from asked join payment_events using (bucket, payment_id)
      union all select ended_at from subjects where ended_at is not null
      union all select e.at from subjects as s join dispute_events as e on e.bucket = s.bucket and e.dispute_id = s.id
    ), windows as materialized (
      select to_char(lower(span) at time zone 'utc', 'YYYYMMDDHH24MISSMS') as id_from,
        to_char(upper(span) at time zone 'utc', 'YYYYMMDDHH24MISSMS') as id_until
      from (
        select unnest(range_agg(tstzrange(at - interval '1 second', at + interval '1 second'))) as span from moments
      ) as joined
    ), named as materialized (
      -- Planner: a map from record ids to payments, because a join would compare every webhook with every record.
      select jsonb_object_agg(id, payment_id) as payments_by_id from subjects
    ), near as materialized (
      -- Planner: "offset 0" searches each window by the primary key. A plain join would read all notifications of the
      -- bucket for each window.
      select n.notification_id from windows cross join lateral (
        select notification_id, subject_id from notifications
        where bucket = ${bucket} and notification_id >= windows.id_from and notification_id < windows.id_until offset 0
      ) as n
      where (n.subject_id in (select id from subjects)) is true
    )
    select (select payments_by_id from named) ->> n.subject_id as "paymentId", n.notification_id as "notificationId",
      n.status = 'WAITING' or n.position is null or exists (
        select from jobs where jobs.bucket = n.bucket and jobs.subject_id = n.notification_id
      ) as "isWaiting"
    from notifications as n where n.bucket = ${bucket} and n.notification_id = any (array(select notification_id from near))
    order by n.notification_id for update of n
  `);
}

/** A batch of payments to archive, with the webhooks about them. */
export interface ArchiveBatch {
  readonly bucket: number;
  readonly paymentIds: readonly string[];
  readonly webhooks: readonly Pick<PaymentWebhook, "paymentId" | "notificationId">[];
}

/**
 * `listRows` returns the rows to archive, as JSON, payment by payment. Of the row in `payments`, it returns only the
 * columns that are deleted when the payment is archived.
 */
export async function listRows(
  tx: Tx,
  { bucket, paymentIds, webhooks }: ArchiveBatch,
): Promise<readonly ArchivedRow[]> {
  await tx.query(sql`
    select set_config('timezone', 'UTC', true), set_config('bytea_output', 'hex', true)
  `);
  return tx.query<ArchivedRow>(sql`
    with asked as materialized (
      select ${bucket}::smallint as bucket, id as payment_id from unnest(${paymentIds}::text[]) as given (id)
    ), told as materialized (
      select ${bucket}::smallint as bucket, payment_id, notification_id
      from unnest(${webhooks.map((each) => each.paymentId)}::text[], ${webhooks.map((each) => each.notificationId)}::text[])
        as given (payment_id, notification_id)
    )
    select payment_id as "paymentId", name as table, row::text from (
      select payment_id, 1 as place, 'payments' as name, '' as key, json_build_object('bucket', bucket, 'payment_id', payment_id,
        'client_id', client_id, 'notify_url', notify_url, 'metadata', metadata, 'order_shown', order_shown, 'provider_url', provider_url, 'provider_code', provider_code)
        as row
      from asked join payments using (bucket, payment_id)
      union all select asked.payment_id, 2, 'payment_events', to_char(e.sequence, '0000000000'), row_to_json(e)
      from asked join payment_events as e using (bucket, payment_id)
      union all select asked.payment_id, 3, 'provider_events', e.connector || e.event_id, row_to_json(e)
      from asked join provider_events as e using (bucket, payment_id)
      union all select told.payment_id, 4, 'notifications', n.notification_id, row_to_json(n)
      from told join notifications as n using (bucket, notification_id)
      union all select told.payment_id, 5, 'notification_attempts', a.notification_id || to_char(a.attempt, '0000000000'), row_to_json(a)
      from told join notification_attempts as a using (bucket, notification_id)
    ) as rows order by payment_id, place, key
  `);
}

/** `lockNextArchiveId` allows one batch of all runs at a time, so that each batch gets a unique number. */
export async function lockNextArchiveId(tx: Tx): Promise<number> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtext('archive'))`);
  const [row] = await tx.query<{ next: number }>(
    sql`select coalesce(max(archive_id), 0) + 1 as next from archives`,
  );
  return row?.next ?? 1;
}

export async function insertArchive(tx: Tx, archive: Archive): Promise<void> {
  const { archiveId, month, bucket, file, sha256, byteCount, paymentCount, rowCounts } = archive;
  await tx.query(sql`
    insert into archives (archive_id, month, bucket, file, sha256, byte_count, payment_count, row_counts)
    values (${archiveId}, ${month}, ${bucket}, ${file}, decode(${sha256}, 'hex'), ${byteCount}, ${paymentCount},
      ${JSON.stringify(rowCounts)}::jsonb)
  `);
}

/** `updateArchiveErased` records the file that replaces another one after an erasure. */
export async function updateArchiveErased(tx: Tx, archive: Archive): Promise<void> {
  await tx.query(sql`
    update archives set file = ${archive.file}, sha256 = decode(${archive.sha256}, 'hex'),
      byte_count = ${archive.byteCount}, erased_at = clock_timestamp()
    where archive_id = ${archive.archiveId}
  `);
}

/**
 * `deleteRows` deletes the archived rows, and returns their number per table. Rows in `payments` stay, without the
 * columns that only open payments need.
 */
export async function deleteRows(
  tx: Tx,
  { bucket, paymentIds, webhooks }: ArchiveBatch,
  archiveId: number,
): Promise<RowCounts> {
  const notificationIds = webhooks.map(({ notificationId }) => notificationId);
  const payments = await tx.query(sql`
    update payments as p set archive_id = ${archiveId}, notify_url = null, metadata = null, order_shown = null, provider_url = null, provider_code = null,
      ended_at = (
        select e.at from payment_events as e
        where e.bucket = p.bucket and e.payment_id = p.payment_id and e.status = p.status order by e.sequence limit 1)
    where p.bucket = ${bucket} and p.payment_id = any (${paymentIds}::text[]) and p.archive_id is null
    returning p.bucket
  `);
  const attempts = await tx.query(sql`
    delete from notification_attempts where bucket = ${bucket} and notification_id = any (${notificationIds}::text[]) returning bucket
  `);
  const notifications = await tx.query(sql`
    delete from notifications where bucket = ${bucket} and notification_id = any (${notificationIds}::text[]) returning bucket
  `);
  const providerEvents = await tx.query(sql`
    delete from provider_events where bucket = ${bucket} and payment_id = any (${paymentIds}::text[]) returning bucket
  `);
  // The provider has the data of an order since the submit, so it is deleted and not archived (data minimisation).
  await tx.query(sql`
    delete from order_data where bucket = ${bucket} and payment_id = any (${paymentIds}::text[])
  `);
  const events = await tx.query(sql`
    delete from payment_events where bucket = ${bucket} and payment_id = any (${paymentIds}::text[]) returning bucket
  `);
  return {
    payments: payments.length,
    payment_events: events.length,
    provider_events: providerEvents.length,
    notifications: notifications.length,
    notification_attempts: attempts.length,
  };
}

/** `listArchives` lists all archive files, the oldest first. */
export async function listArchives(tx: Tx): Promise<readonly Archive[]> {
  const rows = await tx.query<ArchiveRow>(sql`
    select archive_id, month, bucket, file, encode(sha256, 'hex') as sha256, byte_count, payment_count, row_counts
    from archives order by archive_id
  `);
  return rows.map(toArchive);
}

/**
 * `findArchiveOf` returns the file with the archived rows of a payment; undefined if it is not archived, or does not
 * exist.
 */
export async function findArchiveOf(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  paymentId: string,
): Promise<Archive | undefined> {
  const [row] = await tx.query<ArchiveRow>(sql`
    select ${archiveColumns} from payments as p join archives as a on a.archive_id = p.archive_id
    where p.bucket = ${bucket} and p.client_id = ${clientId} and p.payment_id = ${paymentId}
  `);
  return row && toArchive(row);
}

/**
 * `lockArchiveOf` locks and returns the file with the archived rows of a payment. If two erasures change one file, the
 * second must read the result of the first.
 */
export async function lockArchiveOf(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  paymentId: string,
): Promise<Archive | undefined> {
  const [row] = await tx.query<ArchiveRow>(sql`
    select ${archiveColumns} from payments as p join archives as a on a.archive_id = p.archive_id
    where p.bucket = ${bucket} and p.client_id = ${clientId} and p.payment_id = ${paymentId} for update of a
  `);
  return row && toArchive(row);
}

const archiveColumns = fragment`a.archive_id, a.month, a.bucket, a.file, encode(a.sha256, 'hex') as sha256, a.byte_count,
  a.payment_count, a.row_counts`;

interface ArchiveRow {
  readonly archive_id: number;
  readonly month: string;
  readonly bucket: number;
  readonly file: string;
  readonly sha256: string;
  readonly byte_count: string;
  readonly payment_count: number;
  readonly row_counts: Readonly<Record<ArchivedTable, number>>;
}

function toArchive(row: ArchiveRow): Archive {
  return {
    archiveId: row.archive_id,
    month: row.month,
    bucket: row.bucket,
    file: row.file,
    sha256: row.sha256,
    byteCount: Number(row.byte_count),
    paymentCount: row.payment_count,
    rowCounts: row.row_counts,
  };
}
