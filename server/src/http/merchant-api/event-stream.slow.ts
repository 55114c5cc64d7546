import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { bucketOf } from "../../core/bucket.ts";
import { startServeProcess } from "../../../test/start/serve-process.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { assignPositions, openFeedStream } from "../../../test/shop/test-feed.ts";
import { newMerchant, prepareTestGateway, type TestMerchant } from "../../../test/start/test-gateway.ts";
import { eventually } from "../../../test/start/test-process.ts";

/** These tests check heartbeats, callers that do not read (back-pressure), and the memory that event streams cost. */
const { database, variables } = await prepareTestGateway("sandbox");
const serving = await startServeProcess(variables);
const [quiet, suspended, slow] = await Promise.all([
  newMerchant(database, "Quiet Lab"),
  newMerchant(database, "Closed Lab"),
  newMerchant(database, "Slow Lab"),
]);

async function suspend({ clientId }: TestMerchant): Promise<void> {
  await asSuperuser(
    "update clients set status = 'SUSPENDED' where client_id = $1",
    [clientId],
    database.superuserUrl,
  );
}

function residentMegabytes(): number {
  const [, kilobytes = "0"] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${serving.pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

test("event streams: heartbeats and back-pressure", { concurrency: true }, async (t) => {
  await Promise.all([
    t.test("a stream with nothing to tell gives a sign of life", async () => {
      const feed = await openFeedStream(serving.url, quiet);
      await eventually(
        20_000,
        async () => feed.text(),
        (text) => /^:$/m.test(text),
      );
      assert.equal(feed.hasEnded(), false);
      feed.destroy();
    }),

    t.test(
      "a client that is suspended while nothing happens loses its stream at the next sign of life",
      async () => {
        const feed = await openFeedStream(serving.url, suspended);
        await suspend(suspended);
        await eventually(20_000, async () => feed.hasEnded(), Boolean);
      },
    ),

    t.test("ten callers that do not read cost a page each, and are gone after a while", async (t2) => {
      await asSuperuser(
        `insert into notifications
           (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, created_at)
         select $1, 'large-' || n, $2, 'notifyPayment', 'large', n, 'https://shop.example/notify',
           convert_to('{"note":"' || repeat('x', 10000) || '"}', 'UTF8'), clock_timestamp()
         from generate_series(1, 5000) as n`,
        [bucketOf(slow.clientId), slow.clientId],
        database.superuserUrl,
      );
      for (let batches = 0; batches < 10; batches += 1) await assignPositions(database);
      const beforeMegabytes = residentMegabytes();
      const feeds = await Promise.all(Array.from({ length: 10 }, () => openFeedStream(serving.url, slow)));
      for (const feed of feeds) feed.pause();
      let mostMegabytes = 0;
      await eventually(
        60_000,
        async () => {
          mostMegabytes = Math.max(mostMegabytes, residentMegabytes());
          const [row] = await asSuperuser<{ count: number }>(
            "select count(*)::int from request_log where client_id = $1",
            [slow.clientId],
            database.superuserUrl,
          );
          return row?.count;
        },
        (count) => count === 10,
      );
      const grownMegabytes = Math.round(mostMegabytes - beforeMegabytes);
      t2.diagnostic(`grew by ${grownMegabytes} MB, of 500 MB that there were to send`);
      assert.ok(grownMegabytes < 200, `It grew by ${grownMegabytes} MB.`);
      for (const feed of feeds) feed.destroy();
    }),
  ]);
});
