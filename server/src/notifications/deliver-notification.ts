import { done, type Job, type SettledTogether } from "../jobs/job.ts";
import { isAcknowledged, nextAttemptAt, type Notification } from "./notification.ts";
import { findNotification, updateAttempted, updateDelivered, type Delivered } from "./notification.sql.ts";

export interface Courier {
  /** Sends a notification, signed anew, and gives back what the merchant's system answered. */
  readonly send: (notification: Notification, signal: AbortSignal) => Promise<Acknowledgement>;
  readonly now: () => Date;
}

export interface Acknowledgement {
  /** Zero when there was no answer at all. */
  readonly httpStatus: number;
  readonly body: string;
}

/** Tells a merchant what has become of something, until the merchant says that it knows. */
export function deliverNotification(courier: Courier): Job<Notification, Acknowledgement> {
  return {
    name: "deliver-notification",
    lane: "notifications",

    async read(tx, { bucket, clientId, subjectId }) {
      const notification = await findNotification(tx, { bucket, clientId }, subjectId);
      return notification?.status === "WAITING" ? notification : undefined;
    },

    call: (notification, _held, signal) => courier.send(notification, signal),

    together: deliveredTogether(courier),

    async settle(tx, notification, { httpStatus, body }) {
      const now = courier.now();
      if (isAcknowledged(httpStatus, body)) {
        updateAttempted(tx, notification, "DELIVERED", now);
        return done;
      }
      const at = nextAttemptAt(notification.attempts + 1, now);
      updateAttempted(tx, notification, at ? "WAITING" : "EXHAUSTED", now);
      return at ? { next: "again", at } : done;
    },

    retryAt: (_held, now) => new Date(now.getTime() + 1_000),
  };
}

function deliveredTogether({ now }: Courier): SettledTogether<Notification, Acknowledgement, Delivered> {
  return {
    item: (notification, { httpStatus, body }, { epoch }) =>
      isAcknowledged(httpStatus, body) ? { notification, epoch, at: now() } : undefined,
    write: updateDelivered,
  };
}
