import { Type } from "typebox";
import { NextCursor, PageRequest, pageWindow } from "../contract/page-request.ts";
import { OneOf } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { isRefusal } from "../core/result.ts";
import { statusMeanings } from "./delivery-filter.schema.ts";
import { kindMeanings } from "./notification-kinds.ts";
import { listNewestDeliveries } from "./delivery.sql.ts";
import { withoutSecrets, type Delivery } from "./delivery.ts";
import { SentNotification, toSentNotification } from "./sent-notification.schema.ts";

export const viewNotifications = view({
  name: "notifications",
  summary: "Lists webhooks with their delivery attempts, the newest first.",
  permission: "notifications.read",

  request: Type.Object({
    ...PageRequest,
    notificationKind: Type.Optional(OneOf(kindMeanings, "Only this kind of webhook.")),
    notificationStatus: Type.Optional(OneOf(statusMeanings, "Only webhooks with this status.")),
    subjectId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "Only webhooks about this record." }),
    ),
  }),
  response: Type.Object({
    notifications: Type.Array(SentNotification, { description: "The webhooks, the newest first." }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { notificationStatus: "EXHAUSTED", limit: 10 },
    response: {
      notifications: [
        {
          notificationId: "20261115093104377047608530017744120",
          notificationKind: "notifyPayment",
          notificationStatus: "EXHAUSTED",
          subjectId: "20261115093000123047601530017744120",
          sequence: 2,
          url: "https://shop.example/notify",
          createdTime: "2026-11-15T09:31:04+00:00",
          attempts: [
            {
              attemptTime: "2026-11-15T09:31:04+00:00",
              keyVersion: 1,
              httpStatus: 500,
              failure: "500, but 200 is expected",
              answer: "Internal Server Error",
              totalMs: 97,
            },
          ],
        },
      ],
    },
  },

  async find(call, request) {
    const window = pageWindow(request);
    if (isRefusal(window)) return window;
    const { notificationKind: kind, notificationStatus: status, subjectId } = request;
    const deliveries = await listNewestDeliveries(
      call.tx,
      call,
      { kind, status, subjectId },
      window,
      call.aheadMs,
    );
    return pageOf(deliveries, window, ({ notificationId }) => notificationId);
  },

  answer(page: Page<Delivery>) {
    return {
      code: "SUCCESS",
      notifications: page.items.map(withoutSecrets).map(toSentNotification),
      ...toNextCursor(page),
    };
  },
});
