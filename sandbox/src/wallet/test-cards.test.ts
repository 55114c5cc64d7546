import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { resultCodes } from "../../../clients/typescript/src/generated/result-codes.ts";
import {
  exampleExpiry,
  groupDigits,
  passesLuhn,
  parseCard,
  testCards,
  type CardField,
} from "./test-cards.ts";

const nowMs = Date.parse("2026-11-15T09:30:00Z");
const right = { number: "9999 0000 0000 0004", expiry: "12/28", code: "123" };
const read = (typed: Partial<Record<CardField, string>>) =>
  parseCard(new URLSearchParams({ ...right, ...typed }), nowMs);

test("every number belongs to one card, and every check digit except one is valid", () => {
  assert.equal(new Set(testCards.map(({ number }) => number)).size, testCards.length);
  assert.equal(new Set(testCards.map(({ name }) => name)).size, testCards.length);
  const broken = testCards.filter(({ number }) => !passesLuhn(number)).map(({ name }) => name);
  assert.deepEqual(broken, ["invalid-number"]);
});

test("no number could be a real card's", () => {
  for (const { number } of testCards) assert.match(number, /^9999\d{12}$/);
});

test("every result code exists in the merchants' interface", () => {
  for (const { outcome } of testCards)
    if (outcome.kind === "declined") assert.ok(resultCodes[outcome.resultCode], outcome.resultCode);
});

test("the README lists every card with its outcome", () => {
  const guide = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  for (const { number, outcome } of testCards) {
    const [line = ""] = new RegExp(`^.*\\| \`${groupDigits(number)}\` \\|.*$`, "m").exec(guide) ?? [];
    assert.ok(
      line.includes(outcome.kind === "declined" ? `declined: \`${outcome.resultCode}\`` : "approved"),
      number,
    );
    if (outcome.kind === "slow") assert.ok(line.includes(`after ${outcome.seconds} s`));
  }
});

for (const number of ["9999000000000004", "9999 0000 0000 0004", " 9999-0000-0000-0004 "])
  test(`${number} is a test card`, () => {
    const { card, problems } = read({ number });
    assert.equal(card?.name, "approved");
    assert.deepEqual(problems, {});
  });

for (const [number, problem] of [
  ["4111 1111 1111 1111", /never type a real card\. It was not stored/],
  ["378282246310005", /never type a real card\. It was not stored/],
  ["4111 1111 1111 1112", /none of the test cards.*never type a real card/],
  ["9999 0000 0000 0111", /never type a real card/],
  ["abc", /none of the test cards/],
  ["", /^Choose a test card/],
] as const)
  test(`"${number}" is rejected, and does not appear in the page`, () => {
    const { card, problems } = read({ number });
    assert.equal(card, undefined);
    assert.match(problems.number ?? "", problem);
    assert.deepEqual(Object.keys(problems), ["number"]);
    if (number !== "") assert.ok(!JSON.stringify(problems).includes(number));
  });

for (const expiry of ["11/26", "12/28", "1228", "12 / 2028", "01-30", "8.29", exampleExpiry(nowMs)])
  test(`the expiry date ${expiry} is accepted`, () => assert.deepEqual(read({ expiry }).problems, {}));

for (const [expiry, problem] of [
  ["10/26", /^This date is in the past/],
  ["12/1999", /^Month and year, such as 12\/28/],
  ["13/28", /^Month and year/],
  ["0/28", /^Month and year/],
  ["soon", /^Month and year/],
  ["", /^Month and year/],
] as const)
  test(`the expiry date "${expiry}" is rejected`, () =>
    assert.match(read({ expiry }).problems.expiry ?? "", problem));

for (const code of ["12", "12345", "12a", ""])
  test(`"${code}" is not a security code`, () =>
    assert.deepEqual(Object.keys(read({ code }).problems), ["code"]));
