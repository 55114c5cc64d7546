import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTypedAmount, formatAmount, amountForInput } from "../src/components/format-amount.ts";

const cases: readonly (readonly [currency: string, value: string, english: string])[] = [
  ["EUR", "1250", "EUR 12.50"],
  ["EUR", "5", "EUR 0.05"],
  ["JPY", "99000", "JPY 99,000"],
  ["KWD", "1234567", "KWD 1,234.567"],
  // Browsers format HUF and IDR without a fraction. Amounts in minor units would then be wrong by a factor of 100.
  ["HUF", "150000", "HUF 1,500.00"],
  ["IDR", "1234", "IDR 12.34"],
  ["USD", "900719925474099312", "USD 9,007,199,254,740,993.12"],
];

test("an amount is shown with the minor digits of the ledger", () => {
  for (const [currency, value, english] of cases)
    assert.equal(formatAmount({ currency, value }, "en").replaceAll("\u00a0", " "), english);
});

test("negative amounts and changes have a sign", () => {
  const format = (value: string, isSigned = false): string =>
    formatAmount({ currency: "EUR", value }, "en", isSigned).replaceAll("\u00a0", " ");
  assert.deepEqual([format("-1250"), format("-5")], ["-EUR 12.50", "-EUR 0.05"]);
  assert.deepEqual(
    [format("350", true), format("-350", true), format("0", true)],
    ["+EUR 3.50", "-EUR 3.50", "EUR 0.00"],
  );
});

test("typed amounts are parsed into minor units without rounding", () => {
  const typed = (text: string, currency = "EUR"): string | undefined =>
    parseTypedAmount(text, currency)?.value;
  assert.equal(typed("12.5"), "1250");
  assert.equal(typed("0.05"), "5");
  assert.equal(typed(" 12 "), "1200");
  assert.equal(typed("12", "JPY"), "12");
  for (const [text, currency] of [["12.505"], ["12,50"], ["-1"], [""], ["1.0", "JPY"], ["1e3"]] as const)
    assert.equal(typed(text, currency), undefined, text);
  for (const [currency, value] of cases)
    assert.equal(parseTypedAmount(amountForInput({ currency, value }), currency)?.value, value);
});
