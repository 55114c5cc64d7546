import type { CellOperators } from "../cells/cell-operators.ts";
import type { Commands, CommandArguments, Options } from "../framework/command.ts";
import {
  readActor,
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
  requiredNumber,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";

export const allCellsOption = {
  "all-cells": {
    summary: "Run in all cells of TOLLGATE_DIRECTORY_FILE, with each cell's login",
  },
} as const satisfies Options;

export async function readFleetOperators(args: CommandArguments): Promise<CellOperators> {
  const { readCellOperators } = await import("../cells/cell-operators.ts");
  return readCellOperators(args);
}

/** Shows the progress only on a terminal, because scripts read the output. */
function showProgress(paymentCount: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${paymentCount} payments`);
}

/** Commands for reconciliation, balances, event feeds, search tables and the retention of the request log. */
export const maintenanceCommands: Commands = {
  "settlement import": {
    requiredRole: "finance",
    auditLabel: { english: "Imported a provider's settlement file", chinese: "导入支付服务商结算文件" },
    summary: "Import a payment provider's settlement file",
    description: `Imports all rows or, if a row is invalid, none. Importing the same file again changes nothing. ${ownerSettingsHelp}`,
    options: {
      connector: { value: "NAME", summary: "Connector of the provider", isRequired: true },
      file: {
        value: "FILE",
        summary: "CSV file; docs/operating/reconciliation.md describes the columns",
        isRequired: true,
      },
      ...allCellsOption,
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate settlement import --connector gcash --file gcash-2026-11-15.csv"],
    run: async (args) => {
      const { importSettlementFile } =
        await import("../../reconciliation/import-settlement-file.workflow.ts");
      const file = { connector: requiredOption(args, "connector"), file: requiredOption(args, "file") };
      if (args.has("all-cells")) {
        const { importFileInAllCells } = await import("../reconciliation/reconcile-cells.ts");
        const imported = await importFileInAllCells(await readFleetOperators(args), file);
        return printResult(args, imported.json, imported.text);
      }
      const result = await importSettlementFile(operatorOf(args), file);
      const { rowCount, imported } = result;
      const text = imported
        ? `${rowCount} rows: ${imported.newCount} new, ${imported.repeatCount} that contradict an earlier import`
        : `${rowCount} rows; the file was already imported, and nothing has changed`;
      printResult(args, result, text);
    },
  },
  reconcile: {
    requiredRole: "finance",
    summary: "Reconcile records, ledger, providers' files and bank statements",
    description:
      "Exits with code 1 if there are open breaks; docs/operating/reconciliation.md describes what to do. Run it " +
      `daily with --day, and regularly without. ${ownerSettingsHelp}`,
    options: {
      connector: { value: "NAME", summary: "Only this connector" },
      until: {
        value: "TIME",
        summary: "End time, in ISO 8601 with a zone (default: end of the files)",
      },
      day: {
        value: "DAY",
        summary: "Only payments of this day (UTC) and payments with breaks",
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
    run: async (args) => {
      const { reconcile, reconciliationJson, reconciliationTable } =
        await import("../../reconciliation/reconcile.workflow.ts");
      const request = {
        connector: args.value("connector"),
        until: args.value("until"),
        day: args.value("day"),
      };
      if (args.has("all-cells")) {
        const { reconcileAllCells } = await import("../reconciliation/reconcile-cells.ts");
        const fleet = await reconcileAllCells(await readFleetOperators(args), request);
        printResult(args, fleet.json, fleet.text);
        if (fleet.breakCount > 0) process.exitCode = 1;
        return;
      }
      const reconciliation = await reconcile(operatorOf(args), request);
      printResult(args, reconciliationJson(reconciliation), reconciliationTable(reconciliation));
      if (reconciliation.breaks.length > 0) process.exitCode = 1;
    },
  },
  "balances rebuild": {
    requiredRole: "owner",
    auditLabel: { english: "Summed the balances again", chinese: "重新计算余额" },
    summary: "Sum all balances again, after a restore from a dump",
    description: `Stop serve and work first. Reads the whole ledger once. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate balances rebuild"],
    run: async (args) => {
      const { rebuildAllBalances, rebuildTable } = await import("./rebuild-balances.ts");
      const { url, environment } = operatorOf(args);
      const rebuilt = await rebuildAllBalances(url, environment, readActor(args));
      printResult(args, rebuilt, rebuildTable(rebuilt));
    },
  },
  "feed advance-cursors": {
    requiredRole: "owner",
    auditLabel: { english: "Advanced event feed cursors", chinese: "前移事件流游标" },
    summary: "Advance event feed cursors, after a restore from a backup",
    description:
      "Run it after each restore. Merchants have read events that the restored database does not have, so " +
      "their cursors are ahead. Without this command, new events would get the same positions and merchants " +
      `would skip them. No process needs to stop. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate feed advance-cursors --reason 'restored to 03:12'"],
    run: async (args) => {
      const { advanceAllFeeds } = await import("../payments/advance-feeds.ts");
      const advanced = await advanceAllFeeds(operatorOf(args));
      printResult(args, advanced, `${advanced.feedCount} feeds now start after all earlier cursors`);
    },
  },
  "search rebuild": {
    requiredRole: "owner",
    auditLabel: { english: "Filled the search tables again", chinese: "重新填充搜索表" },
    summary: "Rebuild the search tables",
    description: `Reads all payments once. No process needs to stop. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate search rebuild"],
    run: async (args) => {
      const { rebuildAllSearch } = await import("../payments/rebuild-search.ts");
      const rebuilt = await rebuildAllSearch(operatorOf(args), showProgress);
      if (process.stderr.isTTY) process.stderr.write("\n");
      printResult(args, rebuilt, `${rebuilt.paymentCount} payments in the search tables`);
    },
  },
  "request-log keep": {
    requiredRole: "admin",
    auditLabel: { english: "Set how long API requests are kept", chinese: "设置 API 请求的保留时间" },
    summary: "Set the retention of the API request log",
    description: `Processes of \`serve\` delete older days within the hour. ${ownerSettingsHelp}`,
    options: {
      days: { value: "N", summary: "Number of days, 1 to 3650", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate request-log keep --days 90"],
    run: async (args) => {
      const { setRequestLogRetention } = await import("../merchants/request-log-retention.ts");
      const days = requiredNumber(args, "days", [1, 3_650]);
      await setRequestLogRetention(operatorOf(args), days);
      printResult(args, { days }, "kept");
    },
  },
};
