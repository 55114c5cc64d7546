import { Type } from "typebox";
import { change } from "../api/operation.ts";
import { Id } from "../api/schemas.ts";
import { isRefusal, refuse } from "../core/result.ts";
import { DeliveryFilter, selectionOf } from "./delivery-filter.schema.ts";
import { listDeliveries, resendAll } from "./delivery.sql.ts";
import { notificationLifecycle, type NotificationStatus } from "./notification.ts";

interface Resent {
  readonly notificationIds: readonly string[];
  readonly limit: number;
}

const anyStatus = Object.keys(notificationLifecycle) as NotificationStatus[];
const rule = "Say which: by notificationId, subjectId, createdFrom or fromCursor.";

export const resendNotifications = change({
  path: "tollgate/resendNotifications",
  summary:
    "Sends notifications again: one, those of a payment, those of a window of time, or all from a place in the feed.",
  description:
    "Without `notificationStatus`, a `notificationId`, `subjectId` or `fromCursor` means every status, and a window of " +
    "time those that were never taken note of. They carry the same bytes as before, signed anew, and begin with the first " +
    "attempt. What waits for its next attempt is tried now. For the next page give the last `notificationId` as `after`. " +
    "The same call with the same `request-time` sends nothing again; one with an older time is refused.",

  request: DeliveryFilter,
  response: Type.Object({
    notificationIds: Type.Array(Id, { description: "Those that are sent again." }),
    hasMore: Type.Boolean({ description: "Whether there may be another page." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "REPEAT_REQ_INCONSISTENT"],
  inStore: true,

  example: {
    request: { createdFrom: "2026-11-15T00:00:00+00:00", createdUntil: "2026-11-15T12:00:00+00:00" },
    response: { notificationIds: ["20261115093104377047608530017744120"], hasMore: false },
  },
  scenes: [
    {
      title: "All that a payment was told of",
      request: { subjectId: "20261115093000123047601530017744120" },
      response: { notificationIds: ["20261115093104377047608530017744120"], hasMore: false },
    },
  ],

  async change(call, request, isAgain) {
    const { notificationId, subjectId, createdFrom, fromCursor } = request;
    const named = notificationId ?? subjectId ?? fromCursor;
    if (named === undefined && createdFrom === undefined) return refuse("PARAM_ILLEGAL", { detail: rule });
    const selection = selectionOf(
      request,
      named === undefined ? ["EXHAUSTED", "UNSENT", "WAITING"] : anyStatus,
    );
    if (isRefusal(selection)) return selection;
    const deliveries = await listDeliveries(call.tx, call, selection);
    // Replay protection: a captured request that is sent again must not send the notifications again.
    if (!isAgain) await resendAll(call.tx, call, deliveries);
    const resent: Resent = {
      notificationIds: deliveries.map((each) => each.notificationId),
      limit: selection.limit,
    };
    return resent;
  },

  answer({ notificationIds, limit }: Resent) {
    return {
      code: "SUCCESS",
      notificationIds: [...notificationIds],
      hasMore: notificationIds.length === limit,
    };
  },
});
