import type { CellOperators } from "../cells/cell-operators.ts";
import type { Commands, Given, Options } from "../framework/command.ts";
import {
  readActor,
  jsonOption,
  operatorOf,
  operatorOptions,
  ownersSettings,
  required,
  requiredNumber,
} from "../framework/operator.ts";
import { show } from "../framework/show.ts";

export const allCellsOption = {
  "all-cells": {
    does: "Run in all cells of TOLLGATE_DIRECTORY_FILE, with each cell's login",
  },
} as const satisfies Options;

export async function fleetOf(given: Given): Promise<CellOperators> {
  const { cellOperators } = await import("../cells/cell-operators.ts");
  return cellOperators(given);
}

/** Shows the progress only on a terminal, because scripts read the output. */
function showProgress(paymentCount: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${paymentCount} payments`);
}

/** Commands for reconciliation, balances, event feeds, search tables and the retention of the request log. */
export const moneyCommands: Commands = {
  "settlement import": {
    needs: "finance",
    acts: { english: "Imported a provider's settlement file", chinese: "导入支付服务商结算文件" },
    does: "Import a payment provider's settlement file",
    about: `Imports all rows or, if a row is invalid, none. Importing the same file again changes nothing. ${ownersSettings}`,
    options: {
      connector: { value: "NAME", does: "Connector of the provider", isRequired: true },
      file: {
        value: "FILE",
        does: "CSV file; docs/operating/reconciliation.md describes the columns",
        isRequired: true,
      },
      ...allCellsOption,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate settlement import --connector gcash --file gcash-2026-11-15.csv"],
    run: async (given) => {
      const { importSettlement } = await import("../../reconciliation/import-settlement-file.workflow.ts");
      const file = { connector: required(given, "connector"), file: required(given, "file") };
      if (given.has("all-cells")) {
        const { importInAllCells } = await import("../reconciliation/reconcile-cells.ts");
        const imported = await importInAllCells(await fleetOf(given), file);
        return show(given, imported.told, imported.text);
      }
      const result = await importSettlement(operatorOf(given), file);
      const { rowCount, imported } = result;
      const text = imported
        ? `${rowCount} rows: ${imported.newCount} new, ${imported.repeatCount} that contradict an earlier import`
        : `${rowCount} rows; the file was already imported, and nothing has changed`;
      show(given, result, text);
    },
  },
  reconcile: {
    needs: "finance",
    does: "Reconcile records, ledger, providers' files and bank statements",
    about:
      "Exits with code 1 if there are open breaks; docs/operating/reconciliation.md describes what to do. Run it " +
      `daily with --day, and regularly without. ${ownersSettings}`,
    options: {
      connector: { value: "NAME", does: "Only this connector" },
      until: {
        value: "TIME",
        does: "End time, in ISO 8601 with a zone (default: end of the files)",
      },
      day: {
        value: "DAY",
        does: "Only payments of this day (UTC) and payments with breaks",
      },
      ...allCellsOption,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate reconcile --day 2026-11-16",
      "tollgate reconcile",
      "tollgate reconcile --connector gcash --until 2026-11-16T00:00:00Z --json",
    ],
    run: async (given) => {
      const { match, reconciliationJson, reconciliationTable } =
        await import("../../reconciliation/reconcile.workflow.ts");
      const asked = {
        connector: given.value("connector"),
        until: given.value("until"),
        day: given.value("day"),
      };
      if (given.has("all-cells")) {
        const { reconcileAllCells } = await import("../reconciliation/reconcile-cells.ts");
        const fleet = await reconcileAllCells(await fleetOf(given), asked);
        show(given, fleet.told, fleet.text);
        if (fleet.breakCount > 0) process.exitCode = 1;
        return;
      }
      const matched = await match(operatorOf(given), asked);
      show(given, reconciliationJson(matched), reconciliationTable(matched));
      if (matched.breaks.length > 0) process.exitCode = 1;
    },
  },
  "balances rebuild": {
    needs: "owner",
    acts: { english: "Summed the balances again", chinese: "重新计算余额" },
    does: "Sum all balances again, after a restore from a dump",
    about: `Stop serve and work first. Reads the whole ledger once. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate balances rebuild"],
    run: async (given) => {
      const { rebuildAllBalances, rebuiltTable } = await import("./balances.ts");
      const { url, environment } = operatorOf(given);
      const rebuilt = await rebuildAllBalances(url, environment, readActor(given));
      show(given, rebuilt, rebuiltTable(rebuilt));
    },
  },
  "feed advance-cursors": {
    needs: "owner",
    acts: { english: "Advanced event feed cursors", chinese: "前移事件流游标" },
    does: "Advance event feed cursors, after a restore from a backup",
    about:
      "Run it after each restore. Merchants have read events that the restored database does not have, so " +
      "their cursors are ahead. Without this command, new events would get the same positions and merchants " +
      `would skip them. No process needs to stop. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate feed advance-cursors --reason 'restored to 03:12'"],
    run: async (given) => {
      const { advanceAllFeeds } = await import("../payments/feeds.ts");
      const moved = await advanceAllFeeds(operatorOf(given));
      show(given, moved, `${moved.feedCount} feeds now start after all earlier cursors`);
    },
  },
  "search rebuild": {
    needs: "owner",
    acts: { english: "Filled the search tables again", chinese: "重新填充搜索表" },
    does: "Rebuild the search tables",
    about: `Reads all payments once. No process needs to stop. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate search rebuild"],
    run: async (given) => {
      const { rebuildAllSearch } = await import("../payments/search.ts");
      const rebuilt = await rebuildAllSearch(operatorOf(given), showProgress);
      if (process.stderr.isTTY) process.stderr.write("\n");
      show(given, rebuilt, `${rebuilt.paymentCount} payments in the search tables`);
    },
  },
  "request-log keep": {
    needs: "admin",
    acts: { english: "Set how long API requests are kept", chinese: "设置 API 请求的保留时间" },
    does: "Set the retention of the API request log",
    about: `Processes of \`serve\` delete older days within the hour. ${ownersSettings}`,
    options: {
      days: { value: "N", does: "Number of days, 1 to 3650", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate request-log keep --days 90"],
    run: async (given) => {
      const { keepRequestLog } = await import("../merchants/request-log.ts");
      const days = requiredNumber(given, "days", [1, 3_650]);
      await keepRequestLog(operatorOf(given), days);
      show(given, { days }, "kept");
    },
  },
};
