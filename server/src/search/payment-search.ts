import { minorDigits } from "../core/currency.ts";

/** Filters of a payment list. The database keeps a count of each combination. */
export interface PaymentFilter {
  readonly status: string | undefined;
  /** The display status, which narrows payments with the status SUCCESS further. */
  readonly displayStatus: string | undefined;
  readonly paymentMethodType: string | undefined;
  readonly currency: string | undefined;
}

/** Amounts in minor units, both ends included. */
export interface AmountRange {
  readonly fromMinor: string | undefined;
  readonly untilMinor: string | undefined;
}

export interface FoundAmount {
  readonly paymentId: string;
  readonly currency: string;
  readonly minor: bigint;
}

/** `timeOfId` returns the time at the start of an id; undefined for the artificial ids at the ends of an id range. */
export function timeOfId(id: string): Date | undefined {
  const [, year, month, day, hour, minute, second, ms] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})/.exec(id) ?? [];
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** An amount as people type it: `12.50`, `EUR 12.50`, `12,50 eur`. */
export interface TypedAmount {
  readonly whole: string;
  readonly fraction: string;
  readonly currency: string | undefined;
}

export function readTypedAmount(text: string): TypedAmount | undefined {
  const [matchedText, before, whole = "", fraction = "", after] =
    /^([a-z]{3})?\s*(\d{1,15})(?:[.,](\d{1,4}))?\s*([a-z]{3})?$/i.exec(text.trim()) ?? [];
  if (matchedText === undefined || (before !== undefined && after !== undefined)) return undefined;
  return { whole, fraction, currency: (before ?? after)?.toUpperCase() };
}

const possibleDigits = [0, 2, 3, 4] as const;

/**
 * `possibleMinorsOf` returns the possible values of a typed amount in minor units: without a currency, one for each
 * number of decimal digits.
 */
export function possibleMinorsOf({ whole, fraction, currency }: TypedAmount): readonly bigint[] {
  const known = currency === undefined ? undefined : minorDigits(currency);
  const digits = currency === undefined ? possibleDigits : known === undefined ? [] : [known];
  return digits
    .filter((count) => count >= fraction.length)
    .map((count) => BigInt(whole + fraction.padEnd(count, "0")))
    .filter((minor) => minor > 0n);
}

/** `matchesTypedAmount` returns whether an amount that was found is the typed one, by its currency. */
export function matchesTypedAmount(typed: TypedAmount, { currency, minor }: FoundAmount): boolean {
  return (typed.currency ?? currency) === currency && possibleMinorsOf({ ...typed, currency })[0] === minor;
}

/** `matchesFilters` returns whether a payment, in its current state, matches the filters. */
export function matchesFilters(
  payment: {
    readonly status: string;
    readonly paymentMethodType: string | undefined;
    readonly amount: { readonly currency: string } | undefined;
  },
  { status, paymentMethodType, currency }: Omit<PaymentFilter, "displayStatus">,
): boolean {
  return (
    (status ?? payment.status) === payment.status &&
    (paymentMethodType ?? payment.paymentMethodType) === payment.paymentMethodType &&
    (currency ?? payment.amount?.currency) === payment.amount?.currency
  );
}
