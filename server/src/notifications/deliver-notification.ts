import { jobDone, type LeasedJob, type Job, type OutcomeBatchWriter } from "../contract/job.ts";
import type { Attempt } from "./delivery-attempt.ts";
import { isExpired, nextAttemptAt, type Notification } from "./notification.ts";
import {
  findNotification,
  insertAttempt,
  updateDelivered,
  updateNotification,
  type AcknowledgedDelivery,
} from "./notification.sql.ts";

export interface WebhookSender {
  /** Signs and sends a webhook, and returns the response of the merchant's system. */
  readonly send: (
    notification: AddressedNotification,
    signal: AbortSignal,
    flaws?: InjectedFaults,
  ) => Promise<Attempt>;
  /** The current time on the merchant's test clock. */
  readonly now: (merchant: { readonly aheadMs: number }) => Date;
}

/** Injected faults. */
export interface InjectedFaults {
  readonly corrupt?: boolean;
  readonly olderMs?: number;
}

/** A webhook with a URL. */
export type AddressedNotification = Notification & { readonly url: string };

/** Reasons for sending nothing: there is no URL, or the webhook has expired. */
type UnsentReason = "no address" | "too old";

/** The job that delivers a webhook at least once: it retries with backoff until the merchant acknowledges. */
export function deliverNotification(webhookSender: WebhookSender): Job<Notification, Attempt | UnsentReason> {
  return {
    loop: "notifications",

    async read(tx, { bucket, clientId, subjectId }) {
      const notification = await findNotification(tx, { bucket, clientId, notificationId: subjectId });
      return notification?.status === "WAITING" ? notification : undefined;
    },

    async call(notification, leased, signal) {
      const { url } = notification;
      if (url === undefined) return "no address";
      if (isExpired(notification, webhookSender.now(leased))) return "too old";
      return webhookSender.send({ ...notification, url }, signal);
    },

    batchWriter: batchAcknowledged(webhookSender),

    async write(tx, notification, outcome, leased) {
      const now = webhookSender.now(leased);
      if (typeof outcome === "string") {
        updateNotification(tx, notification, outcome === "no address" ? "UNSENT" : "EXHAUSTED", now);
        return jobDone;
      }
      insertAttempt(tx, notification, onMerchantClock(outcome, leased));
      if (outcome.isAcknowledged) {
        updateNotification(tx, notification, "DELIVERED", now);
        return jobDone;
      }
      const at = nextAttemptAt(leased.attempts + 1, attemptEnd(outcome, leased));
      if (!at) updateNotification(tx, notification, "EXHAUSTED", now);
      return at ? { next: "again", at, noProgress: true } : jobDone;
    },

    retryAt: (_leased, now) => new Date(now.getTime() + 1_000),
  };
}

/**
 * The attempt in the form in which it is stored, with its time on the merchant's test clock, like all times that a
 * merchant sees. In live this time is the real time.
 */
function onMerchantClock(attempt: Attempt, { aheadMs }: LeasedJob): Attempt {
  return { ...attempt, at: new Date(attempt.at.getTime() + aheadMs) };
}

/**
 * Security (SSRF probing): the end of an attempt uses the masked duration, because the real timing would reveal whether
 * an internal address responded.
 */
function attemptEnd({ at, timings }: Attempt, { aheadMs }: LeasedJob): Date {
  return new Date(at.getTime() + timings.totalMs + aheadMs);
}

function batchAcknowledged({
  now,
}: WebhookSender): OutcomeBatchWriter<Notification, Attempt | UnsentReason, AcknowledgedDelivery> {
  return {
    item: (notification, outcome, leased) =>
      typeof outcome !== "string" && outcome.isAcknowledged
        ? { notification, attempt: onMerchantClock(outcome, leased), epoch: leased.epoch, at: now(leased) }
        : undefined,
    write: updateDelivered,
  };
}

/**
 * `isAcknowledgement` returns whether the endpoint acknowledged the webhook, for the circuit breaker of its delivery
 * queue; undefined if no request was sent.
 */
export function isAcknowledgement(outcome: unknown): boolean | undefined {
  if (outcome === undefined || typeof outcome === "string") return undefined;
  return (outcome as Attempt).isAcknowledged;
}
