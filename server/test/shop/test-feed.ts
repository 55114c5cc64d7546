import { verify } from "node:crypto";
import { request, type IncomingMessage } from "node:http";
import { bucketOf } from "../../src/core/bucket.ts";
import { asSuperuser, type TestDatabase } from "../start/test-database.ts";
import {
  call,
  pathOf,
  signedHeaders,
  type ReceivedAnswer,
  type TestMerchant,
} from "../start/test-gateway.ts";

export const feedPath = pathOf("sandbox", "tollgate/inquiryEvents");

/** A statement that inserts an event without a position; its parameters are `eventValues`. */
export const insertEvent = `insert into notifications
  (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, created_at)
  values ($1, $2, $3, 'notifyPayment', $2, 1, 'https://shop.example/notify', convert_to($4, 'UTF8'), clock_timestamp())`;

export function eventValues(clientId: string, notificationId: string): readonly unknown[] {
  return [bucketOf(clientId), notificationId, clientId, eventBody(notificationId)];
}

/** A body with characters that could break a single line of text. */
export function eventBody(notificationId: string): string {
  return `{"paymentId": "${notificationId}",\r\n "note":"ü \u2028 \u0085 data: \\n"}`;
}

export async function insertTestEvents(
  { superuserUrl }: TestDatabase,
  { clientId }: TestMerchant,
  notificationIds: readonly string[],
): Promise<void> {
  for (const id of notificationIds) await asSuperuser(insertEvent, eventValues(clientId, id), superuserUrl);
}

/** Assigns feed positions, as `work` does continuously. */
export async function assignPositions({ superuserUrl }: TestDatabase): Promise<void> {
  await asSuperuser("select assign_feed_positions(500)", [], superuserUrl);
}

export interface FeedEvent {
  readonly cursor: string;
  readonly notificationId: string;
  readonly body: string;
}

export interface FeedPage {
  readonly code: string | undefined;
  readonly events: readonly FeedEvent[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/** One page of the event feed, as a merchant's system reads it. */
export async function readFeed(
  url: string,
  merchant: TestMerchant,
  query: object = {},
): Promise<FeedPage & { readonly answer: ReceivedAnswer }> {
  const answer = await call(url, merchant, { path: feedPath, body: JSON.stringify(query) });
  const { events, nextCursor, hasMore } = answer.json as unknown as FeedPage;
  return { answer, code: answer.json.result["resultCode"], events, nextCursor, hasMore };
}

export interface StreamedEvent {
  readonly id: string;
  readonly name: string;
  readonly body: string;
  /**
   * True if the gateway signed the event, over the path of the stream or over the address to which the event is
   * forwarded.
   */
  readonly isSigned: boolean;
}

/** An open stream of a merchant's system. */
export interface FeedStream {
  readonly contentType: string;
  /** All events received so far. */
  readonly events: readonly StreamedEvent[];
  /** All received text. */
  text(): string;
  /** Resolves when the connection has ended, whichever side closed it. */
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  /** Stops reading from the stream, as a hanging system does. */
  pause(): void;
  destroy(): void;
}

export async function openFeedStream(
  url: string,
  merchant: TestMerchant,
  {
    cursor,
    forwardUrl,
    onEvent = () => undefined,
  }: {
    readonly cursor?: string | undefined;
    readonly forwardUrl?: string;
    readonly onEvent?: (event: StreamedEvent) => void;
  } = {},
): Promise<FeedStream> {
  const body = JSON.stringify({ follow: true, cursor, forwardUrl });
  const { pathname, search } = new URL(forwardUrl ?? feedPath, url);
  const incoming = await open(url, body, {
    ...signedHeaders(merchant, { path: feedPath, body }),
    "content-type": "application/json",
  });
  const events: StreamedEvent[] = [];
  let text = "";
  let unread = "";
  let hasClosed = false;
  incoming.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
    const blocks = (unread + chunk).split("\n\n");
    unread = blocks.pop() ?? "";
    for (const event of blocks.flatMap((block) => eventIn(block, merchant, pathname + search))) {
      events.push(event);
      onEvent(event);
    }
  });
  const ended = new Promise<void>((resolve) => {
    const end = (): void => {
      hasClosed = true;
      resolve();
    };
    incoming.on("close", end).on("error", end);
  });
  return {
    contentType: String(incoming.headers["content-type"]),
    events,
    text: () => text,
    ended,
    hasEnded: () => hasClosed,
    pause: () => void incoming.pause(),
    destroy: () => void incoming.destroy(),
  };
}

function open(url: string, body: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${feedPath}`, { method: "POST", headers, agent: false }, resolve);
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function eventIn(block: string, merchant: TestMerchant, path: string): StreamedEvent[] {
  const fields = new Map(block.split("\n").map((line) => [line.split(": ")[0], line.replace(/^\w+: /, "")]));
  const [id, name, data] = [fields.get("id"), fields.get("event"), fields.get("data")];
  if (id === undefined || name === undefined || data === undefined) return [];
  const { requestTime = "", signature = "", body = "" } = JSON.parse(data) as Record<string, string>;
  const value = Buffer.from(decodeURIComponent(signature.split("signature=")[1] ?? ""), "base64");
  const signed = `POST ${path}\n${merchant.clientId}.${requestTime}.${body}`;
  return [
    { id, name, body, isSigned: verify("sha256", Buffer.from(signed), merchant.gatewayPublicKey, value) },
  ];
}
