import { Type } from "typebox";
import { inquiry, type Call } from "../api/operation.ts";
import { described, Id, NotificationId, OneOf, Time, Url, toTime } from "../api/schemas.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { mayNotify, notifyRule } from "../merchants/address.ts";
import { kindsInWords } from "./delivery-filter.schema.ts";
import { cursorForm, positionOf, type FeedEvent } from "./feed.ts";
import { listEvents, listFeedHeads } from "./feed.sql.ts";
import { openBody } from "./notification.ts";

interface Page {
  readonly events: readonly FeedEvent[];
  /** The position before the page, and the feed's last position when it was read. */
  readonly after: bigint;
  readonly head: bigint;
}

const limitUsual = 100;
/** Batch size of a stream: so many events are in memory while the merchant reads (back-pressure). */
const streamPage = 50;

const Cursor = Type.String({ minLength: 1, maxLength: 18, pattern: cursorForm });

export const inquireEvents = inquiry({
  path: "tollgate/inquiryEvents",
  summary: "Reads on in the feed of everything that you are told by notification.",
  description:
    "Each notification is an event of the feed as well, whether or not it was sent or acknowledged. Go on with " +
    "`nextCursor`, which you keep where you keep what you did with the events: nothing is skipped, and nothing comes " +
    "twice. Positions count 1, 2, 3, without a gap. Events of one record may change places; `sequence` says which " +
    "is newer. With `follow` the connection stays open, and events come as they happen, as server-sent events.",

  request: Type.Object({
    cursor: Type.Optional(
      Type.String({
        ...Cursor,
        description: "Only what comes after it. From the beginning without one; `latest` is the end.",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: "At most so many; 100 unless said otherwise." }),
    ),
    follow: Type.Optional(
      Type.Boolean({
        description:
          "Answer with a stream (`text/event-stream`) that begins after `cursor` and goes on. It needs a request-time of " +
          "the last 30 seconds. Leave it out with a client library: its `events` does this.",
      }),
    ),
    forwardUrl: Type.Optional(
      Url(
        "Of a stream that you pass on: each event is signed as if it were posted to this address of yours, so that what " +
          "verifies notifications there verifies it. We do not call it.",
      ),
    ),
  }),
  response: Type.Object({
    events: Type.Array(
      Type.Object(
        {
          cursor: described(Cursor, "Its position in the feed."),
          notificationId: NotificationId,
          kind: OneOf(kindsInWords, "Which notification it is."),
          subjectId: described(Id, "The payment, capture, refund or other record that it tells of."),
          sequence: Type.Integer({ minimum: 0, description: "Counts the changes of the record." }),
          createdTime: described(Time, "When it happened."),
          body: Type.String({
            description: "The JSON that the notification's body is, byte for byte.",
            // Some bodies tell codes and tokens.
            "x-secret": true,
          }),
        },
        { title: "FeedEvent", description: "A notification in the feed." },
      ),
      { description: "What comes after the cursor, in order." },
    ),
    nextCursor: described(Cursor, "Where to go on: the `cursor` of the next call."),
    hasMore: Type.Boolean({ description: "Whether there are more already." }),
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
  scenes: [
    {
      title: "Where the feed ends now",
      request: { cursor: "latest" },
      response: { events: [], nextCursor: "42", hasMore: false },
    },
  ],

  async find(call, { cursor, limit = limitUsual }): Promise<Page | Refusal<"PARAM_ILLEGAL">> {
    const head = await headOf(call);
    const after = positionOf(cursor, head);
    if (typeof after !== "bigint") return after;
    return { after, head, events: await readEvents(call, after, limit) };
  },

  answer({ events, after, head }: Page) {
    const last = events.at(-1)?.position ?? latest(after, head);
    return {
      code: "SUCCESS",
      events: events.map((event) => ({
        cursor: String(event.position),
        notificationId: event.notificationId,
        kind: event.kind,
        subjectId: event.subjectId,
        sequence: event.sequence,
        createdTime: toTime(event.createdAt),
        body: textOf(event),
      })),
      nextCursor: String(last),
      hasMore: last < head,
    };
  },

  stream: {
    isAsked: ({ follow }) => follow === true,
    signedPath({ forwardUrl = "" }) {
      const url = URL.parse(forwardUrl);
      return url ? url.pathname + url.search : undefined;
    },
    async start(call, { cursor, forwardUrl }) {
      // The rule of notifications: below /ams a refusal could be replayed as one.
      if (forwardUrl !== undefined && !mayNotify(forwardUrl))
        return refuse("PARAM_ILLEGAL", { field: "forwardUrl", detail: `The address: ${notifyRule}` });
      const head = await headOf(call);
      const after = positionOf(cursor, head);
      if (typeof after !== "bigint") return after;
      const isNext = (await listEvents(call.tx, call, after, 1)).length > 0;
      return isNext ? after : latest(after, head);
    },
    heads: listFeedHeads,
    async read(call, after) {
      const events = await readEvents(call, after, streamPage);
      return events.map(({ position, kind, body }) => ({ position, name: kind, body }));
    },
  },
});

/**
 * Where a reader stands who finds nothing after a position. The head was read before, so what lies between is not there any more: it was archived, or
 * a restore left positions out. Staying behind, the reader would be told for ever that there is more.
 */
function latest(after: bigint, head: bigint): bigint {
  return head > after ? head : after;
}

async function readEvents(call: Call, after: bigint, limit: number): Promise<readonly FeedEvent[]> {
  const events = await listEvents(call.tx, call, after, limit);
  return events.map((event) => ({ ...event, body: openBody(event, call.secrets) }));
}

async function headOf(call: Call): Promise<bigint> {
  return (await listFeedHeads(call.tx, [call])).get(call.clientId) ?? 0n;
}

function textOf({ body }: FeedEvent): string {
  return Buffer.from(body).toString("utf8");
}
