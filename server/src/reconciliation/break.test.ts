import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import fc from "fast-check";
import {
  bankBreakKinds,
  breakAgeOf,
  breakKinds,
  breaksOf,
  breaksThatNeedFile,
  recommendedActionFor,
  type ComparedMovement,
} from "./break.ts";
import { reconciliationTotals } from "./reconciliation-total.ts";

const eur = (minor: bigint): { currency: string; minor: bigint } => ({ currency: "EUR", minor });
const usd = { currency: "USD", minor: 1250n };
const agreed: ComparedMovement = {
  connector: "w",
  movement: "payment",
  reference: "order-1",
  paymentId: "2026",
  at: new Date("2026-11-15T10:00:00Z"),
  isDue: true,
  recorded: eur(1250n),
  ledger: eur(1250n),
  provider: eur(1250n),
  repeatedLines: undefined,
};
const otherTime = { movedCount: 1, changedCount: 0, amount: eur(1250n) };
const changed = { movedCount: 0, changedCount: 1, amount: eur(1n) };
const young = { isDue: false };

const named: readonly (readonly [change: Partial<ComparedMovement>, kinds: readonly string[]])[] = [
  [{ provider: undefined }, ["missing at the provider"]],
  [{ recorded: undefined, ledger: undefined }, ["missing here"]],
  [{ ledger: undefined }, ["missing in the ledger"]],
  [{ recorded: undefined, provider: undefined }, ["only in the ledger"]],
  [{ provider: eur(1249n) }, ["other amount"]],
  [{ ledger: eur(-1250n) }, ["other amount"]],
  [{ provider: usd }, ["other currency"]],
  [{ ledger: usd, provider: undefined }, ["missing at the provider", "other currency"]],
  [{ repeatedLines: otherTime }, ["twice at the provider"]],
  [{ repeatedLines: changed }, ["changed row"]],
  [
    { recorded: undefined, ledger: undefined, repeatedLines: otherTime },
    ["missing here", "twice at the provider"],
  ],
  // A movement after the cut-off is not missing yet, but can be wrong.
  [{ ...young, provider: undefined }, []],
  [{ ...young, recorded: undefined, ledger: undefined }, []],
  [{ ...young, ledger: undefined, provider: undefined }, ["missing in the ledger"]],
  [{ ...young, recorded: undefined, provider: undefined }, ["only in the ledger"]],
  [{ ...young, provider: eur(1n) }, ["other amount"]],
  [{ ...young, repeatedLines: otherTime }, ["twice at the provider"]],
  [{}, []],
  [young, []],
];

for (const [change, kinds] of named) {
  test(`${JSON.stringify(Object.keys(change))} is ${kinds.join(" and ") || "no break"}`, () => {
    assert.deepEqual(
      breaksOf({ ...agreed, ...change }).map(({ kind }) => kind),
      kinds,
    );
  });
}

test("every kind of movement break has a row above", () => {
  const seen = new Set<string>(named.flatMap(([, kinds]) => kinds));
  assert.deepEqual(
    breakKinds.filter((kind) => !seen.has(kind) && !bankBreakKinds.some((each) => each === kind)),
    [
      "captured sum",
      "refunded sum",
      "disputed sum",
      "open refunds",
      "balance",
      "closed month",
      "negative balance",
      "provider fee differs",
      "provider payout differs",
      "written off, then booked by bank or provider",
    ],
  );
  assert.deepEqual(breaksThatNeedFile, [
    "missing at the provider",
    "missing here",
    "provider fee differs",
    "provider payout differs",
  ]);
});

test("a break lists the amounts of all three sides, and what to do", () => {
  const [found] = breaksOf({ ...agreed, provider: eur(1n), repeatedLines: changed });
  assert.deepEqual(found?.sums, { here: eur(1250n), ledger: eur(1250n), provider: eur(1n), again: eur(1n) });
  assert.equal(found?.currency, "EUR");
  assert.match(recommendedActionFor("other amount"), /provider/);
});

test("there is no break exactly if all sides agree or the files do not reach that far", () => {
  const money = fc.option(fc.constantFrom(eur(1n), eur(2n), usd), { nil: undefined });
  const any = fc.record({ here: money, ledger: money, provider: money, isDue: fc.boolean() });
  fc.assert(
    fc.property(any, ({ here: recorded, ledger, provider, isDue }) => {
      fc.pre(Boolean(recorded ?? ledger ?? provider));
      const amountTexts = [recorded, ledger, provider].map(
        (each) => each && `${each.currency} ${each.minor}`,
      );
      const isSame = new Set(amountTexts).size === 1;
      const isOpen = !isDue && ((amountTexts[0] === amountTexts[1] && !provider) || (!recorded && !ledger));
      const breaks = breaksOf({ ...agreed, recorded, ledger, provider, isDue });
      assert.equal(breaks.length === 0, isSame || isOpen);
    }),
  );
});

const now = new Date("2026-11-15T00:30:00Z");
const agesOf: readonly (readonly [at: string, age: string])[] = [
  ["2026-11-15T00:00:00Z", "today"],
  ["2026-11-14T23:59:59Z", "1–2 days"],
  ["2026-11-13T00:00:00Z", "1–2 days"],
  ["2026-11-12T23:59:59Z", "3–7 days"],
  ["2026-11-08T00:00:00Z", "3–7 days"],
  ["2026-11-07T23:59:59Z", "over a week"],
  ["2026-11-15T00:31:00Z", "today"],
];

for (const [at, age] of agesOf)
  test(`at ${now.toISOString()} money of ${at} is ${age}`, () =>
    assert.equal(breakAgeOf(new Date(at), now), age));

test("each provider and currency has a line, even if nothing agrees", () => {
  const zeroTotals = { matchedCount: 0, takenMinor: 0n, givenBackMinor: 0n, openCount: 0 };
  const agreedTotals = {
    connector: "w",
    currency: "EUR",
    matchedCount: 2,
    takenMinor: 5n,
    givenBackMinor: 1n,
    openCount: 3,
  };
  const older = new Date("2026-11-01T00:00:00Z");
  const breaks = [
    agreed,
    { ...agreed, at: older, connector: "v", provider: usd },
    { ...agreed, at: older },
  ].flatMap((compared) => breaksOf({ ...compared, ledger: undefined }));
  assert.deepEqual(reconciliationTotals([agreedTotals], breaks), [
    { ...zeroTotals, connector: "v", currency: "EUR", breakCount: 2, oldestBreakAt: older },
    { ...agreedTotals, breakCount: 2, oldestBreakAt: older },
  ]);
});

test("the operator's document explains every kind of break", async () => {
  const page = await readFile(new URL("../../../docs/operating/reconciliation.md", import.meta.url), "utf8");
  for (const kind of breakKinds) assert.ok(page.includes(`| ${kind} |`), kind);
});
