import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { isBic, parseIban } from "./iban.ts";

/** Examples from the IBAN registry. */
const right = [
  "DE89370400440532013000",
  "GB29NWBK60161331926819",
  "FR1420041010050500013M02606",
  "NO9386011117947",
  "MT84MALT011000012345MTLCAST001S",
  "SA0380000000608010167519",
];

test("an IBAN is accepted with spaces and lower case letters, and stored without", () => {
  for (const iban of right) assert.equal(parseIban(iban), iban);
  assert.equal(parseIban(" de89 3704 0044 0532 0130 00 "), "DE89370400440532013000");
});

test("each single wrong digit, and each swap of two digits, is detected", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...right),
      fc.nat(),
      fc.integer({ min: 1, max: 9 }),
      (iban, position, increment) => {
        const at = 4 + (position % (iban.length - 4));
        const [before, digit] = [iban.charAt(at - 1), iban.charAt(at)];
        fc.pre(/\d/.test(digit));
        const invalidIban = iban.slice(0, at) + String((Number(digit) + increment) % 10) + iban.slice(at + 1);
        assert.equal(parseIban(invalidIban), undefined, invalidIban);
        if (at === 4 || !/\d/.test(before) || before === digit) return;
        const swapped = iban.slice(0, at - 1) + digit + before + iban.slice(at + 1);
        assert.equal(parseIban(swapped), undefined, swapped);
      },
    ),
  );
});

test("invalid IBANs are rejected", () => {
  for (const text of ["", "DE", "DE8937040044053201300", "DE893704004405320130000", "1289370400440532013000"])
    assert.equal(parseIban(text), undefined, text);
});

test("a BIC has eight or eleven characters", () => {
  assert.ok(isBic("BNPAFRPP") && isBic("BNPAFRPPXXX"));
  for (const text of ["", "BNPAFRP", "BNPAFRPPX", "bnpafrpp", "BNPA1RPP"]) assert.ok(!isBic(text), text);
});
