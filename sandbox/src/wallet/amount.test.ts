import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAmount, isAmount } from "./amount.ts";

const formatCases = [
  ["EUR", "1", "€0.01"],
  ["EUR", "450", "€4.50"],
  ["USD", "123456789", "$1,234,567.89"],
  ["JPY", "1200", "¥1,200"],
  ["KWD", "1250", "KWD 1.250"],
  ["KWD", "5", "KWD 0.005"],
  ["CLF", "10000", "CLF 1.0000"],
  ["IDR", "1500000", "IDR 15,000.00"],
  ["EUR", "9999999999999999", "€99,999,999,999,999.99"],
] as const;

for (const [currency, value, text] of formatCases) {
  test(`${value} of ${currency} is shown as ${text}`, () =>
    assert.equal(formatAmount({ currency, value }).replace("\u00A0", " "), text));
}

test("an amount is a currency and digits without a leading zero, both as text", () => {
  assert.ok(isAmount({ currency: "EUR", value: "9999999999999999" }));
  const invalidAmounts = [
    undefined,
    null,
    "450",
    { currency: "EUR" },
    { currency: "eur", value: "1" },
    { currency: "EUR", value: "0" },
    { currency: "EUR", value: "-1" },
    { currency: "EUR", value: "4.50" },
    { currency: "EUR", value: 450 },
    { currency: "EUR", value: "99999999999999999" },
  ];
  for (const value of invalidAmounts) assert.equal(isAmount(value), false, JSON.stringify(value));
});
