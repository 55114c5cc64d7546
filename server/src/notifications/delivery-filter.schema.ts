import { Type, type Static } from "typebox";
import { withDescription, Id, NotificationId, OneOf, Time, type Meanings } from "../contract/schemas.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { refuse, type Refusal } from "../core/result.ts";
import type { DeliverySelection } from "./delivery.ts";
import { feedCursorForm } from "../core/cursor-forms.ts";
import type { NotificationStatus } from "./notification.ts";
import { kindMeanings } from "./notification-kinds.ts";

export const statusMeanings: Meanings<NotificationStatus> = {
  WAITING: "The webhook waits for its first or next attempt.",
  DELIVERED: "Your system has acknowledged the webhook.",
  EXHAUSTED: "Eight attempts got no acknowledgement; you can resend the webhook.",
  UNSENT: "No URL is set for the webhook.",
};

/** Filter of webhooks in a request. */
export const DeliveryFilter = Type.Object({
  notificationId: Type.Optional(NotificationId),
  subjectId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "The id of the payment, capture, refund or other record that the webhooks are about.",
    }),
  ),
  notificationKind: Type.Optional(OneOf(kindMeanings, "Only this kind of webhook.")),
  notificationStatus: Type.Optional(OneOf(statusMeanings, "Only webhooks with this status.")),
  createdFrom: Type.Optional(
    withDescription(Time, "Only webhooks created at or after this time; ISO 8601 with an offset."),
  ),
  createdUntil: Type.Optional(
    withDescription(Time, "Only webhooks created before this time; ISO 8601 with an offset."),
  ),
  fromCursor: Type.Optional(
    Type.String({
      pattern: feedCursorForm,
      description: "Only webhooks after this position of the event feed.",
    }),
  ),
  after: Type.Optional(withDescription(Id, "For the next page: the last `notificationId` of this page.")),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, description: "Maximum number of rows (default 100)." }),
  ),
});

const defaultLimit = 100;

/**
 * `toSelection` converts the filter of a request to a selection. `statuses` is the default if the filter has no
 * `notificationStatus`.
 */
export function toSelection(
  request: Static<typeof DeliveryFilter>,
  statuses: readonly NotificationStatus[],
): DeliverySelection | Refusal<"PARAM_ILLEGAL"> {
  const from = idBoundAt(request.createdFrom, "0");
  const until = idBoundAt(request.createdUntil, "9");
  if (from === undefined || until === undefined)
    return refuse("PARAM_ILLEGAL", { field: from === undefined ? "createdFrom" : "createdUntil" });
  if (request.fromCursor === "latest")
    return refuse("PARAM_ILLEGAL", { field: "fromCursor", detail: "There are no events after the latest." });
  const notificationId = request.notificationId;
  return {
    notificationId,
    subjectId: request.subjectId,
    kind: request.notificationKind,
    statuses: request.notificationStatus === undefined ? statuses : [request.notificationStatus],
    idFrom: request.after !== undefined && request.after > from ? `${request.after}~` : from,
    idUntil: until,
    afterPosition: request.fromCursor,
    limit: request.limit ?? defaultLimit,
  };
}

function idBoundAt(time: string | undefined, fallback: string): string | undefined {
  if (time === undefined) return fallback;
  const ms = parseRequestTime(time);
  return ms === undefined ? undefined : new Date(ms).toISOString().replaceAll(/\D/g, "");
}
