import { Type } from "typebox";
import { inquiry } from "../api/operation.ts";
import { CursorOf, NextCursor } from "../api/page.ts";
import { forms } from "../api/schemas.ts";
import { nextBookDay, startOfBookDay } from "../core/book-day.ts";
import { pageOf, toNext, type Page } from "../core/page.ts";
import type { Refusal } from "../core/result.ts";
import { Sum } from "./holding.schema.ts";
import { StatementLineForm, statementLineExample, toStatementLine } from "./statement.schema.ts";
import { findStatement } from "./statement.sql.ts";
import {
  closingOf,
  cursorOf,
  daysMax,
  daysRefusal,
  placeOf,
  statementCursorForm,
  type StatementLine,
  type StatementPart,
} from "./statement.ts";

interface Found extends StatementPart {
  readonly currency: string;
  readonly fromDay: string;
  readonly toDay: string;
  readonly page: Page<StatementLine>;
}

const limitUsual = 100;

export const inquireStatements = inquiry({
  path: "tollgate/inquiryStatements",
  summary: "Lists what changed in what we owe you, day by day, from the balance before to the balance after.",
  description:
    "Days end at midnight UTC+8. Opening, plus `net` of every line, is closing, on each page; and a page opens with what the one before " +
    "closed with. All sums are whole numbers of the currency's smallest unit. A dispute takes its money when it is frozen.",

  request: Type.Object({
    currency: Type.String({ pattern: forms.currency, description: "Of which currency." }),
    fromDay: Type.String({ pattern: forms.day, description: "The first day." }),
    toDay: Type.Optional(
      Type.String({
        pattern: forms.day,
        description: `The last day, at most ${daysMax} days in all; only the first day unless said otherwise.`,
      }),
    ),
    cursor: CursorOf(statementCursorForm, { maxLength: 128, "x-digits": true }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: "At most so many; 100 unless said otherwise." }),
    ),
  }),
  response: Type.Object({
    currency: Type.String({ pattern: forms.currency, description: "ISO 4217 code." }),
    fromDay: Type.String({ pattern: forms.day, description: "The first day." }),
    toDay: Type.String({ pattern: forms.day, description: "The last day." }),
    opening: Sum("What we owed you before the first line of this page."),
    lines: Type.Array(StatementLineForm, { description: "In the order of their time." }),
    closing: Sum("What we owed you after the last line of this page."),
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

  async find({ tx, bucket, clientId }, request): Promise<Found | Refusal<"PARAM_ILLEGAL">> {
    const { currency, fromDay, toDay = fromDay, cursor, limit = limitUsual } = request;
    const refusal = daysRefusal(fromDay, toDay);
    if (refusal) return refusal;
    const from = startOfBookDay(fromDay);
    const until = startOfBookDay(nextBookDay(toDay));
    const after = cursor === undefined ? undefined : placeOf(cursor);
    const part = await findStatement(tx, { bucket, clientId }, { currency, from, until, after, limit });
    const page = pageOf(part.lines, { limit }, ({ place }) => cursorOf(place));
    return { currency, fromDay, toDay, openingMinor: part.openingMinor, lines: page.items, page };
  },

  answer(found: Found) {
    const { currency, fromDay, toDay, lines, page, openingMinor } = found;
    return {
      code: "SUCCESS",
      currency,
      fromDay,
      toDay,
      opening: String(openingMinor),
      lines: lines.map(toStatementLine),
      closing: String(closingOf(found)),
      ...toNext(page),
    };
  },
});
