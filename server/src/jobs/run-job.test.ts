import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bucketOf } from "../core/bucket.ts";
import { openDatabase } from "../postgres/database.ts";
import { asSuperuser, newTestDatabase } from "../testing/test-database.ts";
import { done, type AskedJob, type HeldJob, type Job, type JobRunner } from "./job.ts";
import { insertHeldJob } from "./job.sql.ts";
import { runJob } from "./run-job.ts";

const { appUrl, superuserUrl } = await newTestDatabase("sandbox");
const clientId = "SANDBOX_COFFEE";
const database = openDatabase({
  url: appUrl,
  applicationName: "run-job",
  connectionsMax: 2,
  onFault: () => undefined,
});
after(() => database.close());

const callMs = 150;
const settled: AskedJob[] = [];
const slow: Job = {
  name: "ask-slowly",
  lane: "wallets",
  read: async () => ({}),
  call: () => delay(callMs),
  async settle(_tx, _record, _outcome, held) {
    settled.push(held);
    return done;
  },
  retryAt: (_held, now) => now,
};
const runner: JobRunner = {
  database,
  clock: { now: () => new Date(), sampleAgeMs: () => 0, sample: async () => undefined },
  monotonicMs: () => performance.now(),
  at: () => undefined,
  jobs: new Map([[slow.name, slow]]),
  together: new Map(),
  wake: () => undefined,
  onFault: (cause) => assert.fail(String(cause)),
};

async function hold(subjectId: string): Promise<HeldJob> {
  const key = { bucket: bucketOf(clientId), clientId, subjectId, job: slow.name };
  const held = await database.transaction([clientId], (tx) => insertHeldJob(tx, key));
  assert(held.outcome === "committed");
  return held.value;
}

test("what settles is told when the question was sent, and not when the answer came", async () => {
  const held = await hold("slow");
  const before = Date.now();
  await runJob(runner, held, performance.now());
  const [asked] = settled;
  assert(asked);
  assert.ok(asked.askedAt.getTime() >= before && asked.askedAt.getTime() <= Date.now() - callMs);
});

test("whoever was taken over meanwhile settles nothing, and leaves the job to its holder", async () => {
  const held = await hold("taken");
  const running = runJob(runner, held, performance.now());
  await hold("taken");
  settled.length = 0;
  await running;
  assert.deepEqual(settled, []);
  const jobs = await asSuperuser("select epoch from jobs where subject_id = 'taken'", [], superuserUrl);
  assert.deepEqual(jobs, [{ epoch: 2 }]);
});
