import assert from "node:assert/strict";
import { test } from "node:test";
import { archivePayments } from "../../src/archive/archive.workflow.ts";
import { findPayoutHolds, holdPayouts } from "../../src/settlement/payouts/hold-payouts.workflow.ts";
import { findStuckRecords } from "../../src/operators/payments/stuck-records.ts";
import { newMerchant } from "../start/test-gateway.ts";
import { insertSales } from "./insert-sales.ts";
import { moveBetween, newPayingCell } from "./paying-cells.ts";

/** One merchant moved with an open payment and a payout hold, and its rows remain in the old cell as copies. */
const [oldCell, newCell] = [await newPayingCell("one"), await newPayingCell("two", [])];
const { clientId } = await newMerchant(oldCell.database);
await insertSales(oldCell.database, clientId, 1);
await oldCell.rows(
  `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency, amount_minor,
     connector, provider_reference, order_description, created_at)
   select bucket, left(payment_id, 34) || '9', client_id, 'open', product_code, 'PROCESSING', 'PAYMENT_IN_PROCESS', currency, amount_minor,
     connector, 'open', order_description, created_at from payments`,
);
await holdPayouts({ ...oldCell.operator, by: { name: "ada", reason: "Suspected fraud" } }, clientId);
assert.equal((await moveBetween(clientId, oldCell, newCell)).outcome, "moved");

test("`archive` of the old cell skips a merchant that moved, and the new cell archives its payments", async () => {
  const archiving = { before: "2026-04", batchSize: 10, now: new Date("2028-06-01T00:00:00Z") };
  assert.deepEqual(await archivePayments(oldCell.operator, archiving), []);
  assert.partialDeepStrictEqual(await archivePayments(newCell.operator, archiving), [{ openCount: 1 }]);
});

test("`stuck --whole` of the old cell leaves an open payment to the new cell", async () => {
  const stuckIn = async (url: string): Promise<number> =>
    (await findStuckRecords(url, "sandbox", true)).records.length;
  assert.deepEqual(
    [await stuckIn(oldCell.database.ownerUrl), await stuckIn(newCell.database.ownerUrl)],
    [0, 1],
  );
});

test("`payout hold list` of the old cell leaves the hold to the new cell", async () => {
  const heldIn = async (cell: typeof oldCell): Promise<readonly string[]> =>
    (await findPayoutHolds(cell.operator)).map((hold) => hold.clientId);
  assert.deepEqual([await heldIn(oldCell), await heldIn(newCell)], [[], [clientId]]);
});
