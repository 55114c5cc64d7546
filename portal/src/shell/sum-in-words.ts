import { minorDigits } from "../../../server/src/core/currency.ts";

export interface Amount {
  readonly currency: string;
  /** In minor units. */
  readonly value: string;
}

/** An amount as people write it. How many digits a currency has says the server's table: browsers say how prices are usually shown. */
export function sumInWords({ currency, value }: Amount, language: string, isSigned = false): string {
  const digits = minorDigits(currency) ?? 0;
  const format = new Intl.NumberFormat(language, {
    style: "currency",
    currency,
    currencyDisplay: "code",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    // A change has a sign also when it is for the better.
    signDisplay: isSigned ? "exceptZero" : "auto",
  });
  // As text, because a number has too few digits for some amounts.
  return format.format(toDecimal(value, digits) as `${number}`);
}

function toDecimal(value: string, digits: number): string {
  if (value.startsWith("-")) return `-${toDecimal(value.slice(1), digits)}`;
  const padded = value.padStart(digits + 1, "0");
  const whole = padded.slice(0, padded.length - digits);
  return digits === 0 ? whole : `${whole}.${padded.slice(padded.length - digits)}`;
}

/** The decimal form of an amount, as one types it. */
export function toTyped({ currency, value }: Amount): string {
  return toDecimal(value, minorDigits(currency) ?? 0);
}

/** What was typed, in minor units; undefined when it is no amount of that currency. */
export function fromTyped(typed: string, currency: string): Amount | undefined {
  const digits = minorDigits(currency) ?? 0;
  const [, whole = "", fraction = ""] = /^(\d{1,18})(?:\.(\d+))?$/.exec(typed.trim()) ?? [];
  if (whole === "" || fraction.length > digits) return undefined;
  return { currency, value: String(BigInt(whole + fraction.padEnd(digits, "0"))) };
}
