import assert from "node:assert/strict";
import { test } from "node:test";
import { isCurrency, minorDigits } from "./currency.ts";

const pinned = [
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"],
  [undefined, "XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX"],
  // Currencies that Intl shows without decimals, although ISO 4217 has two.
  [2, "AFN ALL COP HUF IDR IRR KPW LAK LBP MGA MMK PKR SOS SYP YER"],
  // The newest currency codes, and then the codes that they replaced.
  [2, "SLE VED XAD XCG ZWG"],
  [undefined, "ANG BGN CUC HRK SLL ZWL"],
] as const;

for (const [digits, codes] of pinned) {
  for (const code of codes.split(" ")) {
    test(`${code} has ${digits ?? "no"} minor digits`, () => {
      assert.equal(minorDigits(code), digits);
      assert.equal(isCurrency(code), digits !== undefined);
    });
  }
}

test("the table has as many currencies as the standard has with a minor unit", () => {
  assert.equal(allCodes().filter(isCurrency).length, 165);
  assert.equal(allCodes().filter((code) => minorDigits(code) === 2).length, 139);
});

test("only the exact code is a currency", () => {
  for (const text of ["", "usd", "Usd", " USD", "USD ", "US", "USDT", "840", "constructor"]) {
    assert.equal(isCurrency(text), false, text);
  }
});

function allCodes(): string[] {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
  return letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
}
