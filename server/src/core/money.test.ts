import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { minorDigits } from "./currency.ts";
import { type Money, add, compare, formatMoney, parseAmount, subtract, toAmount } from "./money.ts";

const accepted = [
  ["EUR", "1", 1n],
  ["EUR", "1250", 1250n],
  ["JPY", "1250", 1250n],
  ["KWD", "1250", 1250n],
  ["USD", "9999999999999999", 9_999_999_999_999_999n],
  ["IDR", "100", 100n],
  ["IDR", "30000", 30_000n],
  ["TWD", "101", 101n],
] as const;

for (const [currency, value, minor] of accepted) {
  test(`${value} of the smallest unit of ${currency} is an amount`, () => {
    assert.deepEqual(parseAmount({ currency, value }), { currency, minor });
  });
}

// Invalid amounts in order of precedence: each row passes all earlier checks and fails its own.
const rejectedAmounts = [
  ["PARAM_ILLEGAL", "a malformed value, whatever the currency", "ZZZ", "12.50"],
  ["PARAM_ILLEGAL", "nothing", "EUR", ""],
  ["PARAM_ILLEGAL", "zero", "EUR", "0"],
  ["PARAM_ILLEGAL", "a leading zero", "EUR", "01"],
  ["PARAM_ILLEGAL", "a negative value", "EUR", "-1"],
  ["PARAM_ILLEGAL", "a signed value", "EUR", "+1"],
  ["PARAM_ILLEGAL", "a space", "EUR", " 1"],
  ["PARAM_ILLEGAL", "a line end", "EUR", "1\n"],
  ["PARAM_ILLEGAL", "an exponent", "EUR", "1e3"],
  ["PARAM_ILLEGAL", "a digit that is not ASCII", "EUR", "1٢"],
  ["PARAM_ILLEGAL", "17 digits", "EUR", "10000000000000000"],
  ["CURRENCY_NOT_SUPPORT", "a currency that does not exist", "ZZZ", "1"],
  ["CURRENCY_NOT_SUPPORT", "a currency that was withdrawn", "BGN", "1"],
  ["CURRENCY_NOT_SUPPORT", "gold", "XAU", "1"],
  ["CURRENCY_NOT_SUPPORT", "small letters", "eur", "1"],
  ["PARAM_ILLEGAL", "a part of a rupiah", "IDR", "150"],
  ["PARAM_ILLEGAL", "less than a rupiah", "IDR", "10"],
] as const;

for (const [refusal, name, currency, value] of rejectedAmounts) {
  test(`${name} is refused with ${refusal}`, () => {
    assert.equal(parseAmount({ currency, value }), refusal);
  });
}

const shown = [
  ["EUR", 1250n, "EUR 12.50"],
  ["EUR", 5n, "EUR 0.05"],
  ["EUR", 0n, "EUR 0.00"],
  ["EUR", -5n, "EUR -0.05"],
  ["EUR", -1250n, "EUR -12.50"],
  ["JPY", 1250n, "JPY 1250"],
  ["JPY", 0n, "JPY 0"],
  ["KWD", 1250n, "KWD 1.250"],
  ["CLF", 1250n, "CLF 0.1250"],
  ["HUF", 125_000n, "HUF 1250.00"],
  ["USD", 9_999_999_999_999_999n, "USD 99999999999999.99"],
] as const;

for (const [currency, minor, text] of shown) {
  test(`people read ${text}`, () => assert.equal(formatMoney({ currency, minor }), text));
}

test("a zero sum can be reported, but not requested", () => {
  assert.deepEqual(toAmount({ currency: "EUR", minor: 0n }), { currency: "EUR", value: "0" });
  assert.throws(() => toAmount({ currency: "EUR", minor: -1n }), /negative/);
});

test("sums of two currencies cannot be added", () => {
  const euro = { currency: "EUR", minor: 1n };
  const yen = { currency: "JPY", minor: 1n };
  for (const mix of [add, subtract, compare]) assert.throws(() => mix(euro, yen), /do not mix/);
});

test("money of an unknown currency cannot be formatted", () => {
  assert.throws(() => formatMoney({ currency: "ZZZ", minor: 1n }), /no such currency/);
});

const currencies = fc.constantFrom("EUR", "USD", "IDR", "HUF", "JPY", "KRW", "KWD", "IQD", "CLF", "UYW");
const minors = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
const twoSums = fc.tuple(currencies, minors, minors).map(([currency, a, b]): [Money, Money] => [
  { currency, minor: a },
  { currency, minor: b },
]);

test("a requested amount is reported unchanged", () => {
  // Amounts are multiples of 100, so that rupiah are whole and every currency accepts every value.
  const values = fc.bigInt({ min: 1n, max: 10n ** 14n - 1n }).map((whole) => `${whole}00`);
  fc.assert(
    fc.property(currencies, values, (currency, value) => {
      const parsed = parseAmount({ currency, value });
      assert(typeof parsed === "object");
      assert.deepEqual(toAmount(parsed), { currency, value });
    }),
  );
});

test("the formatted text is the exact sum", () => {
  fc.assert(
    fc.property(currencies, minors, (currency, minor) => {
      const sum = { currency, minor };
      assert.deepEqual(readByPeople(formatMoney(sum)), sum);
    }),
  );
});

test("an added sum can be subtracted again, in any order", () => {
  fc.assert(
    fc.property(twoSums, ([a, b]) => {
      assert.deepEqual(subtract(add(a, b), b), a);
      assert.deepEqual(add(a, b), add(b, a));
    }),
  );
});

test("the difference of a larger and a smaller sum is positive", () => {
  fc.assert(
    fc.property(twoSums, ([a, b]) => {
      const left = subtract(a, b).minor;
      assert.equal(compare(a, b), left === 0n ? 0 : left > 0n ? 1 : -1);
      assert.equal(compare(a, a), 0);
    }),
  );
});

/** The inverse of `formatMoney`, in a different implementation: it reads as many decimals as the currency has. */
function readByPeople(text: string): Money {
  const [, currency, sign, whole, fraction] = /^([A-Z]{3}) (-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  assert(currency !== undefined && whole !== undefined, text);
  assert.equal(fraction?.length ?? 0, minorDigits(currency));
  assert.match(whole, /^(0|[1-9]\d*)$/);
  return { currency, minor: BigInt(`${sign}${whole}${fraction ?? ""}`) };
}
