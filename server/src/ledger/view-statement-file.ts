import { Type } from "typebox";
import { NextCursor } from "../contract/page-request.ts";
import { forms, OneOf, type Meanings } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { accountingMonth, isAccountingMonth } from "../core/accounting-day.ts";
import { pageOf, toNextCursor } from "../core/page-window.ts";
import { refuse } from "../core/result.ts";
import {
  formatStatementCsv,
  statementFileName,
  createStatementPdf,
  type StatementFormat,
  type StatementKey,
} from "./statement-file.ts";
import { Month, StatementCursor } from "./statement.schema.ts";
import { findMerchantName, findStatement, listStatementDays } from "./statement.sql.ts";
import { formatStatementCursor, parseStatementCursor } from "./statement.ts";

const formatMeanings: Meanings<StatementFormat> = {
  CSV: "All movements, for programs; in parts.",
  PDF: "One line for each day.",
};

interface FilePart {
  readonly file: string;
  readonly content: Buffer;
  readonly nextCursor: string | undefined;
}

const partLines = 1_000;

/** The view of a statement file. It returns the same bytes as the command `statement`. */
export const viewStatementFile = view({
  name: "statementFile",
  summary: "Returns a monthly statement of the merchant's balance as a file, in consecutive parts.",
  permission: "balance.read",

  request: Type.Object({
    currency: Type.String({ pattern: forms.currency, description: "Currency of the balance." }),
    month: Month,
    format: OneOf(formatMeanings, "File format."),
    cursor: Type.Optional(StatementCursor),
  }),
  response: Type.Object({
    file: Type.String({ maxLength: 200, description: "Name of the file." }),
    content: Type.String({
      maxLength: 1_000_000,
      "x-digest": true,
      description: "This part of the file, in Base64.",
    }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { currency: "EUR", month: "2026-11", format: "PDF" },
    response: { file: "STATEMENT_SANDBOX_5Y1_EUR_2026-11.pdf", content: "JVBERi0xLjQK" },
  },

  async find(call, { currency, month, format, cursor }) {
    if (!isAccountingMonth(month))
      return refuse("PARAM_ILLEGAL", { field: "month", detail: "There is no such month." });
    const statementKey: StatementKey = { clientId: call.clientId, currency, month };
    const file = statementFileName(statementKey, format as StatementFormat);
    const window = { currency, ...accountingMonth(month) };
    if (format === "PDF") {
      const { openingMinor, days } = await listStatementDays(call.tx, call, window);
      const content = await createStatementPdf(
        statementKey,
        await findMerchantName(call.tx, call),
        openingMinor,
        days,
      );
      return { file, content, nextCursor: undefined };
    }
    const after = cursor === undefined ? undefined : parseStatementCursor(cursor);
    const { openingMinor, lines } = await findStatement(call.tx, call, {
      ...window,
      after,
      limit: partLines,
    });
    const { items, nextCursor } = pageOf(lines, { limit: partLines }, ({ position }) =>
      formatStatementCursor(position),
    );
    const partPosition = { isFirst: after === undefined, isLast: nextCursor === undefined };
    return {
      file,
      content: Buffer.from(formatStatementCsv(statementKey, { openingMinor, lines: items }, partPosition)),
      nextCursor,
    };
  },

  answer({ file, content, ...page }: FilePart) {
    return { code: "SUCCESS", file, content: content.toString("base64"), ...toNextCursor(page) };
  },
});
