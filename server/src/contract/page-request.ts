import { Type, type TStringOptions } from "typebox";
import type { PageWindow } from "../core/page-window.ts";
import { parseRequestTime } from "../core/request-time.ts";
import { refuse, type Refusal } from "../core/result.ts";
import { withDescription, Time } from "./schemas.ts";

export const pageLimitDefault = 50;

export const PageLimit = Type.Integer({
  minimum: 1,
  maximum: 100,
  description: `Maximum number of items (default ${pageLimitDefault}).`,
});

/** The schema of the cursor from the previous page. */
export const CursorOf = (pattern: string, options: TStringOptions = {}) =>
  Type.Optional(
    Type.String({ pattern, description: "Cursor of the next page: `nextCursor` of this page.", ...options }),
  );

/** Keyset pagination by id, newest first, within a window of time. */
export const PageRequest = {
  createdFrom: Type.Optional(withDescription(Time, "Only items created at or after this time.")),
  createdUntil: Type.Optional(withDescription(Time, "Only items created before this time.")),
  cursor: CursorOf("^[0-9]{35}$"),
  limit: Type.Optional(PageLimit),
};

export const NextCursor = Type.Optional(
  Type.String({ maxLength: 128, description: "Cursor of the next page; absent on the last page." }),
);

interface PageQuery {
  readonly createdFrom?: string;
  readonly createdUntil?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

/**
 * The window of ids that a page reads. Ids begin with their creation time, so a time window, and everything older than
 * a page, is a range of the primary key. So the thousandth page is as fast as the first, and no table needs an index by
 * time.
 */
export function pageWindow(query: PageQuery): PageWindow | Refusal<"PARAM_ILLEGAL"> {
  const { createdFrom, createdUntil, cursor = idAfterAll, limit = pageLimitDefault } = query;
  const idFrom = createdFrom === undefined ? "0" : idAt(createdFrom);
  if (idFrom === undefined)
    return refuse("PARAM_ILLEGAL", { field: "createdFrom", detail: invalidTimeDetail });
  const idUntil = createdUntil === undefined ? idAfterAll : idAt(createdUntil);
  if (idUntil === undefined)
    return refuse("PARAM_ILLEGAL", { field: "createdUntil", detail: invalidTimeDetail });
  return { idFrom, idBefore: cursor < idUntil ? cursor : idUntil, limit };
}

const invalidTimeDetail = "There is no such day or hour.";
const idAfterAll = "9".repeat(35);

function idAt(time: string): string | undefined {
  const ms = parseRequestTime(time);
  return ms === undefined ? undefined : new Date(ms).toISOString().replaceAll(/\D/g, "");
}
