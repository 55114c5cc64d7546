import { isAccountingDay } from "../../core/accounting-day.ts";
import { formatMoney } from "../../core/money.ts";
import { cycles, type Cycle } from "../../settlement/batch.ts";
import { payoutFormats, type PayoutFormat } from "../../settlement/payouts/payout-file.ts";
import type { Commands, CommandArguments } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { allCellsOption, readFleetOperators } from "../ledger/maintenance-commands.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
  requiredNumber,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { formatTextTable } from "../../formats/text-table.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

const bankOption = { bank: { value: "NAME", summary: "Name of our bank", isRequired: true } } as const;

/** Commands for settlement and payouts, see docs/operating/payouts.md. */
export const payoutCommands: Commands = {
  "settlement close": {
    requiredRole: "finance",
    auditLabel: { english: "Closed settlement batches", chinese: "关闭结算批次" },
    summary: "Close all settlement batches that end by a day",
    description:
      "Puts each movement of a merchant's balance into one batch. Continues after an interruption; a repeated " +
      `run changes nothing. Exits with code 1 if a batch stays open because no FX rate is valid. ${ownerSettingsHelp}`,
    options: {
      day: { value: "DAY", summary: "Last book day (UTC+8), such as 2026-11-16", isRequired: true },
      whole: { summary: "Check all movements, not only those since a week before the last run" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate settlement close --day 2026-11-16"],
    run: async (args) => {
      const { closeSettlement, closedBatchTable } =
        await import("../../settlement/close-settlement.workflow.ts");
      const day = readDay(args) ?? "";
      const settlement = await closeSettlement(operatorOf(args), { day, whole: args.has("whole") });
      printResult(args, settlement, closedBatchTable(settlement));
      if (settlement.withoutRate.length > 0) process.exitCode = 1;
    },
  },
  "settlement check": {
    requiredRole: "support",
    summary: "List movements that should be in a batch and are not",
    description: `Reads the whole ledger. Exits with code 1 if there are any. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate settlement check"],
    run: async (args) => {
      const { checkSettlement, unsettledTable } =
        await import("../../settlement/close-settlement.workflow.ts");
      const found = await checkSettlement(operatorOf(args));
      printResult(args, found, unsettledTable(found));
      if (found.length > 0) process.exitCode = 1;
    },
  },
  "payout run": {
    requiredRole: "finance",
    auditLabel: "in steps",
    requiresApproval: true,
    summary: "Plan payout files for due batches, and hand over approved ones",
    description:
      "In live a run plans one payout file (pain.001) per currency. Another person approves it with `payout " +
      "show` and `payout approve`. The next run creates the payouts and hands the file over. After a crash, " +
      "run it again: it continues, and no merchant is paid twice.\n" +
      ownerSettingsHelp,
    options: {
      ...bankOption,
      folder: { value: "FOLDER", summary: "Bank folder, from which the bank's program takes FILE.xml" },
      day: { value: "DAY", summary: "Pay batches that are due by this book day (default today)" },
      format: {
        value: "NAME",
        summary: "Format of the file (default pain.001.001.09)",
        oneOf: payoutFormats,
      },
      "dry-run": { summary: "Print due and waiting batches; change nothing" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout run --bank first --dry-run",
      "tollgate payout run --bank first --folder /var/spool/payouts",
    ],
    run: async (args) => {
      const [bank, day] = [requiredOption(args, "bank"), readDay(args)];
      if (args.has("dry-run")) {
        const { planPayouts } = await import("../../settlement/payouts/run-payouts.workflow.ts");
        const { planTable } = await import("../../settlement/payouts/plan-payouts.workflow.ts");
        const plan = await planPayouts(operatorOf(args), { bank, day });
        return printResult(args, plan, planTable(plan));
      }
      const { runPayouts, payoutRunTable } = await import("../../settlement/payouts/run-payouts.workflow.ts");
      const folder = args.value("folder");
      if (folder === undefined) throw new UsageError("Give the bank folder with --folder FOLDER.");
      const format = (args.value("format") ?? "pain.001.001.09") as PayoutFormat;
      const runResult = await runPayouts(operatorOf(args), { bank, day, folder, format });
      printResult(args, runResult, payoutRunTable(runResult));
    },
  },
  "payout import": {
    requiredRole: "finance",
    auditLabel: { english: "Imported a bank report about payouts", chinese: "导入银行的打款报告" },
    positionals: ["FILE"],
    summary: "Import a bank's payout report: pain.002, camt.054 or camt.053",
    description:
      "Runs in one transaction. If the file contradicts a payout, the payout keeps its status, is listed here " +
      "and by `reconcile`, and the exit code is 1; the other payouts are imported. Importing the same file again " +
      `changes nothing. A failed or returned payout is due again. ${ownerSettingsHelp}`,
    options: { ...allCellsOption, ...operatorOptions, ...jsonOption },
    examples: [
      "tollgate payout import status-2026-11-17.xml",
      "tollgate payout import status-2026-11-17.xml --all-cells",
    ],
    run: async (args) => {
      const [file = ""] = args.positionals;
      const { importBankReportsInAllCells, bankReportText } = await import("./payout-import-cells.ts");
      if (args.has("all-cells")) {
        const cells = [
          ...(await importBankReportsInAllCells((await readFleetOperators(args)).operators, file)),
        ];
        const lines = cells.map(([cell, imported]) => `${cell}: ${bankReportText(imported)}`);
        if (cells.some(([, { contradictions }]) => contradictions.length > 0)) process.exitCode = 1;
        return printResult(args, { cells: Object.fromEntries(cells) }, lines.join("\n"));
      }
      const { importBankReports } = await import("../../settlement/payouts/import-bank-reports.workflow.ts");
      const importResult = await importBankReports(operatorOf(args), file);
      printResult(args, importResult, bankReportText(importResult));
      if (importResult.contradictions.length > 0) process.exitCode = 1;
    },
  },
  "payout hold": {
    requiredRole: "finance",
    auditLabel: { english: "Held payouts", chinese: "冻结打款" },
    positionals: ["CLIENT"],
    summary: "Hold a merchant's payouts; requires --reason",
    description:
      "The merchant's batches close as usual and wait. A suspended merchant is not paid either, with or " +
      `without a hold. Payouts that the bank has already received are not stopped. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout hold 5J5Y8Z4G3E2B1A0C --reason 'Suspected fraud, case 4711'"],
    run: async (args) => {
      const { holdPayouts } = await import("../../settlement/payouts/hold-payouts.workflow.ts");
      const [clientId = ""] = args.positionals;
      await holdPayouts(operatorOf(args), clientId);
      printResult(args, { clientId, isHeld: true }, `Payouts of ${clientId} are on hold.`);
    },
  },
  "payout release": {
    requiredRole: "finance",
    auditLabel: { english: "Released payouts from hold", chinese: "解除打款冻结" },
    requiresApproval: true,
    positionals: ["CLIENT"],
    summary: "Release a merchant's payouts from hold",
    description: `In live another person approves it. The next payout run pays due batches. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout release 5J5Y8Z4G3E2B1A0C --reason 'Documents verified'"],
    run: async (args) => {
      const { releasePayouts } = await import("../../settlement/payouts/hold-payouts.workflow.ts");
      const [clientId = ""] = args.positionals;
      await releasePayouts(operatorOf(args), clientId);
      printResult(args, { clientId, isHeld: false }, `Payouts of ${clientId} are released.`);
    },
  },
  "payout hold list": {
    requiredRole: "support",
    summary: "List merchants whose payouts are on hold, oldest hold first",
    description: `Suspended merchants are not listed here; see \`merchant list\`. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout hold list"],
    run: async (args) => {
      const { findPayoutHolds, holdText } = await import("../../settlement/payouts/hold-payouts.workflow.ts");
      const holds = await findPayoutHolds(operatorOf(args));
      printResult(args, holds, holds.map(holdText).join("\n") || "No payouts are on hold.");
    },
  },
  "payout list": {
    requiredRole: "support",
    positionals: ["[CLIENT]"],
    summary: "List payouts and their results, newest first",
    description: ownerSettingsHelp,
    options: {
      limit: { value: "N", summary: "Maximum number of rows (default 100)" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout list", "tollgate payout list 5J5Y8Z4G3E2B1A0C --limit 10"],
    run: async (args) => {
      const { findPayouts } = await import("../../settlement/payouts/run-payouts.workflow.ts");
      const limit = parseWholeNumber(args, "limit", [1, 100_000]) ?? 100;
      const { findPayoutHolds, holdText } = await import("../../settlement/payouts/hold-payouts.workflow.ts");
      const [clientId] = args.positionals;
      const payouts = await findPayouts(operatorOf(args), { clientId, limit });
      const holds = (await findPayoutHolds(operatorOf(args))).filter(
        (each) => clientId === undefined || each.clientId === clientId,
      );
      const rows = payouts.map((each) => [
        each.clientId,
        each.payoutId,
        each.batchId,
        formatMoney(each.amount),
        each.status,
        each.reasonCode ?? "",
        each.fileId ?? "",
      ]);
      const head = ["merchant", "payout", "batch", "amount", "status", "reason", "file"];
      const table = payouts.length === 0 ? "There are no payouts." : formatTextTable([head, ...rows]);
      printResult(args, payouts, [table, ...holds.map(holdText)].join("\n"));
    },
  },
  "payout terms set": {
    requiredRole: "finance",
    auditLabel: { english: "Set settlement terms", chinese: "设置打款条件" },
    requiresApproval: true,
    positionals: ["CLIENT"],
    summary: "Set a merchant's settlement period, payout delay, minimum and reserve",
    description: `Applies from a book day on; closed batches stay unchanged. ${ownerSettingsHelp}`,
    options: {
      currency: { value: "CODE", summary: "Currency of the balance", isRequired: true },
      cycle: {
        value: "CYCLE",
        summary: "Settlement period: day (D), week from Monday (W) or month (M)",
        oneOf: cycles,
        isRequired: true,
      },
      days: {
        value: "N",
        summary: "Business days from the end of a batch to its payout, 0 to 60",
        isRequired: true,
      },
      minimum: {
        value: "MINOR",
        summary: "Minimum payout in minor units; less is carried over (default none)",
      },
      reserve: { value: "N", summary: "Reserve kept back from sales, in basis points (default none)" },
      "reserve-days": { value: "N", summary: "Days until the reserve is paid; required with --reserve" },
      "settle-in": {
        value: "CODE",
        summary: "Payout currency; batches convert at closing, by `fx rate set`",
      },
      from: { value: "DAY", summary: "First book day of these terms (default today)" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout terms set 5J5Y8Z4G3E2B1A0C --currency EUR --cycle D --days 1 --minimum 1000 --reserve 500 --reserve-days 90",
      "tollgate payout terms set 5J5Y8Z4G3E2B1A0C --currency EUR --cycle D --days 1 --settle-in USD",
    ],
    run: async (args) => {
      const { setTerms } = await import("../../settlement/settlement-terms.workflow.ts");
      const reserveBasisPoints = parseWholeNumber(args, "reserve", [0, 10_000]) ?? 0;
      const reserveDays = parseWholeNumber(args, "reserve-days", [0, 3_650]) ?? 0;
      if (reserveBasisPoints > 0 && reserveDays === 0)
        throw new UsageError("--reserve needs --reserve-days N, the days until it is paid.");
      const terms = await setTerms(operatorOf(args), args.positionals[0] ?? "", readCurrency(args), {
        fromDay: readDay(args, "from"),
        cycle: requiredOption(args, "cycle") as Cycle,
        daysAfter: requiredNumber(args, "days", [0, 60]),
        minimumMinor: BigInt(parseWholeNumber(args, "minimum", [0, Number.MAX_SAFE_INTEGER]) ?? 0),
        reserveBasisPoints,
        reserveDays,
        settleIn: args.value("settle-in")?.toUpperCase(),
      });
      printResult(args, terms, `Terms set from ${terms.fromDay} on.`);
    },
  },
};

/** Reads an option with an accounting day. */
function readDay(args: CommandArguments, option = "day"): string | undefined {
  const day = args.value(option);
  if (day === undefined || isAccountingDay(day)) return day;
  throw new UsageError(`--${option} must be a day, such as 2026-11-16.`);
}

function readCurrency(args: CommandArguments): string {
  return requiredOption(args, "currency").toUpperCase();
}
