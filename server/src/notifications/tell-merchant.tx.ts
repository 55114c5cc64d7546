import { newId, type RandomBelow } from "../core/id.ts";
import type { SecretKeeper } from "../core/secret-keeper.ts";
import { insertDueJob } from "../jobs/job.sql.ts";
import type { Tx } from "../postgres/sql.ts";
import { insertNotification } from "./notification.sql.ts";
import { endpointLane, type News } from "./notification.ts";

interface Teller {
  /** On the merchant's test clock, which is `aheadMs` ahead of the database's. */
  readonly now: Date;
  readonly aheadMs: number;
  readonly randomBelow: RandomBelow;
  readonly secrets: SecretKeeper;
}

/**
 * Transactional outbox: writes the notification and its job in the transaction that makes it true; a worker
 * delivers it, at least once.
 */
export function tellMerchant(tx: Tx, news: News, teller: Teller): void {
  tellUnderId(tx, newId("notification", news.bucket, teller.now, teller.randomBelow), news, teller);
}

/** The same under an id that the caller has made. */
export function tellUnderId(
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

export type OpenTeller = Omit<Teller, "secrets">;

/** The same for whoever holds no key, such as an operator's command: what is told has no secret in it. */
export function tellOpenly(
  tx: Tx,
  news: Omit<News, "isSealed">,
  { randomBelow, ...teller }: OpenTeller,
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
    lane: endpointLane(news),
  } as const;
  insertDueJob(tx, job, now, aheadMs);
}
