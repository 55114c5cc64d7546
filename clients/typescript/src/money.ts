import { minorDigits } from "./generated/currencies.ts";
import type { Amount } from "./generated/models.ts";

/** An amount in the smallest unit of its currency, without floats: EUR 12.50 is 1250, JPY 1250 is 1250. */
export class Money {
  readonly currency: string;
  readonly minor: bigint;

  private constructor(currency: string, minor: bigint) {
    this.currency = currency;
    this.minor = minor;
  }

  /** Reads a decimal, such as `Money.of("EUR", "12.50")`. Rejects more decimals than the currency has. */
  static of(currency: string, decimal: string): Money {
    const digits = digitsOf(currency);
    const match = /^(-?)(\d{1,16})(?:\.(\d+))?$/.exec(decimal);
    if (!match) throw new RangeError(`Invalid amount: ${decimal}`);
    const [, sign, whole = "", fraction = ""] = match;
    if (fraction.length > digits)
      throw new RangeError(`${currency} has ${digits} decimals, and not ${fraction.length}.`);
    const minor = BigInt(whole + fraction.padEnd(digits, "0"));
    return new Money(currency, sign === "-" ? -minor : minor);
  }

  static ofMinor(currency: string, minor: bigint): Money {
    digitsOf(currency);
    return new Money(currency, minor);
  }

  /** Reads the wire format. */
  static from({ currency, value }: Amount): Money {
    if (!/^\d{1,16}$/.test(value)) throw new RangeError(`Invalid amount: ${value}`);
    return Money.ofMinor(currency, BigInt(value));
  }

  /** Writes the wire format, which does not allow negative amounts. */
  toAmount(): Amount {
    if (this.minor < 0n) throw new RangeError("A negative amount cannot be sent.");
    return { currency: this.currency, value: String(this.minor) };
  }

  add(other: Money): Money {
    return new Money(this.#same(other), this.minor + other.minor);
  }

  subtract(other: Money): Money {
    return new Money(this.#same(other), this.minor - other.minor);
  }

  /** Returns a negative number, zero or a positive number, as `sort` needs it. */
  compare(other: Money): number {
    this.#same(other);
    return Number(this.minor > other.minor) - Number(this.minor < other.minor);
  }

  /** Returns the decimal, for example `12.50`: without currency and without thousands separators. */
  toDecimal(): string {
    const digits = digitsOf(this.currency);
    const text = String(this.minor < 0n ? -this.minor : this.minor).padStart(digits + 1, "0");
    const whole = text.slice(0, text.length - digits);
    const decimal = digits === 0 ? whole : `${whole}.${text.slice(text.length - digits)}`;
    return this.minor < 0n ? `-${decimal}` : decimal;
  }

  /** `EUR 12.50` */
  toString(): string {
    return `${this.currency} ${this.toDecimal()}`;
  }

  #same({ currency }: Money): string {
    if (currency !== this.currency)
      throw new RangeError(`${this.currency} and ${currency} are different currencies.`);
    return currency;
  }
}

function digitsOf(currency: string): number {
  const digits = minorDigits.get(currency);
  if (digits === undefined) throw new RangeError(`Unknown currency ${currency}.`);
  return digits;
}
