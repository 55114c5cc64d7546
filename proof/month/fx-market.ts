import { roundHalfEven, type ExpectedLedger } from "./reference-ledger.ts";
import type { PlannedMerchant } from "./month-plan.ts";
import type { Money } from "./reference-settlement.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";

/**
 * A model of currency conversion in the month: FX rates, the converted amounts that merchants get by contract, and the
 * FX deals with the bank. The model uses none of the gateway's code.
 */
export interface FxMarket {
  /** FX rates that are set today. All other rates stay unchanged. */
  newPrices(): readonly NewPrice[];
  hasPrice(from: string, to: string): boolean;
  /** The converted amount for a merchant at the latest rate, in minor units. */
  quote(amount: Money, to: string): bigint;
  /** Converts an owed amount in the model; undefined if the result is zero. */
  convert(ledger: ExpectedLedger, payableAccount: string, amount: Money, to: string): Money | undefined;
  /**
   * Draws the FX deals of a day, and books them in the model. Each currency pair has a deal with this probability. With
   * probability 1, a deal covers the full position.
   */
  deals(ledger: ExpectedLedger, day: string, chance: number): readonly MonthDeal[];
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
  readonly sold: Money;
  readonly bought: Money;
}

/** The value of each currency's unit, in millionths of a US dollar. */
const dollarValues: Readonly<Record<string, bigint>> = {
  EUR: 1_080_000n,
  JPY: 6_700n,
  PHP: 17_500n,
  USD: 1_000_000n,
};
const trillion = 10n ** 12n;
/** Prices for merchants have 15 decimal places. */
const priceUnit = 10n ** 15n;
const minorUnitsOf = (currency: string): bigint => (currency === "JPY" ? 1n : 100n);

export function newFxMarket(random: Random, merchants: readonly PlannedMerchant[]): FxMarket {
  const pairs = pairsOf(merchants);
  const prices = new Map<string, bigint>();
  /** A price within 5 % of the value, in trillionths. */
  const drawPrice = (from: string, to: string): bigint =>
    ((dollarValues[from] ?? 1n) * trillion * BigInt(random.between(95_000, 105_000))) /
    ((dollarValues[to] ?? 1n) * 100_000n);

  const convertAtLatestPrice = ({ currency, minor }: Money, to: string): bigint => {
    const exactMinor = minor * (prices.get(`${currency}/${to}`) ?? 0n) * minorUnitsOf(to);
    return roundHalfEven(exactMinor, priceUnit * minorUnitsOf(currency));
  };

  return {
    newPrices() {
      const repriced = pairs.filter((pair) => !prices.has(pair) || random.chance(0.7));
      return repriced.map((pair) => {
        const [from = "", to = ""] = pair.split("/");
        const market = drawPrice(from, to);
        const margin = BigInt(random.pick([0, 25, 40]));
        prices.set(pair, roundHalfEven(market * 1000n * (10_000n - margin), 10_000n));
        const price = `${market / trillion}.${String(market % trillion).padStart(12, "0")}`;
        return { pair, price, margin: `0.${String(margin).padStart(2, "0")}` };
      });
    },
    hasPrice: (from, to) => prices.has(`${from}/${to}`),
    quote: convertAtLatestPrice,
    convert(ledger, payableAccount, amount, to) {
      const { currency, minor } = amount;
      const convertedMinor = convertAtLatestPrice(amount, to);
      if (convertedMinor === 0n) return undefined;
      const account = `exchange ${currency}/${to}`;
      ledger.move(payableAccount, account, currency, minor);
      ledger.move(account, payableAccount, to, convertedMinor);
      return { currency: to, minor: convertedMinor };
    },
    deals(ledger, day, chance) {
      return pairs.flatMap((pair): readonly MonthDeal[] => {
        const [from = "", to = ""] = pair.split("/");
        const positionMinor = -ledger.balanceOf(`exchange ${pair}`, from);
        const sharePercent = chance === 1 ? 100 : random.between(1, 100);
        const sold = (positionMinor * BigInt(sharePercent)) / 100n;
        const bought = (sold * drawPrice(from, to) * minorUnitsOf(to)) / (trillion * minorUnitsOf(from));
        if (!random.chance(chance) || sold === 0n || bought === 0n) return [];
        bookDeal(ledger, pair, { currency: from, minor: sold }, { currency: to, minor: bought });
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
function bookDeal(ledger: ExpectedLedger, pair: string, sold: Money, bought: Money): void {
  const account = `exchange ${pair}`;
  const positionMinor = -ledger.balanceOf(account, sold.currency);
  const owedMinor = ledger.balanceOf(account, bought.currency);
  const gainMinor = bought.minor - roundHalfEven(owedMinor * sold.minor, positionMinor);
  ledger.move(account, "clearing", sold.currency, sold.minor);
  ledger.move("clearing", account, bought.currency, bought.minor);
  ledger.move(account, "exchange gain and loss", bought.currency, gainMinor);
}

function pairsOf(merchants: readonly PlannedMerchant[]): readonly string[] {
  const pairs = merchants.flatMap(({ currencies, settleIn }) =>
    currencies.flatMap((from) =>
      settleIn === undefined || settleIn === from ? [] : [`${from}/${settleIn}`],
    ),
  );
  return [...new Set(pairs)].toSorted();
}
