import { Type } from "typebox";
import { change } from "../contract/operation.ts";
import { Id } from "../contract/schemas.ts";
import { isRefusal, refuse } from "../core/result.ts";
import { DeliveryFilter, toSelection } from "./delivery-filter.schema.ts";
import { listDeliveries, resendDeliveries } from "./delivery.sql.ts";
import { notificationLifecycle, type NotificationStatus } from "./notification.ts";

interface ResentNotifications {
  readonly notificationIds: readonly string[];
  readonly limit: number;
}

const allStatuses = Object.keys(notificationLifecycle) as NotificationStatus[];
const rule = "Select webhooks by notificationId, subjectId, createdFrom or fromCursor.";

export const resendNotifications = change({
  path: "tollgate/resendNotifications",
  summary:
    "Resends webhooks: one, those of a payment, those of a time window, or all after a position of the event feed.",
  description:
    "Without `notificationStatus`, a request with `notificationId`, `subjectId` or `fromCursor` selects " +
    "all statuses; a time window selects webhooks that were not acknowledged. The bytes are the same as " +
    "before, with a new signature, and the attempts start again. A webhook that waits for its next " +
    "attempt is sent now. For the next page, send the last `notificationId` as `after`. A repeat with the " +
    "same `request-time` sends nothing; one with an older time is refused.",

  request: DeliveryFilter,
  response: Type.Object({
    notificationIds: Type.Array(Id, { description: "The webhooks that are sent again." }),
    hasMore: Type.Boolean({ description: "Whether there may be another page." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "REPEAT_REQ_INCONSISTENT"],
  inStore: true,

  example: {
    request: { createdFrom: "2026-11-15T00:00:00+00:00", createdUntil: "2026-11-15T12:00:00+00:00" },
    response: { notificationIds: ["20261115093104377047608530017744120"], hasMore: false },
  },
  moreExamples: [
    {
      title: "All webhooks about a payment",
      request: { subjectId: "20261115093000123047601530017744120" },
      response: { notificationIds: ["20261115093104377047608530017744120"], hasMore: false },
    },
  ],

  async change(call, request, isRepeat) {
    const { notificationId, subjectId, createdFrom, fromCursor } = request;
    const selector = notificationId ?? subjectId ?? fromCursor;
    if (selector === undefined && createdFrom === undefined) return refuse("PARAM_ILLEGAL", { detail: rule });
    const selection = toSelection(
      request,
      selector === undefined ? ["EXHAUSTED", "UNSENT", "WAITING"] : allStatuses,
    );
    if (isRefusal(selection)) return selection;
    const deliveries = await listDeliveries(call.tx, call, selection);
    // Replay protection: a captured request that is sent again must not resend the webhooks.
    if (!isRepeat) await resendDeliveries(call.tx, call, deliveries);
    const resent: ResentNotifications = {
      notificationIds: deliveries.map((each) => each.notificationId),
      limit: selection.limit,
    };
    return resent;
  },

  answer({ notificationIds, limit }: ResentNotifications) {
    return {
      code: "SUCCESS",
      notificationIds: [...notificationIds],
      hasMore: notificationIds.length === limit,
    };
  },
});
