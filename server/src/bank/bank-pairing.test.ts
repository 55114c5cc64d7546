import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pairWithBank, type BankLine, type ExpectedEntry } from "./bank-pairing.ts";

const day = (number: number): Date => new Date(Date.UTC(2026, 10, number));
const provider = (reference: string, minor: bigint, at: number): ExpectedEntry => ({
  connector: "gcash",
  reference,
  amount: { currency: "EUR", minor },
  at: day(at),
});
const ours = (reference: string, minor: bigint, at: number): ExpectedEntry => ({
  ...provider(reference, minor, at),
  connector: undefined,
});
const line = (
  entryReference: string,
  minor: bigint,
  at: number,
  named: Partial<BankLine> = {},
): BankLine => ({
  bank: "b",
  entryReference,
  amount: { currency: "EUR", minor },
  at: day(at),
  endToEndId: undefined,
  reference: "",
  ...named,
});

const describePairing = (expected: readonly ExpectedEntry[], lines: readonly BankLine[]): unknown => {
  const paired = pairWithBank(expected, lines);
  return {
    pairs: paired.pairs.map((pair) => `${pair.expected.reference}=${pair.line.entryReference}`),
    expected: paired.expected.map(({ reference }) => reference),
    lines: paired.lines.map(({ entryReference }) => entryReference),
  };
};

test("a reference pairs an entry, as end-to-end id, as text or as a word in it, whatever the amount and the day", () => {
  const lines = [
    line("1", 100n, 1, { endToEndId: "P-1" }),
    line("2", 200n, 1, { reference: "P-2" }),
    line("3", 299n, 28, { reference: "payout P-3, thank you" }),
  ];
  assert.deepEqual(
    describePairing([provider("P-3", 300n, 1), provider("P-2", 200n, 1), provider("P-1", 100n, 1)], lines),
    {
      pairs: ["P-1=1", "P-2=2", "P-3=3"],
      expected: [],
      lines: [],
    },
  );
});

test("the same amount in another currency is paired neither by amount nor by reference", () => {
  const dollars = (entry: BankLine): BankLine => ({
    ...entry,
    amount: { currency: "USD", minor: entry.amount.minor },
  });
  assert.deepEqual(
    describePairing(
      [provider("a", 100n, 1), provider("P-1", 200n, 1)],
      [dollars(line("x", 100n, 1)), dollars(line("y", 200n, 1, { endToEndId: "P-1" }))],
    ),
    { pairs: [], expected: ["a", "P-1"], lines: ["x", "y"] },
  );
});

test("without a reference the oldest is paired with the oldest of the same amount, within the days that money is in transit", () => {
  const expected = [provider("b", 100n, 2), provider("a", 100n, 1), provider("c", 100n, 20)];
  assert.deepEqual(describePairing(expected, [line("y", 100n, 4), line("x", 100n, 3), line("z", 100n, 26)]), {
    pairs: ["a=x", "b=y"],
    expected: ["c"],
    lines: ["z"],
  });
  assert.deepEqual(describePairing([provider("a", 100n, 2)], [line("x", 100n, 1)]), {
    pairs: ["a=x"],
    expected: [],
    lines: [],
  });
});

test("one of our payouts is paired only by its name, and once: a second payment by the bank leaves one entry unpaired", () => {
  const named = { endToEndId: "O" };
  assert.deepEqual(
    describePairing(
      [ours("O", -100n, 1)],
      [line("x", -100n, 1), line("y", -100n, 2, named), line("z", -100n, 3, named)],
    ),
    {
      pairs: ["O=y"],
      expected: [],
      lines: ["x", "z"],
    },
  );
});

test("a returned payout is two postings, one in each direction", () => {
  const named = { endToEndId: "O" };
  const lines = [line("out", -100n, 1, named), line("back", 100n, 3, named)];
  assert.deepEqual(describePairing([ours("O", 100n, 3), ours("O", -100n, 1)], lines), {
    pairs: ["O=out", "O=back"],
    expected: [],
    lines: [],
  });
});

test("a debit, its reversal and the debit again are one execution: nothing stays unpaired", () => {
  const named = { endToEndId: "O" };
  const lines = [
    line("out", -100n, 1, named),
    line("reversed", 100n, 2, named),
    line("out again", -100n, 3, named),
  ];
  assert.deepEqual(describePairing([ours("O", -100n, 1)], lines), {
    pairs: ["O=out"],
    expected: [],
    lines: [],
  });
});

test("a charge and its refund with the same amount and name cancel each other; another amount, name or direction does not", () => {
  const [of, other] = [{ endToEndId: "O" }, { endToEndId: "P" }];
  const charge = line("charge", -7n, 2, of);
  const unpairedLines = (...lines: readonly BankLine[]): unknown => describePairing([], lines);
  const none = { pairs: [], expected: [], lines: [] };
  assert.deepEqual(unpairedLines(charge, line("back", 7n, 4, of)), none);
  assert.deepEqual(unpairedLines(charge, line("back", 6n, 4, of)), { ...none, lines: ["charge", "back"] });
  assert.deepEqual(unpairedLines(charge, line("back", 7n, 4, other)), { ...none, lines: ["charge", "back"] });
  assert.deepEqual(unpairedLines(charge, line("again", -7n, 4, of)), { ...none, lines: ["charge", "again"] });
  assert.deepEqual(unpairedLines(line("charge", -7n, 2), line("back", 7n, 4)), {
    ...none,
    lines: ["charge", "back"],
  });
});

test("for random input, everything is paired once or left once, and the sums are unchanged", () => {
  const some = fc.record({
    name: fc.constantFrom("a", "b", "c", "d"),
    minor: fc.constantFrom(-2n, -1n, 1n, 2n),
    at: fc.integer({ min: 1, max: 12 }),
    isNamed: fc.boolean(),
  });
  const many = fc.array(some, { maxLength: 12 });
  fc.assert(
    fc.property(many, many, (expecting, booked) => {
      const expected = expecting.map(({ name, minor, at, isNamed }) =>
        (isNamed ? ours : provider)(name, minor, at),
      );
      const lines = booked.map(({ name, minor, at, isNamed }, index) =>
        line(String(index), minor, at, isNamed ? { endToEndId: name } : {}),
      );
      const paired = pairWithBank(expected, lines);
      const all = new Set([...paired.pairs.map((pair) => pair.expected), ...paired.expected]);
      const pairedLines = new Set([...paired.pairs.map((pair) => pair.line), ...paired.lines]);
      assert.deepEqual(
        [all.size, paired.pairs.length + paired.expected.length],
        [expected.length, expected.length],
      );
      assert.equal(pairedLines.size, paired.pairs.length + paired.lines.length);
      const cancelled = lines.filter((each) => !pairedLines.has(each));
      assert.equal(
        cancelled.reduce((sum, { amount }) => sum + amount.minor, 0n),
        0n,
      );
      assert.ok(cancelled.every(({ endToEndId }) => endToEndId !== undefined));
      for (const pair of paired.pairs)
        assert.equal(pair.expected.amount.minor > 0n, pair.line.amount.minor > 0n);
    }),
  );
});
