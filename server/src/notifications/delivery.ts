import type { Attempt } from "./attempt.ts";
import type { Notification } from "./notification.ts";

/** A notification as its merchant sees it. */
export interface Delivery extends Pick<
  Notification,
  "notificationId" | "kind" | "subjectId" | "sequence" | "url" | "status" | "createdAt"
> {
  readonly deliveredAt: Date | undefined;
  readonly nextAttemptAt: Date | undefined;
  readonly attempts: readonly KeptAttempt[];
}

export type KeptAttempt = Omit<Attempt, "isAcknowledged">;

/** Which notifications are meant, as the query takes it. */
export interface Selection {
  readonly notificationId: string | undefined;
  readonly subjectId: string | undefined;
  readonly kind: string | undefined;
  readonly statuses: readonly string[];
  /** Ids begin with the time at which they were made, so a window of time is a range of ids. */
  readonly idFrom: string;
  readonly idUntil: string;
  readonly afterPosition: string | undefined;
  readonly limit: number;
}

/**
 * What people see of a delivery. The query of an address may hold a secret of the merchant's, and the answer to a notification that
 * carries a token may repeat it: the merchant's system is shown both, and people are not.
 */
export function shownToPeople(delivery: Delivery): Delivery {
  const { kind, url, attempts } = delivery;
  const repeatsToken = kind === "notifyAuthorization";
  return {
    ...delivery,
    url: url?.replace(/[?#].*$/s, ""),
    attempts: repeatsToken ? attempts.map((attempt) => ({ ...attempt, answer: "" })) : attempts,
  };
}
