import { Type } from "typebox";
import { NextCursor } from "../api/page.ts";
import { forms, OneOf, type Meanings } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { bookMonth, isBookMonth } from "../core/book-day.ts";
import { pageOf, toNext } from "../core/page.ts";
import { refuse } from "../core/result.ts";
import {
  statementCsv,
  statementName,
  statementPdf,
  type StatementFormat,
  type StatementOf,
} from "./statement-file.ts";
import { Month, StatementCursor } from "./statement.schema.ts";
import { findStatement, listStatementDays } from "./statement.sql.ts";
import { cursorOf, placeOf } from "./statement.ts";

const formats: Meanings<StatementFormat> = {
  CSV: "Every movement, for programs; in parts.",
  PDF: "A line for each day, on one page.",
};

interface FilePart {
  readonly file: string;
  readonly content: Buffer;
  readonly nextCursor: string | undefined;
}

const partLines = 1_000;

/** The same bytes as those of the command `statement`. */
export const viewStatementFile = view({
  name: "statementFile",
  summary: "Gives a month of what we owe the merchant as a file, in parts that follow each other.",
  right: "balance.read",

  request: Type.Object({
    currency: Type.String({ pattern: forms.currency, description: "Of which currency." }),
    month: Month,
    format: OneOf(formats, "As what."),
    cursor: Type.Optional(StatementCursor),
  }),
  response: Type.Object({
    file: Type.String({ maxLength: 200, description: "How the file is called." }),
    content: Type.String({
      maxLength: 1_000_000,
      "x-digest": true,
      description: "This part of it, in Base64.",
    }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { currency: "EUR", month: "2026-11", format: "PDF" },
    response: { file: "STATEMENT_SANDBOX_5Y1_EUR_2026-11.pdf", content: "JVBERi0xLjQK" },
  },

  async find(call, { currency, month, format, cursor }) {
    if (!isBookMonth(month))
      return refuse("PARAM_ILLEGAL", { field: "month", detail: "There is no such month." });
    const of: StatementOf = { clientId: call.clientId, currency, month };
    const file = statementName(of, format as StatementFormat);
    const window = { currency, ...bookMonth(month) };
    if (format === "PDF") {
      const { openingMinor, days } = await listStatementDays(call.tx, call, window);
      return { file, content: statementPdf(of, openingMinor, days), nextCursor: undefined };
    }
    const after = cursor === undefined ? undefined : placeOf(cursor);
    const { openingMinor, lines } = await findStatement(call.tx, call, {
      ...window,
      after,
      limit: partLines,
    });
    const { items, nextCursor } = pageOf(lines, { limit: partLines }, ({ place }) => cursorOf(place));
    const ends = { isFirst: after === undefined, isLast: nextCursor === undefined };
    return { file, content: Buffer.from(statementCsv(of, { openingMinor, lines: items }, ends)), nextCursor };
  },

  answer({ file, content, ...page }: FilePart) {
    return { code: "SUCCESS", file, content: content.toString("base64"), ...toNext(page) };
  },
});
