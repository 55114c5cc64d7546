import assert from "node:assert/strict";
import { test } from "node:test";
import { commitMessageMistakes } from "./commit-message.ts";

const money = ["server/src/refunds/refund-payment.ts"];

test("a subject is an area and an imperative", () => {
  for (const subject of [
    "refunds: refuse an amount in another currency",
    "cli, docs: bring the examples up to date",
    "server/src: move files of the edge into folders",
    "egress: need no proxy",
    "release: 1.2.0",
  ])
    assert.deepEqual(commitMessageMistakes(subject, ["docs/README.md"]), [], subject);
});

for (const [subject, mistake] of [
  ["Refuse an amount in another currency", /area: imperative/],
  ["Refunds: refuse an amount", /area: imperative/],
  ["refunds: refused an amount", /not an imperative/],
  ["refunds: refusing an amount", /not an imperative/],
  ["refunds: an amount is refused", /not an imperative/],
  ["refunds: Refuse an amount", /not an imperative/],
  ["refunds: 2 amounts", /not an imperative/],
  ["refunds: refuse an amount.", /full stop/],
  [`refunds: refuse ${"a".repeat(57)}`, /73 characters/],
  ["refunds: refuse an amount\nand another", /not empty/],
] as const)
  test(`found: ${subject}`, () => {
    const mistakes = commitMessageMistakes(subject, []);
    assert.equal(mistakes.length, 1);
    assert.match(mistakes[0] ?? "", mistake);
  });

test("a subject may have at most 72 characters", () => {
  const subject = `refunds: refuse ${"a".repeat(56)}`;
  assert.deepEqual(commitMessageMistakes(subject, []), []);
});

test("a change of code that moves money needs a body", () => {
  const subject = "refunds: refuse an amount in another currency";
  assert.match(commitMessageMistakes(subject, money)[0] ?? "", /needs a body that says why/);
  assert.match(commitMessageMistakes(`${subject}\n\n`, money)[0] ?? "", /needs a body that says why/);
  assert.deepEqual(commitMessageMistakes(`${subject}\n\nThe ledger would not balance.`, money), []);
  assert.deepEqual(commitMessageMistakes(subject, ["server/src/http/server.ts"]), []);
  assert.deepEqual(commitMessageMistakes(subject, ["server/src/refunds/refund-payment.test.ts"]), []);
});
