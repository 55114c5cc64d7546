import { randomUUID } from "node:crypto";
import { openTraces } from "../commands/open-traces.ts";
import { watchFaults } from "../core/fault-watch.ts";
import { newMeter } from "../core/meter.ts";
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bucketOf } from "../core/bucket.ts";
import type { JobName } from "../core/job-name.ts";
import { NotNow } from "../core/not-now.ts";
import { openDatabase } from "../postgres/database.ts";
import { openTurns } from "../postgres/turns.ts";
import { sql } from "../postgres/sql.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { done, type AskedJob, type LeasedJob, type Job, type JobRunner } from "./job.ts";
import { claimDueJobs, insertLeasedJob } from "./job.sql.ts";
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
const written: AskedJob[] = [];
const name: JobName = "send-refund";
const slow: Job = {
  loop: "wallets",
  read: async () => ({}),
  call: () => delay(callMs),
  async write(_tx, _record, _outcome, leased) {
    written.push(leased);
    return done;
  },
  retryAt: (_leased, now) => now,
};
const runner: JobRunner = {
  database,
  clock: { now: () => new Date(), sampleAgeMs: () => 0, sample: async () => undefined },
  monotonicMs: () => performance.now(),
  at: () => undefined,
  jobs: new Map([[name, slow]]),
  together: new Map(),
  turns: openTurns(),
  wake: () => undefined,
  isClosed: async () => false,
  traces: openTraces(),
  newUuid: () => randomUUID(),
  meter: newMeter(),
  faults: watchFaults(),
  onFault: (cause) => assert.fail(String(cause)),
};

async function hold(subjectId: string, job: JobName = name): Promise<LeasedJob> {
  const key = { bucket: bucketOf(clientId), clientId, subjectId, job };
  const held = await database.transaction([clientId], (tx) => insertLeasedJob(tx, key));
  assert(held.outcome === "committed");
  return held.value;
}

test("what is written is told when the question was sent, and not when the answer came", async () => {
  const leased = await hold("slow");
  const before = Date.now();
  await runJob(runner, leased, performance.now());
  const [asked] = written;
  assert(asked);
  assert.ok(asked.askedAt.getTime() >= before && asked.askedAt.getTime() <= Date.now() - callMs);
});

test("whoever was taken over meanwhile writes nothing, and leaves the job to its holder", async () => {
  const leased = await hold("taken");
  const running = runJob(runner, leased, performance.now());
  await hold("taken");
  written.length = 0;
  await running;
  assert.deepEqual(written, []);
  const jobs = await asSuperuser("select epoch from jobs where subject_id = 'taken'", [], superuserUrl);
  assert.deepEqual(jobs, [{ epoch: 2 }]);
});

/** Sends as `how` says, and then gets no answer; or is not even let through. */
const unanswered = (how: "lasting" | "noted" | "not now"): Job => ({
  ...slow,
  async call(_record, _leased, _signal, beforeSend) {
    if (how === "not now") throw new NotNow("Not now.", 60_000);
    await beforeSend({ lasting: how === "lasting" });
    throw new Error("No answer.");
  },
  retryAt: (_leased, now) => new Date(now.getTime() + 60_000),
});

async function remembered(subjectId: string): Promise<object | undefined> {
  const [row] = await asSuperuser<object>(
    `select sent_at is not null as sent, abandoned_at is not null as abandoned, epoch from jobs where subject_id = $1`,
    [subjectId],
    superuserUrl,
  );
  return row;
}

for (const [how, sent] of [
  ["lasting", true],
  ["noted", true],
  ["not now", false],
] as const) {
  test(`a call that is ${how} and has no answer: a message may be out: ${sent}`, async () => {
    const job = unanswered(how);
    const leased = await hold(how);
    await runJob(
      { ...runner, jobs: new Map([[name, job]]), onFault: () => undefined },
      leased,
      performance.now(),
    );
    assert.deepEqual(await remembered(how), { sent, abandoned: false, epoch: 1 });
    assert.equal((await hold(how)).sentAt !== undefined, sent);
  });
}

test("whoever was taken over sends nothing that would have to be remembered, and writes nothing down", async () => {
  const job = unanswered("lasting");
  const faults: string[] = [];
  const watched: JobRunner = {
    ...runner,
    jobs: new Map([[name, job]]),
    onFault: (cause: unknown) => faults.push(String(cause)),
  };
  const leased = await hold("overtaken");
  const taker = await hold("overtaken");
  await runJob(watched, leased, performance.now());
  assert.deepEqual(faults, ["Error: Nothing was sent: somebody else has taken the job over."]);
  assert.deepEqual(await remembered("overtaken"), { sent: false, abandoned: true, epoch: 2 });
  assert.ok(taker.abandonedAt);
});

test("what cannot be stored is not asked for again at once, nor at the same pace for ever", async () => {
  const job: Job = {
    ...slow,
    call: async () => "said",
    async write(tx) {
      await tx.query(sql`select 'no number'::text::int`);
      return done;
    },
    retryAt: (_leased, now) => new Date(now.getTime() + 60_000),
  };
  const faults: string[] = [];
  const watched: JobRunner = {
    ...runner,
    jobs: new Map([[name, job]]),
    onFault: (cause: unknown) => faults.push(String(cause)),
  };
  await runJob(watched, await hold("wrong"), performance.now());
  assert.match(faults.join(), /invalid input syntax/);
  const text =
    "select attempts, due_at > now() + interval '30 s' as later from jobs where subject_id = 'wrong'";
  assert.deepEqual(await asSuperuser(text, [], superuserUrl), [{ attempts: 1, later: true }]);
});

test("a job whose lease ran out was abandoned when it did, and one that came back was not", async () => {
  for (const subjectId of ["gone", "back"]) await hold(subjectId, "send-capture");
  const past = "due_at = now() - interval '1 s', follows_merchant_clock = (subject_id = 'back')";
  await asSuperuser(`update jobs set ${past} where job = 'send-capture'`, [], superuserUrl);
  const claimed = await database.transaction([clientId], (tx) =>
    claimDueJobs(tx, { names: ["send-capture"], limit: 10 }),
  );
  assert(claimed.outcome === "committed");
  const abandoned = claimed.value.map(({ subjectId, abandonedAt }) => [subjectId, abandonedAt !== undefined]);
  assert.deepEqual(Object.fromEntries(abandoned), { gone: true, back: false });
});
