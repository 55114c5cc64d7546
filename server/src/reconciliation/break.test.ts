import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import fc from "fast-check";
import {
  bankBreakKinds,
  ageOf,
  breakKinds,
  breaksOf,
  breaksThatNeedFile,
  whatToDo,
  type Compared,
} from "./break.ts";
import { totalsOf } from "./match-total.ts";

const eur = (minor: bigint): { currency: string; minor: bigint } => ({ currency: "EUR", minor });
const usd = { currency: "USD", minor: 1250n };
const agreed: Compared = {
  connector: "w",
  movement: "payment",
  reference: "order-1",
  paymentId: "2026",
  at: new Date("2026-11-15T10:00:00Z"),
  isDue: true,
  here: eur(1250n),
  ledger: eur(1250n),
  wallet: eur(1250n),
  again: undefined,
};
const moved = { movedCount: 1, changedCount: 0, amount: eur(1250n) };
const changed = { movedCount: 0, changedCount: 1, amount: eur(1n) };
const young = { isDue: false };

const named: readonly (readonly [change: Partial<Compared>, kinds: readonly string[]])[] = [
  [{ wallet: undefined }, ["missing at the wallet"]],
  [{ here: undefined, ledger: undefined }, ["missing here"]],
  [{ ledger: undefined }, ["missing in the ledger"]],
  [{ here: undefined, wallet: undefined }, ["only in the ledger"]],
  [{ wallet: eur(1249n) }, ["other amount"]],
  [{ ledger: eur(-1250n) }, ["other amount"]],
  [{ wallet: usd }, ["other currency"]],
  [{ ledger: usd, wallet: undefined }, ["missing at the wallet", "other currency"]],
  [{ again: moved }, ["twice at the wallet"]],
  [{ again: changed }, ["changed row"]],
  [{ here: undefined, ledger: undefined, again: moved }, ["missing here", "twice at the wallet"]],
  // After the cut-off a movement cannot be missing, but can be wrong.
  [{ ...young, wallet: undefined }, []],
  [{ ...young, here: undefined, ledger: undefined }, []],
  [{ ...young, ledger: undefined, wallet: undefined }, ["missing in the ledger"]],
  [{ ...young, here: undefined, wallet: undefined }, ["only in the ledger"]],
  [{ ...young, wallet: eur(1n) }, ["other amount"]],
  [{ ...young, again: moved }, ["twice at the wallet"]],
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

test("every kind of break about a movement has a row above", () => {
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
      "wallet fee differs",
      "written off, then booked by bank or provider",
    ],
  );
  assert.deepEqual(breaksThatNeedFile, ["missing at the wallet", "missing here", "wallet fee differs"]);
});

test("a break tells what each of the three has, and what to do", () => {
  const [found] = breaksOf({ ...agreed, wallet: eur(1n), again: changed });
  assert.deepEqual(found?.sums, { here: eur(1250n), ledger: eur(1250n), wallet: eur(1n), again: eur(1n) });
  assert.equal(found?.currency, "EUR");
  assert.match(whatToDo("other amount"), /wallet/);
});

test("nothing is wrong exactly when all agree, or nobody can say yet", () => {
  const money = fc.option(fc.constantFrom(eur(1n), eur(2n), usd), { nil: undefined });
  const any = fc.record({ here: money, ledger: money, wallet: money, isDue: fc.boolean() });
  fc.assert(
    fc.property(any, ({ here, ledger, wallet, isDue }) => {
      fc.pre(Boolean(here ?? ledger ?? wallet));
      const words = [here, ledger, wallet].map((each) => each && `${each.currency} ${each.minor}`);
      const isSame = new Set(words).size === 1;
      const isOpen = !isDue && ((words[0] === words[1] && !wallet) || (!here && !ledger));
      const breaks = breaksOf({ ...agreed, here, ledger, wallet, isDue });
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
  test(`at ${now.toISOString()} money of ${at} is ${age}`, () => assert.equal(ageOf(new Date(at), now), age));

test("each wallet and currency has its line, also one of which nothing agrees", () => {
  const nothing = { matchedCount: 0, takenMinor: 0n, givenBackMinor: 0n, openCount: 0 };
  const some = {
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
    { ...agreed, at: older, connector: "v", wallet: usd },
    { ...agreed, at: older },
  ].flatMap((compared) => breaksOf({ ...compared, ledger: undefined }));
  assert.deepEqual(totalsOf([some], breaks), [
    { ...nothing, connector: "v", currency: "EUR", breakCount: 2, oldestBreakAt: older },
    { ...some, breakCount: 2, oldestBreakAt: older },
  ]);
});

test("the operator's page explains every kind of break", async () => {
  const page = await readFile(new URL("../../../docs/operating/matching.md", import.meta.url), "utf8");
  for (const kind of breakKinds) assert.ok(page.includes(`| ${kind} |`), kind);
});
