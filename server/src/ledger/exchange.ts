import assert from "node:assert/strict";
import { minorDigits, type Currency } from "../core/currency.ts";
import { divideHalfEven } from "../core/divide-half-even.ts";
import type { Money } from "../core/money.ts";

/** One unit of the first currency costs so many of the second. EUR/USD turns EUR into USD; USD/EUR is another pair, with a price of its own. */
export interface Pair {
  readonly from: Currency;
  readonly to: Currency;
}

/** A price that merchants get for a time. It is never changed: another quote follows it. */
export interface Quote extends Pair {
  readonly quoteId: string;
  /** What it was made of: the price of the market, and our part of it. */
  readonly marketPrice: Price;
  readonly marginMillionths: bigint;
  /** What merchants get. */
  readonly price: Price;
  readonly fromAt: Date;
  readonly untilAt: Date;
}

/** A decimal above zero with up to 15 places, as short as it can be written: `1.0832`. No float has a part in money. */
export type Price = string;

const places = 15;
const unit = 10n ** BigInt(places);
const million = 1_000_000n;

export const pairText = ({ from, to }: Pair): string => `${from}/${to}`;

/** With up to nine digits before the point and fifteen behind it; undefined for anything else. */
export function readPrice(text: string): Price | undefined {
  const [, whole, part = ""] = /^(\d{1,9})(?:\.(\d{1,15}))?$/.exec(text) ?? [];
  const scaled = BigInt((whole ?? "") + part.padEnd(places, "0"));
  return whole !== undefined && scaled > 0n ? priceOf(scaled) : undefined;
}

/** Whole numbers of the last place, in which prices are reckoned with. */
function scaledOf(price: Price): bigint {
  const [whole = "", part = ""] = price.split(".");
  return BigInt(whole + part.padEnd(places, "0"));
}

function priceOf(scaled: bigint): Price {
  const part = String(scaled % unit)
    .padStart(places, "0")
    .replace(/0+$/, "");
  return part === "" ? String(scaled / unit) : `${scaled / unit}.${part}`;
}

/**
 * What merchants get of a price of the market; undefined when nothing is left of it. Rounded here, once, to 15 places: whoever reads a
 * quote can do its sum again.
 */
export function priceLessMargin(marketPrice: Price, marginMillionths: bigint): Price | undefined {
  const scaled = divideHalfEven(scaledOf(marketPrice) * (million - marginMillionths), million);
  return scaled > 0n ? priceOf(scaled) : undefined;
}

/** Money at a price, to the nearest smallest unit of the other currency, and from the middle to the even. */
export function exchanged({ currency, minor }: Money, to: Currency, price: Price): Money {
  assert(minor >= 0n, "nobody changes less than nothing");
  const exact = minor * scaledOf(price) * unitsOf(to);
  return { currency: to, minor: divideHalfEven(exact, unit * unitsOf(currency)) };
}

/** How many smallest units one of a currency has: 100 of EUR, 1 of JPY, 1,000 of KWD. */
function unitsOf(currency: Currency): bigint {
  const digits = minorDigits(currency);
  assert(digits !== undefined, `no such currency: ${currency}`);
  return 10n ** BigInt(digits);
}

/** What we have of a pair that merchants changed, and have not sold yet. */
export interface Position {
  /** What they gave. */
  readonly held: Money;
  /** What we promised them for it. */
  readonly promised: Money;
}

/** How much was promised for a part of what is held. For all of it this is all: nothing is left over by rounding. */
export function promisedFor({ held, promised }: Position, soldMinor: bigint): bigint {
  assert(soldMinor > 0n && soldMinor <= held.minor, "nobody sells more than there is");
  return divideHalfEven(promised.minor * soldMinor, held.minor);
}

/** The price at which all of it evens out; undefined when nothing is held. */
export function averagePrice({ held, promised }: Position): Price | undefined {
  if (held.minor <= 0n || promised.minor < 0n) return undefined;
  const exact = promised.minor * unit * unitsOf(held.currency);
  return priceOf(divideHalfEven(exact, held.minor * unitsOf(promised.currency)));
}
