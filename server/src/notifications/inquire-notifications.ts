import { Type } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { isRefusal } from "../core/result.ts";
import { DeliveryFilter, toSelection } from "./delivery-filter.schema.ts";
import type { Delivery } from "./delivery.ts";
import { listDeliveries } from "./delivery.sql.ts";
import { notificationLifecycle, type NotificationStatus } from "./notification.ts";
import { SentNotification, toSentNotification } from "./sent-notification.schema.ts";

interface NotificationPage {
  readonly deliveries: readonly Delivery[];
  readonly limit: number;
}

const allStatuses = Object.keys(notificationLifecycle) as NotificationStatus[];

export const inquireNotifications = inquiry({
  path: "tollgate/inquiryNotifications",
  summary: "Lists webhooks with their delivery attempts and the responses of your system.",
  description:
    "The oldest come first. For the next page, send the last `notificationId` as `after`. `UNSENT` means " +
    "that neither the request nor your settings have a URL; the webhook is still in the event feed.",

  request: DeliveryFilter,
  response: Type.Object({
    notifications: Type.Array(SentNotification, { description: "The notifications, the oldest first." }),
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
    const selection = toSelection(request, allStatuses);
    if (isRefusal(selection)) return selection;
    const page: NotificationPage = {
      deliveries: await listDeliveries(call.tx, call, selection, call.aheadMs),
      limit: selection.limit,
    };
    return page;
  },

  answer({ deliveries, limit }: NotificationPage) {
    return {
      code: "SUCCESS",
      notifications: deliveries.map(toSentNotification),
      hasMore: deliveries.length === limit,
    };
  },
});
