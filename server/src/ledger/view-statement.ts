import { Type } from "typebox";
import { NextCursor, PageLimit } from "../api/page.ts";
import { forms } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { bookMonth, isBookMonth } from "../core/book-day.ts";
import { pageOf, toNext, type Page } from "../core/page.ts";
import { refuse } from "../core/result.ts";
import { Sum } from "./holding.schema.ts";
import {
  Month,
  StatementCursor,
  StatementLineForm,
  statementLineExample,
  toStatementLine,
} from "./statement.schema.ts";
import { findStatement } from "./statement.sql.ts";
import { closingOf, cursorOf, placeOf, type StatementLine, type StatementPart } from "./statement.ts";

const limitUsual = 100;

export const viewStatement = view({
  name: "statement",
  summary: "Shows a month of what we owe the merchant: opening, every movement, closing.",
  description:
    "Months end at midnight UTC+8. On each page opening plus its lines is closing, and a page opens with what the one before closed with.",
  right: "balance.read",

  request: Type.Object({
    currency: Type.String({ pattern: forms.currency, description: "Of which currency." }),
    month: Month,
    cursor: Type.Optional(StatementCursor),
    limit: Type.Optional(PageLimit),
  }),
  response: Type.Object({
    opening: Sum("What we owed before the first line of this page."),
    lines: Type.Array(StatementLineForm, { description: "In the order of their time." }),
    closing: Sum("What we owed after the last line of this page."),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { currency: "EUR", month: "2026-11" },
    response: { opening: "123786", lines: [statementLineExample], closing: "125000" },
  },

  async find(call, { currency, month, cursor, limit = limitUsual }) {
    if (!isBookMonth(month))
      return refuse("PARAM_ILLEGAL", { field: "month", detail: "There is no such month." });
    const after = cursor === undefined ? undefined : placeOf(cursor);
    const window = { currency, ...bookMonth(month), after, limit };
    const { openingMinor, lines } = await findStatement(call.tx, call, window);
    const page = pageOf(lines, { limit }, ({ place }) => cursorOf(place));
    return { openingMinor, lines: page.items, page };
  },

  answer(found: StatementPart & { readonly page: Page<StatementLine> }) {
    return {
      code: "SUCCESS",
      opening: String(found.openingMinor),
      lines: found.lines.map(toStatementLine),
      closing: String(closingOf(found)),
      ...toNext(found.page),
    };
  },
});
