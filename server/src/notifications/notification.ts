import type { Lifecycle } from "../core/lifecycle.ts";
import type { SecretCipher } from "../core/secret-cipher.ts";
import type { NotificationKind } from "./notification-kinds.ts";

export type NotificationStatus = "WAITING" | "DELIVERED" | "EXHAUSTED" | "UNSENT";

/** Allowed transitions of a webhook. A webhook in a final status can be resent. */
export const notificationLifecycle = {
  WAITING: ["DELIVERED", "EXHAUSTED", "UNSENT"],
  DELIVERED: ["WAITING"],
  EXHAUSTED: ["WAITING"],
  // UNSENT means that the merchant has set no URL. The webhook is still in the event feed.
  UNSENT: ["WAITING"],
} as const satisfies Lifecycle<NotificationStatus>;

/** The content of a webhook before it is inserted. */
export interface NewNotification {
  readonly bucket: number;
  readonly clientId: string;
  readonly kind: NotificationKind;
  /** The id of the record that the webhook is about. `sequence` is the number of the record's change. */
  readonly subjectId: string;
  readonly sequence: number;
  /** The URL of the merchant's request; undefined if the URL that is set for this kind applies. */
  readonly url: string | undefined;
  /** The body, which is fixed when the webhook is inserted: every retry sends the same bytes. */
  readonly body: Uint8Array;
  /** Whether the body contains a code or a token: it is stored encrypted, and decrypted when it is sent. */
  readonly isSealed?: boolean;
}

export interface Notification extends NewNotification {
  readonly notificationId: string;
  readonly status: NotificationStatus;
  /** Number of all attempts, including those before a resend. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Fault injection: whether the merchant has configured faults that may apply to this webhook. */
  readonly mayFail?: boolean;
}

/** `openBody` returns the bytes of a webhook that are sent to the merchant. */
export function openBody(
  { body, isSealed, notificationId }: Pick<Notification, "body" | "isSealed" | "notificationId">,
  { decrypt }: Pick<SecretCipher, "decrypt">,
): Uint8Array {
  return isSealed ? Buffer.from(decrypt(body, notificationId), "utf8") : body;
}

/**
 * `endpointQueue` returns the name of a webhook's delivery queue. Each endpoint of a merchant has its own queue
 * (bulkhead), so that a slow endpoint delays only its own webhooks.
 */
export function endpointQueue({
  clientId,
  kind,
  url,
}: Pick<NewNotification, "clientId" | "kind" | "url">): string {
  return `${clientId} ${(url && URL.parse(url)?.origin) ?? kind}`;
}

/** Backoff: seconds from the end of an attempt to the next one; after the eighth attempt the webhook is exhausted. */
const retryDelaysSeconds = [120, 600, 600, 3_600, 7_200, 21_600, 54_000];

export const attemptsMax = retryDelaysSeconds.length + 1;

/** Expiry of a webhook that waited too long, for example for a paused endpoint. */
const expiryMs = 30 * 24 * 3_600_000;

export function isExpired({ createdAt }: Notification, now: Date): boolean {
  return now.getTime() - createdAt.getTime() > expiryMs;
}

/** `nextAttemptAt` returns when to retry a webhook after this number of attempts; undefined after the last one. */
export function nextAttemptAt(attempts: number, now: Date): Date | undefined {
  const delaySeconds = retryDelaysSeconds[attempts - 1];
  return delaySeconds === undefined ? undefined : new Date(now.getTime() + delaySeconds * 1000);
}
