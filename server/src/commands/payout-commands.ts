import { isBookDay } from "../core/book-day.ts";
import { formatMoney } from "../core/money.ts";
import { cycles, type Cycle } from "../settlement/batch.ts";
import { payoutFormats, type PayoutFormat } from "../settlement/payout-file.ts";
import { UsageError, type Commands, type Given } from "./command.ts";
import { allCellsOption, fleetOf } from "./money-commands.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownersSettings,
  required,
  requiredNumber,
} from "./operator.ts";
import { show } from "./show.ts";
import { align } from "./table.ts";
import { wholeNumber } from "./whole-number.ts";

const bankOption = { bank: { value: "NAME", does: "which bank of ours", isRequired: true } } as const;

/** Commands about what merchants are owed, and how they get it: docs/operating/payouts.md has the whole way. */
export const payoutCommands: Commands = {
  "settlement close": {
    needs: "finance",
    acts: true,
    does: "close all batches that have ended by a day",
    about:
      "Every movement of what a merchant is owed goes into one batch. What was cut off goes on when it is run again; run twice, it\n" +
      `changes nothing. Exit code 1 says that a batch stays open, because there is no good rate to change it by. ${ownersSettings}`,
    options: {
      day: { value: "DAY", does: "the last day of the books (UTC+8), such as 2026-11-16", isRequired: true },
      whole: { does: "look for all that ever moved, and not only from a week before the last close on" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate settlement close --day 2026-11-16"],
    run: async (given) => {
      const { closeSettlement, closedTable } = await import("./settlement-close.ts");
      const day = dayOf(given) ?? "";
      const closed = await closeSettlement(operatorOf(given), { day, whole: given.has("whole") });
      show(given, closed, closedTable(closed));
      if (closed.withoutRate.length > 0) process.exitCode = 1;
    },
  },
  "settlement check": {
    needs: "support",
    does: "movements that should be in a batch by now, and are in none",
    about: `It reads the whole ledger. Exit code 1 says that there are some. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate settlement check"],
    run: async (given) => {
      const { checkSettlement, unsettledTable } = await import("./settlement-close.ts");
      const found = await checkSettlement(operatorOf(given));
      show(given, found, unsettledTable(found));
      if (found.length > 0) process.exitCode = 1;
    },
  },
  "payout run": {
    needs: "finance",
    acts: true,
    takesTwo: true,
    does: "plan payout files for due batches, and hand over approved ones",
    about:
      "In live a run plans one payout file (pain.001) for each currency, and a second person approves it: `payout show`, `payout approve`.\n" +
      "The next run creates its payouts and hands it over. After a crash, run it again: it continues, and no merchant is paid twice.\n" +
      ownersSettings,
    options: {
      ...bankOption,
      folder: { value: "FOLDER", does: "the bank folder; the bank's program takes FILE.xml from it" },
      day: { value: "DAY", does: "batches that are due by this day of the books (default: today)" },
      format: { value: "NAME", does: "format of the file (default: pain.001.001.09)", oneOf: payoutFormats },
      "dry-run": { does: "print what would be paid, and which batches wait; change nothing" },
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
        const { planPayouts } = await import("./payout-run.ts");
        const { planTable } = await import("./payout-plan.ts");
        const plan = await planPayouts(operatorOf(given), { bank, day });
        return show(given, plan, planTable(plan));
      }
      const { runPayouts, ranTable } = await import("./payout-run.ts");
      const folder = given.value("folder");
      if (folder === undefined) throw new UsageError("Give the bank folder with --folder FOLDER.");
      const format = (given.value("format") ?? "pain.001.001.09") as PayoutFormat;
      const ran = await runPayouts(operatorOf(given), { bank, day, folder, format });
      show(given, ran, ranTable(ran));
    },
  },
  "payout import": {
    needs: "finance",
    acts: true,
    takes: ["FILE"],
    does: "import a bank's report about payouts: pain.002, camt.054 or camt.053",
    about:
      "In one transaction. A payout that the file contradicts keeps its status, is listed here and by `match`, and the exit code is 1; the others are\n" +
      `imported. The same file again changes nothing. A payout that failed or was returned is due again. ${ownersSettings}`,
    options: { ...allCellsOption, ...operatorOptions, ...jsonOption },
    examples: [
      "tollgate payout import status-2026-11-17.xml",
      "tollgate payout import status-2026-11-17.xml --all-cells",
    ],
    run: async (given) => {
      const [file = ""] = given.words;
      const { importBankWordsInAllCells, importedText } = await import("./payout-import-cells.ts");
      if (given.has("all-cells")) {
        const cells = [...(await importBankWordsInAllCells((await fleetOf(given)).operators, file))];
        const lines = cells.map(([cell, imported]) => `${cell}: ${importedText(imported)}`);
        if (cells.some(([, { contradictions }]) => contradictions.length > 0)) process.exitCode = 1;
        return show(given, { cells: Object.fromEntries(cells) }, lines.join("\n"));
      }
      const { importBankWords } = await import("./payout-import.ts");
      const imported = await importBankWords(operatorOf(given), file);
      show(given, imported, importedText(imported));
      if (imported.contradictions.length > 0) process.exitCode = 1;
    },
  },
  "payout hold": {
    needs: "finance",
    acts: true,
    takes: ["CLIENT"],
    does: "Hold a merchant's payouts; requires --reason",
    about:
      "The merchant's batches close as usual and wait. A suspended merchant is not paid either, with or without a hold.\n" +
      `Money that the bank already received is not stopped. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout hold 5J5Y8Z4G3E2B1A0C --reason 'Suspected fraud, case 4711'"],
    run: async (given) => {
      const { holdPayouts } = await import("./payout-hold.ts");
      const [clientId = ""] = given.words;
      await holdPayouts(operatorOf(given), clientId);
      show(given, { clientId, isHeld: true }, `payouts of ${clientId} are on hold`);
    },
  },
  "payout release": {
    needs: "finance",
    acts: true,
    takesTwo: true,
    takes: ["CLIENT"],
    does: "Release a merchant's payouts from hold",
    about: `In live a second person approves it. The next payout run pays what is due. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout release 5J5Y8Z4G3E2B1A0C --reason 'Documents verified'"],
    run: async (given) => {
      const { releasePayouts } = await import("./payout-hold.ts");
      const [clientId = ""] = given.words;
      await releasePayouts(operatorOf(given), clientId);
      show(given, { clientId, isHeld: false }, `payouts of ${clientId} are released`);
    },
  },
  "payout hold list": {
    needs: "support",
    does: "List merchants whose payouts are on hold, oldest hold first",
    about: `Suspended merchants are not listed: \`merchant list\` shows them. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate payout hold list"],
    run: async (given) => {
      const { findPayoutHolds, holdText } = await import("./payout-hold.ts");
      const holds = await findPayoutHolds(operatorOf(given));
      show(given, holds, holds.map(holdText).join("\n") || "No payouts are on hold.");
    },
  },
  "payout list": {
    needs: "support",
    takes: ["[CLIENT]"],
    does: "payouts, the newest first, and how they ended",
    about: ownersSettings,
    options: {
      limit: { value: "N", does: "at most so many; 100 unless said otherwise" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate payout list", "tollgate payout list 5J5Y8Z4G3E2B1A0C --limit 10"],
    run: async (given) => {
      const { findPayouts } = await import("./payout-run.ts");
      const limit = wholeNumber(given, "limit", [1, 100_000]) ?? 100;
      const { findPayoutHolds, holdText } = await import("./payout-hold.ts");
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
      const table = payouts.length === 0 ? "There are none." : align([head, ...rows]);
      show(given, payouts, [table, ...holds.map(holdText)].join("\n"));
    },
  },
  "payout terms set": {
    needs: "finance",
    acts: true,
    takesTwo: true,
    takes: ["CLIENT"],
    does: "how often a merchant is paid, from which sum on, and what is kept back",
    about: `From a day of the books on; what is closed stays as it is. ${ownersSettings}`,
    options: {
      currency: { value: "CODE", does: "of which currency", isRequired: true },
      cycle: {
        value: "CYCLE",
        does: "a batch is a day (D), a week from Monday (W) or a month (M)",
        oneOf: cycles,
        isRequired: true,
      },
      days: {
        value: "N",
        does: "working days from the end of a batch to its payout, 0 to 60",
        isRequired: true,
      },
      minimum: { value: "MINOR", does: "a smaller batch is carried over; in minor units, none unless given" },
      reserve: { value: "N", does: "what is kept back of sales, in basis points; nothing unless given" },
      "reserve-days": { value: "N", does: "for how many days; needed with --reserve" },
      "settle-in": {
        value: "CODE",
        does: "paid in this currency: what a batch comes to is changed when it is closed, by `rate set`",
      },
      from: { value: "DAY", does: "from this day of the books on; today unless said otherwise" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: [
      "tollgate payout terms set 5J5Y8Z4G3E2B1A0C --currency EUR --cycle D --days 1 --minimum 1000 --reserve 500 --reserve-days 90",
      "tollgate payout terms set 5J5Y8Z4G3E2B1A0C --currency EUR --cycle D --days 1 --settle-in USD",
    ],
    run: async (given) => {
      const { setTerms } = await import("./payout-terms.ts");
      const reserveBasisPoints = wholeNumber(given, "reserve", [0, 10_000]) ?? 0;
      const reserveDays = wholeNumber(given, "reserve-days", [0, 3_650]) ?? 0;
      if (reserveBasisPoints > 0 && reserveDays === 0)
        throw new UsageError("Say for how long, with --reserve-days N.");
      const terms = await setTerms(operatorOf(given), given.words[0] ?? "", currencyOf(given), {
        fromDay: dayOf(given, "from"),
        cycle: required(given, "cycle") as Cycle,
        daysAfter: requiredNumber(given, "days", [0, 60]),
        minimumMinor: BigInt(wholeNumber(given, "minimum", [0, Number.MAX_SAFE_INTEGER]) ?? 0),
        reserveBasisPoints,
        reserveDays,
        settleIn: given.value("settle-in")?.toUpperCase(),
      });
      show(given, terms, `set, from ${terms.fromDay} on`);
    },
  },
};

/** A day of the books that was given. */
function dayOf(given: Given, option = "day"): string | undefined {
  const day = given.value(option);
  if (day === undefined || isBookDay(day)) return day;
  throw new UsageError(`--${option} has to be a day, such as 2026-11-16.`);
}

function currencyOf(given: Given): string {
  return required(given, "currency").toUpperCase();
}
