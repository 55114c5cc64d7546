import assert from "node:assert/strict";
import { minorDigits, type Currency } from "../core/currency.ts";
import { divideHalfEven } from "../core/divide-half-even.ts";
import type { Money } from "../core/money.ts";

/**
 * A currency pair: one unit of the first currency is worth `price` units of the second. EUR/USD converts EUR to USD;
 * USD/EUR is another pair with its own price.
 */
export interface Pair {
  readonly from: Currency;
  readonly to: Currency;
}

/** An FX rate for merchants with its period. A rate is never changed, only followed by another one. */
export interface Quote extends Pair {
  readonly quoteId: string;
  /** The market price, before our margin. */
  readonly marketPrice: Price;
  readonly marginMillionths: bigint;
  /** The price for merchants. */
  readonly price: Price;
  readonly fromAt: Date;
  readonly untilAt: Date;
}

/**
 * A price: a positive decimal with up to 15 decimal places, in its shortest form, such as `1.0832`. Amounts are never
 * calculated with floats.
 */
export type Price = string;

const places = 15;
const unit = 10n ** BigInt(places);
const million = 1_000_000n;

export const pairText = ({ from, to }: Pair): string => `${from}/${to}`;

/**
 * Parses a price with up to nine digits before the decimal point and fifteen after it; undefined for any other text.
 */
export function readPrice(text: string): Price | undefined {
  const [, whole, part = ""] = /^(\d{1,9})(?:\.(\d{1,15}))?$/.exec(text) ?? [];
  const scaled = BigInt((whole ?? "") + part.padEnd(places, "0"));
  return whole !== undefined && scaled > 0n ? priceOf(scaled) : undefined;
}

/** Returns a price as an integer, scaled by 10^15. */
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
 * Returns the market price minus the margin; undefined if nothing is left. Only this step rounds, to 15 places, so that
 * a reader of a rate can repeat its calculation.
 */
export function priceLessMargin(marketPrice: Price, marginMillionths: bigint): Price | undefined {
  const scaled = divideHalfEven(scaledOf(marketPrice) * (million - marginMillionths), million);
  return scaled > 0n ? priceOf(scaled) : undefined;
}

/** Converts an amount at a price, rounded half to even to a minor unit of the other currency. */
export function exchanged({ currency, minor }: Money, to: Currency, price: Price): Money {
  assert(minor >= 0n, "only a positive amount or zero can be converted");
  const exact = minor * scaledOf(price) * unitsOf(to);
  return { currency: to, minor: divideHalfEven(exact, unit * unitsOf(currency)) };
}

/** Returns the number of minor units in one unit of a currency: 100 for EUR, 1 for JPY, 1,000 for KWD. */
function unitsOf(currency: Currency): bigint {
  const digits = minorDigits(currency);
  assert(digits !== undefined, `unknown currency: ${currency}`);
  return 10n ** BigInt(digits);
}

/** The open FX position of a pair: converted amounts that are not traded yet. */
export interface Position {
  /** The amount that merchants gave. */
  readonly held: Money;
  /** The amount that was promised to these merchants. */
  readonly promised: Money;
}

/**
 * Returns the promised amount for a part of the position. For the whole position the result is the whole amount,
 * without a rounding difference.
 */
export function promisedFor({ held, promised }: Position, soldMinor: bigint): bigint {
  assert(soldMinor > 0n && soldMinor <= held.minor, "a deal cannot sell more than the position");
  return divideHalfEven(promised.minor * soldMinor, held.minor);
}

/** Returns the break-even rate of the position; undefined if the position is zero. */
export function averagePrice({ held, promised }: Position): Price | undefined {
  if (held.minor <= 0n || promised.minor < 0n) return undefined;
  const exact = promised.minor * unit * unitsOf(held.currency);
  return priceOf(divideHalfEven(exact, held.minor * unitsOf(promised.currency)));
}
