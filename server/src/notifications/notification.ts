import type { Lifecycle } from "../core/lifecycle.ts";
import type { SecretKeeper } from "../core/secret-keeper.ts";

export type NotificationStatus = "WAITING" | "DELIVERED" | "EXHAUSTED" | "UNSENT";

/** Whatever has come to its end is sent again on demand. */
export const notificationLifecycle = {
  WAITING: ["DELIVERED", "EXHAUSTED", "UNSENT"],
  DELIVERED: ["WAITING"],
  EXHAUSTED: ["WAITING"],
  // Nobody has said where to. It is in the feed all the same.
  UNSENT: ["WAITING"],
} as const satisfies Lifecycle<NotificationStatus>;

export const notificationKinds = [
  "notifyPayment",
  "notifyAuthorization",
  "notifyRefund",
  "notifyCapture",
  "notifyDispute",
  "notifyRegistrationStatus",
] as const;

export type NotificationKind = (typeof notificationKinds)[number];

/** What a merchant is to be told. */
export interface News {
  readonly bucket: number;
  readonly clientId: string;
  readonly kind: NotificationKind;
  /** The record that it speaks of, and which of its changes. */
  readonly subjectId: string;
  readonly sequence: number;
  /** Where the request said; otherwise where the merchant wants to be told of this kind. */
  readonly url: string | undefined;
  /** Fixed when it became true: every attempt sends the same bytes. */
  readonly body: Uint8Array;
  /** Whether it tells a code or a token: such a body is kept wrapped, and opened when it is sent. */
  readonly isSealed?: boolean;
}

export interface Notification extends News {
  readonly notificationId: string;
  readonly status: NotificationStatus;
  /** All that were made, those before it was sent again included. */
  readonly attempts: number;
  readonly createdAt: Date;
  /** Whether its merchant wants something to go wrong, which may be this one. */
  readonly mayFail?: boolean;
}

/** The bytes that a merchant gets. */
export function openBody(
  { body, isSealed, notificationId }: Pick<Notification, "body" | "isSealed" | "notificationId">,
  { unseal }: Pick<SecretKeeper, "unseal">,
): Uint8Array {
  return isSealed ? Buffer.from(unseal(body, notificationId), "utf8") : body;
}

/** One endpoint of one merchant: those who do not answer hold up nobody but themselves. */
export function laneOf({ clientId, kind, url }: Pick<News, "clientId" | "kind" | "url">): string {
  return `${clientId} ${(url && URL.parse(url)?.origin) ?? kind}`;
}

/** Seconds from the end of an attempt to the next; after the eighth attempt it is exhausted. */
const gapsSeconds = [120, 600, 600, 3_600, 7_200, 21_600, 54_000];

export const attemptsMax = gapsSeconds.length + 1;

/** So old that nobody wants to hear of it any more, although there was never a moment to tell it. */
const tooOldMs = 30 * 24 * 3_600_000;

export function isTooOld({ createdAt }: Notification, now: Date): boolean {
  return now.getTime() - createdAt.getTime() > tooOldMs;
}

/** When to try again after so many attempts, or undefined when there have been enough. */
export function nextAttemptAt(attempts: number, now: Date): Date | undefined {
  const gapSeconds = gapsSeconds[attempts - 1];
  return gapSeconds === undefined ? undefined : new Date(now.getTime() + gapSeconds * 1000);
}
