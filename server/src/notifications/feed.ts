import { feedCursorForm } from "../core/cursor-forms.ts";
import { refuse, type Refusal } from "../core/result.ts";
import type { Notification } from "./notification.ts";

/** A webhook at its position in the merchant's event feed, whether it was sent or not. */
export interface FeedEvent extends Pick<
  Notification,
  "notificationId" | "kind" | "subjectId" | "sequence" | "body" | "isSealed" | "createdAt"
> {
  readonly position: bigint;
}

/**
 * `parseFeedCursor` returns the position after which a reader continues: 0 without a cursor, the newest position with
 * `latest`.
 */
export function parseFeedCursor(cursor: string | undefined, head: bigint): bigint | Refusal<"PARAM_ILLEGAL"> {
  if (cursor === undefined) return 0n;
  if (cursor === "latest") return head;
  if (!new RegExp(feedCursorForm).test(cursor))
    return refuseCursor("The cursor was not issued by this feed.");
  const position = BigInt(cursor);
  // A cursor ahead of the feed belongs to another installation, and would skip all events up to its position.
  return position > head
    ? refuseCursor("The cursor is ahead of the feed: it belongs to another feed.")
    : position;
}

function refuseCursor(detail: string): Refusal<"PARAM_ILLEGAL"> {
  return refuse("PARAM_ILLEGAL", { field: "cursor", detail });
}
