import { Type, type TSchema } from "typebox";
import type { NotificationKind } from "../notifications/notification.ts";

/** One kind of message to merchants, signed by us and posted to their address. */
export interface ToldNews {
  readonly kind: NotificationKind;
  readonly summary: string;
  readonly body: TSchema;
  readonly example: object;
  /** Other bodies, one for each situation that a merchant would look for. */
  readonly scenes?: readonly { readonly title: string; readonly body: object }[];
}

export const sequence = Type.Integer({
  minimum: 1,
  description:
    "Grows with every change of the record: what has a lower number than the last one is old news.",
});
