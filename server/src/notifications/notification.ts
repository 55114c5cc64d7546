import type { Lifecycle } from "../core/lifecycle.ts";
import type { SecretKeeper } from "../core/secret-keeper.ts";

export type NotificationStatus = "WAITING" | "DELIVERED" | "EXHAUSTED" | "UNSENT";

/** A notification in any final status is sent again on demand. */
export const notificationLifecycle = {
  WAITING: ["DELIVERED", "EXHAUSTED", "UNSENT"],
  DELIVERED: ["WAITING"],
  EXHAUSTED: ["WAITING"],
  // The merchant has set no address. The notification is in the feed all the same.
  UNSENT: ["WAITING"],
} as const satisfies Lifecycle<NotificationStatus>;

export const notificationKinds = [
  "notifyPayment",
  "notifyAuthorization",
  "notifyRefund",
  "notifyCapture",
  "notifyDispute",
  "notifyRegistrationStatus",
  "notifyPayout",
  "notifyBankAccount",
] as const;

export type NotificationKind = (typeof notificationKinds)[number];

/** What a merchant is to be told. */
export interface News {
  readonly bucket: number;
  readonly clientId: string;
  readonly kind: NotificationKind;
  /** The record that it is about, and which of its changes. */
  readonly subjectId: string;
  readonly sequence: number;
  /** The address in the merchant's request; otherwise the one that the merchant has set for this kind. */
  readonly url: string | undefined;
  /** Fixed when it is written: every retry sends the same bytes. */
  readonly body: Uint8Array;
  /** Whether it tells a code or a token: such a body is stored encrypted, and decrypted when it is sent. */
  readonly isSealed?: boolean;
}

export interface Notification extends News {
  readonly notificationId: string;
  readonly status: NotificationStatus;
  /** All attempts, those before a resend included. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Whether the merchant has ordered faults, of which one may hit this notification (fault injection). */
  readonly mayFail?: boolean;
}

/** The bytes that a merchant gets. */
export function openBody(
  { body, isSealed, notificationId }: Pick<Notification, "body" | "isSealed" | "notificationId">,
  { unseal }: Pick<SecretKeeper, "unseal">,
): Uint8Array {
  return isSealed ? Buffer.from(unseal(body, notificationId), "utf8") : body;
}

/** A lane is one endpoint of one merchant (a bulkhead): an endpoint that does not answer holds up only itself. */
export function endpointLane({ clientId, kind, url }: Pick<News, "clientId" | "kind" | "url">): string {
  return `${clientId} ${(url && URL.parse(url)?.origin) ?? kind}`;
}

/** Backoff: seconds from the end of an attempt to the retry; after the eighth attempt it is exhausted. */
const gapsSeconds = [120, 600, 600, 3_600, 7_200, 21_600, 54_000];

export const attemptsMax = gapsSeconds.length + 1;

/** Expiry of a notification that waited too long, for example for a paused endpoint. */
const tooOldMs = 30 * 24 * 3_600_000;

export function isTooOld({ createdAt }: Notification, now: Date): boolean {
  return now.getTime() - createdAt.getTime() > tooOldMs;
}

/** When to retry after so many attempts, or undefined when there have been enough. */
export function nextAttemptAt(attempts: number, now: Date): Date | undefined {
  const gapSeconds = gapsSeconds[attempts - 1];
  return gapSeconds === undefined ? undefined : new Date(now.getTime() + gapSeconds * 1000);
}
