import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { unmovedTables } from "../../src/cells/unmoved-tables.ts";
import { withHome } from "../../src/cells/directory.ts";
import { setFeeRule } from "../../src/operators/ledger/fee-rules.ts";
import { type MerchantMoveResult, moveMerchant } from "../../src/moves/move-merchant.workflow.ts";
import { openMoveConnection } from "../../src/moves/move-connection.workflow.ts";
import { listMovedTables } from "../../src/moves/move-rows.workflow.ts";
import { flatRateTerms } from "../../src/ledger/fee.ts";
import { asSuperuser } from "../start/test-database.ts";
import { call, inquiryPath, pathOf, type TestMerchant } from "../start/test-gateway.ts";
import { runKilledMover } from "./run-crash-victim.ts";
import { newMerchantIn, startTestFleet, type TestCell } from "./test-fleet.ts";

const fleet = await startTestFleet();
const [a, b] = fleet.cells;

/** A shop that cancels orders that do not exist, each of which makes a payment, and retries unknown outcomes. */
function startShop(merchant: TestMerchant): {
  stop(): Promise<{ confirmedOrders: readonly string[]; longestMs: number }>;
} {
  const confirmedOrders: string[] = [];
  let [isOpen, longestMs, lastMs] = [true, 0, performance.now()];
  const selling = (async () => {
    for (let order = 1; isOpen; order += 1) {
      const paymentRequestId = `order-${order}`;
      for (;;) {
        const body = JSON.stringify({ paymentRequestId });
        const { json } = await call(a.serve.url, merchant, {
          path: pathOf("sandbox", "payments/cancel"),
          body,
        });
        const { resultStatus, resultCode } = json.result;
        assert.notEqual(resultStatus, "F", `${paymentRequestId}: ${resultCode}`);
        if (resultStatus === "S") break;
        await delay(20);
      }
      confirmedOrders.push(paymentRequestId);
      longestMs = Math.max(longestMs, performance.now() - lastMs);
      lastMs = performance.now();
    }
  })();
  return {
    async stop() {
      isOpen = false;
      await selling;
      return { confirmedOrders, longestMs };
    },
  };
}

async function requestIdsIn({ database }: TestCell, { clientId }: TestMerchant): Promise<readonly string[]> {
  const rows = await asSuperuser<{ id: string }>(
    "select payment_request_id as id from payments where client_id = $1 order by payment_id",
    [clientId],
    database.superuserUrl,
  );
  return rows.map(({ id }) => id);
}

async function homesOf({ clientId }: TestMerchant): Promise<readonly string[]> {
  const homes = await Promise.all(
    fleet.cells.map(async ({ name, database }) => {
      const rows = await asSuperuser(
        `select from clients where client_id = $1
         and not exists (select from client_homes where client = $1 and state <> 'here')`,
        [clientId],
        database.superuserUrl,
      );
      return rows.length === 1 ? [name] : [];
    }),
  );
  return homes.flat();
}

test("every table with merchants' rows moves, or is listed with a reason to stay", async () => {
  const connection = await openMoveConnection(a.database.ownerUrl, "SANDBOX_X");
  const moved = (await listMovedTables(connection)).map(({ name }) => name);
  await connection.client.end();
  const rows = await asSuperuser<{ name: string }>(
    `select distinct c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname in ('client_id', 'bucket') and c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace = 'public'::regnamespace order by 1`,
    [],
    a.database.superuserUrl,
  );
  // These tables belong to the cell itself, or have no client id.
  const cellTables = ["archives", "cell_buckets", "client_homes", "changed_payments_queue"];
  assert.deepEqual(
    [...moved, ...Object.keys(unmovedTables), ...cellTables].sort(),
    rows.map(({ name }) => name),
  );
});

test("a merchant is moved while it sells: no payment is lost or duplicated, and there is one home", async (context) => {
  const merchant = await newMerchantIn(a, "Coffee");
  const rule = { clientId: merchant.clientId, paymentMethodType: undefined, currency: undefined };
  const operator = { url: a.database.ownerUrl, environment: "sandbox" } as const;
  await setFeeRule(operator, { ...rule, from: "2026-01-01", terms: flatRateTerms(290) });
  const shop = startShop(merchant);
  await delay(1_500);
  const { outcome, pauseMs, rows, epoch } = await moveMerchant({
    clientId: merchant.clientId,
    sourceUrl: a.database.ownerUrl,
    targetUrl: b.database.ownerUrl,
    goal: "move",
    onStep: () => undefined,
  });
  await fleet.publish((directory) => withHome(directory, merchant.clientId, { cell: "b", epoch }));
  await delay(1_500);
  const { confirmedOrders, longestMs } = await shop.stop();
  context.diagnostic(
    `${rows} rows, pause ${pauseMs} ms, longest wait of the shop ${Math.round(longestMs)} ms, ${confirmedOrders.length} orders`,
  );
  assert.equal(outcome, "moved");
  assert.deepEqual(await homesOf(merchant), ["b"]);
  const movedOrders = await requestIdsIn(b, merchant);
  assert.deepEqual(movedOrders.toSorted(), confirmedOrders.toSorted());
  assert.equal(new Set(movedOrders).size, movedOrders.length);
  assert.ok(
    (await requestIdsIn(a, merchant)).length < movedOrders.length,
    "The shop has sold at the new home as well.",
  );
  const rules = await asSuperuser(
    "select rate_millionths as rate from fee_rules where client_id = $1",
    [merchant.clientId],
    b.database.superuserUrl,
  );
  assert.deepEqual(rules, [{ rate: 29_000 }]);
  const body = JSON.stringify({ paymentRequestId: confirmedOrders[0] });
  const { json } = await call(b.serve.url, merchant, { path: pathOf("sandbox", inquiryPath), body });
  assert.equal(json["paymentStatus"], "CANCELLED");
});

test("a mover killed at every step leaves at most one home, and the next one resumes", async (context) => {
  const merchant = await newMerchantIn(a, "Flowers");
  const shop = startShop(merchant);
  const order = { action: "move", subject: merchant.clientId, from: a.database, to: b.database } as const;
  for (const step of ["prepare", "copy", "fence", "finish", "leave", "settle", "publish"]) {
    assert.equal(await runKilledMover(order, step), undefined, `It was not killed before ${step}.`);
    const homes = await homesOf(merchant);
    assert.ok(homes.length <= 1, `two homes: ${homes.join(" and ")}`);
  }
  const moved = await runKilledMover<MerchantMoveResult>(order, "never");
  assert.deepEqual([moved?.outcome, await homesOf(merchant)], ["moved", ["b"]]);
  const { confirmedOrders } = await shop.stop();
  context.diagnostic(`${confirmedOrders.length} orders`);
  assert.deepEqual((await requestIdsIn(b, merchant)).toSorted(), confirmedOrders.toSorted());
});
