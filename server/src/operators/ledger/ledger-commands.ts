import type { Commands, Options } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import {
  jsonOption,
  onlyGiven,
  operatorOf,
  operatorOptions,
  ownersSettings,
  required,
} from "../framework/operator.ts";
import { show } from "../framework/show.ts";

const fileOption = {
  file: { value: "FILE", does: "Output file (default: standard output)" },
} as const satisfies Options;

const batchReports = ["SETTLEMENT_DETAIL", "SETTLEMENT_SUMMARY"];

/** Commands for accounting: trial balance, closing of months, journal, reports and statements. */
export const ledgerCommands: Commands = {
  "trial-balance": {
    needs: "support",
    does: "Print the trial balance at the end of a day",
    about:
      "Reads the whole ledger once. Days end at midnight UTC+8. Exits with code 1 if debits do not equal " +
      "credits.\n" +
      ownersSettings,
    options: {
      at: { value: "DAY", does: "Book day, at whose end balances are calculated", isRequired: true },
      whole: { does: "List each account instead of the names in the chart of accounts" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate trial-balance --at 2026-11-30",
      "tollgate trial-balance --at 2026-11-30 --whole --json",
    ],
    run: async (given) => {
      const { trialBalance, trialTable } = await import("./trial-balance.ts");
      const found = await trialBalance(operatorOf(given), required(given, "at"));
      show(given, found, trialTable(found, given.has("whole")));
      if (!found.isZero) process.exitCode = 1;
    },
  },
  "period close": {
    needs: "finance",
    acts: { english: "Closed a month", chinese: "关闭月份" },
    takes: ["MONTH"],
    does: "Close an accounting month",
    about:
      "Stores the closing balance of each account. A later posting into the month is reported as a break by " +
      "`reconcile`.\n" +
      ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate period close 2026-11 --reason 'November, signed off'"],
    run: async (given) => {
      const { closeMonth } = await import("./period.ts");
      const [month = ""] = given.words;
      const closed = await closeMonth(operatorOf(given), month, new Date());
      show(
        given,
        closed,
        `${month} is closed: ${closed.rowCount} ledger rows, ${closed.sumCount} closing balances.`,
      );
    },
  },
  "period list": {
    needs: "support",
    does: "List closed months",
    about: ownersSettings,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate period list"],
    run: async (given) => {
      const { closedTable, findClosedMonths } = await import("./period.ts");
      const months = await findClosedMonths(operatorOf(given));
      show(given, months, closedTable(months));
    },
  },
  "ledger export": {
    needs: "support",
    does: "Export the journal of a month for a general ledger",
    about:
      "Writes two lines for each ledger row, debit and credit, with account numbers of the chart and amounts " +
      `in major units. ${ownersSettings}`,
    options: {
      month: { value: "MONTH", does: "Book month", isRequired: true },
      format: { value: "FORMAT", does: "Format of the journal (default csv)", oneOf: ["csv"] },
      ...fileOption,
      ...operatorOptions,
    },
    examples: ["tollgate ledger export --month 2026-11 --file journal-2026-11.csv"],
    run: async (given) => {
      const { exportLedger } = await import("./ledger-export.ts");
      const file = given.value("file");
      const rowCount = await exportLedger(operatorOf(given), { month: required(given, "month"), file });
      if (file !== undefined) process.stderr.write(`${rowCount} ledger rows, two lines each\n`);
    },
  },
  report: {
    needs: "support",
    takes: ["REPORT"],
    does: "Write a merchant's report as CSV",
    about:
      "REPORT is TRANSACTION_DETAIL, SETTLEMENT_DETAIL or SETTLEMENT_SUMMARY. A complete file ends with the " +
      `line <END>. docs/reference/reports.md describes the columns. ${ownersSettings}`,
    options: {
      "client-id": { value: "CLIENT", does: "Client id of the merchant", isRequired: true },
      from: { value: "DAY", does: "For transactions: first book day" },
      to: { value: "DAY", does: "Last book day (default: the first)" },
      "batch-id": { value: "BATCH", does: "For a settlement batch: its id" },
      folder: {
        value: "DIR",
        does: "Folder for the file, which gets its own name (default: standard output)",
      },
      ...operatorOptions,
    },
    examples: [
      "tollgate report TRANSACTION_DETAIL --client-id SANDBOX_5Y1 --from 2026-11-01 --to 2026-11-30 --folder reports",
      "tollgate report SETTLEMENT_SUMMARY --client-id SANDBOX_5Y1 --batch-id 20261116160500000047611530017744120",
    ],
    run: async (given) => {
      const { writeReport } = await import("./report.ts");
      const { isReportName } = await import("../../reports/report.ts");
      const [report = ""] = given.words;
      if (!isReportName(report))
        throw new UsageError("There is no such report. List the reports with --help.");
      const isOfBatch = batchReports.includes(report);
      if (isOfBatch !== given.has("batch-id") || isOfBatch === given.has("from"))
        throw new UsageError("TRANSACTION_DETAIL needs --from; the other reports need --batch-id.");
      const folder = given.value("folder");
      const asked = onlyGiven({
        fromDay: given.value("from"),
        toDay: given.value("to"),
        batchId: given.value("batch-id"),
      });
      const progress = (lineCount: number): void =>
        void (folder !== undefined && process.stderr.write(`\r${lineCount} lines`));
      const written = await writeReport(
        operatorOf(given),
        { report, clientId: required(given, "client-id"), folder, ...asked },
        progress,
      );
      if (folder !== undefined)
        process.stderr.write(`\r${written.lineCount} lines written to ${written.file}\n`);
    },
  },
  statement: {
    needs: "support",
    does: "Write a merchant's monthly statement as CSV or PDF",
    about:
      "Covers all changes from the opening to the closing balance: CSV lists each movement, PDF each day. PDF " +
      "prints only Latin-1 characters; others become question marks.\n" +
      ownersSettings,
    options: {
      "client-id": { value: "CLIENT", does: "Client id of the merchant", isRequired: true },
      currency: { value: "CODE", does: "Currency of the balance", isRequired: true },
      month: { value: "MONTH", does: "Book month", isRequired: true },
      format: { value: "FORMAT", does: "Format, csv or pdf (default csv)", oneOf: ["csv", "pdf"] },
      file: { value: "FILE", does: "Output file", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate statement --client-id SANDBOX_5Y1 --currency EUR --month 2026-11 --format pdf --file statement.pdf",
    ],
    run: async (given) => {
      const { writeStatement } = await import("./statement.ts");
      const written = await writeStatement(operatorOf(given), {
        clientId: required(given, "client-id"),
        currency: required(given, "currency"),
        month: required(given, "month"),
        format: given.value("format") === "pdf" ? "pdf" : "csv",
        file: required(given, "file"),
      });
      show(given, written, `${written.lineCount} movements written to ${written.file}`);
    },
  },
};
