import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { tablesThatStay } from "../../src/cells/moved-tables.ts";
import { withHome } from "../../src/cells/directory.ts";
import { setFeeRule } from "../../src/operators/ledger/fee.ts";
import { type Moved, moveMerchant } from "../../src/moves/move-merchant.workflow.ts";
import { openEnd } from "../../src/moves/move-end.workflow.ts";
import { listMovedTables } from "../../src/moves/move-rows.workflow.ts";
import { termsAtRate } from "../../src/ledger/fee.ts";
import { asSuperuser } from "../start/test-database.ts";
import { call, inquiryPath, pathOf, type TestMerchant } from "../start/test-gateway.ts";
import { runKilledMover } from "./run-crash-victim.ts";
import { newMerchantIn, startTestFleet, type TestCell } from "./test-fleet.ts";

const fleet = await startTestFleet();
const [a, b] = fleet.cells;

/** A shop that cancels orders that do not exist, each of which makes a payment, and retries unknown outcomes. */
function startShop(merchant: TestMerchant): {
  stop(): Promise<{ told: readonly string[]; longestMs: number }>;
} {
  const told: string[] = [];
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
      told.push(paymentRequestId);
      longestMs = Math.max(longestMs, performance.now() - lastMs);
      lastMs = performance.now();
    }
  })();
  return {
    async stop() {
      isOpen = false;
      await selling;
      return { told, longestMs };
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
  const open = await Promise.all(
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
  return open.flat();
}

test("every table with merchants' rows moves, or is listed with a reason to stay", async () => {
  const end = await openEnd(a.database.ownerUrl, "SANDBOX_X");
  const moved = (await listMovedTables(end)).map(({ name }) => name);
  await end.client.end();
  const rows = await asSuperuser<{ name: string }>(
    `select distinct c.relname::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname in ('client_id', 'bucket') and c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace = 'public'::regnamespace order by 1`,
    [],
    a.database.superuserUrl,
  );
  // These tables belong to the cell itself, or have no client id.
  const ofTheCell = ["archives", "cell_buckets", "client_homes", "changed_payments_queue"];
  assert.deepEqual(
    [...moved, ...Object.keys(tablesThatStay), ...ofTheCell].sort(),
    rows.map(({ name }) => name),
  );
});

test("a merchant is moved while it sells: no payment is lost or duplicated, and there is one home", async (context) => {
  const merchant = await newMerchantIn(a, "Coffee");
  const rule = { clientId: merchant.clientId, paymentMethodType: undefined, currency: undefined };
  const operator = { url: a.database.ownerUrl, environment: "sandbox" } as const;
  await setFeeRule(operator, { ...rule, from: "2026-01-01", terms: termsAtRate(290) });
  const shop = startShop(merchant);
  await delay(1_500);
  const { outcome, pauseMs, rows, epoch } = await moveMerchant({
    clientId: merchant.clientId,
    sourceUrl: a.database.ownerUrl,
    targetUrl: b.database.ownerUrl,
    wants: "move",
    onStep: () => undefined,
  });
  await fleet.publish((directory) => withHome(directory, merchant.clientId, { cell: "b", epoch }));
  await delay(1_500);
  const { told, longestMs } = await shop.stop();
  context.diagnostic(
    `${rows} rows, pause ${pauseMs} ms, longest wait of the shop ${Math.round(longestMs)} ms, ${told.length} orders`,
  );
  assert.equal(outcome, "moved");
  assert.deepEqual(await homesOf(merchant), ["b"]);
  const there = await requestIdsIn(b, merchant);
  assert.deepEqual(there.toSorted(), told.toSorted());
  assert.equal(new Set(there).size, there.length);
  assert.ok(
    (await requestIdsIn(a, merchant)).length < there.length,
    "The shop has sold at the new home as well.",
  );
  const rules = await asSuperuser(
    "select rate_millionths as rate from fee_rules where client_id = $1",
    [merchant.clientId],
    b.database.superuserUrl,
  );
  assert.deepEqual(rules, [{ rate: 29_000 }]);
  const body = JSON.stringify({ paymentRequestId: told[0] });
  const { json } = await call(b.serve.url, merchant, { path: pathOf("sandbox", inquiryPath), body });
  assert.equal(json["paymentStatus"], "CANCELLED");
});

test("a mover killed at every step leaves at most one home, and the next one resumes", async (context) => {
  const merchant = await newMerchantIn(a, "Flowers");
  const shop = startShop(merchant);
  const order = { what: "move", subject: merchant.clientId, from: a.database, to: b.database } as const;
  for (const step of ["prepare", "copy", "fence", "finish", "leave", "settle", "publish"]) {
    assert.equal(await runKilledMover(order, step), undefined, `It was not killed before ${step}.`);
    const homes = await homesOf(merchant);
    assert.ok(homes.length <= 1, `two homes: ${homes.join(" and ")}`);
  }
  const moved = await runKilledMover<Moved>(order, "never");
  assert.deepEqual([moved?.outcome, await homesOf(merchant)], ["moved", ["b"]]);
  const { told } = await shop.stop();
  context.diagnostic(`${told.length} orders`);
  assert.deepEqual((await requestIdsIn(b, merchant)).toSorted(), told.toSorted());
});
