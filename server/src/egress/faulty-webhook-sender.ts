import { RetryLaterError } from "../core/retry-later-error.ts";
import type { Attempt } from "../notifications/delivery-attempt.ts";
import type { AddressedNotification, WebhookSender } from "../notifications/deliver-notification.ts";
import type { NotificationFault } from "../notifications/notification-fault.ts";

const staleMs = 600_000;

/** Fault injection around a courier. `takeFault` returns the next fault, and counts it down. */
export function injectWebhookFaults(
  courier: WebhookSender,
  takeFault: (notification: AddressedNotification) => Promise<NotificationFault | undefined>,
): WebhookSender {
  return {
    now: courier.now,
    async send(notification, signal) {
      const fault = notification.mayFail ? await takeFault(notification) : undefined;
      switch (fault?.kind) {
        case undefined:
          return courier.send(notification, signal);
        case "DUPLICATE":
          await courier.send(notification, signal);
          return courier.send(notification, signal);
        case "REORDER":
        case "DELAY":
          throw new RetryLaterError("Held back on demand.", fault.delaySeconds * 1000);
        case "DROP":
          return buildDroppedAttempt(courier);
        case "CORRUPT_SIGNATURE":
          return courier.send(notification, signal, { corrupt: true });
        case "STALE":
          return courier.send(notification, signal, { olderMs: staleMs });
      }
    },
  };
}

function buildDroppedAttempt({ now }: WebhookSender): Attempt {
  return {
    at: now({ aheadMs: 0 }),
    keyVersion: 0,
    httpStatus: 0,
    failure: "dropped on demand",
    isAcknowledged: false,
    answer: "",
    timings: {
      dnsMs: undefined,
      connectMs: undefined,
      tlsMs: undefined,
      firstByteMs: undefined,
      totalMs: 0,
    },
  };
}
