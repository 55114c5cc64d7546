import { textOf } from "./bytes.ts";
import { MalformedResponseError } from "./errors.ts";
import { notifications, type NotificationFacts, type Told } from "./generated/notifications.ts";
import { withoutNulls } from "./json.ts";
import { withOutcome } from "./payment-outcome.ts";

/** The record and the change that a webhook or event is about, for `applyOnce`. */
export interface News {
  /** The record that changed. */
  readonly subject: string;
  /** The number of the record's change. A higher number is newer. */
  readonly sequence: number;
}

/** A webhook with a valid signature. `switch (notification.kind)` narrows the type of `body`. */
export type Notification = Told &
  News & {
    /**
     * A key that two messages share only if exactly the same message arrives again (replay). Each delivery
     * attempt of the gateway has a new key.
     */
    readonly replayKey: string;
    /** The text of the message's time header. */
    readonly time: string;
  };

/**
 * An event of the feed: the content of a webhook, typed like one. Its subject is the same as that of the
 * webhook, so `applyOnce` skips whichever of the two arrives second.
 */
export type ToldEvent = Told &
  News & {
    /**
     * The position of the event in the feed. Store it in the transaction in which you apply the event, and
     * continue from it.
     */
    readonly cursor: string;
    /** The gateway's id of the webhook; absent in a stream. */
    readonly notificationId?: string | undefined;
    /** The creation time; absent in a stream. */
    readonly createdTime?: string | undefined;
  };

/**
 * The types describe the documented fields; unknown fields of a newer gateway are kept. A webhook without a
 * record id is its own subject, because the gateway sends the same bytes in every attempt.
 */
export async function readNotification(bytes: Uint8Array): Promise<Told & News> {
  const body = objectIn(bytes);
  if (!body) throw new MalformedResponseError("The webhook is signed, but it is not a JSON object.");
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
