import { Type } from "typebox";
import { CursorOf, NextCursor } from "../contract/page-request.ts";
import { withDescription, forms, Id, OneOf, type Meanings } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { toNextCursor } from "../core/page-window.ts";
import { statementCursorForm } from "../core/cursor-forms.ts";
import { findReport } from "./report.sql.ts";
import { reportHead, type ReportName, type ReportPart } from "./report.ts";

const reportDescriptions: Meanings<ReportName> = {
  TRANSACTION_DETAIL: "Movements of money on the given days.",
  SETTLEMENT_DETAIL: "Movements of a settlement batch.",
  SETTLEMENT_SUMMARY: "Sums of a settlement batch by kind of movement.",
};

export const viewReport = view({
  name: "report",
  summary: "Returns a report as CSV lines, page by page.",
  description: "After the last page a file has one more line, `<END>`. Amounts are in major units.",
  permission: "balance.read",

  request: Type.Object({
    report: OneOf(reportDescriptions, "Name of the report."),
    fromDay: Type.Optional(
      Type.String({ pattern: forms.day, description: "For transactions: the first day." }),
    ),
    toDay: Type.Optional(
      Type.String({ pattern: forms.day, description: "The last day (default: the first)." }),
    ),
    batchId: Type.Optional(withDescription(Id, "For a settlement batch: its id.")),
    cursor: CursorOf(statementCursorForm, { maxLength: 128, "x-digits": true }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: "Maximum number of lines (default 500).",
      }),
    ),
  }),
  response: Type.Object({
    file: Type.String({ maxLength: 200, description: "Name of the file." }),
    head: Type.String({ maxLength: 4096, description: "Header line of the file." }),
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
    return { code: "SUCCESS", file, head, lines: [...lines], ...toNextCursor(page) };
  },
});
