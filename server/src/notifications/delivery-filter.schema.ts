import { Type, type Static } from "typebox";
import { described, Id, NotificationId, OneOf, Time, type Meanings } from "../api/schemas.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { refuse, type Refusal } from "../core/result.ts";
import type { Selection } from "./delivery.ts";
import { cursorForm } from "./feed.ts";
import type { NotificationKind, NotificationStatus } from "./notification.ts";

export const kindsInWords: Meanings<NotificationKind> = {
  notifyPayment: "How a payment ended, or that it is pending.",
  notifyAuthorization: "A buyer's consent, its token, and its end.",
  notifyRefund: "How a refund ended.",
  notifyCapture: "How a capture ended.",
  notifyDispute: "What has become of a dispute.",
  notifyRegistrationStatus: "What a wallet decided about a store.",
  notifyPayout: "What has become of a payout.",
  notifyBankAccount: "What has become of a bank account to pay you.",
};

export const statusesInWords: Meanings<NotificationStatus> = {
  WAITING: "It is to be sent, or sent again.",
  DELIVERED: "Your system has acknowledged it.",
  EXHAUSTED: "Eight attempts got no acknowledgement; it is sent again when you ask.",
  UNSENT: "There is no address for it.",
};

/** Which notifications a request speaks of. */
export const DeliveryFilter = Type.Object({
  notificationId: Type.Optional(NotificationId),
  subjectId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "The payment, capture or refund that they speak of.",
    }),
  ),
  notificationKind: Type.Optional(OneOf(kindsInWords, "Only this kind.")),
  notificationStatus: Type.Optional(OneOf(statusesInWords, "Only what stands there.")),
  createdFrom: Type.Optional(described(Time, "Only those since then; ISO 8601 with an offset.")),
  createdUntil: Type.Optional(described(Time, "Only those until then; ISO 8601 with an offset.")),
  fromCursor: Type.Optional(
    Type.String({ pattern: cursorForm, description: "Only those behind this place in the feed." }),
  ),
  after: Type.Optional(described(Id, "For the next page: the last `notificationId` of this one.")),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, description: "At most so many; 100 unless said otherwise." }),
  ),
});

const limitUsual = 100;

/** `statuses` are those that are meant when the request does not say. */
export function selectionOf(
  request: Static<typeof DeliveryFilter>,
  statuses: readonly NotificationStatus[],
): Selection | Refusal<"PARAM_ILLEGAL"> {
  const from = idAt(request.createdFrom, "0");
  const until = idAt(request.createdUntil, "9");
  if (from === undefined || until === undefined)
    return refuse("PARAM_ILLEGAL", { field: from === undefined ? "createdFrom" : "createdUntil" });
  if (request.fromCursor === "latest")
    return refuse("PARAM_ILLEGAL", { field: "fromCursor", detail: "Nothing is behind the latest." });
  const one = request.notificationId;
  return {
    notificationId: one,
    subjectId: request.subjectId,
    kind: request.notificationKind,
    statuses: request.notificationStatus === undefined ? statuses : [request.notificationStatus],
    idFrom: request.after !== undefined && request.after > from ? `${request.after}~` : from,
    idUntil: until,
    afterPosition: request.fromCursor,
    limit: request.limit ?? limitUsual,
  };
}

function idAt(time: string | undefined, otherwise: string): string | undefined {
  if (time === undefined) return otherwise;
  const ms = parseRequestTime(time);
  return ms === undefined ? undefined : new Date(ms).toISOString().replaceAll(/\D/g, "");
}
