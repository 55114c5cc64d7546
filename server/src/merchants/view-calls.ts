import { Type, type Static } from "typebox";
import { CursorOf, NextCursor, PageLimit, pageLimitUsual } from "../contract/page.ts";
import { described, OneOf, Time, type Meanings } from "../contract/schemas.ts";
import { view, type ViewCall } from "../contract/view.ts";
import { pageOf, toNext, type Page } from "../core/page.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { isRefusal, refuse, results, type Refusal } from "../core/result.ts";
import { CallForm, toCall } from "./api-request.schema.ts";
import type { RememberedRequest } from "./remembered-request.ts";
import { listNewestRequests } from "./request-log.sql.ts";

type Order = "REFUSED_FIRST" | "NEWEST_FIRST";

const ordersInWords: Meanings<Order> = {
  REFUSED_FIRST: "Refused requests first, then all others; each the newest first.",
  NEWEST_FIRST: "The newest first, with any result.",
};

/**
 * A section of the list of requests. The list is read section by section, and its cursor stores the section in which
 * the page ended.
 */
type Stretch = "refused" | "others" | "all";
const stretches: Readonly<Record<Order, readonly Stretch[]>> = {
  REFUSED_FIRST: ["refused", "others"],
  NEWEST_FIRST: ["all"],
};

const refusedCodes = Object.entries(results).flatMap(([code, { status }]) => (status === "F" ? [code] : []));
const amongOf = {
  refused: { codes: refusedCodes, isIn: true },
  others: { codes: refusedCodes, isIn: false },
  all: undefined,
} as const;

interface Shown {
  readonly stretch: Stretch;
  readonly call: RememberedRequest;
}

const CallsRequest = Type.Object({
  createdFrom: Type.Optional(described(Time, "Only requests at or after this time (default: one day ago).")),
  createdUntil: Type.Optional(described(Time, "Only requests before this time (default: now).")),
  resultCode: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Only requests with this result code.",
    }),
  ),
  order: Type.Optional(OneOf(ordersInWords, "The sort order (default REFUSED_FIRST).")),
  cursor: CursorOf("^(?:refused|others|all) [0-9]{1,15} [\\x21-\\x7E]{1,64}$"),
  limit: Type.Optional(PageLimit),
});

export const viewCalls = view({
  name: "calls",
  summary: "Lists the API requests of the merchant's systems, refused ones first.",
  description:
    "Times are by the real clock. A request appears about a second after its response; requests with an " +
    "invalid signature are not stored. Bodies are not shown, because the database role of `serve` cannot " +
    "read them. In the sandbox `recentCall` shows the bodies of the last requests.",
  permission: "calls.read",

  request: CallsRequest,
  response: Type.Object({
    calls: Type.Array(CallForm, { description: "The requests, in the requested order." }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { order: "REFUSED_FIRST", limit: 1 },
    response: {
      calls: [
        {
          requestId: "req_01KA3Q8Z7V0000000000000000",
          createdTime: "2026-11-15T09:30:00+00:00",
          path: "/ams/sandbox/api/v1/payments/pay",
          keyVersion: 1,
          resultCode: "PARAM_ILLEGAL",
          resultStatus: "F",
          durationMs: 2,
        },
      ],
      nextCursor: "refused 1763199000123 req_01KA3Q8Z7V0000000000000000",
    },
  },

  async find(call, request) {
    const window = timesOf(call, request);
    if (isRefusal(window)) return window;
    const { resultCode, order = "REFUSED_FIRST", limit = pageLimitUsual } = request;
    const cursor = readCursor(request.cursor);
    const all = stretches[order as Order];
    const start = cursor ? all.indexOf(cursor.stretch) : 0;
    if (start < 0)
      return refuse("PARAM_ILLEGAL", { field: "cursor", detail: "The cursor belongs to another order." });

    const found: Shown[] = [];
    for (const stretch of all.slice(start)) {
      const before = cursor?.stretch === stretch ? cursor : undefined;
      // Planner: the condition on the pair of time and id alone does not search the index, so the query limits the time
      // range as well.
      const until = before && before.at < window.until ? new Date(before.at.getTime() + 1) : window.until;
      const left = limit + 1 - found.length;
      const lookup = { ...window, until, resultCode, among: amongOf[stretch], before, limit: left };
      const calls = await listNewestRequests(call.tx, call, lookup);
      found.push(...calls.map((each) => ({ stretch, call: each })));
      if (found.length > limit) break;
    }
    return pageOf(found, { limit }, cursorAt);
  },

  answer(page: Page<Shown>) {
    return { code: "SUCCESS", calls: page.items.map(({ call }) => toCall(call)), ...toNext(page) };
  },
});

const dayMs = 86_400_000;

/**
 * The time range in real time. The request log uses the real clock, and the merchant's test clock may be ahead of it.
 */
function timesOf(
  { now, aheadMs }: ViewCall,
  { createdFrom, createdUntil }: Static<typeof CallsRequest>,
): { readonly from: Date; readonly until: Date } | Refusal<"PARAM_ILLEGAL"> {
  const realMs = now.getTime() - aheadMs;
  const untilMs = createdUntil === undefined ? realMs + dayMs : parseRequestTime(createdUntil);
  if (untilMs === undefined) return refuse("PARAM_ILLEGAL", { field: "createdUntil" });
  const fromMs =
    createdFrom === undefined ? Math.min(realMs, untilMs) - dayMs : parseRequestTime(createdFrom);
  if (fromMs === undefined) return refuse("PARAM_ILLEGAL", { field: "createdFrom" });
  return { from: new Date(fromMs), until: new Date(untilMs) };
}

interface Cursor {
  readonly stretch: Stretch;
  readonly at: Date;
  readonly requestId: string;
}

function cursorAt({ stretch, call: { at, requestId } }: Shown): string {
  return `${stretch} ${at.getTime()} ${requestId}`;
}

function readCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  const [stretch, ms, requestId = ""] = text.split(" ");
  return { stretch: stretch as Stretch, at: new Date(Number(ms)), requestId };
}
