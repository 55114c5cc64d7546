import assert from "node:assert/strict";
import { test } from "node:test";
import { allBuckets, moveBetween, newPayingCell, type PayingCell } from "../../../test/cells/paying-cells.ts";
import { exampleStatements, type ExampleEntry } from "../../../test/examples/example-statement.ts";
import { ibans, ourBank, statusReport } from "../../../test/examples/settled-merchants.ts";
import { writeTestFile } from "../../../test/start/test-gateway.ts";
import { houseBucket } from "../../ledger/house-account.sql.ts";
import type { Operator } from "../../operator-session/as-owner.ts";
import { importBank } from "../../reconciliation/import-bank-statement.workflow.ts";
import { match, reconciliationTable, type Match } from "../../reconciliation/reconcile.workflow.ts";
import { reconcileAllCells } from "./reconcile-cells.ts";
import { importBankReports } from "../../settlement/payouts/import-bank-reports.workflow.ts";
import { closeSettlement } from "../../settlement/close-settlement.workflow.ts";

/**
 * A fleet of two cells with one bank account. The first cell keeps the house account; all merchants are in the
 * second.
 */
interface Fleet {
  readonly house: PayingCell;
  readonly other: PayingCell;
  readonly operators: ReadonlyMap<string, Operator>;
}

async function newFleet(): Promise<Fleet> {
  const house = await newPayingCell("one", [houseBucket]);
  const others = allBuckets.filter((bucket) => bucket !== houseBucket);
  const other = await newPayingCell("two", others);
  return {
    house,
    other,
    operators: new Map([
      ["one", house.operator],
      ["two", other.operator],
    ]),
  };
}

/**
 * Pays EUR 40.00 out to a merchant, and imports the bank's status report about it. Returns the client id and the
 * payout's reference.
 */
async function paidOut(cell: PayingCell): Promise<{ readonly clientId: string; readonly reference: string }> {
  const clientId = await cell.openMerchant();
  await cell.paid(clientId, 4_000n, "2026-10-05T10:00:00Z");
  await closeSettlement(cell.operator, { day: "2026-10-05" });
  const { files } = await cell.payOut();
  const [reference = ""] = await cell.references(clientId);
  const executed = statusReport(files.at(-1)?.fileId ?? "", [{ endToEndId: reference, status: "ACSC" }]);
  await importBankReports(cell.operator, writeTestFile("executed.xml", executed));
  return { clientId, reference };
}

let statements = 0;
async function book({ house }: Fleet, opening: number, ...entries: readonly ExampleEntry[]): Promise<void> {
  statements += 1;
  const today = new Date().toISOString().slice(0, 10);
  const numbered = entries.map((entry, at) => ({ reference: `B-${statements}-${at}`, ...entry }));
  const statement = exampleStatements({
    id: `S-${statements}`,
    day: today,
    account: ibans[1],
    opening,
    entries: numbered,
  });
  await importBank(house.operator, { bank: ourBank, file: writeTestFile("statement.xml", statement) });
}

/** Later than all pending movements. */
const asked = { connector: undefined, until: new Date(Date.now() + 30 * 24 * 3600 * 1000).toISOString() };

const atTheBank = ({ breaks }: Pick<Match, "breaks">): readonly string[] =>
  breaks
    .filter(({ kind }) => kind.includes("at the bank"))
    .map(({ kind, reference }) => `${kind}: ${reference}`);

/** Returns the open breaks with the bank in the cell with the house account. */
async function openAtTheBank({ house }: Fleet): Promise<readonly string[]> {
  const rows = await house.rows<{ text: string }>(
    "select kind || ': ' || reference as text from breaks where resolved_at is null and kind like '%at the bank' order by 1",
  );
  return rows.map(({ text }) => text);
}

test("another cell's payout that the bank has booked is not a break, and clearing is zero over the fleet", async () => {
  const fleet = await newFleet();
  const { house, other } = fleet;
  const { reference } = await paidOut(other);
  await book(fleet, 10_000, { minor: -4_000, endToEndId: reference });
  await reconcileAllCells(fleet, asked);
  assert.deepEqual(await openAtTheBank(fleet), []);
  assert.equal((await house.balance("clearing")) + (await other.balance("clearing")), 0n);
});

test("another cell's payout that the bank has not booked is a break in the cell with the house account, and resolves when it is booked", async () => {
  const fleet = await newFleet();
  const { reference } = await paidOut(fleet.other);
  await book(fleet, 10_000, { minor: 500, endToEndId: "NOT-OURS" });
  const missing = `not at the bank: ${reference}`;
  const strange = "only at the bank: B-2-0";
  await reconcileAllCells(fleet, asked);
  assert.deepEqual(await openAtTheBank(fleet), [missing, strange]);
  // A reconciliation of one cell does not compare payouts of the other cell with the bank, so it does not resolve this
  // break.
  await match(fleet.house.operator, asked);
  assert.deepEqual(await openAtTheBank(fleet), [missing, strange]);
  await book(fleet, 10_500, { minor: -4_000, endToEndId: reference });
  await reconcileAllCells(fleet, asked);
  assert.deepEqual(await openAtTheBank(fleet), [strange]);
});

test("a run of one cell reports the parts that it does not compare, and no false breaks", async () => {
  const fleet = await newFleet();
  const { reference } = await paidOut(fleet.other);
  await book(fleet, 10_000, { minor: -4_000, endToEndId: reference }, { minor: -100, endToEndId: "CHARGE" });
  const house = await match(fleet.house.operator, asked);
  assert.deepEqual(atTheBank(house), [`only at the bank: B-${statements}-1`]);
  assert.deepEqual(house.notCompared, { hasHouse: true, ownPayoutCount: 0, otherBankEntryCount: 1 });
  assert.match(reconciliationTable(house), /1 bank entries of other cells.* not compared.*match --all-cells/);
  const other = await match(fleet.other.operator, asked);
  assert.deepEqual(other.notCompared, { hasHouse: false, ownPayoutCount: 1, otherBankEntryCount: 0 });
  assert.match(reconciliationTable(other), /1 payouts of this cell.* not compared.*match --all-cells/);
});

test("a payout of a merchant that moved from the cell with the house account is compared once", async () => {
  const fleet = await newFleet();
  const { house, other } = fleet;
  const { clientId, reference } = await paidOut(house);
  assert.equal((await moveBetween(clientId, house, other)).outcome, "moved");
  await book(fleet, 10_000, { minor: -4_000, endToEndId: reference });
  const alone = await match(house.operator, asked);
  assert.deepEqual(atTheBank(alone), []);
  assert.deepEqual(alone.notCompared, { hasHouse: true, ownPayoutCount: 0, otherBankEntryCount: 1 });
  await reconcileAllCells(fleet, asked);
  assert.deepEqual(await openAtTheBank(fleet), []);
});

test("an installation without other cells compares everything", async () => {
  const house = await newPayingCell("one");
  const { reference } = await paidOut(house);
  await book({ house, other: house, operators: new Map() }, 10_000, { minor: -100, endToEndId: "CHARGE" });
  const matched = await match(house.operator, asked);
  assert.deepEqual(atTheBank(matched).toSorted(), [
    `not at the bank: ${reference}`,
    `only at the bank: B-${statements}-0`,
  ]);
  assert.equal(matched.notCompared, undefined);
});
