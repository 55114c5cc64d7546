import { Type } from "typebox";
import { inquiry } from "../api/operation.ts";
import { described, Id, NotificationId, OneOf, Time, toTime } from "../api/schemas.ts";
import { isRefusal } from "../core/result.ts";
import type { Timings } from "./attempt.ts";
import { DeliveryFilter, kindsInWords, selectionOf, statusesInWords } from "./delivery-filter.schema.ts";
import type { Delivery, KeptAttempt } from "./delivery.ts";
import { listDeliveries } from "./delivery.sql.ts";
import { notificationLifecycle, type NotificationStatus } from "./notification.ts";

interface Found {
  readonly deliveries: readonly Delivery[];
  readonly limit: number;
}

const allStatuses = Object.keys(notificationLifecycle) as NotificationStatus[];
const millisecondsUntil = (what: string) =>
  Type.Optional(Type.Integer({ minimum: 0, description: `Milliseconds until ${what}.` }));

export const inquireNotifications = inquiry({
  path: "tollgate/inquiryNotifications",
  summary: "Shows notifications, every attempt to deliver them, and what your system answered.",
  description:
    "The oldest come first. For the next page give the last `notificationId` as `after`. `UNSENT` says that neither the " +
    "request nor your settings name an address; it is in the feed all the same.",

  request: DeliveryFilter,
  response: Type.Object({
    notifications: Type.Array(
      Type.Object(
        {
          notificationId: NotificationId,
          notificationKind: OneOf(kindsInWords, "What it tells."),
          notificationStatus: OneOf(statusesInWords, "Where it stands."),
          subjectId: described(Id, "The payment, capture, refund or other record that it tells of."),
          sequence: Type.Integer({ description: "Which change of its payment it tells." }),
          url: Type.Optional(
            Type.String({ maxLength: 2048, description: "Where it goes.", "x-address": true }),
          ),
          createdTime: described(Time, "When it happened."),
          deliveredTime: Type.Optional(described(Time, "When your system acknowledged it.")),
          nextAttemptTime: Type.Optional(described(Time, "When it is sent again.")),
          attempts: Type.Array(
            Type.Object(
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
            ),
            { description: "Every attempt to deliver it, the first one first." },
          ),
        },
        { title: "SentNotification", description: "A notification, and what became of it." },
      ),
      { description: "The notifications, the oldest first." },
    ),
    hasMore: Type.Boolean({ description: "Whether there may be another page." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED"],
  inStore: true,

  example: {
    request: { notificationStatus: "WAITING", limit: 10 },
    response: {
      notifications: [
        {
          notificationId: "20261115093104377047608530017744120",
          notificationKind: "notifyPayment",
          notificationStatus: "WAITING",
          subjectId: "20261115093000123047601530017744120",
          sequence: 2,
          url: "https://shop.example/notify",
          createdTime: "2026-11-15T09:31:04+00:00",
          nextAttemptTime: "2026-11-15T09:33:05+00:00",
          attempts: [
            {
              attemptTime: "2026-11-15T09:31:04+00:00",
              keyVersion: 1,
              httpStatus: 500,
              failure: "500, but 200 is expected",
              answer: "Internal Server Error",
              dnsMs: 2,
              connectMs: 14,
              tlsMs: 31,
              firstByteMs: 96,
              totalMs: 97,
            },
          ],
        },
      ],
      hasMore: false,
    },
  },

  async find(call, request) {
    const selection = selectionOf(request, allStatuses);
    if (isRefusal(selection)) return selection;
    const found: Found = {
      deliveries: await listDeliveries(call.tx, call, selection, call.aheadMs),
      limit: selection.limit,
    };
    return found;
  },

  answer({ deliveries, limit }: Found) {
    return {
      code: "SUCCESS",
      notifications: deliveries.map((delivery) => ({
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
      })),
      hasMore: deliveries.length === limit,
    };
  },
});

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
