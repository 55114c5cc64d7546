import { sql, type Tx } from "../postgres/sql.ts";
import type { Notification, NotificationKind, NotificationStatus } from "./notification.ts";

export function insertNotification(tx: Tx, notification: Notification): void {
  const { bucket, clientId, notificationId, kind, subjectId, sequence, url, body, createdAt } = notification;
  tx.write(sql`
    insert into notifications
      (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, created_at)
    values (${bucket}, ${notificationId}, ${clientId}, ${kind}, ${subjectId}, ${sequence}, ${url}, ${body}, ${createdAt})
  `);
}

interface Key {
  readonly bucket: number;
  readonly clientId: string;
}

export async function findNotification(
  tx: Tx,
  key: Key,
  notificationId: string,
): Promise<Notification | undefined> {
  const [row] = await tx.query<NotificationRow>(sql`
    select bucket, client_id, notification_id, kind, subject_id, sequence, url, body, status, attempts, created_at
    from notifications
    where bucket = ${key.bucket} and client_id = ${key.clientId} and notification_id = ${notificationId}
  `);
  return (
    row && {
      bucket: row.bucket,
      clientId: row.client_id,
      notificationId: row.notification_id,
      kind: row.kind,
      subjectId: row.subject_id,
      sequence: row.sequence,
      url: row.url,
      body: row.body,
      status: row.status,
      attempts: row.attempts,
      createdAt: row.created_at,
    }
  );
}

export function updateAttempted(
  tx: Tx,
  { bucket, clientId, notificationId }: Notification,
  status: NotificationStatus,
  now: Date,
): void {
  tx.write(sql`
    update notifications
    set attempts = attempts + 1, status = ${status},
      delivered_at = case when ${status} = 'DELIVERED' then ${now}::timestamptz end
    where bucket = ${bucket} and client_id = ${clientId} and notification_id = ${notificationId}
  `);
}

/** A delivery that was acknowledged, by whoever held its job at this epoch. */
export interface Delivered {
  readonly notification: Notification;
  readonly epoch: number;
  readonly at: Date;
}

/** Says of each whether it was written: whoever lost the lease changes nothing. */
export async function updateDelivered(tx: Tx, all: readonly Delivered[]): Promise<readonly boolean[]> {
  const rows = await tx.query<{ notification_id: string }>(sql`
    with given as (
      select * from unnest(${all.map(({ notification }) => notification.bucket)}::smallint[],
        ${all.map(({ notification }) => notification.clientId)}::text[],
        ${all.map(({ notification }) => notification.notificationId)}::text[],
        ${all.map(({ epoch }) => epoch)}::int[], ${all.map(({ at }) => at)}::timestamptz[])
        as given (bucket, client_id, notification_id, epoch, at)
    ), done as (
      delete from jobs using given
      where jobs.bucket = given.bucket and jobs.subject_id = given.notification_id
        and jobs.job = 'deliver-notification' and jobs.client_id = given.client_id and jobs.epoch = given.epoch
      returning given.bucket, given.client_id, given.notification_id, given.at
    )
    update notifications set attempts = attempts + 1, status = 'DELIVERED', delivered_at = done.at
    from done
    where notifications.bucket = done.bucket and notifications.client_id = done.client_id
      and notifications.notification_id = done.notification_id
    returning notifications.notification_id
  `);
  const written = new Set(rows.map(({ notification_id }) => notification_id));
  return all.map(({ notification }) => written.has(notification.notificationId));
}

interface NotificationRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly notification_id: string;
  readonly kind: NotificationKind;
  readonly subject_id: string;
  readonly sequence: number;
  readonly url: string;
  readonly body: Buffer;
  readonly status: NotificationStatus;
  readonly attempts: number;
  readonly created_at: Date;
}
