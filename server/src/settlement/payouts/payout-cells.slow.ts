import assert from "node:assert/strict";
import { test } from "node:test";
import { moveBetween, newPayingCell, type PayingCell } from "../../../test/cells/paying-cells.ts";
import { bankReport, ourBank, statusReport } from "../../../test/examples/settlement-fixture.ts";
import { writeTestFile } from "../../../test/start/test-gateway.ts";
import { bucketOf } from "../../core/bucket.ts";
import { payoutIdOf } from "./payout-id.ts";
import { importBankReports } from "./import-bank-reports.workflow.ts";
import { importBankReportsInAllCells } from "../../operators/settlement/payout-import-cells.ts";
import { planPayouts } from "./run-payouts.workflow.ts";
import { checkSettlement, closedBatchTable, closeSettlement } from "../close-settlement.workflow.ts";

/** Opens two merchants in a cell, sorted by id, so that the merchant that moves is first in each list. */
async function openTwo(cell: PayingCell): Promise<readonly [string, string]> {
  const [moves = "", stays = ""] = [await cell.openMerchant(), await cell.openMerchant()].toSorted();
  return [moves, stays];
}

const day = "2026-10-05";
const sold = `${day}T10:00:00Z`;

test("after a move the old cell closes and pays the remaining merchants, and the new cell pays the moved one", async () => {
  const [one, two] = [await newPayingCell("one"), await newPayingCell("two", [])];
  const [moves, stays] = await openTwo(one);
  // This batch is due and unpaid when its merchant moves.
  await one.postPayment(moves, 1_000n, "2026-10-01T10:00:00Z");
  await closeSettlement(one.operator, { day: "2026-10-01" });
  assert.equal((await moveBetween(moves, one, two)).outcome, "moved");
  await one.postPayment(stays, 4_000n, sold);

  const { closed } = await closeSettlement(one.operator, { day });
  assert.deepEqual(
    closed.map(({ clientId }) => clientId),
    [stays],
  );
  const plan = await planPayouts(one.operator, { bank: ourBank });
  assert.deepEqual(
    plan.payouts.map(({ clientId }) => clientId),
    [stays],
  );
  await one.payOut();
  await two.payOut();
  assert.deepEqual(
    [await one.payoutStatus(stays), await one.payoutStatus(moves), await two.payoutStatus(moves)],
    ["SENT", undefined, "SENT"],
  );
});

test("a merchant whose move begins while the day is closed is skipped and listed, and the others are closed", async () => {
  const one = await newPayingCell("one");
  const [first, second, third] = [
    await one.openMerchant(),
    await one.openMerchant(),
    await one.openMerchant(),
  ].toSorted();
  assert.ok(first && second && third);
  for (const clientId of [first, second, third]) await one.postPayment(clientId, 4_000n, sold);
  // A trigger starts the second merchant's move when the first merchant's batch is closed.
  await one.rows(`create function begin_move() returns trigger language plpgsql security definer as $$ begin
    insert into client_homes (bucket, client, state, epoch, cell) values (${bucketOf(second)}, '${second}', 'leaving', 1, 'two')
    on conflict do nothing; return null; end $$`);
  await one.rows(
    "create trigger begins_move after insert on settlement_batches for each row execute function begin_move()",
  );
  const closed = await closeSettlement(one.operator, { day });
  assert.deepEqual(
    closed.closed.map(({ clientId }) => clientId),
    [first, third],
  );
  assert.deepEqual(closed.beingMoved, [second]);
  assert.match(closedBatchTable(closed), new RegExp(`${second} is being moved`));
});

test("`settlement check` leaves a moved merchant's movements to its new cell", async () => {
  const [one, two] = [await newPayingCell("one"), await newPayingCell("two", [])];
  const clientId = await one.openMerchant();
  await one.rows("delete from settlement_terms where client_id = $1", clientId);
  await one.postPayment(clientId, 4_000n, sold);
  await moveBetween(clientId, one, two);
  assert.deepEqual(await checkSettlement(one.operator), []);
  assert.deepEqual(
    (await checkSettlement(two.operator)).map((found) => found.clientId),
    [clientId],
  );
});

/**
 * Two merchants of the first cell with EUR 40.00 each in one file that the bank has; then one moves to the second
 * cell.
 */
async function movedAfterFile(): Promise<{
  readonly cells: readonly [PayingCell, PayingCell];
  readonly moves: string;
  readonly stays: string;
  readonly references: readonly string[];
  readonly fileId: string;
}> {
  const cells = [await newPayingCell("one"), await newPayingCell("two", [])] as const;
  const [one, two] = cells;
  const [moves, stays] = await openTwo(one);
  for (const clientId of [moves, stays]) await one.postPayment(clientId, 4_000n, sold);
  await closeSettlement(one.operator, { day });
  const { files } = await one.payOut();
  const references = [...(await one.references(moves)), ...(await one.references(stays))];
  assert.equal(references.length, 2);
  assert.equal((await moveBetween(moves, one, two)).outcome, "moved");
  return { cells, moves, stays, references, fileId: files[0]?.fileId ?? "" };
}

const booked = (references: readonly string[]): string =>
  bankReport(references.map((endToEndId) => ({ endToEndId, amount: "40.00", isCredit: false })));
const executed = (fileId: string, references: readonly string[]): string =>
  statusReport(
    fileId,
    references.map((endToEndId) => ({ endToEndId, status: "ACSC" })),
  );

const answers = {
  "a status report per payout (pain.002)": executed,
  "a status report about the whole file (pain.002)": (fileId: string) => statusReport(fileId, [], "ACSC"),
  "a debit notification (camt.054)": (_fileId: string, references: readonly string[]) => booked(references),
  "a statement (camt.053)": (_fileId: string, references: readonly string[]) =>
    booked(references)
      .replaceAll("BkToCstmrDbtCdtNtfctn", "BkToCstmrStmt")
      .replaceAll("Ntfctn>", "Stmt>")
      .replace("camt.054", "camt.053"),
} as const satisfies Record<string, (fileId: string, references: readonly string[]) => string>;

for (const [kind, write] of Object.entries(answers))
  test(`${kind} about a file with a moved merchant is imported by each cell for its own payouts`, async () => {
    const { cells, moves, stays, references, fileId } = await movedAfterFile();
    const reportFile = writeTestFile("answer.xml", write(fileId, references));
    const [one, two] = cells;
    // The new cell does not know the other payouts of the file, so it counts these payouts only if the report names
    // them.
    const namesPayouts = write(fileId, references).includes(references[0] ?? "");
    const imported = await importBankReports(one.operator, reportFile);
    assert.partialDeepStrictEqual(imported, { paidCount: 1, otherCellCount: 1 });
    const there = await importBankReports(two.operator, reportFile);
    assert.partialDeepStrictEqual(there, { paidCount: 1, otherCellCount: namesPayouts ? 1 : 0 });
    assert.deepEqual([await one.payoutStatus(stays), await two.payoutStatus(moves)], ["PAID", "PAID"]);
    // After the move, the old cell's copy of the payout no longer changes.
    assert.equal(await one.payoutStatus(moves), "SENT");
    const repeated = await importBankReports(two.operator, reportFile);
    assert.partialDeepStrictEqual(repeated, { paidCount: 0, knownCount: 1 });
  });

const half = (first: number): readonly number[] => Array.from({ length: 512 }, (_, at) => first + at);

/** Opens a cell with one merchant whose payout of EUR 40.00 the bank has. */
async function cellWithPayout(
  name: string,
  buckets: readonly number[],
): Promise<{
  readonly cell: PayingCell;
  readonly clientId: string;
  readonly reference: string;
  readonly fileId: string;
}> {
  const cell = await newPayingCell(name, buckets);
  const clientId = await cell.openMerchant();
  await cell.postPayment(clientId, 4_000n, sold);
  await closeSettlement(cell.operator, { day });
  const { files } = await cell.payOut();
  const [reference = ""] = await cell.references(clientId);
  return { cell, clientId, reference, fileId: files[0]?.fileId ?? "" };
}

test("two cells with one bank account each import their own payouts of the bank's day", async () => {
  const bothPayouts = [await cellWithPayout("one", half(0)), await cellWithPayout("two", half(512))];
  const reportFile = writeTestFile("day.xml", booked(bothPayouts.map(({ reference }) => reference)));
  for (const { cell, clientId } of bothPayouts) {
    assert.partialDeepStrictEqual(await importBankReports(cell.operator, reportFile), {
      paidCount: 1,
      otherCellCount: 1,
      foreignCount: 0,
    });
    assert.equal(await cell.payoutStatus(clientId), "PAID");
  }
});

test("the cell that owns a bucket rejects a bank report about an unknown payout in it", async () => {
  const { cell, clientId, reference, fileId } = await cellWithPayout("one", half(0));
  const invented = { currency: "EUR", toDay: "2020-01-01", attempt: 1 };
  const ownPayoutId = payoutIdOf({ ...invented, clientId });
  const otherCellPayoutId = ownPayoutId.replace(/^(\d{17})\d{4}/, "$11000");
  const writeReport = (unknown = ""): string =>
    writeTestFile("answer.xml", executed(fileId, [reference, unknown]));
  const isUnknown = /names payouts or files that were never sent/;
  await assert.rejects(importBankReports(cell.operator, writeReport(ownPayoutId)), isUnknown);
  await assert.rejects(importBankReports(cell.operator, writeReport("INVENTED")), isUnknown);
  assert.equal(await cell.payoutStatus(clientId), "SENT");
  // The reference is in a bucket of another cell, so one cell alone cannot reject it. If all cells are queried, no cell
  // knows the reference.
  const { operator } = cell;
  const two = await newPayingCell("two", half(512));
  const fleet = new Map([
    ["one", operator],
    ["two", two.operator],
  ]);
  await assert.rejects(importBankReportsInAllCells(fleet, writeReport(otherCellPayoutId)), isUnknown);
  assert.equal(await cell.payoutStatus(clientId), "SENT");
  const imported = await importBankReportsInAllCells(fleet, writeReport(reference));
  assert.partialDeepStrictEqual(imported.get("one"), { paidCount: 1, otherCellCount: 0 });
  assert.partialDeepStrictEqual(imported.get("two"), { paidCount: 0, otherCellCount: 1 });
});

test("the owner of a bucket skips a payout of a merchant that moved before it was paid", async () => {
  const [one, two] = [await newPayingCell("one"), await newPayingCell("two", [])];
  const [moves, stays] = await openTwo(one);
  await moveBetween(moves, one, two);
  for (const [cell, clientId] of [
    [one, stays],
    [two, moves],
  ] as const) {
    await cell.postPayment(clientId, 4_000n, sold);
    await closeSettlement(cell.operator, { day });
    await cell.payOut();
  }
  const references = [...(await one.references(stays)), ...(await two.references(moves))];
  const reportFile = writeTestFile("day.xml", booked(references));
  for (const { operator } of [one, two])
    assert.partialDeepStrictEqual(await importBankReports(operator, reportFile), {
      paidCount: 1,
      otherCellCount: 1,
    });
});

test("a bank report is rejected while one of its merchants is being moved", async () => {
  const { cell, clientId, reference } = await cellWithPayout("one", half(0));
  await cell.rows(
    "insert into client_homes (bucket, client, state, epoch, cell) values ($1, $2, 'leaving', 1, 'two')",
    bucketOf(clientId),
    clientId,
  );
  const reportFile = writeTestFile("day.xml", booked([reference]));
  await assert.rejects(
    importBankReports(cell.operator, reportFile),
    /being moved to another cell.*Import the file again/,
  );
});

/** Crash points of a payout run at which the bank does not have the payouts yet. */
const unfinished = ["after-release-commit", "after-payout-commit", "after-file-renamed"] as const;

for (const point of unfinished)
  test(`a merchant is not moved while a payout run is interrupted ${point}, and is moved after the run finished`, async () => {
    const [one, two] = [await newPayingCell("one"), await newPayingCell("two", [])];
    const [moves, stays] = await openTwo(one);
    for (const clientId of [moves, stays]) await one.postPayment(clientId, 4_000n, sold);
    await closeSettlement(one.operator, { day });
    const stop = one.payOut((at) => {
      if (at === point) throw new Error("stopped");
    });
    await assert.rejects(stop, /stopped/);
    await assert.rejects(moveBetween(moves, one, two), /payout .*not handed over.*payout run/);
    await one.payOut();
    assert.deepEqual([await one.payoutStatus(stays), await one.payoutStatus(moves)], ["SENT", "SENT"]);
    assert.equal((await moveBetween(moves, one, two)).outcome, "moved");
    assert.equal(await two.payoutStatus(moves), "SENT");
  });

test("a merchant that moves after its payout was planned is left out of the file, and its new cell pays it", async () => {
  const [one, two] = [await newPayingCell("one"), await newPayingCell("two", [])];
  const [moves, stays] = await openTwo(one);
  for (const clientId of [moves, stays]) await one.postPayment(clientId, 4_000n, sold);
  await closeSettlement(one.operator, { day });
  const stop = one.payOut((at) => {
    if (at === "after-file-commit") throw new Error("stopped");
  });
  await assert.rejects(stop, /stopped/);
  assert.equal((await moveBetween(moves, one, two)).outcome, "moved");
  for (const [cell, clientId] of [
    [one, stays],
    [two, moves],
  ] as const) {
    const { claimed, files } = await cell.payOut();
    assert.deepEqual(
      claimed.map((each) => each.clientId),
      [clientId],
    );
    assert.deepEqual(
      files.map(({ sum }) => sum),
      ["EUR 40.00"],
    );
  }
});

test("a payout that is claimed while its merchant's rows are copied stops the move, and the merchant stays", async () => {
  const [one, two] = [await newPayingCell("one"), await newPayingCell("two", [])];
  const clientId = await one.openMerchant();
  await one.postPayment(clientId, 4_000n, sold);
  await closeSettlement(one.operator, { day });
  const stop = (at: string): void => {
    if (at === "after-payout-commit") throw new Error("stopped");
  };
  let run: Promise<unknown> | undefined;
  const move = moveBetween(clientId, one, two, async (step) => {
    if (step !== "fence") return;
    run = one.payOut(stop).catch(String);
    await run;
  });
  await assert.rejects(move, /payout .*not handed over/);
  assert.equal(await run, "Error: stopped");
  await one.payOut();
  assert.equal(await one.payoutStatus(clientId), "SENT");
});
