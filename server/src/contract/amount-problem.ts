import { currencies, isCurrency, minorDigits } from "../core/currency.ts";
import { formatMoney } from "../core/money.ts";
import { findNearest } from "../core/find-nearest.ts";
import type { JsonValue } from "../core/strict-json.ts";
import type { ValueProblem } from "./error-messages.ts";

const rule = "the value is a whole number of the currency's smallest unit, as text";
const example = `${rule}: 12.50 EUR is written "1250", and 1250 JPY is written "1250".`;

/** The problem with the value of an amount. The most frequent mistake is a value in major units. */
export function amountProblem(value: JsonValue, currency: JsonValue | undefined): ValueProblem | undefined {
  if (typeof value !== "string" && typeof value !== "number")
    return { problem: `It has to be text: ${example}` };
  const isText = typeof value === "string";
  const text = String(value).trim();
  if (isText && /^[1-9][0-9]{0,15}$/.test(value)) return smallestStepProblem(value, currency);
  if (text.startsWith("-")) return { problem: `An amount has no sign; ${example}` };
  if (/^0*(?:[.,]0*)?$/.test(text)) return { problem: `An amount is more than zero; ${example}` };
  if (/^[0-9]{17,}$/.test(text))
    return { problem: `It has ${text.length} digits, ${text.length - 16} more than the 16 allowed.` };
  const code = typeof currency === "string" ? currency.trim().toUpperCase() : "";
  const written = majorUnitProblem(text, code);
  if (written) return written;
  if (/^[0-9]{1,12}$/.test(text)) {
    const instead = text.replace(/^0+/, "");
    const money = isCurrency(code) ? `, which is ${formatAmount(code, BigInt(instead))}` : "";
    return {
      problem: `It has to be text in double quotes, without zeros in front: "${instead}"${money}.`,
      instead,
    };
  }
  return { problem: `It has to be digits and nothing else: ${example}` };
}

/**
 * The problem of an amount in major units: `12.50`, `12,50`, `12.50 EUR` or `€12.50`. The response may repeat such a
 * text, because only an amount looks like it.
 */
function majorUnitProblem(text: string, currency: string): ValueProblem | undefined {
  const match = /^[^0-9.,]{0,4}([0-9]{1,12})[.,]([0-9]{1,4})[^0-9.,]{0,4}$/.exec(text);
  const digits = minorDigits(currency);
  if (!match || digits === undefined) return undefined;
  const [, whole = "", fraction = ""] = match;
  const padded = fraction.slice(0, digits).padEnd(digits, "0");
  if (/[1-9]/.test(fraction.slice(digits)))
    return { problem: `${currency} has ${digits === 0 ? "no" : digits} decimals: ${rule}.` };
  const minor = BigInt(whole + padded);
  const instead = minor.toString();
  return {
    problem: `${formatAmount(currency, minor)} is written "${instead}": the value is in the smallest unit.`,
    instead,
  };
}

/**
 * The problem of a well-formed value with a valid currency. It can only be a fraction of a rupiah, which no provider
 * moves.
 */
function smallestStepProblem(value: string, currency: JsonValue | undefined): ValueProblem | undefined {
  if (currency !== "IDR" || value.endsWith("00")) return undefined;
  const problem = `${formatAmount("IDR", BigInt(value))}: rupiah are written with two more digits, which have to be "00".`;
  return { problem, instead: `${value}00` };
}

const currencySigns: Readonly<Record<string, string>> = {
  "€": "EUR",
  "£": "GBP",
  "₩": "KRW",
  "₱": "PHP",
  "฿": "THB",
  "₫": "VND",
  "₹": "INR",
};

export function currencyProblem(currency: JsonValue): ValueProblem | undefined {
  const problem = "It has to be an ISO 4217 code of three capital letters, such as EUR.";
  if (typeof currency !== "string") return { problem };
  if (isCurrency(currency)) return undefined;
  const upper = currency.trim().toUpperCase();
  const instead = isCurrency(upper)
    ? upper
    : (currencySigns[upper] ?? findNearest(upper, upper.length === 3 ? currencies : []));
  return instead === undefined ? { problem } : { problem: `${problem} Did you mean ${instead}?`, instead };
}

/** For people: `12.50 EUR`. */
function formatAmount(currency: string, minor: bigint): string {
  const [code, sum] = formatMoney({ currency, minor }).split(" ");
  return `${sum} ${code}`;
}
