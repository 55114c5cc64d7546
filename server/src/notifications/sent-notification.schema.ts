import { Type, type Static } from "typebox";
import { withDescription, Id, NotificationId, OneOf, Time, toTime } from "../contract/schemas.ts";
import type { Timings } from "./delivery-attempt.ts";
import { statusMeanings } from "./delivery-filter.schema.ts";
import { kindMeanings } from "./notification-kinds.ts";
import type { Delivery, StoredAttempt } from "./delivery.ts";

const millisecondsUntil = (event: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description: `Milliseconds until ${event}.` }));

const DeliveryAttempt = Type.Object(
  {
    attemptTime: withDescription(Time, "When the attempt started."),
    keyVersion: Type.Integer({ description: "The version of our key that signed the attempt." }),
    httpStatus: Type.Integer({ description: "The HTTP status of the response; zero if there was none." }),
    failure: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "Why there was no response; in the sandbox also why the response does not acknowledge.",
      }),
    ),
    answer: Type.String({
      maxLength: 1024,
      description: "The beginning of your system's response.",
      // The merchant's response is masked in the log, because it may repeat the body of the webhook.
      "x-secret": true,
    }),
    dnsMs: millisecondsUntil("your host name was resolved"),
    connectMs: millisecondsUntil("the connection was established"),
    tlsMs: millisecondsUntil("the TLS handshake was completed"),
    firstByteMs: millisecondsUntil("the first byte of your response arrived"),
    totalMs: millisecondsUntil("the attempt ended"),
  },
  { title: "DeliveryAttempt", description: "One delivery attempt of the webhook." },
);

export const SentNotification = Type.Object(
  {
    notificationId: NotificationId,
    notificationKind: OneOf(kindMeanings, "The kind of webhook."),
    notificationStatus: OneOf(statusMeanings, "The status of the webhook."),
    subjectId: withDescription(
      Id,
      "The id of the payment, capture, refund or other record that the webhook is about.",
    ),
    sequence: Type.Integer({ description: "The number of the record's change that the webhook reports." }),
    url: Type.Optional(Type.String({ maxLength: 2048, description: "The target URL.", "x-address": true })),
    createdTime: withDescription(Time, "When the event happened."),
    deliveredTime: Type.Optional(withDescription(Time, "When your system acknowledged the webhook.")),
    nextAttemptTime: Type.Optional(withDescription(Time, "When the next attempt is due.")),
    attempts: Type.Array(DeliveryAttempt, {
      description: "All delivery attempts, the first one first.",
    }),
  },
  { title: "SentNotification", description: "A webhook with its delivery attempts." },
);

export function toSentNotification(delivery: Delivery): Static<typeof SentNotification> {
  return {
    notificationId: delivery.notificationId,
    notificationKind: delivery.kind,
    notificationStatus: delivery.status,
    subjectId: delivery.subjectId,
    sequence: delivery.sequence,
    ...(delivery.url !== undefined && { url: delivery.url }),
    createdTime: toTime(delivery.createdAt),
    ...(delivery.deliveredAt && { deliveredTime: toTime(delivery.deliveredAt) }),
    ...(delivery.nextAttemptAt && { nextAttemptTime: toTime(delivery.nextAttemptAt) }),
    attempts: delivery.attempts.map(toDeliveryAttempt),
  };
}

function toDeliveryAttempt({ at, keyVersion, httpStatus, failure, answer, timings }: StoredAttempt) {
  const reachedSteps = Object.entries(timings).filter(([, ms]) => ms !== undefined);
  return {
    attemptTime: toTime(at),
    keyVersion,
    httpStatus,
    ...(failure !== undefined && { failure }),
    answer,
    ...(Object.fromEntries(reachedSteps.map(([name, ms]) => [name, Math.round(Number(ms))])) as Partial<
      Record<keyof Timings, number>
    >),
  };
}
