import type { Commands } from "../framework/command.ts";
import { parseMillionths } from "./fee-commands.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownerSettingsHelp,
  requiredOption,
  requiredNumber,
} from "../framework/operator-options.ts";
import { printResult } from "../framework/print-result.ts";
import { parseWholeNumber } from "../framework/parse-whole-number.ts";

const importFx = (): Promise<typeof import("./fx.ts")> => import("./fx.ts");

const pairOption = {
  pair: { value: "PAIR", summary: "Currency pair, from/to: EUR/USD", isRequired: true },
} as const;
/** Maximum amount of a deal: 10^15 minor units, more than any deal and still an exact number in JavaScript. */
const maxMinor = 1_000_000_000_000_000;

/** Commands for FX rates, FX deals and the open FX position. */
export const fxCommands: Commands = {
  "fx rate set": {
    requiredRole: "finance",
    auditLabel: { english: "Set an FX rate", chinese: "设置汇率" },
    requiresApproval: true,
    summary: "Set the FX rate for a currency pair and a period",
    description:
      "Adds a rate and never changes one, so closed batches keep theirs. The newest rate that is valid now " +
      `applies. docs/operating/currency-conversion.md explains rounding. ${ownerSettingsHelp}`,
    options: {
      ...pairOption,
      price: {
        value: "PRICE",
        summary: "Market price of one unit of the first currency in the second: 1.0872",
        isRequired: true,
      },
      margin: {
        value: "PERCENT",
        summary: "Operator's margin in per cent, up to 20, such as 0.4 (default none)",
      },
      from: {
        value: "DAY",
        summary: "First day (UTC+8), or a time in ISO 8601 with a zone (default now)",
      },
      until: {
        value: "DAY",
        summary: "Last day (UTC+8), or a time in ISO 8601 with a zone",
        isRequired: true,
      },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fx rate set --pair EUR/USD --price 1.0872 --margin 0.4 --until 2026-11-18"],
    run: async (args) => {
      const { setQuote, quoteTable } = await importFx();
      const quote = await setQuote(operatorOf(args), {
        pair: requiredOption(args, "pair"),
        price: requiredOption(args, "price"),
        marginMillionths: parseMillionths(args, "margin", 20) ?? 0n,
        from: args.value("from"),
        until: requiredOption(args, "until"),
      });
      printResult(args, quote, quoteTable([quote], new Date()));
    },
  },
  "fx rate list": {
    requiredRole: "support",
    summary: "List FX rates, newest first, including future and expired ones",
    description: ownerSettingsHelp,
    options: {
      limit: { value: "N", summary: "Maximum number of rows (default 100)" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fx rate list"],
    run: async (args) => {
      const { findQuotes, quoteTable } = await importFx();
      const quotes = await findQuotes(operatorOf(args), parseWholeNumber(args, "limit", [1, 100_000]) ?? 100);
      printResult(args, quotes, quoteTable(quotes, new Date()));
    },
  },
  "fx deal book": {
    requiredRole: "finance",
    auditLabel: { english: "Booked an FX deal", chinese: "登记外汇交易" },
    summary: "Book an FX deal with a bank",
    description:
      "Books each reference once; the bank's statements carry the same reference. The difference between the " +
      `amount bought and the amount promised to merchants is booked as gain or loss. ${ownerSettingsHelp}`,
    options: {
      ...pairOption,
      sold: { value: "N", summary: "Amount sold, in minor units of the first currency", isRequired: true },
      bought: {
        value: "N",
        summary: "Amount bought, in minor units of the second currency",
        isRequired: true,
      },
      reference: { value: "WORD", summary: "The bank's reference of the deal", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fx deal book --pair EUR/USD --sold 100000 --bought 108650 --reference FX-2026-311"],
    run: async (args) => {
      const { bookDeal } = await importFx();
      const { formatMoney } = await import("../../core/money.ts");
      const deal = await bookDeal(operatorOf(args), {
        pair: requiredOption(args, "pair"),
        reference: requiredOption(args, "reference"),
        soldMinor: BigInt(requiredNumber(args, "sold", [1, maxMinor])),
        boughtMinor: BigInt(requiredNumber(args, "bought", [1, maxMinor])),
      });
      const { sold, bought, gained } = deal;
      const text =
        `Sold ${formatMoney(sold)} for ${formatMoney(bought)}; gain over the amount promised to merchants: ` +
        formatMoney(gained);
      printResult(args, deal, text);
    },
  },
  "fx position": {
    requiredRole: "support",
    summary: "Print the open FX position per currency pair and its break-even rate",
    description: `Computed from the ledger. ${ownerSettingsHelp}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate fx position"],
    run: async (args) => {
      const { findPositions, positionTable } = await importFx();
      const positions = await findPositions(operatorOf(args));
      printResult(args, positions, positionTable(positions));
    },
  },
};
