import assert from "node:assert/strict";
import { test } from "node:test";
import { findBreaks, writeOffBreak } from "./breaks.workflow.ts";
import { day1, openBankFixture, paymentId, providerPayoutRow } from "../../test/examples/bank-fixture.ts";

const bankLedger = await openBankFixture();
const { operator, rows, importStatements, importRows, balances, givenPosted, givenDebited, breaks } =
  bankLedger;
const first = { id: "S1", day: "2026-11-02", opening: 0 } as const;

async function writeOff(kind: string, reference: string): Promise<void> {
  const found = (await findBreaks(operator, 100)).find(
    (each) => each.kind === kind && each.reference === reference,
  );
  assert.ok(found, `${kind}: ${reference}`);
  await writeOffBreak(operator, found.breakId, { by: "ada", reason: "given up" });
}

test("a provider's payout that was written off and is booked later is a break until the write-off is reversed", async () => {
  await importRows(providerPayoutRow("p-1", 900, "2026-11-01"));
  await importStatements({ ...first, entries: [] });
  await importStatements({ id: "S2", day: "2026-11-09", opening: 0, entries: [] });
  assert.deepEqual(await breaks(), ["not at the bank: p-1"]);
  await writeOff("not at the bank", "p-1");
  assert.deepEqual(await breaks(), []);
  const late = { id: "S3", day: "2026-11-10", opening: 0, entries: [{ minor: 900, text: "p-1" }] };
  await importStatements(late);
  for (const run of ["the first run", "the next run"])
    assert.deepEqual(await breaks(), ["written off, then booked by bank or provider: p-1"], run);
  assert.deepEqual(
    await breaks("2026-11-10"),
    ["written off, then booked by bank or provider: p-1"],
    "a run of a day",
  );
  await writeOff("written off, then booked by bank or provider", "p-1");
  assert.deepEqual(await balances(), { "bank b": 900, "provider receivable w": -900 });
  assert.deepEqual(await breaks(), []);
  assert.deepEqual(await findBreaks(operator, 100), [], "it is resolved");
});

test("one of our payouts that was written off and is booked later is a break, and reversing the write-off empties clearing", async () => {
  await givenPosted("E2E", "payout paid", ["payout in transit M", "clearing"], 500);
  await importStatements({ ...first, opening: 900, entries: [] });
  await importStatements({ id: "S2", day: "2026-11-20", opening: 900, entries: [] });
  assert.deepEqual(await breaks(), ["not at the bank: E2E"]);
  await writeOff("not at the bank", "E2E");
  const debit = { minor: -500, endToEndId: "E2E" };
  await importStatements({ id: "S3", day: "2026-11-21", opening: 900, entries: [debit] });
  assert.deepEqual(await breaks(), ["written off, then booked by bank or provider: E2E"]);
  await writeOff("written off, then booked by bank or provider", "E2E");
  assert.deepEqual([await breaks(), (await balances())["clearing"]], [[], undefined]);
});

test("a written-off payout that is booked with another amount leaves both to people", async () => {
  await importRows(providerPayoutRow("p-1", 900, "2026-11-01"));
  await importStatements({ ...first, entries: [] });
  await importStatements({ id: "S2", day: "2026-11-09", opening: 0, entries: [] });
  await breaks();
  await writeOff("not at the bank", "p-1");
  await importStatements({ id: "S3", day: "2026-11-10", opening: 0, entries: [{ minor: 899, text: "p-1" }] });
  assert.deepEqual(await breaks(), [
    "other amount at the bank: p-1",
    "written off, then booked by bank or provider: p-1",
  ]);
  await writeOff("written off, then booked by bank or provider", "p-1");
  await writeOff("other amount at the bank", "p-1");
  assert.deepEqual(await breaks(), []);
  assert.deepEqual((await balances())["clearing"], undefined);
});

test("a written-off chargeback in a later file of the provider is a break until the write-off is reversed", async () => {
  await givenDebited("d-7");
  const row = `chargeback,order,d-7,${paymentId},EUR,500,${day1}`;
  await importRows(providerPayoutRow("p", 1, "2026-11-03"));
  assert.ok((await breaks()).includes("missing at the provider: d-7"));
  await writeOff("missing at the provider", "d-7");
  const owed = (await balances())["provider receivable w"];
  await importRows(row);
  assert.ok((await breaks()).includes("written off, then booked by bank or provider: d-7"));
  await writeOff("written off, then booked by bank or provider", "d-7");
  assert.equal((await balances())["provider receivable w"], Number(owed) - 500);
  assert.ok(!(await breaks()).some((each) => each.includes("d-7")));
  await rows("delete from disputes");
});

test("money in clearing without an open item is a break", async () => {
  await importRows(providerPayoutRow("p-1", 900, "2026-11-01"));
  await importStatements({ ...first, entries: [{ minor: 900, text: "p-1" }] });
  assert.deepEqual(await breaks(), []);
  await givenPosted("by hand", "write-off", ["clearing", "adjustment"], 12);
  assert.deepEqual(await breaks(), ["clearing balance: clearing"]);
});
