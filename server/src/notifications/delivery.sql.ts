import type { ClientKey } from "../core/client-key.ts";
import type { PageWindow } from "../core/page-window.ts";
import { leaseSeconds } from "../jobs/job.sql.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { Delivery, StoredAttempt, DeliverySelection } from "./delivery.ts";
import { endpointQueue, type NotificationStatus } from "./notification.ts";
import type { NotificationKind } from "./notification-kinds.ts";

const columns = fragment`n.notification_id, n.kind, n.subject_id, n.sequence, n.status, n.created_at, n.delivered_at,
      coalesce(n.url, (
        select notify_urls.url from notify_urls
        where notify_urls.bucket = n.bucket and notify_urls.client_id = n.client_id and notify_urls.kind = n.kind
      )) as url,
      (select nullif(due_at, 'infinity') from jobs
       where jobs.bucket = n.bucket and jobs.subject_id = n.notification_id and jobs.job = 'deliver-notification'
         and jobs.client_id = n.client_id) as next_attempt_at,
      (select json_agg(a order by a.attempt) from notification_attempts as a
       where a.bucket = n.bucket and a.notification_id = n.notification_id and a.client_id = n.client_id) as attempts`;

/** `listDeliveries` lists webhooks with their attempts, the oldest first. */
export async function listDeliveries(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  selection: DeliverySelection,
  aheadMs = 0,
): Promise<readonly Delivery[]> {
  const { notificationId, subjectId, kind, statuses, idFrom, idUntil, afterPosition, limit } = selection;
  const rows = await tx.query<DeliveryRow>(sql`
    select ${columns}
    from notifications as n
    where n.bucket = ${bucket} and n.client_id = ${clientId}
      and n.notification_id >= ${idFrom} and n.notification_id < ${idUntil}
      and (${notificationId}::text is null or n.notification_id = ${notificationId})
      and (${subjectId}::text is null or n.subject_id = ${subjectId})
      and (${kind}::text is null or n.kind = ${kind})
      and (${afterPosition}::bigint is null or n.position > ${afterPosition}::bigint)
      and n.status = any(${statuses}::text[])
    order by n.notification_id limit ${limit}
  `);
  return rows.map((row) => toDelivery(row, aheadMs));
}

/** Filter of a person's search in the portal. */
export interface DeliverySearch extends Pick<DeliverySelection, "subjectId" | "kind"> {
  readonly status: string | undefined;
}

/**
 * `listNewestDeliveries` lists webhooks, the newest first. It returns one row more than the limit, to show whether
 * there is a next page. It scans the primary key and skips rows that do not fit the filter.
 */
export async function listNewestDeliveries(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  { subjectId, kind, status }: DeliverySearch,
  { idFrom, idBefore, limit }: PageWindow,
  aheadMs = 0,
): Promise<readonly Delivery[]> {
  const rows = await tx.query<DeliveryRow>(sql`
    select ${columns}
    from notifications as n
    where n.bucket = ${bucket} and n.client_id = ${clientId}
      and n.notification_id >= ${idFrom} and n.notification_id < ${idBefore}
      and (${subjectId}::text is null or n.subject_id = ${subjectId})
      and (${kind}::text is null or n.kind = ${kind})
      and (${status}::text is null or n.status = ${status})
    order by n.notification_id desc limit ${limit}::int + 1
  `);
  return rows.map((row) => toDelivery(row, aheadMs));
}

/** `listDeliveriesById` lists the webhooks with these ids, the oldest first. */
export async function listDeliveriesById(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  notificationIds: readonly string[],
  aheadMs = 0,
): Promise<readonly Delivery[]> {
  const rows = await tx.query<DeliveryRow>(sql`
    select ${columns}
    from notifications as n
    where n.bucket = ${bucket} and n.client_id = ${clientId} and n.notification_id = any(${notificationIds}::text[])
    order by n.notification_id
  `);
  return rows.map((row) => toDelivery(row, aheadMs));
}

/**
 * `resendDeliveries` sends webhooks again. A webhook that waits for its retry is due now; a leased or parked webhook is left
 * unchanged.
 */
export async function resendDeliveries(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  deliveries: readonly Delivery[],
): Promise<void> {
  const ids = deliveries.map(({ notificationId }) => notificationId);
  const queues = deliveries.map(({ kind, url }) => endpointQueue({ clientId, kind, url }));
  await tx.query(sql`
    update notifications set status = 'WAITING', delivered_at = null
    where bucket = ${bucket} and client_id = ${clientId} and notification_id = any(${ids}::text[])
      and status <> 'WAITING'
  `);
  await tx.query(sql`
    insert into jobs (bucket, subject_id, job, client_id, queue, due_at, follows_merchant_clock)
    select ${bucket}, given.id, 'deliver-notification', ${clientId}, given.queue, clock_timestamp(), true
    from unnest(${ids}::text[], ${queues}::text[]) as given (id, queue)
    on conflict (bucket, subject_id, job) do update set due_at = excluded.due_at, attempts = 0
    where jobs.due_at > clock_timestamp() + make_interval(secs => ${leaseSeconds}) and jobs.due_at < 'infinity'
  `);
}

interface DeliveryRow {
  readonly notification_id: string;
  readonly kind: NotificationKind;
  readonly subject_id: string;
  readonly sequence: number;
  readonly status: NotificationStatus;
  readonly url: string | null;
  readonly created_at: Date;
  readonly delivered_at: Date | null;
  readonly next_attempt_at: Date | null;
  readonly attempts: readonly AttemptRow[] | null;
}

/** The row of an attempt from `json_agg`, so times are texts. */
interface AttemptRow {
  readonly at: string;
  readonly key_version: number;
  readonly http_status: number;
  readonly failure: string | null;
  readonly answer: string;
  readonly dns_ms: number | null;
  readonly connect_ms: number | null;
  readonly tls_ms: number | null;
  readonly first_byte_ms: number | null;
  readonly total_ms: number;
}

function toDelivery(row: DeliveryRow, aheadMs: number): Delivery {
  return {
    notificationId: row.notification_id,
    kind: row.kind,
    subjectId: row.subject_id,
    sequence: row.sequence,
    status: row.status,
    url: row.url ?? undefined,
    createdAt: row.created_at,
    deliveredAt: row.delivered_at ?? undefined,
    nextAttemptAt: row.next_attempt_at ? new Date(row.next_attempt_at.getTime() + aheadMs) : undefined,
    attempts: (row.attempts ?? []).map(toAttempt),
  };
}

function toAttempt(row: AttemptRow): StoredAttempt {
  return {
    at: new Date(row.at),
    keyVersion: row.key_version,
    httpStatus: row.http_status,
    failure: row.failure ?? undefined,
    answer: row.answer,
    timings: {
      dnsMs: row.dns_ms ?? undefined,
      connectMs: row.connect_ms ?? undefined,
      tlsMs: row.tls_ms ?? undefined,
      firstByteMs: row.first_byte_ms ?? undefined,
      totalMs: row.total_ms,
    },
  };
}
