import assert from "node:assert/strict";
import { test } from "node:test";
import { archivePayments } from "../../src/archive/archive.workflow.ts";
import { findPayoutHolds, holdPayouts } from "../../src/settlement/payouts/hold-payouts.workflow.ts";
import { showStuck } from "../../src/operators/payments/stuck.ts";
import { newMerchant } from "../start/test-gateway.ts";
import { givenSales } from "./given-sales.ts";
import { moveBetween, newPayingCell } from "./paying-cells.ts";

/** One merchant moved with an open payment and a payout hold, and its rows remain in the old cell as copies. */
const [one, two] = [await newPayingCell("one"), await newPayingCell("two", [])];
const { clientId } = await newMerchant(one.database);
await givenSales(one.database, clientId, 1);
await one.rows(
  `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency, amount_minor,
     connector, provider_reference, order_description, created_at)
   select bucket, left(payment_id, 34) || '9', client_id, 'open', product_code, 'PROCESSING', 'PAYMENT_IN_PROCESS', currency, amount_minor,
     connector, 'open', order_description, created_at from payments`,
);
await holdPayouts({ ...one.operator, by: { name: "ada", reason: "Suspected fraud" } }, clientId);
assert.equal((await moveBetween(clientId, one, two)).outcome, "moved");

test("`archive` of the old cell skips a merchant that moved, and the new cell archives its payments", async () => {
  const archiving = { before: "2026-04", batchSize: 10, now: new Date("2028-06-01T00:00:00Z") };
  assert.deepEqual(await archivePayments(one.operator, archiving), []);
  assert.partialDeepStrictEqual(await archivePayments(two.operator, archiving), [{ openCount: 1 }]);
});

test("`stuck --whole` of the old cell leaves an open payment to the new cell", async () => {
  const stuckIn = async (url: string): Promise<number> =>
    (await showStuck(url, "sandbox", true)).records.length;
  assert.deepEqual([await stuckIn(one.database.ownerUrl), await stuckIn(two.database.ownerUrl)], [0, 1]);
});

test("`payout hold list` of the old cell leaves the hold to the new cell", async () => {
  const heldIn = async (cell: typeof one): Promise<readonly string[]> =>
    (await findPayoutHolds(cell.operator)).map((hold) => hold.clientId);
  assert.deepEqual([await heldIn(one), await heldIn(two)], [[], [clientId]]);
});
