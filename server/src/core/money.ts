import assert from "node:assert/strict";
import { type Currency, isCurrency, minorDigits } from "./currency.ts";

/** An amount of money in minor units of its currency: EUR 12.50 is 1250n, JPY 1250 is 1250n. */
export interface Money {
  readonly currency: Currency;
  readonly minor: bigint;
}

/** Money on the wire. */
export interface Amount {
  readonly currency: Currency;
  readonly value: string;
}

/**
 * The amount of a request as `Money`, or the first reason to reject it. A request with the amount zero is rejected,
 * although the gateway itself may return an amount of zero, such as the refunded amount.
 */
export function parseAmount(amount: Amount): Money | "PARAM_ILLEGAL" | "CURRENCY_NOT_SUPPORT" {
  const { currency, value } = amount;
  if (!/^[1-9][0-9]{0,15}$/.test(value)) return "PARAM_ILLEGAL";
  if (!isCurrency(currency)) return "CURRENCY_NOT_SUPPORT";

  const minor = BigInt(value);
  if (minor % smallestStep(currency) !== 0n) return "PARAM_ILLEGAL";
  return { currency, minor };
}

/** The wire form of an amount. Zero is allowed, because possibly nothing was captured or refunded yet. */
export function toAmount(money: Money): Amount {
  assert(money.minor >= 0n, "a negative sum has no wire form");
  return { currency: money.currency, value: money.minor.toString() };
}

export function add(a: Money, b: Money): Money {
  assertSameCurrency(a, b);
  return { currency: a.currency, minor: a.minor + b.minor };
}

/** Subtracts two amounts. The result may be negative: a rule that forbids it compares the amounts first. */
export function subtract(a: Money, b: Money): Money {
  assertSameCurrency(a, b);
  return { currency: a.currency, minor: a.minor - b.minor };
}

/** Compares two amounts, for `sort`: negative, zero or positive. */
export function compare(a: Money, b: Money): -1 | 0 | 1 {
  assertSameCurrency(a, b);
  if (a.minor === b.minor) return 0;
  return a.minor < b.minor ? -1 : 1;
}

/**
 * An amount for people: `EUR 12.50`, `JPY 1250`. The text is the same in every language, so that logs can be searched.
 */
export function formatMoney(money: Money): string {
  return `${money.currency} ${toDecimal(money)}`;
}

/** An amount in major units, as in reports: `12.50` of EUR, `1250` of JPY. */
export function toDecimal({ currency, minor }: Money): string {
  const digits = minorDigits(currency);
  assert(digits !== undefined, `no such currency: ${currency}`);

  const sign = minor < 0n ? "-" : "";
  const size = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, "0");
  const whole = size.slice(0, size.length - digits);
  const fraction = size.slice(size.length - digits);
  return `${sign}${digits === 0 ? whole : `${whole}.${fraction}`}`;
}

/**
 * The smallest amount that can be moved, in minor units. Rupiah are booked with two decimals, but providers move only
 * whole rupiah.
 */
function smallestStep(currency: Currency): bigint {
  return currency === "IDR" ? 100n : 1n;
}

function assertSameCurrency(a: Money, b: Money): void {
  assert.equal(a.currency, b.currency, "sums of two currencies do not mix");
}
