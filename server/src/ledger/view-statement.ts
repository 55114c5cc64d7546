import { Type } from "typebox";
import { NextCursor, PageLimit } from "../contract/page-request.ts";
import { forms } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { accountingMonth, isAccountingMonth } from "../core/accounting-day.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import { refuse } from "../core/result.ts";
import { Sum } from "./merchant-balance.schema.ts";
import {
  Month,
  StatementCursor,
  StatementLineForm,
  statementLineExample,
  toStatementLine,
} from "./statement.schema.ts";
import { findStatement } from "./statement.sql.ts";
import {
  calculateClosing,
  formatStatementCursor,
  parseStatementCursor,
  type StatementLine,
  type StatementPart,
} from "./statement.ts";

const defaultLimit = 100;

export const viewStatement = view({
  name: "statement",
  summary: "Returns a monthly statement of the merchant's balance: opening, movements, closing.",
  description:
    "Months end at midnight UTC+8. On each page, opening plus its lines equals closing; the next page opens " +
    "with this page's closing.",
  permission: "balance.read",

  request: Type.Object({
    currency: Type.String({ pattern: forms.currency, description: "Currency of the balance." }),
    month: Month,
    cursor: Type.Optional(StatementCursor),
    limit: Type.Optional(PageLimit),
  }),
  response: Type.Object({
    opening: Sum("Balance before the first line of this page."),
    lines: Type.Array(StatementLineForm, { description: "Lines in order of time." }),
    closing: Sum("Balance after the last line of this page."),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { currency: "EUR", month: "2026-11" },
    response: { opening: "123786", lines: [statementLineExample], closing: "125000" },
  },

  async find(call, { currency, month, cursor, limit = defaultLimit }) {
    if (!isAccountingMonth(month))
      return refuse("PARAM_ILLEGAL", { field: "month", detail: "There is no such month." });
    const after = cursor === undefined ? undefined : parseStatementCursor(cursor);
    const window = { currency, ...accountingMonth(month), after, limit };
    const { openingMinor, lines } = await findStatement(call.tx, call, window);
    const page = pageOf(lines, { limit }, ({ position }) => formatStatementCursor(position));
    return { openingMinor, lines: page.items, page };
  },

  answer(statement: StatementPart & { readonly page: Page<StatementLine> }) {
    return {
      code: "SUCCESS",
      opening: String(statement.openingMinor),
      lines: statement.lines.map(toStatementLine),
      closing: String(calculateClosing(statement)),
      ...toNextCursor(statement.page),
    };
  },
});
