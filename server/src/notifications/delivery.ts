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
