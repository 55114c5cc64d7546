import { Type, type Static } from "typebox";
import { CursorOf, NextCursor, PageLimit, pageLimitDefault } from "../contract/page-request.ts";
import { withDescription, OneOf, Time, type Meanings } from "../contract/schemas.ts";
import { view, type ViewCall } from "../contract/view.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { isRefusal, refuse, type Refusal } from "../core/result.ts";
import { ApiRequestForm, toApiRequest } from "./api-request.schema.ts";
import type { RequestSummary } from "./request-summary.ts";
import { listNewestRequests } from "./request-log.sql.ts";

type Order = "REFUSED_FIRST" | "NEWEST_FIRST";

const orderMeanings: Meanings<Order> = {
  REFUSED_FIRST: "Refused requests first, then all others; each the newest first.",
  NEWEST_FIRST: "The newest first, with any result.",
};

/**
 * A section of the list of requests. The list is read section by section, and its cursor stores the section in which
 * the page ended.
 */
type Section = "refused" | "others" | "all";
const sections: Readonly<Record<Order, readonly Section[]>> = {
  REFUSED_FIRST: ["refused", "others"],
  NEWEST_FIRST: ["all"],
};

interface ListedRequest {
  readonly section: Section;
  readonly request: RequestSummary;
}

const CallsRequest = Type.Object({
  createdFrom: Type.Optional(
    withDescription(Time, "Only requests at or after this time (default: one day ago)."),
  ),
  createdUntil: Type.Optional(withDescription(Time, "Only requests before this time (default: now).")),
  resultCode: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Only requests with this result code.",
    }),
  ),
  order: Type.Optional(OneOf(orderMeanings, "The sort order (default REFUSED_FIRST).")),
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
    calls: Type.Array(ApiRequestForm, { description: "The requests, in the requested order." }),
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
    const window = readTimeRange(call, request);
    if (isRefusal(window)) return window;
    const { resultCode, order = "REFUSED_FIRST", limit = pageLimitDefault } = request;
    const cursor = readCursor(request.cursor);
    const orderSections = sections[order as Order];
    const start = cursor ? orderSections.indexOf(cursor.section) : 0;
    if (start < 0)
      return refuse("PARAM_ILLEGAL", { field: "cursor", detail: "The cursor belongs to another order." });

    const listed: ListedRequest[] = [];
    for (const section of orderSections.slice(start)) {
      const before = cursor?.section === section ? cursor : undefined;
      // Planner: the condition on the pair of time and id alone does not search the index, so the query limits the time
      // range as well.
      const until = before && before.at < window.until ? new Date(before.at.getTime() + 1) : window.until;
      const remaining = limit + 1 - listed.length;
      const search = {
        ...window,
        until,
        resultCode,
        section,
        before,
        limit: remaining,
      };
      const calls = await listNewestRequests(call.tx, call, search);
      listed.push(...calls.map((each) => ({ section, request: each })));
      if (listed.length > limit) break;
    }
    return pageOf(listed, { limit }, writeCursor);
  },

  answer(page: Page<ListedRequest>) {
    return {
      code: "SUCCESS",
      calls: page.items.map(({ request }) => toApiRequest(request)),
      ...toNextCursor(page),
    };
  },
});

const dayMs = 86_400_000;

/**
 * The time range in real time. The request log uses the real clock, and the merchant's test clock may be ahead of it.
 */
function readTimeRange(
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
  readonly section: Section;
  readonly at: Date;
  readonly requestId: string;
}

function writeCursor({ section, request: { at, requestId } }: ListedRequest): string {
  return `${section} ${at.getTime()} ${requestId}`;
}

function readCursor(text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  const [section, ms, requestId = ""] = text.split(" ");
  return { section: section as Section, at: new Date(Number(ms)), requestId };
}
