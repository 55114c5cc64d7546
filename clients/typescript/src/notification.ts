import { textOf } from "./bytes.ts";
import { MalformedResponseError } from "./errors.ts";
import { notifications, type NotificationFacts, type Told } from "./generated/notifications.ts";
import { withoutNulls } from "./json.ts";
import { withOutcome } from "./payment-outcome.ts";

/** What a notification or an event is about, for `applyOnce`. */
export interface News {
  /** The record that it tells of. */
  readonly subject: string;
  /** Which of the record's changes: a higher one is newer. */
  readonly sequence: number;
}

/** A notification whose signature holds. `switch (notification.kind)` gives `body` its type. */
export type Notification = Told &
  News & {
    /** The same only if the very same message comes again. Every attempt of the gateway has a new one. */
    readonly replayKey: string;
    /** The text of its time header. */
    readonly time: string;
  };

/**
 * An entry of the feed: what was or will be told by notification, typed like one. Its subject is that of the
 * notification, so whichever of the two comes second is old news to `applyOnce`.
 */
export type ToldEvent = Told &
  News & {
    /** Its place in the feed. Keep it in the transaction in which you apply the event, and go on from there. */
    readonly cursor: string;
    /** The gateway's name for the notification; a stream does not tell it. */
    readonly notificationId?: string | undefined;
    /** When it happened; a stream does not tell it. */
    readonly createdTime?: string | undefined;
  };

/**
 * The types are what the interface promises; what a newer gateway adds is there as well. A notification that names no
 * record is its own subject: the gateway sends the same bytes in every attempt.
 */
export async function readNotification(bytes: Uint8Array): Promise<Told & News> {
  const body = objectIn(bytes);
  if (!body) throw new MalformedResponseError("The notification is signed, but it is not a JSON object.");
  const { kind = "unknown", subjectField = "" } = factsOf(body) ?? {};
  const { [subjectField]: record, sequence } = body;
  const subject = typeof record === "string" ? record : await digestOf(bytes);
  return {
    kind,
    body: kind === "notifyPayment" ? withOutcome("PaymentNotification", body) : body,
    subject: `${kind} ${subject}`,
    sequence: typeof sequence === "number" ? sequence : 0,
  } as Told & News;
}

async function digestOf(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

type Fields = Readonly<Record<string, unknown>>;

function factsOf(body: Fields): NotificationFacts | undefined {
  const type = body["notifyType"];
  if (typeof type === "string") return notifications.find(({ notifyTypes }) => notifyTypes.includes(type));
  return notifications.find(
    ({ notifyTypes, requiredFields }) =>
      notifyTypes.length === 0 && requiredFields.every((name) => name in body),
  );
}

export function objectIn(bytes: Uint8Array): Fields | undefined {
  try {
    const body = withoutNulls(JSON.parse(textOf(bytes) ?? ""));
    return typeof body === "object" && !Array.isArray(body) ? (body as Fields) : undefined;
  } catch {
    return undefined;
  }
}
