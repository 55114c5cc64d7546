import { Type } from "typebox";
import { CursorOf, NextCursor } from "../api/page.ts";
import { described, forms, Id, OneOf, type Meanings } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { toNext } from "../core/page.ts";
import { statementCursorForm } from "../ledger/statement.ts";
import { findReport } from "./report.sql.ts";
import { reportHead, type ReportName, type ReportPart } from "./report.ts";

const reportsInWords: Meanings<ReportName> = {
  TRANSACTION_DETAIL: "What moved money on some days.",
  SETTLEMENT_DETAIL: "The movements of a batch.",
  SETTLEMENT_SUMMARY: "What each kind of movement of a batch comes to.",
};

export const viewReport = view({
  name: "report",
  summary: "Gives a report as lines of CSV, page by page.",
  description: "Behind the last page a file has one more line, `<END>`. Amounts are in major units.",
  right: "balance.read",

  request: Type.Object({
    report: OneOf(reportsInWords, "Which report."),
    fromDay: Type.Optional(
      Type.String({ pattern: forms.day, description: "Of transactions: the first day." }),
    ),
    toDay: Type.Optional(
      Type.String({ pattern: forms.day, description: "The last day; only the first unless said otherwise." }),
    ),
    batchId: Type.Optional(described(Id, "Of a batch: which one.")),
    cursor: CursorOf(statementCursorForm, { maxLength: 128, "x-digits": true }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: "At most so many lines; 500 unless said otherwise.",
      }),
    ),
  }),
  response: Type.Object({
    file: Type.String({ maxLength: 200, description: "How the file is called." }),
    head: Type.String({ maxLength: 4096, description: "Its first line." }),
    lines: Type.Array(Type.String({ maxLength: 8192, "x-personal": true }), {
      description: "Lines of this page.",
    }),
    nextCursor: NextCursor,
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: { report: "SETTLEMENT_SUMMARY", batchId: "20261116160500000047611530017744120" },
    response: {
      file: "SETTLEMENT_SUMMARY_20261116160500000047611530017744120_20261117.csv",
      head: reportHead("SETTLEMENT_SUMMARY").join(","),
      lines: ["20261116160500000047611530017744120,SANDBOX_5Y1,TOLLGATE,TOTAL,100,2026-11-17,1203.00,EUR"],
    },
  },

  find: (call, request) => findReport(call.tx, call, { ...request, report: request.report as ReportName }),

  answer({ file, head, lines, ...page }: ReportPart) {
    return { code: "SUCCESS", file, head, lines: [...lines], ...toNext(page) };
  },
});
