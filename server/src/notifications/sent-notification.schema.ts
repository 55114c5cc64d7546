import { Type, type Static } from "typebox";
import { described, Id, NotificationId, OneOf, Time, toTime } from "../api/schemas.ts";
import type { Timings } from "./attempt.ts";
import { kindsInWords, statusesInWords } from "./delivery-filter.schema.ts";
import type { Delivery, KeptAttempt } from "./delivery.ts";

const millisecondsUntil = (what: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description: `Milliseconds until ${what}.` }));

const DeliveryAttempt = Type.Object(
  {
    attemptTime: described(Time, "When it was sent."),
    keyVersion: Type.Integer({ description: "Of our key that signed it." }),
    httpStatus: Type.Integer({ description: "Zero when there was no answer." }),
    failure: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "Why there was none; in the sandbox also why it does not acknowledge.",
      }),
    ),
    answer: Type.String({
      maxLength: 1024,
      description: "The beginning of what your system said.",
      // The merchant's answer may echo what it was sent.
      "x-secret": true,
    }),
    dnsMs: millisecondsUntil("your address was looked up"),
    connectMs: millisecondsUntil("the connection stood"),
    tlsMs: millisecondsUntil("TLS was agreed"),
    firstByteMs: millisecondsUntil("the first byte of your answer came"),
    totalMs: millisecondsUntil("it was over"),
  },
  { title: "DeliveryAttempt", description: "One attempt to deliver it." },
);

export const SentNotification = Type.Object(
  {
    notificationId: NotificationId,
    notificationKind: OneOf(kindsInWords, "What it tells."),
    notificationStatus: OneOf(statusesInWords, "Where it stands."),
    subjectId: described(Id, "The payment, capture, refund or other record that it tells of."),
    sequence: Type.Integer({ description: "Which change of its payment it tells." }),
    url: Type.Optional(Type.String({ maxLength: 2048, description: "Where it goes.", "x-address": true })),
    createdTime: described(Time, "When it happened."),
    deliveredTime: Type.Optional(described(Time, "When your system acknowledged it.")),
    nextAttemptTime: Type.Optional(described(Time, "When it is sent again.")),
    attempts: Type.Array(DeliveryAttempt, {
      description: "Every attempt to deliver it, the first one first.",
    }),
  },
  { title: "SentNotification", description: "A notification, and what became of it." },
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
    attempts: delivery.attempts.map(toWire),
  };
}

function toWire({ at, keyVersion, httpStatus, failure, answer, timings }: KeptAttempt) {
  const reached = Object.entries(timings).filter(([, ms]) => ms !== undefined);
  return {
    attemptTime: toTime(at),
    keyVersion,
    httpStatus,
    ...(failure !== undefined && { failure }),
    answer,
    ...(Object.fromEntries(reached.map(([name, ms]) => [name, Math.round(Number(ms))])) as Partial<
      Record<keyof Timings, number>
    >),
  };
}
