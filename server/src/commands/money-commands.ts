import type { CellOperators } from "./cell-operators.ts";
import type { Commands, Given, Options } from "./command.ts";
import {
  byOf,
  jsonOption,
  operatorOf,
  operatorOptions,
  ownersSettings,
  required,
  requiredNumber,
} from "./operator.ts";
import { show } from "./show.ts";

export const allCellsOption = {
  "all-cells": {
    does: "in every cell of TOLLGATE_DIRECTORY_FILE, with TOLLGATE_CELL_NAME_OWNER_DATABASE_URL of each",
  },
} as const satisfies Options;

export async function fleetOf(given: Given): Promise<CellOperators> {
  const { cellOperators } = await import("./cell-operators.ts");
  return cellOperators(given);
}

/** On a terminal only: a script reads the result. */
function showProgress(paymentCount: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${paymentCount} payments`);
}

/** Commands about the books: what wallets say, whether it is what we say, and how long calls are remembered. */
export const moneyCommands: Commands = {
  "settlement import": {
    needs: "finance",
    acts: true,
    does: "take in a wallet's settlement file",
    about: `All of it or, if there is a mistake in it, nothing. The same file twice changes nothing. ${ownersSettings}`,
    options: {
      connector: { value: "NAME", does: "whose file it is", isRequired: true },
      file: {
        value: "FILE",
        does: "the file, CSV; docs/operating/matching.md has its columns",
        isRequired: true,
      },
      ...allCellsOption,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate settlement import --connector gcash --file gcash-2026-11-15.csv"],
    run: async (given) => {
      const { importSettlement } = await import("./settlement.ts");
      const file = { connector: required(given, "connector"), file: required(given, "file") };
      if (given.has("all-cells")) {
        const { importInAllCells } = await import("./match-cells.ts");
        const imported = await importInAllCells(await fleetOf(given), file);
        return show(given, imported.told, imported.text);
      }
      const result = await importSettlement(operatorOf(given), file);
      const { rowCount, imported } = result;
      const text = imported
        ? `${rowCount} rows, ${imported.newCount} of them new, ${imported.repeatCount} that say something else`
        : `${rowCount} rows; the same file was imported before, and nothing has changed`;
      show(given, result, text);
    },
  },
  match: {
    needs: "finance",
    does: "compare our records, the ledger, the wallets' files and the bank's statements",
    about: `Exit code 1 says that they differ; docs/operating/matching.md says what to do. ${ownersSettings}`,
    options: {
      connector: { value: "NAME", does: "this wallet alone" },
      until: {
        value: "TIME",
        does: "up to this time, in ISO 8601 with a zone; else to the end of the files",
      },
      day: {
        value: "DAY",
        does: "payments of this day alone (UTC), and those with breaks; for every day, with a whole run now and then",
      },
      ...allCellsOption,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate match --day 2026-11-16",
      "tollgate match",
      "tollgate match --connector gcash --until 2026-11-16T00:00:00Z --json",
    ],
    run: async (given) => {
      const { match, matchJson, matchTable } = await import("./match.ts");
      const asked = {
        connector: given.value("connector"),
        until: given.value("until"),
        day: given.value("day"),
      };
      if (given.has("all-cells")) {
        const { matchAllCells } = await import("./match-cells.ts");
        const fleet = await matchAllCells(await fleetOf(given), asked);
        show(given, fleet.told, fleet.text);
        if (fleet.breakCount > 0) process.exitCode = 1;
        return;
      }
      const matched = await match(operatorOf(given), asked);
      show(given, matchJson(matched), matchTable(matched));
      if (matched.breaks.length > 0) process.exitCode = 1;
    },
  },
  "balances rebuild": {
    needs: "owner",
    acts: true,
    does: "sum all balances anew, after a restore from a dump",
    about: `With serve and work stopped. It reads the whole ledger once. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate balances rebuild"],
    run: async (given) => {
      const { rebuildAllBalances, rebuiltTable } = await import("./balances.ts");
      const { url, environment } = operatorOf(given);
      const rebuilt = await rebuildAllBalances(url, environment, byOf(given));
      show(given, rebuilt, rebuiltTable(rebuilt));
    },
  },
  "feeds move-ahead": {
    needs: "owner",
    acts: true,
    does: "let merchants' cursors from before a restore go on",
    about:
      "After every restore. Merchants have read events that the database has not any more: their cursors are ahead of it, and it would give the\n" +
      `same positions out again, which they would skip. Nothing has to be stopped. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate feeds move-ahead --reason 'restored to 03:12'"],
    run: async (given) => {
      const { moveAllFeedsAhead } = await import("./feeds.ts");
      const moved = await moveAllFeedsAhead(operatorOf(given));
      show(given, moved, `${moved.feedCount} feeds are ahead of every cursor`);
    },
  },
  "search rebuild": {
    needs: "owner",
    acts: true,
    does: "fill the tables that people search anew",
    about: `Nothing has to be stopped. It reads all payments once. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate search rebuild"],
    run: async (given) => {
      const { rebuildAllSearch } = await import("./search.ts");
      const rebuilt = await rebuildAllSearch(operatorOf(given), showProgress);
      if (process.stderr.isTTY) process.stderr.write("\n");
      show(given, rebuilt, `${rebuilt.paymentCount} payments can be searched`);
    },
  },
  "request-log keep": {
    needs: "admin",
    acts: true,
    does: "how long calls of merchants are remembered",
    about: `Processes that serve drop older days within the hour. ${ownersSettings}`,
    options: {
      days: { value: "N", does: "how many days, 1 to 3650", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate request-log keep --days 90"],
    run: async (given) => {
      const { keepRequestLog } = await import("./request-log.ts");
      const days = requiredNumber(given, "days", [1, 3_650]);
      await keepRequestLog(operatorOf(given), days);
      show(given, { days }, "kept");
    },
  },
};
