import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  payoutOutcomeOf,
  payoutProblemOf,
  sumEntries,
  type PayoutEntry,
  type UnappliedReport,
} from "./payout-evidence.ts";
import { statesAfter, type PayoutStatus } from "./payout.ts";

const eur = (minor: bigint) => ({ currency: "EUR", minor });
const amount = eur(4000n);
const dayMs = 24 * 3600 * 1000;
const start = Date.UTC(2026, 10, 16);

/** An entry of the account in signed minor units, with the bank's details. */
function entry(minor: bigint, otherFields: Partial<PayoutEntry> = {}): PayoutEntry {
  return {
    kind: "camt.053",
    bankReference: undefined,
    amount: eur(minor < 0n ? -minor : minor),
    isCredit: minor > 0n,
    returnCode: undefined,
    bookedAt: new Date(start),
    ...otherFields,
  };
}

const debit = entry(-4000n);
const credit = entry(4000n);
const returned = entry(4000n, { returnCode: "AC04" });
const rejection: UnappliedReport = { outcome: "rejected", isDuplicate: false, reasonCode: "AC01" };
const duplicate: UnappliedReport = { outcome: "rejected", isDuplicate: true, reasonCode: "DU01" };
const execution: UnappliedReport = { outcome: "executed", isDuplicate: false, reasonCode: undefined };

const outcomes: readonly (readonly [
  string,
  readonly PayoutEntry[],
  readonly UnappliedReport[],
  string | undefined,
])[] = [
  ["nothing", [], [], undefined],
  ["a debit", [debit], [], "paid"],
  ["a debit and a return", [debit, returned], [], "returned"],
  ["a return before its debit", [returned], [], "returned"],
  ["a debit and an uncoded credit", [debit, credit], [], undefined],
  ["a debit, a reversal and another debit", [debit, credit, debit], [], "paid"],
  ["a debit, a return and another debit", [debit, returned, debit], [], "paid"],
  ["a debit, a reversal, a debit and a return", [debit, credit, debit, returned], [], "returned"],
  ["a charge alone", [entry(-150n)], [], undefined],
  ["a partial return with a code", [debit, entry(3850n, { returnCode: "AC04" })], [], "paid"],
  [
    "the amount in another currency",
    [entry(-1n, { amount: { currency: "USD", minor: 4000n } })],
    [],
    undefined,
  ],
  ["a reversal that a report explains", [debit, credit], [rejection], "returned"],
  ["a reversal, and a duplicate", [debit, credit], [duplicate], undefined],
  ["a rejection without a reversal", [debit], [rejection], "paid"],
];

for (const [name, entries, reports, bankStatus] of outcomes)
  test(`${name}: ${bankStatus ?? "no outcome"}`, () => {
    assert.equal(payoutOutcomeOf(sumEntries(amount, entries), reports)?.bankStatus, bankStatus);
    assert.equal(
      payoutOutcomeOf(sumEntries(amount, entries.toReversed()), reports)?.bankStatus,
      bankStatus,
      "in any order",
    );
  });

const problems: readonly (readonly [
  PayoutStatus,
  readonly PayoutEntry[],
  readonly UnappliedReport[],
  string | undefined,
])[] = [
  ["SENT", [], [], undefined],
  ["SENT", [], [duplicate], undefined],
  ["SENT", [debit, credit], [], "payout discrepancy"],
  ["SENT", [entry(-3999n)], [], "payout discrepancy"],
  ["PAID", [], [], undefined],
  ["PAID", [debit], [], undefined],
  ["PAID", [debit], [duplicate], undefined],
  ["PAID", [], [rejection], "payout contradiction"],
  ["PAID", [debit, debit], [], "payout discrepancy"],
  ["PAID", [debit, credit], [], "payout discrepancy"],
  ["PAID", [debit, credit, debit], [], undefined],
  ["PAID", [debit, returned, debit], [], "payout discrepancy"],
  ["PAID", [debit, entry(-150n)], [], "payout discrepancy"],
  ["PAID", [debit, entry(-150n), entry(150n)], [], undefined],
  ["FAILED", [], [], undefined],
  ["FAILED", [debit, credit], [], undefined],
  ["FAILED", [debit], [], "payout contradiction"],
  ["FAILED", [], [execution], "payout contradiction"],
  ["RETURNED", [debit, returned], [rejection], undefined],
  ["RETURNED", [returned], [], undefined],
  ["RETURNED", [debit, returned, returned], [], "payout discrepancy"],
  ["RETURNED", [debit, returned, debit], [], "payout contradiction"],
  ["CREATED", [debit], [], "payout contradiction"],
];

for (const [status, entries, reports, kind] of problems)
  test(`${status} with ${entries.length} entries and ${reports.length} reports: ${kind ?? "no problem"} (${JSON.stringify(
    entries.map((each) => `${each.isCredit ? "+" : "-"}${each.amount.minor}`),
  )})`, () => {
    assert.equal(payoutProblemOf({ status, amount }, sumEntries(amount, entries), reports)?.kind, kind);
  });

test("an entry of camt.054 and its entry of camt.053 are one, by reference or else by date; others are two", () => {
  const debits = (...entries: readonly Partial<PayoutEntry>[]): number =>
    sumEntries(
      amount,
      entries.map((otherFields) => entry(-4000n, otherFields)),
    ).debits;
  const notified = { kind: "camt.054" } as const;
  const later = { bookedAt: new Date(start + 9 * dayMs) };
  assert.equal(debits({ bankReference: "R" }, { ...notified, bankReference: "R", ...later }), 1);
  assert.equal(debits({ bankReference: "R" }, { ...notified, bankReference: "S" }), 2);
  assert.equal(debits({ bankReference: "R" }, notified), 1);
  assert.equal(debits({}, { ...notified, bankReference: "R" }), 1);
  assert.equal(debits({}, { ...notified, ...later }), 2);
  assert.equal(debits({}, notified, notified), 2, "one to one");
  assert.equal(debits({}, {}, notified, notified), 2);
});

test("a hundred thousand entries with one reference are summed in linear time", () => {
  const half = 50_000;
  const many = Array.from({ length: 2 * half }, (_, index) =>
    entry(-4000n, {
      kind: index < half ? "camt.053" : "camt.054",
      bookedAt: new Date(start + (index % half)),
    }),
  );
  const began = performance.now();
  assert.equal(sumEntries(amount, many).debits, half);
  assert.ok(performance.now() - began < 5_000);
});

/** The real movements on the account, one movement per day. */
const movement = fc.constantFrom("debit", "reversal", "return", "charge", "charge refund");

interface Seen {
  readonly kind: PayoutEntry["kind"];
  readonly movement: number;
}

/** Lives of a payout: for each movement the files that report it, at least one of both kinds, in any order. */
const lives = fc
  .array(fc.tuple(movement, fc.constantFrom("camt.053", "camt.054", "both")), { minLength: 1, maxLength: 7 })
  .chain((moved) => {
    const seen = moved.flatMap(([, where], index): readonly Seen[] =>
      where === "both"
        ? [
            { kind: "camt.053", movement: index },
            { kind: "camt.054", movement: index },
          ]
        : [{ kind: where, movement: index }],
    );
    return fc.tuple(fc.constant(moved.map(([name]) => name)), fc.shuffledSubarray(seen, { minLength: 1 }));
  });

const entryOf = (name: string, { kind, movement: nth }: Seen): PayoutEntry => {
  const otherFields = { kind, bankReference: `R${nth}`, bookedAt: new Date(start + nth * dayMs) };
  if (name === "debit") return entry(-4000n, otherFields);
  if (name === "charge") return entry(-150n, otherFields);
  if (name === "charge refund") return entry(150n, otherFields);
  return entry(4000n, { ...otherFields, returnCode: name === "return" ? "AC04" : undefined });
};

test("for random files in random order, a payout is due again only if its money is back with a return code", () => {
  fc.assert(
    fc.property(lives, ([moved, seen]) => {
      let status: PayoutStatus = "SENT";
      for (const [index] of seen.entries()) {
        const files = seen.slice(0, index + 1);
        // The expected result depends on the real movements, not on how often they are reported.
        const known = [...new Set(files.map((each) => each.movement))].map((nth) => moved[nth]);
        const countOf = (name: string): number => known.filter((each) => each === name).length;
        const awayMinor = 4000 * countOf("debit") - 4000 * countOf("reversal") - 4000 * countOf("return");
        const booked = sumEntries(
          amount,
          files.map((each) => entryOf(moved[each.movement] ?? "", each)),
        );
        const before: PayoutStatus = status;
        const outcome = payoutOutcomeOf(booked, []);
        status = (outcome && statesAfter(status, outcome.bankStatus)?.at(-1)) ?? status;
        if (status === "RETURNED" && before !== "RETURNED")
          assert.ok(awayMinor <= 0 && countOf("return") > 0, "due again while the money is away");
        if (awayMinor > 0)
          assert.ok(status === "PAID" || before === "RETURNED", `${status}, and the money is away`);
        if (status === "SENT") assert.ok(awayMinor <= 0 && countOf("return") === 0);
        const shouldBe: number = status === "PAID" ? 4000 : 0;
        const chargesMinor = 150 * (countOf("charge") - countOf("charge refund"));
        const isHidden = payoutProblemOf({ status, amount }, booked, []) === undefined;
        // A return implies its debit, which a later file may report.
        const isEarly = status === "RETURNED" && countOf("return") === 1 && awayMinor === -4000;
        if (isHidden && !isEarly) assert.deepEqual([awayMinor, chargesMinor], [shouldBe, 0]);
      }
    }),
    { numRuns: 2_000 },
  );
});
