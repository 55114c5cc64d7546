import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bucketOf } from "../../src/core/bucket.ts";
import { newId } from "../../src/core/id.ts";
import { moveMerchant } from "../../src/moves/move-merchant.workflow.ts";
import { openDatabase } from "../../src/postgres/database.ts";
import { sql } from "../../src/postgres/sql.ts";
import { asSuperuser } from "../start/test-database.ts";
import { newMerchant } from "../start/test-gateway.ts";
import { insertSales } from "./insert-sales.ts";
import { newCellDatabase } from "./test-cell-database.ts";

const pauseMaxMs = 1_000;

// Two cells without processes: the test measures the mover, with one shop that sells continuously.
const a = await newCellDatabase(
  "a",
  Array.from({ length: 1_024 }, (_, bucket) => bucket),
);
const b = await newCellDatabase("b", []);

/** Makes payments, and retries while the fence blocks it, as a shop does. */
function startWriter(clientId: string): { stop(): Promise<number> } {
  const database = openDatabase({
    url: a.appUrl,
    applicationName: "shop",
    connectionsMax: 1,
    onFault: () => undefined,
  });
  after(() => database.close());
  const bucket = bucketOf(clientId);
  let [isOpen, written] = [true, 0];
  const writing = (async () => {
    while (isOpen) {
      const paymentId = newId("payment", bucket, new Date(), (below) => randomInt(below));
      const done = await database.transaction([clientId], async (tx) => {
        tx.write(sql`
          insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
            amount_minor, created_at)
          values (${bucket}, ${paymentId}, ${clientId}, ${paymentId}, 'CASHIER_PAYMENT', 'PROCESSING', 'PAYMENT_IN_PROCESS', 'EUR',
            100, now())`);
      });
      if (done.outcome === "committed") written += 1;
      await delay(5);
    }
  })();
  return {
    async stop() {
      isOpen = false;
      await writing;
      return written;
    },
  };
}

for (const saleCount of [1_000, 50_000])
  test(`a merchant with ${saleCount} payments is blocked for at most ${pauseMaxMs} ms`, async (context) => {
    const { clientId } = await newMerchant(a, `Sold ${saleCount}`);
    await insertSales(a, clientId, saleCount);
    await asSuperuser("vacuum analyze", [], a.superuserUrl);
    const writer = startWriter(clientId);
    const beganMs = performance.now();
    const { outcome, rows, passes, pauseMs } = await moveMerchant({
      clientId,
      sourceUrl: a.ownerUrl,
      targetUrl: b.ownerUrl,
      goal: "move",
      onStep: (step) => context.diagnostic(`${Math.round(performance.now() - beganMs)} ms: ${step}`),
    });
    const tookMs = Math.round(performance.now() - beganMs);
    const written = await writer.stop();
    context.diagnostic(
      `${rows} rows, ${passes} passes, ${tookMs} ms, ${written} written meanwhile, pause ${pauseMs} ms`,
    );
    assert.equal(outcome, "moved");
    const [found] = await asSuperuser<{ count: number }>(
      "select count(*)::int as count from payments where client_id = $1",
      [clientId],
      b.superuserUrl,
    );
    assert.equal(found?.count, saleCount + written);
    assert.ok((pauseMs ?? Infinity) <= pauseMaxMs, `${pauseMs} ms`);
  });
