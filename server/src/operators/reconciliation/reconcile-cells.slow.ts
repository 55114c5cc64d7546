import assert from "node:assert/strict";
import { test } from "node:test";
import { allBuckets, moveBetween, newPayingCell, type PayingCell } from "../../../test/cells/paying-cells.ts";
import { exampleStatements, type ExampleEntry } from "../../../test/examples/example-statement.ts";
import { ibans, ourBank, statusReport } from "../../../test/examples/settlement-fixture.ts";
import { writeTestFile } from "../../../test/start/test-gateway.ts";
import { houseBucket } from "../../ledger/house-account.sql.ts";
import type { Operator } from "../../operator-session/owner-session.ts";
import { importBankStatements } from "../../reconciliation/import-bank-statement.workflow.ts";
import {
  reconcile,
  reconciliationTable,
  type ReconciliationResult,
} from "../../reconciliation/reconcile.workflow.ts";
import { reconcileAllCells } from "./reconcile-cells.ts";
import { importBankReports } from "../../settlement/payouts/import-bank-reports.workflow.ts";
import { closeSettlement } from "../../settlement/close-settlement.workflow.ts";

/**
 * A fleet of two cells with one bank account. The first cell keeps the house account; all merchants are in the
 * second.
 */
interface Fleet {
  readonly houseCell: PayingCell;
  readonly otherCell: PayingCell;
  readonly operators: ReadonlyMap<string, Operator>;
}

async function newFleet(): Promise<Fleet> {
  const houseCell = await newPayingCell("one", [houseBucket]);
  const otherBuckets = allBuckets.filter((bucket) => bucket !== houseBucket);
  const otherCell = await newPayingCell("two", otherBuckets);
  return {
    houseCell,
    otherCell,
    operators: new Map([
      ["one", houseCell.operator],
      ["two", otherCell.operator],
    ]),
  };
}

/**
 * Pays EUR 40.00 out to a merchant, and imports the bank's status report about it. Returns the client id and the
 * payout's reference.
 */
async function payOut(cell: PayingCell): Promise<{ readonly clientId: string; readonly reference: string }> {
  const clientId = await cell.openMerchant();
  await cell.postPayment(clientId, 4_000n, "2026-10-05T10:00:00Z");
  await closeSettlement(cell.operator, { day: "2026-10-05" });
  const { files } = await cell.payOut();
  const [reference = ""] = await cell.references(clientId);
  const executed = statusReport(files.at(-1)?.fileId ?? "", [{ endToEndId: reference, status: "ACSC" }]);
  await importBankReports(cell.operator, writeTestFile("executed.xml", executed));
  return { clientId, reference };
}

let statements = 0;
async function importEntries(
  { houseCell }: Fleet,
  opening: number,
  ...entries: readonly ExampleEntry[]
): Promise<void> {
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
  await importBankStatements(houseCell.operator, {
    bank: ourBank,
    file: writeTestFile("statement.xml", statement),
  });
}

/** Later than all pending movements. */
const request = { connector: undefined, until: new Date(Date.now() + 30 * 24 * 3600 * 1000).toISOString() };

const bankBreaksOf = ({ breaks }: Pick<ReconciliationResult, "breaks">): readonly string[] =>
  breaks
    .filter(({ kind }) => kind.includes("at the bank"))
    .map(({ kind, reference }) => `${kind}: ${reference}`);

/** Returns the open breaks with the bank in the cell with the house account. */
async function listOpenBankBreaks({ houseCell }: Fleet): Promise<readonly string[]> {
  const rows = await houseCell.rows<{ text: string }>(
    "select kind || ': ' || reference as text from breaks where resolved_at is null and kind like '%at the bank' order by 1",
  );
  return rows.map(({ text }) => text);
}

test("another cell's payout that the bank has booked is not a break, and clearing is zero over the fleet", async () => {
  const fleet = await newFleet();
  const { houseCell, otherCell } = fleet;
  const { reference } = await payOut(otherCell);
  await importEntries(fleet, 10_000, { minor: -4_000, endToEndId: reference });
  await reconcileAllCells(fleet, request);
  assert.deepEqual(await listOpenBankBreaks(fleet), []);
  assert.equal((await houseCell.balance("clearing")) + (await otherCell.balance("clearing")), 0n);
});

test("another cell's payout that the bank has not booked is a break in the cell with the house account, and resolves when it is booked", async () => {
  const fleet = await newFleet();
  const { reference } = await payOut(fleet.otherCell);
  await importEntries(fleet, 10_000, { minor: 500, endToEndId: "NOT-OURS" });
  const missing = `not at the bank: ${reference}`;
  const strange = "only at the bank: B-2-0";
  await reconcileAllCells(fleet, request);
  assert.deepEqual(await listOpenBankBreaks(fleet), [missing, strange]);
  // A reconciliation of one cell does not compare payouts of the other cell with the bank, so it does not resolve this
  // break.
  await reconcile(fleet.houseCell.operator, request);
  assert.deepEqual(await listOpenBankBreaks(fleet), [missing, strange]);
  await importEntries(fleet, 10_500, { minor: -4_000, endToEndId: reference });
  await reconcileAllCells(fleet, request);
  assert.deepEqual(await listOpenBankBreaks(fleet), [strange]);
});

test("a run of one cell reports the parts that it does not compare, and no false breaks", async () => {
  const fleet = await newFleet();
  const { reference } = await payOut(fleet.otherCell);
  await importEntries(
    fleet,
    10_000,
    { minor: -4_000, endToEndId: reference },
    { minor: -100, endToEndId: "CHARGE" },
  );
  const house = await reconcile(fleet.houseCell.operator, request);
  assert.deepEqual(bankBreaksOf(house), [`only at the bank: B-${statements}-1`]);
  assert.deepEqual(house.notCompared, { hasHouse: true, ownPayoutCount: 0, otherBankEntryCount: 1 });
  assert.match(
    reconciliationTable(house),
    /1 bank entries of other cells.* not compared.*reconcile --all-cells/,
  );
  const other = await reconcile(fleet.otherCell.operator, request);
  assert.deepEqual(other.notCompared, { hasHouse: false, ownPayoutCount: 1, otherBankEntryCount: 0 });
  assert.match(reconciliationTable(other), /1 payouts of this cell.* not compared.*reconcile --all-cells/);
});

test("a payout of a merchant that moved from the cell with the house account is compared once", async () => {
  const fleet = await newFleet();
  const { houseCell, otherCell } = fleet;
  const { clientId, reference } = await payOut(houseCell);
  assert.equal((await moveBetween(clientId, houseCell, otherCell)).outcome, "moved");
  await importEntries(fleet, 10_000, { minor: -4_000, endToEndId: reference });
  const alone = await reconcile(houseCell.operator, request);
  assert.deepEqual(bankBreaksOf(alone), []);
  assert.deepEqual(alone.notCompared, { hasHouse: true, ownPayoutCount: 0, otherBankEntryCount: 1 });
  await reconcileAllCells(fleet, request);
  assert.deepEqual(await listOpenBankBreaks(fleet), []);
});

test("an installation without other cells compares everything", async () => {
  const house = await newPayingCell("one");
  const { reference } = await payOut(house);
  await importEntries({ houseCell: house, otherCell: house, operators: new Map() }, 10_000, {
    minor: -100,
    endToEndId: "CHARGE",
  });
  const reconciliation = await reconcile(house.operator, request);
  assert.deepEqual(bankBreaksOf(reconciliation).toSorted(), [
    `not at the bank: ${reference}`,
    `only at the bank: B-${statements}-0`,
  ]);
  assert.equal(reconciliation.notCompared, undefined);
});
