import { Type, type TSchema } from "typebox";
import type { NotificationKind } from "../notifications/notification-kinds.ts";

/** The body of one kind of webhook, with examples. */
export interface WebhookSchema {
  readonly summary: string;
  readonly body: TSchema;
  readonly example: object;
  /** Other bodies, one for each situation that a merchant would search for. */
  readonly moreExamples?: readonly { readonly title: string; readonly body: object }[];
}

/** One kind of webhook, signed by the gateway and sent to the merchant's address. */
export interface WebhookKind extends WebhookSchema {
  readonly kind: NotificationKind;
}

export const sequence = Type.Integer({
  minimum: 1,
  description:
    "Grows with every change of the record. Ignore an event with a lower number than the last one.",
});
