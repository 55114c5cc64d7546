import assert from "node:assert/strict";
import { minorDigits, type Currency } from "../core/currency.ts";
import { divideHalfEven } from "../core/divide-half-even.ts";
import type { Money } from "../core/money.ts";

/**
 * A currency pair: one unit of the first currency is worth `price` units of the second. EUR/USD converts EUR to USD;
 * USD/EUR is another pair with its own price.
 */
export interface CurrencyPair {
  readonly from: Currency;
  readonly to: Currency;
}

/** An FX rate for merchants with its period. A rate is never changed, only followed by another one. */
export interface FxQuote extends CurrencyPair {
  readonly quoteId: string;
  /** The market price, before our margin. */
  readonly marketPrice: FxPrice;
  readonly marginMillionths: bigint;
  /** The price for merchants. */
  readonly price: FxPrice;
  readonly fromAt: Date;
  readonly untilAt: Date;
}

/**
 * A price: a positive decimal with up to 15 decimal places, in its shortest form, such as `1.0832`. Amounts are never
 * calculated with floats.
 */
export type FxPrice = string;

const decimalPlaces = 15;
const scale = 10n ** BigInt(decimalPlaces);
const million = 1_000_000n;

export const formatPair = ({ from, to }: CurrencyPair): string => `${from}/${to}`;

/**
 * Parses a price with up to nine digits before the decimal point and fifteen after it; undefined for any other text.
 */
export function parsePrice(text: string): FxPrice | undefined {
  const [, whole, fraction = ""] = /^(\d{1,9})(?:\.(\d{1,15}))?$/.exec(text) ?? [];
  const scaled = BigInt((whole ?? "") + fraction.padEnd(decimalPlaces, "0"));
  return whole !== undefined && scaled > 0n ? unscalePrice(scaled) : undefined;
}

/** Returns a price as an integer, scaled by 10^15. */
function scalePrice(price: FxPrice): bigint {
  const [whole = "", fraction = ""] = price.split(".");
  return BigInt(whole + fraction.padEnd(decimalPlaces, "0"));
}

function unscalePrice(scaled: bigint): FxPrice {
  const fraction = String(scaled % scale)
    .padStart(decimalPlaces, "0")
    .replace(/0+$/, "");
  return fraction === "" ? String(scaled / scale) : `${scaled / scale}.${fraction}`;
}

/**
 * Returns the market price minus the margin; undefined if nothing is left. Only this step rounds, to 15 places, so that
 * a reader of a rate can repeat its calculation.
 */
export function subtractMargin(marketPrice: FxPrice, marginMillionths: bigint): FxPrice | undefined {
  const scaled = divideHalfEven(scalePrice(marketPrice) * (million - marginMillionths), million);
  return scaled > 0n ? unscalePrice(scaled) : undefined;
}

/** Converts an amount at a price, rounded half to even to a minor unit of the other currency. */
export function convertAmount({ currency, minor }: Money, to: Currency, price: FxPrice): Money {
  assert(minor >= 0n, "only a positive amount or zero can be converted");
  const exact = minor * scalePrice(price) * minorUnitsPerUnit(to);
  return { currency: to, minor: divideHalfEven(exact, scale * minorUnitsPerUnit(currency)) };
}

/** Returns the number of minor units in one unit of a currency: 100 for EUR, 1 for JPY, 1,000 for KWD. */
function minorUnitsPerUnit(currency: Currency): bigint {
  const digits = minorDigits(currency);
  assert(digits !== undefined, `unknown currency: ${currency}`);
  return 10n ** BigInt(digits);
}

/** The open FX position of a pair: converted amounts that are not traded yet. */
export interface FxPosition {
  /** The amount that merchants gave. */
  readonly held: Money;
  /** The amount that was promised to these merchants. */
  readonly promised: Money;
}

/**
 * Returns the promised amount for a part of the position. For the whole position the result is the whole amount,
 * without a rounding difference.
 */
export function promisedPart({ held, promised }: FxPosition, soldMinor: bigint): bigint {
  assert(soldMinor > 0n && soldMinor <= held.minor, "a deal cannot sell more than the position");
  return divideHalfEven(promised.minor * soldMinor, held.minor);
}

/** Returns the break-even rate of the position; undefined if the position is zero. */
export function averagePrice({ held, promised }: FxPosition): FxPrice | undefined {
  if (held.minor <= 0n || promised.minor < 0n) return undefined;
  const exact = promised.minor * scale * minorUnitsPerUnit(held.currency);
  return unscalePrice(divideHalfEven(exact, held.minor * minorUnitsPerUnit(promised.currency)));
}
