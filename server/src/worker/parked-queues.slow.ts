import assert from "node:assert/strict";
import { test } from "node:test";
import { findStuckRecords } from "../operators/payments/stuck-records.ts";
import { newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import {
  insertTestNotifications,
  startDeliveryWorker,
  startTestEndpoint,
} from "../../test/shop/test-notification.ts";
import { eventually } from "../../test/start/test-process.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const endpoint = await startTestEndpoint();
const { clientId } = await newMerchant(database);
const run = (text: string): Promise<readonly object[]> => asSuperuser(text, [], database.superuserUrl);

/** Parked jobs, as a killed worker leaves them. */
async function givenParked(count: number, since: string): Promise<readonly string[]> {
  const ids = await insertTestNotifications(database, clientId, { count, url: endpoint.url });
  await run(
    `update jobs set due_at = 'infinity', parked_at = now() - interval '${since}'
     where client_id = '${clientId}' and due_at < 'infinity'`,
  );
  return ids;
}

async function stuckIds(): Promise<readonly string[]> {
  const { table } = await findStuckRecords(database.ownerUrl, "sandbox");
  return table
    .split("\n")
    .flatMap((line) => (line.startsWith("STUCK") ? (line.match(/\d{35}/)?.[0] ?? line) : []));
}

test("a job that has been parked for an hour is stuck, unless its endpoint is paused or failing", async () => {
  const [old = "", failed = ""] = await givenParked(2, "61 minutes");
  assert.deepEqual([...(await stuckIds())].sort(), [old, failed].sort());

  await run(
    `insert into paused_queues (bucket, client_id, queue, paused_at)
     select distinct bucket, client_id, queue, now() from jobs`,
  );
  assert.deepEqual(await stuckIds(), []);
  await run("delete from paused_queues");

  await run(
    `insert into notification_attempts
       (bucket, notification_id, attempt, client_id, at, key_version, http_status, answer, total_ms)
     select bucket, notification_id, 1, client_id, now() - interval '5 minutes', 1, 500, '', 1
     from notifications where notification_id = '${failed}'`,
  );
  assert.deepEqual(await stuckIds(), []);
  await run("delete from notification_attempts");
  await run("delete from jobs");
  await run("delete from notifications");
  await givenParked(1, "59 minutes");
  assert.deepEqual(await stuckIds(), []);
});

test("jobs for a working endpoint are sent although 5,000 delivery queues of others are parked before it", async () => {
  const queues = `select 'AAA' || n as client_id, 'AAA' || n || ' https://shop' || n || '.example' as queue, n
    from generate_series(1, 5000) as n`;
  await run(
    `insert into paused_queues (bucket, client_id, queue, paused_at)
     select 1, client_id, queue, now() from (${queues}) as queues`,
  );
  await run(
    `insert into jobs (bucket, subject_id, job, client_id, queue, due_at)
     select 1, 'n' || n, 'deliver-notification', client_id, queue, 'infinity' from (${queues}) as queues`,
  );
  await givenParked(5, "1 minute");
  await startDeliveryWorker(database, variables);
  await eventually(
    20_000,
    async () => endpoint.bodies.length,
    (count) => count === 6,
  );
});
