import { UsageError, type Commands, type Options } from "./command.ts";
import { jsonOption, onlyGiven, operatorOf, operatorOptions, ownersSettings, required } from "./operator.ts";
import { show } from "./show.ts";

const fileOption = {
  file: { value: "FILE", does: "where to; standard output without it" },
} as const satisfies Options;

const batchReports = ["SETTLEMENT_DETAIL", "SETTLEMENT_SUMMARY"];

/** Commands for whoever keeps the books: what stands in the accounts, months that are closed, and files for other books. */
export const ledgerCommands: Commands = {
  "trial-balance": {
    needs: "support",
    does: "what stood in each account at the end of a day, and that debits are credits",
    about:
      "It reads the whole ledger once. Days end at midnight UTC+8. Exit code 1 says that debits are not credits.\n" +
      ownersSettings,
    options: {
      at: { value: "DAY", does: "at the end of this day of the books", isRequired: true },
      whole: { does: "account by account, and not only the names of the chart" },
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
    acts: true,
    takes: ["MONTH"],
    does: "close a month of the books",
    about:
      "What stands in each account at its end is written down. Whatever is posted into it later is a break of `match`.\n" +
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
        `${month} is closed: ${closed.rowCount} rows in it, ${closed.sumCount} sums at its end.`,
      );
    },
  },
  "period list": {
    needs: "support",
    does: "the months that were closed",
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
    does: "the journal of a month, for a general ledger",
    about:
      "Two lines for each row of the ledger: the account that is debited and the one that is credited, with their numbers of the chart, in " +
      `major units. ${ownersSettings}`,
    options: {
      month: { value: "MONTH", does: "which month of the books", isRequired: true },
      format: { value: "FORMAT", does: "csv, unless said otherwise", oneOf: ["csv"] },
      ...fileOption,
      ...operatorOptions,
    },
    examples: ["tollgate ledger export --month 2026-11 --file journal-2026-11.csv"],
    run: async (given) => {
      const { exportLedger } = await import("./ledger-export.ts");
      const file = given.value("file");
      const rowCount = await exportLedger(operatorOf(given), { month: required(given, "month"), file });
      if (file !== undefined) process.stderr.write(`${rowCount} rows of the ledger, two lines each\n`);
    },
  },
  report: {
    needs: "support",
    takes: ["REPORT"],
    does: "a merchant's report as CSV: of transactions, of a batch, or of its sums",
    about:
      "REPORT is TRANSACTION_DETAIL, SETTLEMENT_DETAIL or SETTLEMENT_SUMMARY. The last line of a file is <END>: without it, it is not whole. " +
      `docs/reference/reports.md has the columns. ${ownersSettings}`,
    options: {
      "client-id": { value: "CLIENT", does: "whose report", isRequired: true },
      from: { value: "DAY", does: "of transactions: the first day of the books" },
      to: { value: "DAY", does: "the last day; only the first unless said otherwise" },
      "batch-id": { value: "BATCH", does: "of a batch: which one" },
      folder: { value: "DIR", does: "where the file goes, under its own name; standard output without it" },
      ...operatorOptions,
    },
    examples: [
      "tollgate report TRANSACTION_DETAIL --client-id SANDBOX_5Y1 --from 2026-11-01 --to 2026-11-30 --folder reports",
      "tollgate report SETTLEMENT_SUMMARY --client-id SANDBOX_5Y1 --batch-id 20261116160500000047611530017744120",
    ],
    run: async (given) => {
      const { writeReport } = await import("./report.ts");
      const { isReportName } = await import("../reports/report.ts");
      const [report = ""] = given.words;
      if (!isReportName(report)) throw new UsageError("There is no such report: see --help.");
      const isOfBatch = batchReports.includes(report);
      if (isOfBatch !== given.has("batch-id") || isOfBatch === given.has("from"))
        throw new UsageError("A report of transactions takes --from, one of a batch --batch-id.");
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
      if (folder !== undefined) process.stderr.write(`\r${written.lineCount} lines in ${written.file}\n`);
    },
  },
  statement: {
    needs: "support",
    does: "a merchant's month: every movement as CSV, or each day as PDF",
    about:
      "From what was owed before to what was owed after. A PDF has letters of Latin-1 alone; others are shown as question marks.\n" +
      ownersSettings,
    options: {
      "client-id": { value: "CLIENT", does: "whose statement", isRequired: true },
      currency: { value: "CODE", does: "of which currency", isRequired: true },
      month: { value: "MONTH", does: "which month of the books", isRequired: true },
      format: { value: "FORMAT", does: "csv or pdf; csv unless said otherwise", oneOf: ["csv", "pdf"] },
      file: { value: "FILE", does: "where to", isRequired: true },
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
      show(given, written, `${written.lineCount} movements in ${written.file}`);
    },
  },
};
