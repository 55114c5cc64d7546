import assert from "node:assert/strict";
import { test } from "node:test";
import { moveBetween, newPayingCell, type PayingCell } from "../../test/cells/paying-cells.ts";
import { closeSettlement } from "./settlement-close.ts";
import { planPayouts } from "./payout-run.ts";
import { ourBank } from "../../test/examples/settled-merchants.ts";

/** Two merchants of a cell, in the order of their ids: the one that moves comes first in every list. */
async function openTwo(cell: PayingCell): Promise<readonly [string, string]> {
  const [moves = "", stays = ""] = [await cell.openMerchant(), await cell.openMerchant()].toSorted();
  return [moves, stays];
}

const day = "2026-10-05";
const sold = `${day}T10:00:00Z`;

test("after a move the old cell closes and pays the merchants that stayed, and the new cell pays the one that moved", async () => {
  const [one, two] = [await newPayingCell("one"), await newPayingCell("two", [])];
  const [moves, stays] = await openTwo(one);
  // This batch is due and not paid when its merchant moves.
  await one.paid(moves, 1_000n, "2026-10-01T10:00:00Z");
  await closeSettlement(one.operator, { day: "2026-10-01" });
  assert.equal((await moveBetween(moves, one, two)).outcome, "moved");
  await one.paid(stays, 4_000n, sold);

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

test("`settlement check` leaves movements of a merchant that moved to its new cell", async () => {
  const [one, two] = [await newPayingCell("one"), await newPayingCell("two", [])];
  const clientId = await one.openMerchant();
  await one.rows("delete from settlement_terms where client_id = $1", clientId);
  await one.paid(clientId, 4_000n, sold);
  await moveBetween(clientId, one, two);
  const { checkSettlement } = await import("./settlement-close.ts");
  assert.deepEqual(await checkSettlement(one.operator), []);
  assert.deepEqual(
    (await checkSettlement(two.operator)).map((found) => found.clientId),
    [clientId],
  );
});
