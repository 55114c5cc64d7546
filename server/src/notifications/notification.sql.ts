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
