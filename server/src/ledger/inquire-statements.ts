import { Type } from "typebox";
import { inquiry } from "../contract/operation.ts";
import { CursorOf, NextCursor } from "../contract/page-request.ts";
import { forms } from "../contract/schemas.ts";
import { nextAccountingDay, startOfAccountingDay } from "../core/accounting-day.ts";
import { pageOf, toNextCursor, type Page } from "../core/page-window.ts";
import type { Refusal } from "../core/result.ts";
import { Sum } from "./merchant-balance.schema.ts";
import { StatementLineForm, statementLineExample, toStatementLine } from "./statement.schema.ts";
import { findStatement } from "./statement.sql.ts";
import {
  calculateClosing,
  formatStatementCursor,
  daysMax,
  findDaysRefusal,
  parseStatementCursor,
  type StatementLine,
  type StatementPart,
} from "./statement.ts";
import { statementCursorForm } from "../core/cursor-forms.ts";

interface StatementPage extends StatementPart {
  readonly currency: string;
  readonly fromDay: string;
  readonly toDay: string;
  readonly page: Page<StatementLine>;
}

const defaultLimit = 100;

export const inquireStatements = inquiry({
  path: "tollgate/inquiryStatements",
  summary: "Lists the changes of your balance by day, from the opening to the closing balance.",
  description:
    "Days end at midnight UTC+8. On each page, opening plus the `net` of all lines equals closing; the next " +
    "page opens with this page's closing. All amounts are integers in minor units. A dispute is debited when " +
    "its amount is frozen.",

  request: Type.Object({
    currency: Type.String({ pattern: forms.currency, description: "Currency of the balance." }),
    fromDay: Type.String({ pattern: forms.day, description: "First day." }),
    toDay: Type.Optional(
      Type.String({
        pattern: forms.day,
        description: `Last day, at most ${daysMax} days in total (default: the first day).`,
      }),
    ),
    cursor: CursorOf(statementCursorForm, { maxLength: 128, "x-digits": true }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: "Maximum number of rows (default 100)." }),
    ),
  }),
  response: Type.Object({
    currency: Type.String({ pattern: forms.currency, description: "ISO 4217 code." }),
    fromDay: Type.String({ pattern: forms.day, description: "First day." }),
    toDay: Type.String({ pattern: forms.day, description: "Last day." }),
    opening: Sum("Balance before the first line of this page."),
    lines: Type.Array(StatementLineForm, { description: "Lines in order of time." }),
    closing: Sum("Balance after the last line of this page."),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED"],
  inStore: true,

  example: {
    request: { currency: "EUR", fromDay: "2026-11-15", limit: 100 },
    response: {
      currency: "EUR",
      fromDay: "2026-11-15",
      toDay: "2026-11-15",
      opening: "123786",
      lines: [statementLineExample],
      closing: "125000",
    },
  },

  async find({ tx, bucket, clientId }, request): Promise<StatementPage | Refusal<"PARAM_ILLEGAL">> {
    const { currency, fromDay, toDay = fromDay, cursor, limit = defaultLimit } = request;
    const refusal = findDaysRefusal(fromDay, toDay);
    if (refusal) return refusal;
    const from = startOfAccountingDay(fromDay);
    const until = startOfAccountingDay(nextAccountingDay(toDay));
    const after = cursor === undefined ? undefined : parseStatementCursor(cursor);
    const part = await findStatement(tx, { bucket, clientId }, { currency, from, until, after, limit });
    const page = pageOf(part.lines, { limit }, ({ position }) => formatStatementCursor(position));
    return { currency, fromDay, toDay, openingMinor: part.openingMinor, lines: page.items, page };
  },

  answer(statement: StatementPage) {
    const { currency, fromDay, toDay, lines, page, openingMinor } = statement;
    return {
      code: "SUCCESS",
      currency,
      fromDay,
      toDay,
      opening: String(openingMinor),
      lines: lines.map(toStatementLine),
      closing: String(calculateClosing(statement)),
      ...toNextCursor(page),
    };
  },
});
