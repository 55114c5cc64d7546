import { containsCardNumber } from "../core/card-number.ts";
import { isCurrency } from "../core/currency.ts";

/**
 * A provider's statements about the card and the money of a decided order, in the form of the provider protocol. All
 * fields are optional.
 */
export interface OrderDetails {
  readonly cardBrand?: string;
  readonly cardLastFour?: string;
  /** The issuer's own code, in its own form. */
  readonly issuerResultCode?: string;
  readonly avsResult?: string;
  readonly cvcResult?: string;
  readonly threeDSecure?: ThreeDSecure;
  readonly networkTransactionId?: string;
  /** The provider's fee in minor units; zero is allowed. */
  readonly fee?: { readonly currency: string; readonly value: string };
  /** The day on which the provider credits the money, as `yyyy-MM-dd`. */
  readonly valueDate?: string;
}

interface ThreeDSecure {
  readonly version?: string;
  readonly outcome?: (typeof threeDSecureOutcomes)[number];
  readonly isLiabilityShifted?: boolean;
}

export const threeDSecureOutcomes = [
  "AUTHENTICATED",
  "ATTEMPTED",
  "FRICTIONLESS",
  "FAILED",
  "NOT_ATTEMPTED",
] as const;

export interface ReadDetails {
  readonly details: OrderDetails;
  /** Names of fields that were dropped because they could contain a card number. */
  readonly cardNumberFields: readonly string[];
  /** Names of other dropped fields: unknown fields, and fields with a wrong value. */
  readonly wrongFields: readonly string[];
}

/**
 * `readDetails` reads the details of a provider's order. It drops each field with a wrong value: details decide
 * nothing, so a wrong field must not delay the order. A possible card number (PAN) is dropped before anything is stored
 * or logged.
 */
export function readDetails(value: unknown): ReadDetails {
  const fields = isObject(value) ? value : { details: value };
  const present = Object.entries(fields).filter(([, field]) => isPresent(field));
  const cardNumbers = present.filter(([name, field]) => mayBeCardNumber(name, field, fields));
  const others = present.filter((entry) => !cardNumbers.includes(entry));
  const wrong = others.filter(([name, field]) => !hasForm(name, field));
  return {
    details: Object.fromEntries(others.filter((entry) => !wrong.includes(entry))),
    cardNumberFields: cardNumbers.map(([name]) => name),
    wrongFields: wrong.map(([name]) => name),
  };
}

type Fields = Readonly<Record<string, unknown>>;
type Form = (value: unknown) => boolean;

function hasForm(name: string, value: unknown): boolean {
  return Object.hasOwn(forms, name) && forms[name as keyof OrderDetails](value);
}

/** The form of each field. Texts are printable ASCII, so they can be stored and shown. */
const forms: Readonly<Record<keyof OrderDetails, Form>> = {
  cardBrand: matches(/^[A-Z0-9_]{1,32}$/),
  cardLastFour: matches(/^\d{4}$/),
  issuerResultCode: matches(/^[ -~]{1,64}$/),
  avsResult: matches(/^[ -~]{1,16}$/),
  cvcResult: matches(/^[ -~]{1,16}$/),
  threeDSecure: hasOnly({
    version: matches(/^\d(?:\.\d{1,2}){0,2}$/),
    outcome: (value) => threeDSecureOutcomes.some((outcome) => outcome === value),
    isLiabilityShifted: (value) => typeof value === "boolean",
  }),
  networkTransactionId: matches(/^[!-~]{1,64}$/),
  fee: (value) =>
    hasOnly({ currency: isKnownCurrency, value: matches(/^(?:0|[1-9]\d{0,11})$/) })(value) &&
    Object.keys(value as object).length === 2,
  valueDate: isDay,
};

function matches(pattern: RegExp): Form {
  return (value) => typeof value === "string" && pattern.test(value);
}

function hasOnly(fields: Readonly<Record<string, Form>>): Form {
  return (value) =>
    isObject(value) &&
    Object.entries(value).every(([name, field]) => Object.hasOwn(fields, name) && fields[name]?.(field));
}

function isKnownCurrency(value: unknown): boolean {
  return typeof value === "string" && isCurrency(value);
}

/** `isDay` returns whether a text is a day of the calendar: `2026-02-30` is none. */
function isDay(value: unknown): boolean {
  if (typeof value !== "string" || !/^2\d{3}-\d{2}-\d{2}$/.test(value)) return false;
  const timeMs = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(timeMs) && new Date(timeMs).toISOString().startsWith(value);
}

function mayBeCardNumber(name: string, value: unknown, { cardLastFour }: Fields): boolean {
  const texts = textsIn(value);
  if (name === "cardLastFour" && texts.some(hasSevenDigits)) return true;
  // The id of Visa and American Express is a number of 15 digits, and one in ten passes the Luhn check. It is the card
  // number only if it ends with the card's last four digits.
  const isOtherNumber =
    name === "networkTransactionId" &&
    typeof value === "string" &&
    /^\d{15}$/.test(value) &&
    typeof cardLastFour === "string" &&
    /^\d{4}$/.test(cardLastFour) &&
    !value.endsWith(cardLastFour);
  return !isOtherNumber && [name, ...texts].some(containsCardNumber);
}

function hasSevenDigits(text: string): boolean {
  return text.replaceAll(/\D/g, "").length >= 7;
}

/** `textsIn` returns all texts and numbers of a value, as texts. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null) return Object.entries(value).flat().flatMap(textsIn);
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
