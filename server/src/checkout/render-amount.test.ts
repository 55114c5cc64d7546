import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { minorDigits } from "../core/currency.ts";
import { selectLanguage, languages } from "./language.ts";
import { renderAmount } from "./render-amount.ts";

const shown: readonly (readonly [currency: string, minor: bigint, text: string, locale?: string])[] = [
  ["EUR", 1250n, "€12.50"],
  ["EUR", 1250n, "12,50 €", "de"],
  ["CNY", 1250n, "¥12.50 CNY", "zh-Hans"],
  ["PHP", 125_000n, "₱1,250.00", "fil"],
  ["THB", 125_000n, "฿1,250.00", "th"],
  ["IDR", 1_250_000n, "Rp 12.500,00", "id"],
  ["SAR", 1250n, "SAR 12.50"],
  ["USD", 123_456_789n, "$1,234,567.89 USD"],
  ["JPY", 1250n, "¥1,250 JPY"],
  ["KWD", 1250n, "KWD 1.250"],
  // Currencies that browsers show without decimals, although they are booked with two.
  ["IDR", 1_250_000n, "IDR 12,500.00"],
  ["HUF", 1250n, "HUF 12.50"],
  ["EUR", 9_999_999_999_999_999n, "€99,999,999,999,999.99"],
  ["EUR", 0n, "€0.00"],
];

for (const [currency, minor, text, locale] of shown) {
  test(`a buyer reads ${text}`, () => assert.equal(textOf(currency, minor, locale), text));
}

test("no digit of a sum is lost or added, in any currency", () => {
  const currency = fc.constantFrom("EUR", "JPY", "KWD", "CLF", "IDR", "HUF", "COP", "VND", "XAF", "MGA");
  const tag = fc.constantFrom(...languages.map(([each]) => each));
  fc.assert(
    fc.property(currency, fc.bigInt({ min: 0n, max: 9_999_999_999_999_999n }), tag, (code, minor, locale) => {
      const digits = textOf(code, minor, locale).replaceAll(/\D/g, "");
      assert.equal(digits, String(minor).padStart((minorDigits(code) ?? 0) + 1, "0"));
    }),
  );
});

function textOf(currency: string, minor: bigint, locale = "en"): string {
  const { markup } = renderAmount({ currency, minor }, selectLanguage([locale]));
  return markup.replaceAll(/<[^>]*>/g, "").replaceAll("\u00A0", " ");
}
