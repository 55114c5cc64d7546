import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ageClassOf, splitReceivableByAge, ageClasses, startOfAge } from "./age-class.ts";
import { breakKinds, type Break, type BreakKind } from "./break.ts";
import { breakSizeOf, writeOffOf } from "./write-off.ts";

const eur = (minor: bigint) => ({ currency: "EUR", minor });
const broken = (kind: BreakKind, subject: string, sums: Break["sums"]): Break => ({
  kind,
  connector: "w",
  subject,
  reference: "r",
  paymentId: undefined,
  currency: "EUR",
  sums,
  at: undefined,
});
const examples: readonly (readonly [BreakKind, string, Break["sums"], string, bigint])[] = [
  ["missing at the provider", "payment", { here: eur(9n), ledger: eur(9n) }, "provider receivable w", 9n],
  ["missing at the provider", "refund", { here: eur(9n), ledger: eur(9n) }, "provider receivable w", -9n],
  ["missing here", "payment", { provider: eur(9n) }, "provider receivable w", -9n],
  ["missing here", "chargeback", { provider: eur(9n) }, "provider receivable w", 9n],
  [
    "missing at the provider",
    "refund_reversal",
    { here: eur(9n), ledger: eur(9n) },
    "provider receivable w",
    9n,
  ],
  ["missing here", "chargeback_reversal", { provider: eur(9n) }, "provider receivable w", -9n],
  [
    "other amount",
    "capture",
    { here: eur(9n), ledger: eur(9n), provider: eur(7n) },
    "provider receivable w",
    2n,
  ],
  ["not at the bank", "payout", { provider: eur(9n) }, "clearing", 9n],
  ["not at the bank", "payout", { ledger: eur(-9n) }, "clearing", -9n],
  ["only at the bank", "bank b", { bank: eur(-9n) }, "clearing", 9n],
  ["other amount at the bank", "payout", { provider: eur(9n), bank: eur(8n) }, "clearing", 1n],
];

for (const [kind, subject, sums, account, minor] of examples)
  test(`${kind}, ${subject}: the ledger is adjusted to the other side's amount`, () => {
    assert.deepEqual(writeOffOf(broken(kind, subject, sums)), { account, excess: eur(minor) });
  });

test("breaks that money cannot correct are not written off", () => {
  const possible = new Set(examples.map(([kind]) => kind));
  for (const kind of breakKinds.filter((each) => !possible.has(each)))
    assert.equal(writeOffOf(broken(kind, "payment", { here: eur(1n), provider: eur(2n) })), undefined, kind);
});

test("a write-off of money that is booked after all is reversed on its account", () => {
  const found = broken("written off, then booked by bank or provider", "payout", {
    written: eur(9n),
    expected: eur(0n),
  });
  assert.deepEqual(writeOffOf({ ...found, writeOffAccount: "clearing" }), {
    account: "clearing",
    excess: eur(0n),
  });
});

test("the size of a break is the difference of its amounts, or its only amount", () => {
  assert.equal(
    breakSizeOf(broken("other amount", "payment", { here: eur(9n), ledger: eur(9n), provider: eur(7n) })),
    2n,
  );
  assert.equal(breakSizeOf(broken("only at the bank", "b", { bank: eur(-9n) })), 9n);
  // Our records and the ledger agree, and the provider's side is missing, so the size is the whole amount.
  assert.equal(
    breakSizeOf(broken("missing at the provider", "payment", { here: eur(9n), ledger: eur(9n) })),
    9n,
  );
  assert.equal(breakSizeOf(broken("bank balance", "b", { written: eur(-9n), expected: eur(1n) })), 10n);
  assert.equal(
    breakSizeOf(
      broken("other currency", "payment", { here: eur(9n), provider: { currency: "USD", minor: 1n } }),
    ),
    9n,
  );
});

test("an age is in whole days", () => {
  const now = new Date("2026-11-17T12:00:00Z");
  const ago = (hours: number): string => ageClassOf(new Date(now.getTime() - hours * 3600 * 1000), now);
  assert.deepEqual([-5, 0, 47.9, 48, 191, 192, 743, 744].map(ago), [
    "0–1 days",
    "0–1 days",
    "0–1 days",
    "2–7 days",
    "2–7 days",
    "8–30 days",
    "8–30 days",
    "over 30 days",
  ]);
  for (const { name, days } of ageClasses.slice(0, -1)) {
    const start = startOfAge(days, now);
    assert.notEqual(ageClassOf(start, now), name);
    assert.equal(ageClassOf(new Date(start.getTime() + 1), now), name);
  }
});

test("the amounts by age sum to the receivable, and the oldest is paid first", () => {
  const sums = fc.array(fc.bigInt(0n, 100n), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(fc.bigInt(-50n, 500n), sums, (owed, added) => {
      const aged = splitReceivableByAge(owed, added);
      assert.equal(
        aged.reduce((sum, part) => sum + part, 0n),
        owed,
      );
      for (const [index, part] of aged.slice(0, 3).entries())
        assert.ok(part <= (added[index] ?? 0n) || owed < 0n);
      // If a part of a newer amount is paid, no older amount is open.
      const firstShort = aged.findIndex((part, index) => part < (added[index] ?? 0n));
      if (firstShort >= 0 && owed >= 0n) assert.ok(aged.slice(firstShort + 1).every((part) => part === 0n));
    }),
  );
});
