import { newId, type RandomBelow } from "../core/id.ts";
import type { SecretKeeper } from "../core/secret-keeper.ts";
import { insertDueJob } from "../jobs/job.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { insertNotification } from "./notification.sql.ts";
import { endpointQueue, type News } from "./notification.ts";

interface Teller {
  /** The time on the merchant's test clock, which is `aheadMs` ahead of the database's clock. */
  readonly now: Date;
  readonly aheadMs: number;
  readonly randomBelow: RandomBelow;
  readonly secrets: SecretKeeper;
}

/**
 * `notifyMerchant` inserts a webhook and its job in the transaction of the change that it reports (transactional outbox).
 * A worker delivers it at least once.
 */
export function notifyMerchant(tx: Tx, news: News, teller: Teller): void {
  notifyUnderId(tx, newId("notification", news.bucket, teller.now, teller.randomBelow), news, teller);
}

/** `notifyUnderId` inserts a webhook and its job like `notifyMerchant`, with an id that the caller provides. */
export function notifyUnderId(
  tx: Tx,
  notificationId: string,
  news: News,
  { secrets, ...teller }: Omit<Teller, "randomBelow">,
): void {
  const body = news.isSealed
    ? secrets.seal(Buffer.from(news.body).toString("utf8"), notificationId)
    : news.body;
  insertNews(tx, notificationId, { ...news, body }, teller);
}

export type Notifier = Omit<Teller, "secrets">;

/**
 * `notifyWithoutSecrets` inserts a webhook and its job like `notifyMerchant`, for callers without keys, such as an
 * operator's command. The body must not contain a secret.
 */
export function notifyWithoutSecrets(
  tx: Tx,
  news: Omit<News, "isSealed">,
  { randomBelow, ...teller }: Notifier,
): void {
  insertNews(tx, newId("notification", news.bucket, teller.now, randomBelow), news, teller);
}

function insertNews(
  tx: Tx,
  notificationId: string,
  news: News,
  { now, aheadMs }: Pick<Teller, "now" | "aheadMs">,
): void {
  const { bucket, clientId } = news;
  insertNotification(tx, { ...news, notificationId, status: "WAITING", attempts: 0, createdAt: now });
  const job = {
    bucket,
    clientId,
    subjectId: notificationId,
    job: "deliver-notification",
    queue: endpointQueue(news),
  } as const;
  insertDueJob(tx, job, now, aheadMs);
}
