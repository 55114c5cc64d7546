import type { Commands, Options } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import {
  jsonOption,
  omitUndefined,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";

const fileOption = {
  file: { value: "FILE", summary: "Output file (default: standard output)" },
} as const satisfies Options;

const batchReports = ["SETTLEMENT_DETAIL", "SETTLEMENT_SUMMARY"];

/** Commands for accounting: trial balance, closing of months, journal, reports and statements. */
export const ledgerCommands: Commands = {
  "trial-balance": {
    requiredRole: "support",
    summary: "Print the trial balance at the end of a day",
    description:
      "Reads the whole ledger once. Days end at midnight UTC+8. Exits with code 1 if debits do not equal " +
      "credits.\n" +
      ownerSettingsHelp,
    options: {
      at: { value: "DAY", summary: "Book day, at whose end balances are calculated", isRequired: true },
      whole: { summary: "List each account instead of the names in the chart of accounts" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate trial-balance --at 2026-11-30",
      "tollgate trial-balance --at 2026-11-30 --whole --json",
    ],
    run: async (args) => {
      const { computeTrialBalance, trialBalanceTable } = await import("./trial-balance-table.ts");
      const trialBalance = await computeTrialBalance(operatorOf(args), requiredOption(args, "at"));
      printResult(args, trialBalance, trialBalanceTable(trialBalance, args.has("whole")));
      if (!trialBalance.isZero) process.exitCode = 1;
    },
  },
  "period close": {
    requiredRole: "finance",
    auditLabel: { english: "Closed a month", chinese: "关闭月份" },
    positionals: ["MONTH"],
    summary: "Close an accounting month",
    description:
      "Stores the closing balance of each account. A later posting into the month is reported as a break by " +
      "`reconcile`.\n" +
      ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate period close 2026-11 --reason 'November, signed off'"],
    run: async (args) => {
      const { closeMonth } = await import("./close-month.ts");
      const [month = ""] = args.positionals;
      const closing = await closeMonth(operatorOf(args), month, new Date());
      printResult(
        args,
        closing,
        `${month} is closed: ${closing.rowCount} ledger rows, ${closing.sumCount} closing balances.`,
      );
    },
  },
  "period list": {
    requiredRole: "support",
    summary: "List closed months",
    description: ownerSettingsHelp,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate period list"],
    run: async (args) => {
      const { closedMonthsTable, findClosedMonths } = await import("./close-month.ts");
      const months = await findClosedMonths(operatorOf(args));
      printResult(args, months, closedMonthsTable(months));
    },
  },
  "ledger export": {
    requiredRole: "support",
    summary: "Export the journal of a month for a general ledger",
    description:
      "Writes two lines for each ledger row, debit and credit, with account numbers of the chart and amounts " +
      `in major units. ${ownerSettingsHelp}`,
    options: {
      month: { value: "MONTH", summary: "Book month", isRequired: true },
      format: { value: "FORMAT", summary: "Format of the journal (default csv)", oneOf: ["csv"] },
      ...fileOption,
      ...operatorOptions,
    },
    examples: ["tollgate ledger export --month 2026-11 --file journal-2026-11.csv"],
    run: async (args) => {
      const { exportLedger } = await import("./ledger-export.ts");
      const file = args.value("file");
      const rowCount = await exportLedger(operatorOf(args), { month: requiredOption(args, "month"), file });
      if (file !== undefined) process.stderr.write(`${rowCount} ledger rows, two lines each\n`);
    },
  },
  report: {
    requiredRole: "support",
    positionals: ["REPORT"],
    summary: "Write a merchant's report as CSV",
    description:
      "REPORT is TRANSACTION_DETAIL, SETTLEMENT_DETAIL or SETTLEMENT_SUMMARY. A complete file ends with the " +
      `line <END>. docs/reference/reports.md describes the columns. ${ownerSettingsHelp}`,
    options: {
      "client-id": { value: "CLIENT", summary: "Client id of the merchant", isRequired: true },
      from: { value: "DAY", summary: "For transactions: first book day" },
      to: { value: "DAY", summary: "Last book day (default: the first)" },
      "batch-id": { value: "BATCH", summary: "For a settlement batch: its id" },
      folder: {
        value: "DIR",
        summary: "Folder for the file, which gets its own name (default: standard output)",
      },
      ...operatorOptions,
    },
    examples: [
      "tollgate report TRANSACTION_DETAIL --client-id SANDBOX_5Y1 --from 2026-11-01 --to 2026-11-30 --folder reports",
      "tollgate report SETTLEMENT_SUMMARY --client-id SANDBOX_5Y1 --batch-id 20261116160500000047611530017744120",
    ],
    run: async (args) => {
      const { writeReport } = await import("./write-report.ts");
      const { isReportName } = await import("../../reports/report.ts");
      const [report = ""] = args.positionals;
      if (!isReportName(report))
        throw new UsageError("There is no such report. List the reports with --help.");
      const isBatchReport = batchReports.includes(report);
      if (isBatchReport !== args.has("batch-id") || isBatchReport === args.has("from"))
        throw new UsageError("TRANSACTION_DETAIL needs --from; the other reports need --batch-id.");
      const folder = args.value("folder");
      const selection = omitUndefined({
        fromDay: args.value("from"),
        toDay: args.value("to"),
        batchId: args.value("batch-id"),
      });
      const progress = (lineCount: number): void =>
        void (folder !== undefined && process.stderr.write(`\r${lineCount} lines`));
      const writtenReport = await writeReport(
        operatorOf(args),
        { report, clientId: requiredOption(args, "client-id"), folder, ...selection },
        progress,
      );
      if (folder !== undefined)
        process.stderr.write(`\r${writtenReport.lineCount} lines written to ${writtenReport.file}\n`);
    },
  },
  statement: {
    requiredRole: "support",
    summary: "Write a merchant's monthly statement as CSV or PDF",
    description:
      "Covers all changes from the opening to the closing balance: CSV lists each movement, PDF each day. PDF " +
      "prints only Latin-1 characters; others become question marks.\n" +
      ownerSettingsHelp,
    options: {
      "client-id": { value: "CLIENT", summary: "Client id of the merchant", isRequired: true },
      currency: { value: "CODE", summary: "Currency of the balance", isRequired: true },
      month: { value: "MONTH", summary: "Book month", isRequired: true },
      format: { value: "FORMAT", summary: "Format, csv or pdf (default csv)", oneOf: ["csv", "pdf"] },
      file: { value: "FILE", summary: "Output file", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate statement --client-id SANDBOX_5Y1 --currency EUR --month 2026-11 --format pdf --file statement.pdf",
    ],
    run: async (args) => {
      const { writeStatement } = await import("./write-statement.ts");
      const statement = await writeStatement(operatorOf(args), {
        clientId: requiredOption(args, "client-id"),
        currency: requiredOption(args, "currency"),
        month: requiredOption(args, "month"),
        format: args.value("format") === "pdf" ? "pdf" : "csv",
        file: requiredOption(args, "file"),
      });
      printResult(args, statement, `${statement.lineCount} movements written to ${statement.file}`);
    },
  },
};
