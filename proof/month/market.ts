import { roundHalfEven, type ExpectedBooks } from "./reference-ledger.ts";
import type { PlannedMerchant } from "./plan.ts";
import type { Paid } from "./settle.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";

/**
 * A model of currency conversion in the month: FX rates, the converted amounts that merchants get by contract, and the
 * FX deals with the bank. The model uses none of the gateway's code.
 */
export interface Market {
  /** FX rates that are set today. All other rates stay unchanged. */
  newPrices(): readonly NewPrice[];
  hasPrice(from: string, to: string): boolean;
  /** The converted amount for a merchant at the latest rate, in minor units. */
  worth(given: Paid, to: string): bigint;
  /** Converts an owed amount in the model; undefined if the result is zero. */
  change(books: ExpectedBooks, owed: string, given: Paid, to: string): Paid | undefined;
  /**
   * Draws the FX deals of a day, and books them in the model. Each currency pair has a deal with this probability. With
   * probability 1, a deal covers the full position.
   */
  deals(books: ExpectedBooks, day: string, chance: number): readonly MonthDeal[];
}

export interface NewPrice {
  readonly pair: string;
  readonly price: string;
  /** In per cent. */
  readonly margin: string;
}

export interface MonthDeal {
  readonly pair: string;
  readonly reference: string;
  readonly sold: Paid;
  readonly bought: Paid;
}

/** The value of each currency's unit, in millionths of a US dollar. */
const worth: Readonly<Record<string, bigint>> = {
  EUR: 1_080_000n,
  JPY: 6_700n,
  PHP: 17_500n,
  USD: 1_000_000n,
};
const trillion = 10n ** 12n;
/** Prices for merchants have 15 decimal places. */
const unit = 10n ** 15n;
const smallestOf = (currency: string): bigint => (currency === "JPY" ? 1n : 100n);

export function newMarket(random: Random, merchants: readonly PlannedMerchant[]): Market {
  const pairs = pairsOf(merchants);
  const prices = new Map<string, bigint>();
  /** A price within 5 % of the value, in trillionths. */
  const draw = (from: string, to: string): bigint =>
    ((worth[from] ?? 1n) * trillion * BigInt(random.between(95_000, 105_000))) /
    ((worth[to] ?? 1n) * 100_000n);

  const got = ({ currency, minor }: Paid, to: string): bigint => {
    const exact = minor * (prices.get(`${currency}/${to}`) ?? 0n) * smallestOf(to);
    return roundHalfEven(exact, unit * smallestOf(currency));
  };

  return {
    newPrices() {
      const told = pairs.filter((pair) => !prices.has(pair) || random.chance(0.7));
      return told.map((pair) => {
        const [from = "", to = ""] = pair.split("/");
        const market = draw(from, to);
        const margin = BigInt(random.pick([0, 25, 40]));
        prices.set(pair, roundHalfEven(market * 1000n * (10_000n - margin), 10_000n));
        const price = `${market / trillion}.${String(market % trillion).padStart(12, "0")}`;
        return { pair, price, margin: `0.${String(margin).padStart(2, "0")}` };
      });
    },
    hasPrice: (from, to) => prices.has(`${from}/${to}`),
    worth: got,
    change(books, owed, given, to) {
      const { currency, minor } = given;
      const gotMinor = got(given, to);
      if (gotMinor === 0n) return undefined;
      const account = `exchange ${currency}/${to}`;
      books.move(owed, account, currency, minor);
      books.move(account, owed, to, gotMinor);
      return { currency: to, minor: gotMinor };
    },
    deals(books, day, chance) {
      return pairs.flatMap((pair): readonly MonthDeal[] => {
        const [from = "", to = ""] = pair.split("/");
        const held = -books.balanceOf(`exchange ${pair}`, from);
        const part = chance === 1 ? 100 : random.between(1, 100);
        const sold = (held * BigInt(part)) / 100n;
        const bought = (sold * draw(from, to) * smallestOf(to)) / (trillion * smallestOf(from));
        if (!random.chance(chance) || sold === 0n || bought === 0n) return [];
        book(books, pair, { currency: from, minor: sold }, { currency: to, minor: bought });
        const reference = `FX-${from}-${to}-${day}`;
        return [
          {
            pair,
            reference,
            sold: { currency: from, minor: sold },
            bought: { currency: to, minor: bought },
          },
        ];
      });
    },
  };
}

/**
 * A deal that sells a share of the position releases the same share of the owed amounts. The difference from the bought
 * amount is the house account's gain or loss.
 */
function book(books: ExpectedBooks, pair: string, sold: Paid, bought: Paid): void {
  const account = `exchange ${pair}`;
  const held = -books.balanceOf(account, sold.currency);
  const promised = books.balanceOf(account, bought.currency);
  const gained = bought.minor - roundHalfEven(promised * sold.minor, held);
  books.move(account, "clearing", sold.currency, sold.minor);
  books.move("clearing", account, bought.currency, bought.minor);
  books.move(account, "exchange gain and loss", bought.currency, gained);
}

function pairsOf(merchants: readonly PlannedMerchant[]): readonly string[] {
  const pairs = merchants.flatMap(({ currencies, settleIn }) =>
    currencies.flatMap((from) =>
      settleIn === undefined || settleIn === from ? [] : [`${from}/${settleIn}`],
    ),
  );
  return [...new Set(pairs)].toSorted();
}
