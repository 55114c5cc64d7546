import { refuse, type Refusal } from "../core/result.ts";
import type { Notification } from "./notification.ts";

/** A notification at its position in the merchant's feed, whether it was sent or not. */
export interface FeedEvent extends Pick<
  Notification,
  "notificationId" | "kind" | "subjectId" | "sequence" | "body" | "isSealed" | "createdAt"
> {
  readonly position: bigint;
}

/** A position as text. Fewer digits than the database could hold: no feed is that long. */
export const cursorForm = "^(?:latest|0|[1-9][0-9]{0,17})$";

/** After which event a reader goes on: after none without a cursor, after all that there are with `latest`. */
export function positionOf(cursor: string | undefined, head: bigint): bigint | Refusal<"PARAM_ILLEGAL"> {
  if (cursor === undefined) return 0n;
  if (cursor === "latest") return head;
  if (!new RegExp(cursorForm).test(cursor)) return illegal("The cursor is not one that the feed has given.");
  const position = BigInt(cursor);
  // A reader with a cursor from elsewhere would skip all events up to that position.
  return position > head ? illegal("The cursor is ahead of the feed: it is from elsewhere.") : position;
}

function illegal(detail: string): Refusal<"PARAM_ILLEGAL"> {
  return refuse("PARAM_ILLEGAL", { field: "cursor", detail });
}
