import { isDeepStrictEqual } from "node:util";
import { notifications } from "../../src/api/notifications.ts";
import { requestReader } from "../../src/api/read-request.ts";
import { isRefusal } from "../../src/core/result.ts";
import type { JsonValue } from "../../src/core/strict-json.ts";
import type { NotificationKind } from "../../src/notifications/notification.ts";

type Body = Readonly<Record<string, unknown>>;

const readers = new Map(notifications.map(({ kind, body }) => [kind, requestReader(body)]));

/** Which kind a body is of, told as a receiver does who has one address for all. */
export function kindOf(body: Body): NotificationKind | undefined {
  if (body["authorizationNotifyType"] !== undefined) return "notifyAuthorization";
  if (body["disputeNotificationType"] !== undefined) return "notifyDispute";
  if (body["registrationResult"] !== undefined) return "notifyRegistrationStatus";
  if (body["payoutNotificationType"] !== undefined) return "notifyPayout";
  if (body["bankAccountNotificationType"] !== undefined) return "notifyBankAccount";
  switch (body["notifyType"]) {
    case "PAYMENT_RESULT":
    case "PAYMENT_PENDING":
      return "notifyPayment";
    case "CAPTURE_RESULT":
      return "notifyCapture";
    case "REFUND_RESULT":
      return "notifyRefund";
    default:
      return undefined;
  }
}

/** What a body has that its schema does not allow, does not know or misses; undefined when it fits. */
export function misfitOf(body: Body): string | undefined {
  const kind = kindOf(body);
  const read = kind && readers.get(kind);
  if (!read) return `It is of no kind: ${JSON.stringify(body)}`;
  const outcome = read(body as { readonly [field: string]: JsonValue });
  if (isRefusal(outcome)) return `${kind}: ${outcome.detail ?? outcome.refused}`;
  return isDeepStrictEqual(outcome.request, body)
    ? undefined
    : `${kind}: it has fields that are not documented: ${JSON.stringify(body)}`;
}
