import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { minorDigits } from "../core/currency.ts";
import { shownAmount } from "./shown-amount.ts";

const shown: readonly (readonly [currency: string, minor: bigint, text: string])[] = [
  ["EUR", 1250n, "€12.50 EUR"],
  ["USD", 123_456_789n, "$1,234,567.89 USD"],
  ["JPY", 1250n, "¥1,250 JPY"],
  ["KWD", 1250n, "KWD 1.250"],
  // Browsers show no digits of these behind the point, although they are booked with two.
  ["IDR", 1_250_000n, "IDR 12,500.00"],
  ["HUF", 1250n, "HUF 12.50"],
  ["EUR", 9_999_999_999_999_999n, "€99,999,999,999,999.99 EUR"],
  ["EUR", 0n, "€0.00 EUR"],
];

for (const [currency, minor, text] of shown) {
  test(`a buyer reads ${text}`, () => assert.equal(textOf(currency, minor), text));
}

test("no digit of a sum is lost or added, whatever the currency", () => {
  const currency = fc.constantFrom("EUR", "JPY", "KWD", "CLF", "IDR", "HUF", "COP", "VND", "XAF", "MGA");
  fc.assert(
    fc.property(currency, fc.bigInt({ min: 0n, max: 9_999_999_999_999_999n }), (code, minor) => {
      const digits = textOf(code, minor).replaceAll(/\D/g, "");
      assert.equal(digits, String(minor).padStart((minorDigits(code) ?? 0) + 1, "0"));
    }),
  );
});

function textOf(currency: string, minor: bigint): string {
  const { markup } = shownAmount({ currency, minor });
  return markup.replaceAll(/<[^>]*>/g, "").replaceAll("\u00A0", " ");
}
