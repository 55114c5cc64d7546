import type { Commands } from "../framework/command.ts";
import { millionths } from "./fee-commands.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownersSettings,
  required,
  requiredNumber,
} from "../framework/operator.ts";
import { show } from "../framework/show.ts";
import { wholeNumber } from "../framework/whole-number.ts";

const exchange = (): Promise<typeof import("./exchange.ts")> => import("./exchange.ts");

const pairOption = {
  pair: { value: "PAIR", does: "Currency pair, from/to: EUR/USD", isRequired: true },
} as const;
/** Maximum amount of a deal: 10^15 minor units, more than any deal and still an exact number in JavaScript. */
const mostMinor = 1_000_000_000_000_000;

/** Commands for FX rates, FX deals and the open FX position. */
export const exchangeCommands: Commands = {
  "fx rate set": {
    needs: "finance",
    acts: { english: "Set an FX rate", chinese: "设置汇率" },
    requiresApproval: true,
    does: "Set the FX rate for a currency pair and a period",
    about:
      "Adds a rate and never changes one, so closed batches keep theirs. The newest rate that is valid now " +
      `applies. docs/operating/currency-conversion.md explains rounding. ${ownersSettings}`,
    options: {
      ...pairOption,
      price: {
        value: "PRICE",
        does: "Market price of one unit of the first currency in the second: 1.0872",
        isRequired: true,
      },
      margin: {
        value: "PERCENT",
        does: "Operator's margin in per cent, up to 20, such as 0.4 (default none)",
      },
      from: {
        value: "DAY",
        does: "First day (UTC+8), or a time in ISO 8601 with a zone (default now)",
      },
      until: { value: "DAY", does: "Last day (UTC+8), or a time in ISO 8601 with a zone", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fx rate set --pair EUR/USD --price 1.0872 --margin 0.4 --until 2026-11-18"],
    run: async (given) => {
      const { setQuote, quoteTable } = await exchange();
      const quote = await setQuote(operatorOf(given), {
        pair: required(given, "pair"),
        price: required(given, "price"),
        marginMillionths: millionths(given, "margin", 20) ?? 0n,
        from: given.value("from"),
        until: required(given, "until"),
      });
      show(given, quote, quoteTable([quote], new Date()));
    },
  },
  "fx rate list": {
    needs: "support",
    does: "List FX rates, newest first, including future and expired ones",
    about: ownersSettings,
    options: {
      limit: { value: "N", does: "Maximum number of rows (default 100)" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fx rate list"],
    run: async (given) => {
      const { findQuotes, quoteTable } = await exchange();
      const quotes = await findQuotes(operatorOf(given), wholeNumber(given, "limit", [1, 100_000]) ?? 100);
      show(given, quotes, quoteTable(quotes, new Date()));
    },
  },
  "fx deal book": {
    needs: "finance",
    acts: { english: "Booked an FX deal", chinese: "登记外汇交易" },
    does: "Book an FX deal with a bank",
    about:
      "Books each reference once; the bank's statements carry the same reference. The difference between the " +
      `amount bought and the amount promised to merchants is booked as gain or loss. ${ownersSettings}`,
    options: {
      ...pairOption,
      sold: { value: "N", does: "Amount sold, in minor units of the first currency", isRequired: true },
      bought: {
        value: "N",
        does: "Amount bought, in minor units of the second currency",
        isRequired: true,
      },
      reference: { value: "WORD", does: "The bank's reference of the deal", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate fx deal book --pair EUR/USD --sold 100000 --bought 108650 --reference FX-2026-311"],
    run: async (given) => {
      const { bookDeal } = await exchange();
      const { formatMoney } = await import("../../core/money.ts");
      const booked = await bookDeal(operatorOf(given), {
        pair: required(given, "pair"),
        reference: required(given, "reference"),
        soldMinor: BigInt(requiredNumber(given, "sold", [1, mostMinor])),
        boughtMinor: BigInt(requiredNumber(given, "bought", [1, mostMinor])),
      });
      const { sold, bought, gained } = booked;
      const text =
        `Sold ${formatMoney(sold)} for ${formatMoney(bought)}; gain over the amount promised to merchants: ` +
        formatMoney(gained);
      show(given, booked, text);
    },
  },
  "fx position": {
    needs: "support",
    does: "Print the open FX position per currency pair and its break-even rate",
    about: `Computed from the ledger. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate fx position"],
    run: async (given) => {
      const { findPositions, positionTable } = await exchange();
      const positions = await findPositions(operatorOf(given));
      show(given, positions, positionTable(positions));
    },
  },
};
