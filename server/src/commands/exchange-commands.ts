import type { Commands } from "./command.ts";
import { millionths } from "./fee-commands.ts";
import {
  jsonOption,
  operatorOf,
  operatorOptions,
  ownersSettings,
  required,
  requiredNumber,
} from "./operator.ts";
import { show } from "./show.ts";
import { wholeNumber } from "./whole-number.ts";

const exchange = (): Promise<typeof import("./exchange.ts")> => import("./exchange.ts");

const pairOption = {
  pair: { value: "PAIR", does: "from which currency into which: EUR/USD", isRequired: true },
} as const;
/** A quadrillion: more than any deal, and exact as a number. */
const mostMinor = 1_000_000_000_000_000;

/** Commands about currencies: what merchants get for theirs, and what we get. */
export const exchangeCommands: Commands = {
  "rate set": {
    needs: "finance",
    acts: true,
    takesTwo: true,
    does: "what merchants get of one currency for another, until when",
    about:
      "A quote is added, and none is changed: batches that were closed before keep theirs. The newest that has begun and is not over counts.\n" +
      `docs/operating/exchange.md says how it is rounded. ${ownersSettings}`,
    options: {
      ...pairOption,
      price: {
        value: "PRICE",
        does: "what one of the first costs in the second, on the market: 1.0872",
        isRequired: true,
      },
      margin: { value: "PERCENT", does: "our part of it, in per cent, up to 20: 0.4; nothing unless given" },
      from: {
        value: "DAY",
        does: "the first day, by UTC+8, or a time in ISO 8601 with a zone; at once, when it is absent",
      },
      until: { value: "DAY", does: "the last day, likewise, or a time", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate rate set --pair EUR/USD --price 1.0872 --margin 0.4 --until 2026-11-18"],
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
  "rate list": {
    needs: "support",
    does: "quotes of currencies, the newest first; those to come and those that are over as well",
    about: ownersSettings,
    options: {
      limit: { value: "N", does: "at most so many; 100 unless said otherwise" },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate rate list"],
    run: async (given) => {
      const { findQuotes, quoteTable } = await exchange();
      const quotes = await findQuotes(operatorOf(given), wholeNumber(given, "limit", [1, 100_000]) ?? 100);
      show(given, quotes, quoteTable(quotes, new Date()));
    },
  },
  "exchange book": {
    needs: "finance",
    acts: true,
    does: "book a deal with a bank: what we sold of what merchants changed, and what we got for it",
    about:
      "Once by its reference, which the bank's statements carry as well. What we got beyond what was promised to merchants is gain, and what\n" +
      `it falls short is loss. ${ownersSettings}`,
    options: {
      ...pairOption,
      sold: { value: "N", does: "how much of the first, in its smallest unit", isRequired: true },
      bought: {
        value: "N",
        does: "how much of the second we got for it, in its smallest unit",
        isRequired: true,
      },
      reference: { value: "WORD", does: "what the bank calls the deal", isRequired: true },
      ...operatorOptions,
      ...jsonOption,
    },
    examples: ["tollgate exchange book --pair EUR/USD --sold 100000 --bought 108650 --reference FX-2026-311"],
    run: async (given) => {
      const { bookDeal } = await exchange();
      const { formatMoney } = await import("../core/money.ts");
      const booked = await bookDeal(operatorOf(given), {
        pair: required(given, "pair"),
        reference: required(given, "reference"),
        soldMinor: BigInt(requiredNumber(given, "sold", [1, mostMinor])),
        boughtMinor: BigInt(requiredNumber(given, "bought", [1, mostMinor])),
      });
      const { sold, bought, gained } = booked;
      const text = `${formatMoney(sold)} sold for ${formatMoney(bought)}, ${formatMoney(gained)} of it beyond what was promised`;
      show(given, booked, text);
    },
  },
  "exchange position": {
    needs: "support",
    does: "what merchants changed and we have not sold yet, and the price at which it evens out",
    about: `By the ledger itself. ${ownersSettings}`,
    options: { ...operatorOptions, ...jsonOption },
    examples: ["tollgate exchange position"],
    run: async (given) => {
      const { findPositions, positionTable } = await exchange();
      const positions = await findPositions(operatorOf(given));
      show(given, positions, positionTable(positions));
    },
  },
};
