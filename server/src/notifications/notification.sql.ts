import type { LeasedJob } from "../contract/job.ts";
import { columnNames, unnest, type ColumnTable } from "../postgres/column-table.ts";
import { sortForLocking } from "../postgres/lock-order.ts";
import { sql, type Tx } from "../postgres/sql.ts";
import type { Attempt } from "./delivery-attempt.ts";
import type { Notification, NotificationStatus } from "./notification.ts";
import type { NotificationKind } from "./notification-kinds.ts";

export function insertNotification(tx: Tx, notification: Notification): void {
  const { bucket, clientId, notificationId, kind, subjectId, sequence, url, body, createdAt } = notification;
  const { isSealed = false } = notification;
  tx.write(sql`
    insert into notifications
      (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, sealed, created_at)
    values (${bucket}, ${notificationId}, ${clientId}, ${kind}, ${subjectId}, ${sequence}, ${url}, ${body},
      ${isSealed}, ${createdAt})
  `);
}

interface NotificationKey {
  readonly bucket: number;
  readonly clientId: string;
  readonly notificationId: string;
}

export async function findNotification(tx: Tx, key: NotificationKey): Promise<Notification | undefined> {
  return (await listNotifications(tx, [key]))[0];
}

/**
 * `listNotifications` finds webhooks by their keys, in any order. `is not distinct from` keeps the planner off the
 * client's index: a generic plan from the time when the table was small would read all webhooks of a merchant to find
 * one.
 */
async function listNotifications(tx: Tx, keys: readonly NotificationKey[]): Promise<readonly Notification[]> {
  const rows = await tx.query<NotificationRow>(sql`
    select n.bucket, n.client_id, n.notification_id, n.kind, n.subject_id, n.sequence, n.body, n.sealed, n.status, n.attempts,
      n.created_at,
      coalesce(n.url, (
        select notify_urls.url from notify_urls
        where notify_urls.bucket = n.bucket and notify_urls.client_id = n.client_id and notify_urls.kind = n.kind
      )) as url,
      exists (
        select from notification_faults as f
        where f.bucket = n.bucket and f.client_id = n.client_id and f.remaining > 0
      ) as may_fail
    from unnest(${keys.map(({ bucket }) => bucket)}::smallint[], ${keys.map(({ clientId }) => clientId)}::text[],
      ${keys.map(({ notificationId }) => notificationId)}::text[]) as given (bucket, client_id, notification_id)
    join notifications as n on n.bucket = given.bucket and n.client_id is not distinct from given.client_id
      and n.notification_id = given.notification_id
  `);
  return rows.map((row) => ({
    bucket: row.bucket,
    clientId: row.client_id,
    notificationId: row.notification_id,
    kind: row.kind,
    subjectId: row.subject_id,
    sequence: row.sequence,
    url: row.url ?? undefined,
    body: row.body,
    isSealed: row.sealed,
    status: row.status,
    attempts: row.attempts,
    createdAt: row.created_at,
    mayFail: row.may_fail,
  }));
}

/** `readNotificationBatch` reads the webhooks of many jobs in one batch. A job without its webhook in the result reads it alone. */
export async function readNotificationBatch(
  tx: Tx,
  jobs: readonly LeasedJob[],
): Promise<readonly LeasedJob[]> {
  const keys = jobs.map(({ bucket, clientId, subjectId }) => ({
    bucket,
    clientId,
    notificationId: subjectId,
  }));
  const waiting = (await listNotifications(tx, keys)).filter(({ status }) => status === "WAITING");
  const byId = new Map(waiting.map((notification) => [notification.notificationId, notification]));
  return jobs.map((leased) => {
    const record = byId.get(leased.subjectId);
    return record ? { ...leased, record } : leased;
  });
}

export function updateNotification(
  tx: Tx,
  { bucket, clientId, notificationId }: Notification,
  status: NotificationStatus,
  now: Date,
): void {
  tx.write(sql`
    update notifications
    set status = ${status}, delivered_at = case when ${status} = 'DELIVERED' then ${now}::timestamptz end
    where bucket = ${bucket} and client_id = ${clientId} and notification_id = ${notificationId}
  `);
}

/** `insertAttempt` counts an attempt to deliver a webhook, and stores it. */
export function insertAttempt(
  tx: Tx,
  { bucket, clientId, notificationId }: Notification,
  { at, keyVersion, httpStatus, failure, answer, timings }: Attempt,
): void {
  tx.write(sql`
    with counted as (
      update notifications set attempts = attempts + 1
      where bucket = ${bucket} and client_id = ${clientId} and notification_id = ${notificationId}
      returning bucket, notification_id, attempts, client_id
    )
    insert into notification_attempts (bucket, notification_id, attempt, client_id, at, key_version, http_status,
      failure, answer, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms)
    select bucket, notification_id, attempts, client_id, ${at}::timestamptz, ${keyVersion}, ${httpStatus}, ${failure},
      ${answer}, ${timings.dnsMs}, ${timings.connectMs}, ${timings.tlsMs}, ${timings.firstByteMs}, ${timings.totalMs}
    from counted
  `);
}

/** An acknowledged delivery; `epoch` is the fencing token of its job. */
export interface AcknowledgedDelivery {
  readonly notification: Notification;
  readonly attempt: Attempt;
  readonly epoch: number;
  readonly at: Date;
}

/**
 * `updateDelivered` writes a batch of acknowledged deliveries, and returns for each whether it was written. Fencing: it
 * does not write a delivery whose lease was lost.
 */
export async function updateDelivered(
  tx: Tx,
  deliveries: readonly AcknowledgedDelivery[],
): Promise<readonly boolean[]> {
  const sorted = sortForLocking(deliveries, ({ notification: { bucket, notificationId } }) => [
    bucket,
    notificationId,
  ]);
  const rows = await tx.query<{ notification_id: string }>(sql`
    with given as (
      select * from ${unnest(deliveredColumns, sorted)} as given (${deliveredColumnNames})
    ), done as (
      delete from jobs using given cross join lateral (
        select ctid as place from jobs as j where j.bucket = given.bucket and j.subject_id = given.notification_id
          and j.job = 'deliver-notification' and j.client_id = given.client_id
        -- Planner: offset 0 keeps one index lookup per row.
        offset 0
      ) as found
      where jobs.ctid = found.place and jobs.epoch = given.epoch
      returning given.*
    ), counted as (
      update notifications set attempts = attempts + 1, status = 'DELIVERED', delivered_at = done.delivered_at
      from done
      where notifications.bucket = done.bucket and notifications.client_id is not distinct from done.client_id
        and notifications.notification_id = done.notification_id
      returning notifications.attempts, done.*
    )
    insert into notification_attempts (bucket, notification_id, attempt, client_id, at, key_version, http_status,
      answer, dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms)
    select bucket, notification_id, attempts, client_id, at, key_version, http_status, answer,
      dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms
    from counted
    returning notification_id
  `);
  const written = new Set(rows.map(({ notification_id }) => notification_id));
  return deliveries.map(({ notification }) => written.has(notification.notificationId));
}

const deliveredColumns: ColumnTable<AcknowledgedDelivery> = [
  ["bucket", "smallint", ({ notification }) => notification.bucket],
  ["client_id", "text", ({ notification }) => notification.clientId],
  ["notification_id", "text", ({ notification }) => notification.notificationId],
  ["epoch", "int", ({ epoch }) => epoch],
  ["delivered_at", "timestamptz", ({ at }) => at],
  ["at", "timestamptz", ({ attempt }) => attempt.at],
  ["key_version", "int", ({ attempt }) => attempt.keyVersion],
  ["http_status", "int", ({ attempt }) => attempt.httpStatus],
  ["answer", "text", ({ attempt }) => attempt.answer],
  ["dns_ms", "real", ({ attempt }) => attempt.timings.dnsMs],
  ["connect_ms", "real", ({ attempt }) => attempt.timings.connectMs],
  ["tls_ms", "real", ({ attempt }) => attempt.timings.tlsMs],
  ["first_byte_ms", "real", ({ attempt }) => attempt.timings.firstByteMs],
  ["total_ms", "real", ({ attempt }) => attempt.timings.totalMs],
];
const deliveredColumnNames = columnNames(deliveredColumns);

interface NotificationRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly notification_id: string;
  readonly kind: NotificationKind;
  readonly subject_id: string;
  readonly sequence: number;
  readonly url: string | null;
  readonly body: Buffer;
  readonly sealed: boolean;
  readonly status: NotificationStatus;
  readonly attempts: number;
  readonly created_at: Date;
  readonly may_fail: boolean;
}
