import type { Commands, Options } from "./command.ts";
import { jsonOption, operatorOf, operatorOptions, ownersSettings, required } from "./operator.ts";
import { show } from "./show.ts";

const fileOption = {
  file: { value: "FILE", does: "where to; standard output without it" },
} as const satisfies Options;

/** Commands for whoever keeps the books: what stands in the accounts, months that are closed, and files for other books. */
export const ledgerCommands: Commands = {
  "trial-balance": {
    needs: "finance",
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
    needs: "finance",
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
    needs: "finance",
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
};
