import type { Attempt } from "./delivery-attempt.ts";
import type { Notification } from "./notification.ts";

/** A webhook with its attempts, as its merchant sees it. */
export interface Delivery extends Pick<
  Notification,
  "notificationId" | "kind" | "subjectId" | "sequence" | "url" | "status" | "createdAt"
> {
  readonly deliveredAt: Date | undefined;
  readonly nextAttemptAt: Date | undefined;
  readonly attempts: readonly StoredAttempt[];
}

export type StoredAttempt = Omit<Attempt, "isAcknowledged">;

/** Conditions of a query for webhooks. */
export interface DeliverySelection {
  readonly notificationId: string | undefined;
  readonly subjectId: string | undefined;
  readonly kind: string | undefined;
  readonly statuses: readonly string[];
  /** The first id of the time window. Ids start with their creation time, so a time window is a range of ids. */
  readonly idFrom: string;
  readonly idUntil: string;
  readonly afterPosition: string | undefined;
  readonly limit: number;
}

/**
 * `withoutSecrets` removes secrets from a delivery in the portal. The query of a URL may contain a secret of the
 * merchant, and the response to a webhook with a token may repeat the token. The API returns both to the merchant's
 * system.
 */
export function withoutSecrets(delivery: Delivery): Delivery {
  const { kind, url, attempts } = delivery;
  const repeatsToken = kind === "notifyAuthorization";
  return {
    ...delivery,
    url: url?.replace(/[?#].*$/s, ""),
    attempts: repeatsToken ? attempts.map((attempt) => ({ ...attempt, answer: "" })) : attempts,
  };
}
