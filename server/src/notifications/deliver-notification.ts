import { done, type LeasedJob, type Job, type WrittenTogether } from "../jobs/job.ts";
import type { Attempt } from "./attempt.ts";
import { isTooOld, nextAttemptAt, type Notification } from "./notification.ts";
import {
  findNotification,
  insertAttempt,
  updateDelivered,
  updateNotification,
  type Delivered,
} from "./notification.sql.ts";

export interface Courier {
  /** Sends a notification, signed anew, and gives back what the merchant's system answered. */
  readonly send: (notification: Addressed, signal: AbortSignal, flaws?: Flaws) => Promise<Attempt>;
  /** On the merchant's clock. */
  readonly now: (merchant: { readonly aheadMs: number }) => Date;
}

/** Injected faults. */
export interface Flaws {
  readonly corrupt?: boolean;
  readonly olderMs?: number;
}

/** A notification that has an address. */
export type Addressed = Notification & { readonly url: string };

/** Nothing was sent: there is no address, or the notification has expired. */
type Unsendable = "no address" | "too old";

/** Delivers a notification at least once: retries with backoff until the merchant acknowledges it. */
export function deliverNotification(courier: Courier): Job<Notification, Attempt | Unsendable> {
  return {
    loop: "notifications",

    async read(tx, { bucket, clientId, subjectId }) {
      const notification = await findNotification(tx, { bucket, clientId, notificationId: subjectId });
      return notification?.status === "WAITING" ? notification : undefined;
    },

    async call(notification, leased, signal) {
      const { url } = notification;
      if (url === undefined) return "no address";
      if (isTooOld(notification, courier.now(leased))) return "too old";
      return courier.send({ ...notification, url }, signal);
    },

    together: deliveredTogether(courier),

    async write(tx, notification, outcome, leased) {
      const now = courier.now(leased);
      if (typeof outcome === "string") {
        updateNotification(tx, notification, outcome === "no address" ? "UNSENT" : "EXHAUSTED", now);
        return done;
      }
      insertAttempt(tx, notification, onMerchantClock(outcome, leased));
      if (outcome.isAcknowledged) {
        updateNotification(tx, notification, "DELIVERED", now);
        return done;
      }
      const at = nextAttemptAt(leased.attempts + 1, endOf(outcome, leased));
      if (!at) updateNotification(tx, notification, "EXHAUSTED", now);
      return at ? { next: "again", at, gotNowhere: true } : done;
    },

    retryAt: (_leased, now) => new Date(now.getTime() + 1_000),
  };
}

/** The attempt as it is stored: at the time of the merchant's clock, as everything that a merchant sees. In live that is the real time. */
function onMerchantClock(attempt: Attempt, { aheadMs }: LeasedJob): Attempt {
  return { ...attempt, at: new Date(attempt.at.getTime() + aheadMs) };
}

/** Uses the masked duration: the real timing would reveal whether an internal address answered (SSRF probing). */
function endOf({ at, timings }: Attempt, { aheadMs }: LeasedJob): Date {
  return new Date(at.getTime() + timings.totalMs + aheadMs);
}

function deliveredTogether({ now }: Courier): WrittenTogether<Notification, Attempt | Unsendable, Delivered> {
  return {
    item: (notification, outcome, leased) =>
      typeof outcome !== "string" && outcome.isAcknowledged
        ? { notification, attempt: onMerchantClock(outcome, leased), epoch: leased.epoch, at: now(leased) }
        : undefined,
    write: updateDelivered,
  };
}

/** Whether the endpoint acknowledged, for the circuit breaker of its lane; undefined when it was not called. */
export function tookNote(outcome: unknown): boolean | undefined {
  if (outcome === undefined || typeof outcome === "string") return undefined;
  return (outcome as Attempt).isAcknowledged;
}
