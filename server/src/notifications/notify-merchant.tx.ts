import { newId, type RandomBelow } from "../core/id.ts";
import type { SecretCipher } from "../core/secret-cipher.ts";
import { insertDueJob } from "../jobs/job.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { insertNotification } from "./notification.sql.ts";
import { endpointQueue, type NewNotification } from "./notification.ts";

interface NotificationContext {
  /** The time on the merchant's test clock, which is `aheadMs` ahead of the database's clock. */
  readonly now: Date;
  readonly aheadMs: number;
  readonly randomBelow: RandomBelow;
  readonly secrets: SecretCipher;
}

/**
 * `notifyMerchant` inserts a webhook and its job in the transaction of the change that it reports (transactional outbox).
 * A worker delivers it at least once.
 */
export function notifyMerchant(tx: Tx, notification: NewNotification, context: NotificationContext): void {
  notifyWithId(
    tx,
    newId("notification", notification.bucket, context.now, context.randomBelow),
    notification,
    context,
  );
}

/** `notifyWithId` inserts a webhook and its job like `notifyMerchant`, with an id that the caller provides. */
export function notifyWithId(
  tx: Tx,
  notificationId: string,
  notification: NewNotification,
  { secrets, ...context }: Omit<NotificationContext, "randomBelow">,
): void {
  const body = notification.isSealed
    ? secrets.encrypt(Buffer.from(notification.body).toString("utf8"), notificationId)
    : notification.body;
  insertNotificationWithJob(tx, notificationId, { ...notification, body }, context);
}

export type Notifier = Omit<NotificationContext, "secrets">;

/**
 * `notifyWithoutSecrets` inserts a webhook and its job like `notifyMerchant`, for callers without keys, such as an
 * operator's command. The body must not contain a secret.
 */
export function notifyWithoutSecrets(
  tx: Tx,
  notification: Omit<NewNotification, "isSealed">,
  { randomBelow, ...context }: Notifier,
): void {
  insertNotificationWithJob(
    tx,
    newId("notification", notification.bucket, context.now, randomBelow),
    notification,
    context,
  );
}

function insertNotificationWithJob(
  tx: Tx,
  notificationId: string,
  notification: NewNotification,
  { now, aheadMs }: Pick<NotificationContext, "now" | "aheadMs">,
): void {
  const { bucket, clientId } = notification;
  insertNotification(tx, { ...notification, notificationId, status: "WAITING", attempts: 0, createdAt: now });
  const job = {
    bucket,
    clientId,
    subjectId: notificationId,
    job: "deliver-notification",
    queue: endpointQueue(notification),
  } as const;
  insertDueJob(tx, job, now, aheadMs);
}
