import type { Lifecycle } from "../core/lifecycle.ts";

export type NotificationStatus = "WAITING" | "DELIVERED" | "EXHAUSTED";

export const notificationLifecycle = {
  WAITING: ["DELIVERED", "EXHAUSTED"],
  DELIVERED: [],
  // Resent on demand.
  EXHAUSTED: ["WAITING"],
} as const satisfies Lifecycle<NotificationStatus>;

export type NotificationKind = "notifyPayment" | "notifyCapture" | "notifyRefund";

export interface Notification {
  readonly bucket: number;
  readonly clientId: string;
  readonly notificationId: string;
  readonly kind: NotificationKind;
  /** The record that it speaks of, and which of its changes. */
  readonly subjectId: string;
  readonly sequence: number;
  readonly url: string;
  /** Fixed when it became true: every attempt sends the same bytes. */
  readonly body: Uint8Array;
  readonly status: NotificationStatus;
  readonly attempts: number;
  readonly createdAt: Date;
}

/** Seconds from the end of an attempt to the next; after the eighth attempt it is exhausted. */
const gapsSeconds = [120, 600, 600, 3_600, 7_200, 21_600, 54_000];

/** When to try again after so many attempts, or undefined when there have been enough. */
export function nextAttemptAt(attempts: number, now: Date): Date | undefined {
  const gapSeconds = gapsSeconds[attempts - 1];
  return gapSeconds === undefined ? undefined : new Date(now.getTime() + gapSeconds * 1000);
}

/** A merchant has taken note only when HTTP 200 carries a result of status S. */
export function isAcknowledged(httpStatus: number, body: string): boolean {
  if (httpStatus !== 200) return false;
  try {
    const answer: unknown = JSON.parse(body);
    return (answer as { result?: { resultStatus?: unknown } }).result?.resultStatus === "S";
  } catch {
    return false;
  }
}
