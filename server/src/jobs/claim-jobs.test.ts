import assert from "node:assert/strict";
import { after, beforeEach, test } from "node:test";
import { bucketOf } from "../core/bucket.ts";
import { requireCommitted, openDatabase, systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import type { LeasedJob } from "../contract/job.ts";
import {
  claimDueJobs,
  claimDueProviderJobs,
  claimParkedJobs,
  listParkedQueues,
  parkJobs,
  parkedQueuesMax,
} from "./job.sql.ts";

const { workUrl, superuserUrl } = await newTestDatabase("sandbox");
const database = openDatabase({
  url: workUrl,
  applicationName: "claim-jobs",
  connectionsMax: 2,
  onFault: () => undefined,
});
after(() => database.close());

const clientId = "SANDBOX_COFFEE";
const job = "drive-payment";
const poll = { names: [job], limit: 50 } as const;
const respondingConnector = (connector: string, freeSlots: number) => ({
  connector,
  freeSlots,
  isSilent: false,
});

async function inTransaction<Value>(work: (tx: Tx) => Promise<Value>): Promise<Value> {
  return requireCommitted(await database.transaction(systemScope, work));
}

interface JobFixture {
  readonly connector?: string;
  readonly queue?: string;
  /** The due time as an interval from now, or `infinity`. */
  readonly due?: string;
}

async function insertJob(
  subjectId: string,
  { connector, queue, due = "-1 second" }: JobFixture = {},
): Promise<void> {
  const dueAt = due === "infinity" ? "'infinity'" : `clock_timestamp() + interval '${due}'`;
  await asSuperuser(
    `insert into jobs (bucket, subject_id, job, client_id, connector, queue, due_at, follows_merchant_clock)
     values ($1, $2, $3, $4, $5, $6, ${dueAt}, true)`,
    [bucketOf(clientId), subjectId, job, clientId, connector, queue],
    superuserUrl,
  );
}

const idsOf = (jobs: readonly LeasedJob[]): readonly string[] =>
  jobs.map(({ subjectId }) => subjectId).sort();

beforeEach(async () => {
  for (const table of ["jobs", "connectors", "paused_queues"])
    await asSuperuser(`delete from ${table}`, [], superuserUrl);
  for (const name of ["fine", "silent"])
    await asSuperuser(
      `insert into connectors (name, url, partner_id, public_key, payment_method_types, simulator)
       values ($1, 'http://127.0.0.1:9', 'tollgate', '', '{*}', true)`,
      [name],
      superuserUrl,
    );
});

for (const [name, description, claim] of [
  ["that is due", {}, (tx: Tx) => claimDueJobs(tx, poll)],
  ["that is due and needs a provider", { connector: "fine" }, (tx: Tx) => claimDueProviderJobs(tx, poll, [])],
  ["that is parked", { queue: "l", due: "infinity" }, (tx: Tx) => claimParkedJobs(tx, "l", 50)],
] as const) {
  test(`claiming a job ${name} increments its epoch, so that the previous lease holder cannot write (fencing)`, async () => {
    await insertJob("one", description);
    const [leased] = await inTransaction(claim);
    assert.deepEqual([leased?.subjectId, leased?.epoch], ["one", 2]);
    assert.deepEqual(await asSuperuser("select epoch from jobs", [], superuserUrl), [{ epoch: 2 }]);
    assert.deepEqual(await inTransaction(claim), []);
  });
}

test("jobs of a connector without free slots are left, and each connector gets at most as many as it has slots", async () => {
  for (const n of [1, 2, 3]) await insertJob(`silent-${n}`, { connector: "silent", due: "-1 hour" });
  for (const n of [1, 2, 3]) await insertJob(`fine-${n}`, { connector: "fine", due: `-${n} second` });
  await insertJob("unnamed");
  await insertJob("later", { connector: "fine", due: "1 minute" });
  const rooms = [{ connector: "silent", freeSlots: 0, isSilent: true }, respondingConnector("fine", 2)];
  const claimed = await inTransaction((tx) => claimDueProviderJobs(tx, poll, rooms));
  assert.deepEqual(idsOf(claimed), ["fine-2", "fine-3", "unnamed"]);
  assert.equal(claimed.find(({ subjectId }) => subjectId === "fine-2")?.connector, "fine");
  assert.equal((await inTransaction((tx) => claimDueProviderJobs(tx, { ...poll, limit: 2 }, []))).length, 2);
  assert.equal((await inTransaction((tx) => claimDueProviderJobs(tx, poll, []))).length, 2);
});

test("connectors are polled round-robin, so that a busy connector does not starve another one", async () => {
  for (const n of [1, 2, 3, 4]) await insertJob(`busy-${n}`, { connector: "silent", due: "-1 hour" });
  for (const n of [1, 2, 3, 4]) await insertJob(`unnamed-${n}`, { due: "-1 hour" });
  await insertJob("lone", { connector: "fine" });
  const taken = idsOf(await inTransaction((tx) => claimDueProviderJobs(tx, { ...poll, limit: 3 }, [])));
  assert.deepEqual([taken.length, taken.includes("lone")], [3, true]);
});

test("jobs of a removed connector are not claimed until the connector exists again", async () => {
  await insertJob("orphan", { connector: "gone" });
  assert.deepEqual(await inTransaction((tx) => claimDueProviderJobs(tx, poll, [])), []);
  await asSuperuser("update connectors set name = 'gone' where name = 'fine'", [], superuserUrl);
  assert.deepEqual(idsOf(await inTransaction((tx) => claimDueProviderJobs(tx, poll, []))), ["orphan"]);
});

test("a poll from a low-water mark leaves jobs that were due before it to the next full poll", async () => {
  for (const connector of [undefined, "fine"]) {
    await insertJob(`old-${connector}`, { ...(connector && { connector }), due: "-1 minute" });
    await insertJob(`new-${connector}`, { ...(connector && { connector }) });
  }
  const from = new Date(Date.now() - 30_000);
  assert.deepEqual(idsOf(await inTransaction((tx) => claimDueProviderJobs(tx, { ...poll, from }, []))), [
    "new-fine",
    "new-undefined",
  ]);
  assert.deepEqual(await inTransaction((tx) => claimDueJobs(tx, { ...poll, from })), []);
  assert.deepEqual(idsOf(await inTransaction((tx) => claimDueJobs(tx, poll))), ["old-undefined"]);
  assert.deepEqual(idsOf(await inTransaction((tx) => claimDueProviderJobs(tx, poll, []))), ["old-fine"]);
});

test("all delivery queues with parked jobs are listed, and paused queues are marked", async () => {
  const count = parkedQueuesMax * 2 + 500;
  const queues = `select 'queue-' || lpad(n::text, 5, '0') as queue, n from generate_series(1, ${count}) as n`;
  await asSuperuser(
    `insert into jobs (bucket, subject_id, job, client_id, queue, due_at)
     select 1, 'j' || n || '-' || twice, 'deliver-notification', 'X', queue, 'infinity'
     from (${queues}) as queues, generate_series(1, 2) as twice`,
    [],
    superuserUrl,
  );
  await asSuperuser(
    `insert into paused_queues (bucket, client_id, queue, paused_at)
     select 1, 'X', queue, now() from (${queues}) as queues where n % 2 = 0`,
    [],
    superuserUrl,
  );
  const pages: (readonly { queue: string; isPaused: boolean }[])[] = [];
  let seen = "";
  do {
    const page = await inTransaction((tx) => listParkedQueues(tx, seen));
    pages.push(page);
    seen = page.at(-1)?.queue ?? "";
  } while (pages.at(-1)?.length === parkedQueuesMax);
  const all = pages.flat();
  assert.deepEqual([pages.length, new Set(all.map(({ queue }) => queue)).size], [3, count]);
  assert.equal(all.filter(({ isPaused }) => isPaused).length, count / 2);
});

test("a job without a delivery queue is parked in its merchant's queue, and can be claimed from there", async () => {
  await insertJob("old release");
  const taken = await inTransaction((tx) => claimDueJobs(tx, poll));
  await inTransaction(async (tx) => parkJobs(tx, taken));
  assert.deepEqual(await inTransaction((tx) => listParkedQueues(tx, "")), [
    { queue: clientId, isPaused: false },
  ]);
  assert.deepEqual(idsOf(await inTransaction((tx) => claimParkedJobs(tx, clientId, 1))), ["old release"]);
});
