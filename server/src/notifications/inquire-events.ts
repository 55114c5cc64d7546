import { Type } from "typebox";
import { inquiry, type Call } from "../contract/operation.ts";
import { withDescription, Id, NotificationId, OneOf, Time, Url, toTime } from "../contract/schemas.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { isAllowedWebhookUrl, webhookPathRule } from "../merchants/url-rules.ts";
import { kindMeanings } from "./notification-kinds.ts";
import { parseFeedCursor, type FeedEvent } from "./feed.ts";
import { feedCursorForm } from "../core/cursor-forms.ts";
import { listEvents, listFeedHeads } from "./feed.sql.ts";
import { openBody } from "./notification.ts";

interface EventPage {
  readonly events: readonly FeedEvent[];
  /** The position before the page, and the feed's last position at the time of the read. */
  readonly after: bigint;
  readonly head: bigint;
}

const defaultLimit = 100;
/** Back-pressure: a stream keeps at most this many events in memory while the merchant reads. */
const streamPageSize = 50;

const Cursor = Type.String({ minLength: 1, maxLength: 18, pattern: feedCursorForm });

export const inquireEvents = inquiry({
  path: "tollgate/inquiryEvents",
  summary: "Reads the event feed, which has all webhooks in order.",
  description:
    "Each webhook is also an event of the feed, whether or not it was sent or acknowledged. To continue, " +
    "send `nextCursor`. Store it together with the results of your processing, so that no event is " +
    "skipped or processed twice. Positions are 1, 2, 3, without gaps. Events of one record may be out of " +
    "order; `sequence` shows which is newer. With `follow` the connection stays open, and events arrive " +
    "as server-sent events.",

  request: Type.Object({
    cursor: Type.Optional(
      Type.String({
        ...Cursor,
        description:
          "Only events after this cursor. Default: the beginning of the feed; `latest` is its end.",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: "Maximum number of events (default 100)." }),
    ),
    follow: Type.Optional(
      Type.Boolean({
        description:
          "Returns a stream (`text/event-stream`) that starts after `cursor` and continues. The " +
          "request-time must be at most 30 seconds old. With a client library, use its `events` function " +
          "instead.",
      }),
    ),
    forwardUrl: Type.Optional(
      Url(
        "For a stream that you forward: each event is signed as if it were sent to this URL of yours, so " +
          "that your webhook endpoint can verify it. The gateway does not call this URL.",
      ),
    ),
  }),
  response: Type.Object({
    events: Type.Array(
      Type.Object(
        {
          cursor: withDescription(Cursor, "The position in the feed."),
          notificationId: NotificationId,
          kind: OneOf(kindMeanings, "The kind of webhook."),
          subjectId: withDescription(
            Id,
            "The id of the payment, capture, refund or other record that the webhook is about.",
          ),
          sequence: Type.Integer({ minimum: 0, description: "Counts the changes of the record." }),
          createdTime: withDescription(Time, "When the event happened."),
          body: Type.String({
            description: "The JSON body of the webhook, byte for byte.",
            // Some events' bodies contain codes or tokens, so the log masks all of them.
            "x-secret": true,
          }),
        },
        { title: "FeedEvent", description: "A webhook in the event feed." },
      ),
      { description: "The events after the cursor, in order." },
    ),
    nextCursor: withDescription(Cursor, "The `cursor` of the next request."),
    hasMore: Type.Boolean({ description: "Whether more events are available now." }),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED"],
  inStore: true,

  example: {
    request: { cursor: "41", limit: 10 },
    response: {
      events: [
        {
          cursor: "42",
          notificationId: "20261115093004123047604530017744127",
          kind: "notifyPayment",
          subjectId: "20261115093000123047601530017744120",
          sequence: 2,
          createdTime: "2026-11-15T09:30:04+00:00",
          body: '{"notifyType":"PAYMENT_RESULT","paymentRequestId":"order-1001-attempt-1","sequence":2}',
        },
      ],
      nextCursor: "42",
      hasMore: false,
    },
  },
  moreExamples: [
    {
      title: "The current end of the feed",
      request: { cursor: "latest" },
      response: { events: [], nextCursor: "42", hasMore: false },
    },
  ],

  async find(call, { cursor, limit = defaultLimit }): Promise<EventPage | Refusal<"PARAM_ILLEGAL">> {
    const head = await findHead(call);
    const after = parseFeedCursor(cursor, head);
    if (typeof after !== "bigint") return after;
    return { after, head, events: await readEvents(call, after, limit) };
  },

  answer({ events, after, head }: EventPage) {
    const last = events.at(-1)?.position ?? advanceToHead(after, head);
    return {
      code: "SUCCESS",
      events: events.map((event) => ({
        cursor: String(event.position),
        notificationId: event.notificationId,
        kind: event.kind,
        subjectId: event.subjectId,
        sequence: event.sequence,
        createdTime: toTime(event.createdAt),
        body: bodyText(event),
      })),
      nextCursor: String(last),
      hasMore: last < head,
    };
  },

  stream: {
    isRequested: ({ follow }) => follow === true,
    signedPath({ forwardUrl = "" }) {
      const url = URL.parse(forwardUrl);
      return url ? url.pathname + url.search : undefined;
    },
    async start(call, { cursor, forwardUrl }) {
      // `forwardUrl` has the same rule as webhook URLs: a signature for a path below /ams could be replayed as an API
      // request.
      if (forwardUrl !== undefined && !isAllowedWebhookUrl(forwardUrl))
        return refuse("PARAM_ILLEGAL", {
          field: "forwardUrl",
          detail: `The URL is not allowed: ${webhookPathRule}`,
        });
      const head = await findHead(call);
      const after = parseFeedCursor(cursor, head);
      if (typeof after !== "bigint") return after;
      const isNext = (await listEvents(call.tx, call, after, 1)).length > 0;
      return isNext ? after : advanceToHead(after, head);
    },
    heads: listFeedHeads,
    async read(call, after) {
      const events = await readEvents(call, after, streamPageSize);
      return events.map(({ position, kind, body }) => ({ position, name: kind, body }));
    },
  },
});

/**
 * `advanceToHead` returns the position of a reader that finds no events after its position. The gateway reads the head of the
 * feed before the events. So no events exist between the reader's position and the head: they were archived, or a
 * restore skipped their positions. If the reader kept its old position, `hasMore` would stay true without end.
 */
function advanceToHead(after: bigint, head: bigint): bigint {
  return head > after ? head : after;
}

async function readEvents(call: Call, after: bigint, limit: number): Promise<readonly FeedEvent[]> {
  const events = await listEvents(call.tx, call, after, limit);
  return events.map((event) => ({ ...event, body: openBody(event, call.secrets) }));
}

async function findHead(call: Call): Promise<bigint> {
  return (await listFeedHeads(call.tx, [call])).get(call.clientId) ?? 0n;
}

function bodyText({ body }: FeedEvent): string {
  return Buffer.from(body).toString("utf8");
}
