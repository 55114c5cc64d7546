import { isAccountingDay } from "../../core/accounting-day.ts";
import { formatMoney } from "../../core/money.ts";
import { cycles, type Cycle } from "../../settlement/batch.ts";
import { payoutFormats, type PayoutFormat } from "../../settlement/payouts/payout-file.ts";
import type { Commands, Given } from "../framework/command.ts";
import { UsageError } from "../../core/command-errors.ts";
import { allCellsOption, fleetOf } from "../ledger/money-commands.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownersSettings,
  required,
  requiredNumber,
} from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { align } from "../../formats/text-table.ts";
import { wholeNumber } from "../framework/whole-number.ts";

const bankOption = { bank: { value: "NAME", does: "Name of our bank", isRequired: true } } as const;

/** Commands for settlement and payouts, see docs/operating/payouts.md. */
export const payoutCommands: Commands = {
  "settlement close": {
    needs: "finance",
    acts: { english: "Closed settlement batches", chinese: "关闭结算批次" },
    does: "Close all settlement batches that end by a day",
    about:
      "Puts each movement of a merchant's balance into one batch. Continues after an interruption; a repeated " +
      `run changes nothing. Exits with code 1 if a batch stays open because no FX rate is valid. ${ownersSettings}`,
    options: {
      day: { value: "DAY", does: "Last book day (UTC+8), such as 2026-11-16", isRequired: true },
      whole: { does: "Check all movements, not only those since a week before the last run" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate settlement close --day 2026-11-16"],
    run: async (given) => {
      const { closeSettlement, closedTable } = await import("../../settlement/close-settlement.workflow.ts");
      const day = dayOf(given) ?? "";
      const closed = await closeSettlement(operatorOf(given), { day, whole: given.has("whole") });
      show(given, closed, closedTable(closed));
      if (closed.withoutRate.length > 0) process.exitCode = 1;
    },
  },
  "settlement check": {
    needs: "support",
    does: "List movements that should be in a batch and are not",
    about: `Reads the whole ledger. Exits with code 1 if there are any. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate settlement check"],
    run: async (given) => {
      const { checkSettlement, unsettledTable } =
        await import("../../settlement/close-settlement.workflow.ts");
      const found = await checkSettlement(operatorOf(given));
      show(given, found, unsettledTable(found));
      if (found.length > 0) process.exitCode = 1;
    },
  },
  "payout run": {
    needs: "finance",
    acts: "in steps",
    requiresApproval: true,
    does: "Plan payout files for due batches, and hand over approved ones",
    about:
      "In live a run plans one payout file (pain.001) per currency. Another person approves it with `payout " +
      "show` and `payout approve`. The next run creates the payouts and hands the file over. After a crash, " +
      "run it again: it continues, and no merchant is paid twice.\n" +
      ownersSettings,
    options: {
      ...bankOption,
      folder: { value: "FOLDER", does: "Bank folder, from which the bank's program takes FILE.xml" },
      day: { value: "DAY", does: "Pay batches that are due by this book day (default today)" },
      format: { value: "NAME", does: "Format of the file (default pain.001.001.09)", oneOf: payoutFormats },
      "dry-run": { does: "Print due and waiting batches; change nothing" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout run --bank first --dry-run",
      "tollgate payout run --bank first --folder /var/spool/payouts",
    ],
    run: async (given) => {
      const [bank, day] = [required(given, "bank"), dayOf(given)];
      if (given.has("dry-run")) {
        const { planPayouts } = await import("../../settlement/payouts/run-payouts.workflow.ts");
        const { planTable } = await import("../../settlement/payouts/plan-payouts.workflow.ts");
        const plan = await planPayouts(operatorOf(given), { bank, day });
        return show(given, plan, planTable(plan));
      }
      const { runPayouts, ranTable } = await import("../../settlement/payouts/run-payouts.workflow.ts");
      const folder = given.value("folder");
      if (folder === undefined) throw new UsageError("Give the bank folder with --folder FOLDER.");
      const format = (given.value("format") ?? "pain.001.001.09") as PayoutFormat;
      const ran = await runPayouts(operatorOf(given), { bank, day, folder, format });
      show(given, ran, ranTable(ran));
    },
  },
  "payout import": {
    needs: "finance",
    acts: { english: "Imported a bank report about payouts", chinese: "导入银行的打款报告" },
    takes: ["FILE"],
    does: "Import a bank's payout report: pain.002, camt.054 or camt.053",
    about:
      "Runs in one transaction. If the file contradicts a payout, the payout keeps its status, is listed here " +
      "and by `reconcile`, and the exit code is 1; the other payouts are imported. Importing the same file again " +
      `changes nothing. A failed or returned payout is due again. ${ownersSettings}`,
    options: { ...allCellsOption, ...operatorOptions, ...jsonOption },
    examples: [
      "tollgate payout import status-2026-11-17.xml",
      "tollgate payout import status-2026-11-17.xml --all-cells",
    ],
    run: async (given) => {
      const [file = ""] = given.words;
      const { importBankReportsInAllCells, importedText } = await import("./payout-import-cells.ts");
      if (given.has("all-cells")) {
        const cells = [...(await importBankReportsInAllCells((await fleetOf(given)).operators, file))];
        const lines = cells.map(([cell, imported]) => `${cell}: ${importedText(imported)}`);
        if (cells.some(([, { contradictions }]) => contradictions.length > 0)) process.exitCode = 1;
        return show(given, { cells: Object.fromEntries(cells) }, lines.join("\n"));
      }
      const { importBankReports } = await import("../../settlement/payouts/import-bank-reports.workflow.ts");
      const imported = await importBankReports(operatorOf(given), file);
      show(given, imported, importedText(imported));
      if (imported.contradictions.length > 0) process.exitCode = 1;
    },
  },
  "payout hold": {
    needs: "finance",
    acts: { english: "Held payouts", chinese: "冻结打款" },
    takes: ["CLIENT"],
    does: "Hold a merchant's payouts; requires --reason",
    about:
      "The merchant's batches close as usual and wait. A suspended merchant is not paid either, with or " +
      `without a hold. Payouts that the bank has already received are not stopped. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout hold 5J5Y8Z4G3E2B1A0C --reason 'Suspected fraud, case 4711'"],
    run: async (given) => {
      const { holdPayouts } = await import("../../settlement/payouts/hold-payouts.workflow.ts");
      const [clientId = ""] = given.words;
      await holdPayouts(operatorOf(given), clientId);
      show(given, { clientId, isHeld: true }, `Payouts of ${clientId} are on hold.`);
    },
  },
  "payout release": {
    needs: "finance",
    acts: { english: "Released payouts from hold", chinese: "解除打款冻结" },
    requiresApproval: true,
    takes: ["CLIENT"],
    does: "Release a merchant's payouts from hold",
    about: `In live another person approves it. The next payout run pays due batches. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout release 5J5Y8Z4G3E2B1A0C --reason 'Documents verified'"],
    run: async (given) => {
      const { releasePayouts } = await import("../../settlement/payouts/hold-payouts.workflow.ts");
      const [clientId = ""] = given.words;
      await releasePayouts(operatorOf(given), clientId);
      show(given, { clientId, isHeld: false }, `Payouts of ${clientId} are released.`);
    },
  },
  "payout hold list": {
    needs: "support",
    does: "List merchants whose payouts are on hold, oldest hold first",
    about: `Suspended merchants are not listed here; see \`merchant list\`. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout hold list"],
    run: async (given) => {
      const { findPayoutHolds, holdText } = await import("../../settlement/payouts/hold-payouts.workflow.ts");
      const holds = await findPayoutHolds(operatorOf(given));
      show(given, holds, holds.map(holdText).join("\n") || "No payouts are on hold.");
    },
  },
  "payout list": {
    needs: "support",
    takes: ["[CLIENT]"],
    does: "List payouts and their results, newest first",
    about: ownersSettings,
    options: {
      limit: { value: "N", does: "Maximum number of rows (default 100)" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout list", "tollgate payout list 5J5Y8Z4G3E2B1A0C --limit 10"],
    run: async (given) => {
      const { findPayouts } = await import("../../settlement/payouts/run-payouts.workflow.ts");
      const limit = wholeNumber(given, "limit", [1, 100_000]) ?? 100;
      const { findPayoutHolds, holdText } = await import("../../settlement/payouts/hold-payouts.workflow.ts");
      const [clientId] = given.words;
      const payouts = await findPayouts(operatorOf(given), { clientId, limit });
      const holds = (await findPayoutHolds(operatorOf(given))).filter(
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
      const table = payouts.length === 0 ? "There are no payouts." : align([head, ...rows]);
      show(given, payouts, [table, ...holds.map(holdText)].join("\n"));
    },
  },
  "payout terms set": {
    needs: "finance",
    acts: { english: "Set settlement terms", chinese: "设置打款条件" },
    requiresApproval: true,
    takes: ["CLIENT"],
    does: "Set a merchant's settlement period, payout delay, minimum and reserve",
    about: `Applies from a book day on; closed batches stay unchanged. ${ownersSettings}`,
    options: {
      currency: { value: "CODE", does: "Currency of the balance", isRequired: true },
      cycle: {
        value: "CYCLE",
        does: "Settlement period: day (D), week from Monday (W) or month (M)",
        oneOf: cycles,
        isRequired: true,
      },
      days: {
        value: "N",
        does: "Business days from the end of a batch to its payout, 0 to 60",
        isRequired: true,
      },
      minimum: { value: "MINOR", does: "Minimum payout in minor units; less is carried over (default none)" },
      reserve: { value: "N", does: "Reserve kept back from sales, in basis points (default none)" },
      "reserve-days": { value: "N", does: "Days until the reserve is paid; required with --reserve" },
      "settle-in": {
        value: "CODE",
        does: "Payout currency; batches convert at closing, by `fx rate set`",
      },
      from: { value: "DAY", does: "First book day of these terms (default today)" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout terms set 5J5Y8Z4G3E2B1A0C --currency EUR --cycle D --days 1 --minimum 1000 --reserve 500 --reserve-days 90",
      "tollgate payout terms set 5J5Y8Z4G3E2B1A0C --currency EUR --cycle D --days 1 --settle-in USD",
    ],
    run: async (given) => {
      const { setTerms } = await import("../../settlement/settlement-terms.workflow.ts");
      const reserveBasisPoints = wholeNumber(given, "reserve", [0, 10_000]) ?? 0;
      const reserveDays = wholeNumber(given, "reserve-days", [0, 3_650]) ?? 0;
      if (reserveBasisPoints > 0 && reserveDays === 0)
        throw new UsageError("--reserve needs --reserve-days N, the days until it is paid.");
      const terms = await setTerms(operatorOf(given), given.words[0] ?? "", currencyOf(given), {
        fromDay: dayOf(given, "from"),
        cycle: required(given, "cycle") as Cycle,
        daysAfter: requiredNumber(given, "days", [0, 60]),
        minimumMinor: BigInt(wholeNumber(given, "minimum", [0, Number.MAX_SAFE_INTEGER]) ?? 0),
        reserveBasisPoints,
        reserveDays,
        settleIn: given.value("settle-in")?.toUpperCase(),
      });
      show(given, terms, `Terms set from ${terms.fromDay} on.`);
    },
  },
};

/** Reads an option with an accounting day. */
function dayOf(given: Given, option = "day"): string | undefined {
  const day = given.value(option);
  if (day === undefined || isAccountingDay(day)) return day;
  throw new UsageError(`--${option} must be a day, such as 2026-11-16.`);
}

function currencyOf(given: Given): string {
  return required(given, "currency").toUpperCase();
}
