import assert from "node:assert/strict";
import { test } from "node:test";
import { importBankStatements } from "../reconciliation/import-bank-statement.workflow.ts";
import { house } from "../ledger/account.ts";
import { closeMonth } from "../operators/ledger/close-month.ts";
import { computeTrialBalance } from "../operators/ledger/trial-balance-table.ts";
import { day1, openBankFixture, paymentId, providerPayoutRow } from "../../test/examples/bank-fixture.ts";
import { exampleStatements } from "../../test/examples/example-statement.ts";

const books = await openBankFixture();
const { operator, rows, fileOf, importStatements, importRows, balances, givenPosted, givenDebited, breaks } =
  books;
const first = { id: "S1", day: "2026-11-02", opening: 0 } as const;

test("a provider's fees, payouts and adjustments are posted with its file, and once", async () => {
  const lines = [
    "fee,order,f-1,20261110100000000000001000000000010,EUR,30,2026-11-02T09:00:00+00:00",
    "fee,,f-2,,EUR,-5,2026-11-02T09:00:00+00:00",
    providerPayoutRow("p-1", 900, "2026-11-02"),
    "adjustment,,a-1,,EUR,7,2026-11-02T09:00:00+00:00",
    "adjustment,,a-2,,EUR,-2,2026-11-02T09:00:00+00:00",
  ];
  assert.equal(await importRows(...lines), "5 0");
  const posted = { adjustment: -5, clearing: 900, "provider fee w": 25, "provider receivable w": -920 };
  assert.deepEqual(await balances(), posted);
  assert.equal(await importRows(...lines, providerPayoutRow("p-2", 1, "2026-11-03")), "1 0");
  assert.deepEqual(await balances(), { ...posted, clearing: 901, "provider receivable w": -921 });
  assert.deepEqual(await breaks(), []);
});

test("a row without a posting, a posting without its row, and a changed row are breaks", async () => {
  await importRows(providerPayoutRow("p-1", 900, "2026-11-02"), providerPayoutRow("p-2", 800, "2026-11-02"));
  await importRows(providerPayoutRow("p-2", 801, "2026-11-02"));
  await rows("alter table ledger_transfers disable trigger user");
  await rows("delete from ledger_transfers where subject_id = 'w p-1'");
  await givenPosted("w p-3", "provider fee", ["provider fee w", "provider receivable w"], 5);
  assert.deepEqual(await breaks(), [
    "changed row: p-2",
    "missing in the ledger: p-1",
    "only in the ledger: w p-3 provider fee",
  ]);
});

test("statements are booked once, all or nothing, and the first one includes the opening balance", async () => {
  const statement = {
    ...first,
    opening: 1_000,
    entries: [
      { reference: "B-1", minor: 500 },
      { reference: "B-2", minor: -20 },
    ],
  };
  assert.equal(await importStatements(statement), "1 2 new");
  assert.equal(await importStatements(statement), "1 2 known");
  const booked = { adjustment: -1_000, "bank b": 1_480, clearing: -480 };
  assert.deepEqual(await balances(), booked);

  const next = { id: "S2", day: "2026-11-03", opening: 1_480 };
  const rejectedFiles = [
    [
      { ...next, entries: [{ minor: 5 }], closing: 1_484 },
      /sum to EUR 14\.85, but the closing balance is EUR 14\.84/,
    ],
    [
      { ...statement, opening: 1_001 },
      /^FileProblem: Statement S1: It was already imported, as \d+, with other entries or balances/,
    ],
    [{ ...next, day: "2026-11-01", entries: [] }, /It ends before the first imported statement/],
  ] as const;
  for (const [wrong, problem] of rejectedFiles) {
    const fine = { id: "S9", day: "2026-11-09", opening: 0, entries: [{ minor: 1 }], account: "another" };
    await assert.rejects(importStatements(fine, wrong), problem);
  }
  assert.deepEqual(await balances(), booked);
  const other = { bank: "c", file: await fileOf(exampleStatements({ ...next, entries: [] })) };
  await assert.rejects(importBankStatements(operator, other), /belongs to the bank b here/);
  await assert.rejects(
    importBankStatements(operator, { ...other, bank: "B 1" }),
    /lower case letters, digits and hyphens/,
  );
});

test("a provider's payout is reconciled with its bank credit, and clearing is zero again", async () => {
  await importRows(providerPayoutRow("p-1", 900, "2026-11-01"), providerPayoutRow("p-2", 70, "2026-11-02"));
  await importStatements({ ...first, entries: [{ minor: 900, text: "payout p-1" }, { minor: 70 }] });
  await importStatements({ id: "S2", day: "2026-11-20", opening: 970, entries: [] });
  assert.deepEqual(await breaks(), []);
  assert.deepEqual(await balances(), { "bank b": 970, "provider receivable w": -970 });
});

test("a movement on one side only is a break once it is overdue, and resolves when the other side has it", async () => {
  await importRows(providerPayoutRow("p-1", 900, "2026-11-01"));
  await importStatements({
    ...first,
    entries: [
      { reference: "B-1", minor: 333 },
      { reference: "B-2", minor: -12 },
    ],
  });
  assert.deepEqual(await breaks(), [], "everything may be told yet");
  await importStatements({ id: "S2", day: "2026-11-03", opening: 321, entries: [] });
  assert.deepEqual(await breaks(), ["only at the bank: B-2"], "a bank tells its charges at once");
  await importStatements({ id: "S3", day: "2026-11-09", opening: 321, entries: [] });
  const all = ["not at the bank: p-1", "only at the bank: B-1", "only at the bank: B-2"];
  assert.deepEqual(await breaks(), all);
  assert.deepEqual(await breaks("2026-11-09"), all, "a run of a day finds the same");
  await importRows(providerPayoutRow("p-0", 333, "2026-10-31"));
  await importStatements({
    id: "S4",
    day: "2026-11-10",
    opening: 321,
    entries: [{ minor: 899, text: "p-1" }],
  });
  assert.deepEqual(await breaks(), ["only at the bank: B-2", "other amount at the bank: p-1"]);
});

test("one of our payouts is paired by its end-to-end id, once", async () => {
  await givenPosted("E2E", "payout paid", ["payout in transit M", "clearing"], 500);
  const paid = { minor: -500, endToEndId: "E2E" };
  await importStatements({
    ...first,
    opening: 2_000,
    entries: [
      { ...paid, reference: "B-1" },
      { ...paid, reference: "B-2" },
    ],
  });
  await importStatements({ id: "S2", day: "2026-11-20", opening: 1_000, entries: [] });
  assert.deepEqual(await breaks(), ["only at the bank: B-2"]);
});

test("a payout is a break while its end-to-end id is booked only in another currency", async () => {
  await givenPosted("E2E", "payout paid", ["payout in transit M", "clearing"], 500);
  const dollars = { ...first, id: "D1", account: "dollars", currency: "USD", opening: 900 };
  await importStatements({ ...dollars, entries: [{ minor: -500, endToEndId: "E2E", reference: "B-1" }] });
  await importStatements({ ...dollars, id: "D2", day: "2026-11-20", opening: 400, entries: [] });
  assert.deepEqual(await breaks(), ["not at the bank: E2E", "only at the bank: B-1"]);
});

test("a missing statement is a gap until it is imported; a balance that differs from the bank's is our own error", async () => {
  await importStatements({ ...first, entries: [{ minor: 900 }] });
  await importStatements({ id: "S3", day: "2026-11-04", opening: 950, entries: [] });
  assert.deepEqual(await breaks(), ["bank balance: b", "statement gap: S3"]);
  assert.deepEqual(await breaks("2026-11-04"), ["statement gap: S3"], "balances are for a whole run");
  await importStatements({ id: "S2", day: "2026-11-03", opening: 900, entries: [{ minor: 50 }] });
  assert.deepEqual(await breaks(), []);
});

test("a reference that is reused on the next day is booked again, and its open breaks are listed separately", async () => {
  const charge = { reference: "REF-7", minor: -50 };
  await importStatements({ ...first, entries: [{ reference: "REF-7", minor: 900 }] });
  assert.equal(
    await importStatements({ id: "S2", day: "2026-11-03", opening: 900, entries: [charge, charge] }),
    "1 2 new",
  );
  await importStatements({ id: "S3", day: "2026-11-04", opening: 800, entries: [charge] });
  assert.deepEqual(await balances(), { "bank b": 750, clearing: -750 });
  await importStatements({ id: "S4", day: "2026-11-20", opening: 750, entries: [] });
  const only = (name: string): string => `only at the bank: ${name}`;
  assert.deepEqual(await breaks(), ["REF-7", "REF-7 (2)", "REF-7 (S2/1)", "REF-7 (S3/1)"].map(only));
});

test("a statement that is imported again from another file, or under another id, is booked once", async () => {
  const statement = { ...first, opening: 100, entries: [{ reference: "B-1", minor: 500 }, { minor: -20 }] };
  assert.equal(await importStatements(statement), "1 2 new");
  const booked = await balances();
  assert.equal(await importStatements({ ...statement, messageId: "sent again" }), "1 2 known");
  assert.equal(await importStatements({ ...statement, id: "S1-copy" }), "1 2 known");
  assert.deepEqual(await balances(), booked);
  const next = { id: "S2", day: "2026-11-03", opening: 580, entries: [{ minor: 5 }] };
  assert.equal(await importStatements(statement, next), "2 3 new", "the repeat next to a new one");
  assert.deepEqual(await balances(), { ...booked, "bank b": 585, clearing: -485 });
});

test("a statement in pages is booked page by page, in any order", async () => {
  const page = (number: number, opening: number, minor: number) => ({
    ...first,
    page: number,
    opening,
    entries: [{ minor }],
  });
  await importStatements(page(1, 0, 100));
  await importStatements(page(3, 300, 50));
  assert.ok((await breaks()).includes("statement gap: S1"));
  await importStatements(page(2, 100, 200));
  assert.equal(await importStatements({ ...page(2, 100, 200), messageId: "sent again" }), "1 1 known");
  assert.deepEqual(await balances(), { "bank b": 350, clearing: -350 });
  assert.deepEqual(await breaks(), []);
});

test("statements of one day with different ids are chained by their balances, in any order", async () => {
  await importStatements({ ...first, entries: [{ minor: 900 }] });
  const part = (id: string, opening: number, minor: number) => ({
    id,
    day: "2026-11-03",
    opening,
    entries: [{ minor }],
  });
  await importStatements(part("S2-2", 950, -400));
  assert.deepEqual(await breaks(), ["bank balance: b", "statement gap: S2-2"]);
  await importStatements(part("S2-1", 900, 50));
  assert.deepEqual(await breaks(), []);
});

const postedAt = async (): Promise<readonly string[]> =>
  (
    await rows<{ effect: string; at: Date }>(
      "select effect, at from ledger_transfers where client_id = $1 order by at, effect",
      house,
    )
  ).map(({ effect, at }) => `${effect} ${at.toISOString()}`);

test("an entry is posted at the bank's booking date, or at the first open moment after a closed month", async () => {
  await importStatements({ id: "S0", day: "2026-10-31", opening: 70, entries: [{ minor: 60 }] });
  assert.deepEqual(await postedAt(), [
    "bank entry 2026-10-30T16:00:00.000Z",
    "bank opening 2026-10-30T16:00:00.000Z",
  ]);
  const bankAt = async (day: string): Promise<bigint | undefined> => {
    const { accounts } = await computeTrialBalance(operator, day);
    const bank = accounts.find(({ account }) => account === "bank b");
    return bank && bank.debitMinor - bank.creditMinor;
  };
  assert.equal(await bankAt("2026-10-31"), 130n);
  await closeMonth(operator, "2026-10", new Date("2026-11-05T00:00:00Z"));
  try {
    // A bank statement of October arrives after the books of October are closed.
    await importStatements({ id: "S0b", day: "2026-10-31", opening: 130, entries: [{ minor: 7 }] });
    assert.equal((await postedAt()).at(-1), "bank entry 2026-10-31T16:00:00.000Z");
    assert.deepEqual([await bankAt("2026-10-31"), await bankAt("2026-11-01")], [130n, 137n]);
    assert.deepEqual(
      (await breaks()).filter((each) => each.startsWith("closed month")),
      [],
    );
  } finally {
    await rows("delete from closed_sums");
    await rows("delete from closed_months");
  }
});

test("a chargeback is compared with the dispute's own debit, whether the provider calls it a chargeback or a refund", async () => {
  for (const name of ["d-1", "d-2", "d-3"]) await givenDebited(name);
  const row = (kind: string, name: string): string => `${kind},order,${name},${paymentId},EUR,500,${day1}`;
  await importRows(
    row("chargeback", "d-1"),
    row("refund", "d-2"),
    row("chargeback", "d-3"),
    row("refund", "d-3"),
    row("chargeback_reversal", "d-1"),
    providerPayoutRow("p", 1, "2026-11-03"),
  );
  assert.deepEqual(await breaks(), ["missing here: d-1", "missing here: d-3"]);
  assert.deepEqual(await breaks("2026-11-01"), ["missing here: d-1", "missing here: d-3"]);
});
