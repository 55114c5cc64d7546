import { minorDigits } from "../../../server/src/core/currency.ts";

export interface Amount {
  readonly currency: string;
  /** Minor units. */
  readonly value: string;
}

/**
 * `formatAmount` formats an amount for people. The number of digits comes from the server's currency table, because
 * browsers use display conventions.
 */
export function formatAmount({ currency, value }: Amount, language: string, isSigned = false): string {
  const digits = minorDigits(currency) ?? 0;
  const format = new Intl.NumberFormat(language, {
    style: "currency",
    currency,
    currencyDisplay: "code",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    // A change always has a sign, also a plus.
    signDisplay: isSigned ? "exceptZero" : "auto",
  });
  // The amount goes to the formatter as text, because a number has too little precision for large amounts.
  return format.format(toDecimal(value, digits) as `${number}`);
}

function toDecimal(value: string, digits: number): string {
  if (value.startsWith("-")) return `-${toDecimal(value.slice(1), digits)}`;
  const padded = value.padStart(digits + 1, "0");
  const whole = padded.slice(0, padded.length - digits);
  return digits === 0 ? whole : `${whole}.${padded.slice(padded.length - digits)}`;
}

/** `amountForInput` returns the decimal form of an amount for an input field. */
export function amountForInput({ currency, value }: Amount): string {
  return toDecimal(value, minorDigits(currency) ?? 0);
}

/**
 * `parseTypedAmount` parses a typed decimal amount into minor units; undefined if it is not a valid amount of the currency.
 */
export function parseTypedAmount(typed: string, currency: string): Amount | undefined {
  const digits = minorDigits(currency) ?? 0;
  const [, whole = "", fraction = ""] = /^(\d{1,18})(?:\.(\d+))?$/.exec(typed.trim()) ?? [];
  if (whole === "" || fraction.length > digits) return undefined;
  return { currency, value: String(BigInt(whole + fraction.padEnd(digits, "0"))) };
}
