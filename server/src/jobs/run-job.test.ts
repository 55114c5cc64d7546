import { randomUUID } from "node:crypto";
import { openTraces } from "../processes/open-traces.ts";
import { newFaultWatch } from "../resilience/fault-watch.ts";
import { newMeter } from "../telemetry/meter.ts";
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bucketOf } from "../core/bucket.ts";
import type { JobName } from "../core/job-name.ts";
import { RetryLaterError } from "../core/retry-later-error.ts";
import { openDatabase } from "../postgres/database.ts";
import { openMerchantQueue } from "../postgres/merchant-queue.ts";
import { sql } from "../postgres/sql.ts";
import { asSuperuser, newTestDatabase } from "../../test/start/test-database.ts";
import { jobDone, type CalledJob, type LeasedJob, type Job, type JobRunner } from "../contract/job.ts";
import { claimDueJobs, insertLeasedJob, insertUrgentJob } from "./job.sql.ts";
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
const written: CalledJob[] = [];
const name: JobName = "send-refund";
const slowJob: Job = {
  loop: "providers",
  read: async () => ({}),
  call: () => delay(callMs),
  async write(_tx, _record, _outcome, leased) {
    written.push(leased);
    return jobDone;
  },
  retryAt: (_leased, now) => now,
};
const runner: JobRunner = {
  database,
  clock: { now: () => new Date(), sampleAgeMs: () => 0, sample: async () => undefined },
  monotonicMs: () => performance.now(),
  atCrashPoint: () => undefined,
  jobs: new Map([[name, slowJob]]),
  batchers: new Map(),
  merchantQueues: openMerchantQueue(),
  wake: () => undefined,
  isClosed: async () => false,
  traces: openTraces(),
  newUuid: () => randomUUID(),
  meter: newMeter(),
  faults: newFaultWatch(),
  onFault: (cause) => assert.fail(String(cause)),
};

async function leaseJob(subjectId: string, job: JobName = name): Promise<LeasedJob> {
  const key = { bucket: bucketOf(clientId), clientId, subjectId, job };
  const outcome = await database.transaction([clientId], (tx) => insertLeasedJob(tx, key));
  assert(outcome.outcome === "committed");
  return outcome.value;
}

test("an outcome is recorded with the time of the request, and not of the response", async () => {
  const leased = await leaseJob("slow");
  const before = Date.now();
  await runJob(runner, leased, performance.now());
  const [firstCall] = written;
  assert(firstCall);
  assert.ok(firstCall.calledAt.getTime() >= before && firstCall.calledAt.getTime() <= Date.now() - callMs);
});

test("a process that lost its lease writes nothing, and leaves the job to the new holder", async () => {
  const leased = await leaseJob("taken");
  const running = runJob(runner, leased, performance.now());
  await leaseJob("taken");
  written.length = 0;
  await running;
  assert.deepEqual(written, []);
  const jobs = await asSuperuser("select epoch from jobs where subject_id = 'taken'", [], superuserUrl);
  assert.deepEqual(jobs, [{ epoch: 2 }]);
});

/** A job whose request gets no response, or is rejected before it is sent. `kind` says how the request is sent. */
const unansweredJob = (kind: "lasting" | "noted" | "not now"): Job => ({
  ...slowJob,
  async call(_record, _leased, _signal, beforeSend) {
    if (kind === "not now") throw new RetryLaterError("Not now.", 60_000);
    await beforeSend({ durable: kind === "lasting" });
    throw new Error("No answer.");
  },
  retryAt: (_leased, now) => new Date(now.getTime() + 60_000),
});

async function findSentState(subjectId: string): Promise<object | undefined> {
  const [row] = await asSuperuser<object>(
    `select sent_at is not null as sent, abandoned_at is not null as abandoned, epoch from jobs where subject_id = $1`,
    [subjectId],
    superuserUrl,
  );
  return row;
}

for (const [kind, sent] of [
  ["lasting", true],
  ["noted", true],
  ["not now", false],
] as const) {
  test(`a call that is ${kind} and gets no response: a message may be in flight: ${sent}`, async () => {
    const job = unansweredJob(kind);
    const leased = await leaseJob(kind);
    await runJob(
      { ...runner, jobs: new Map([[name, job]]), onFault: () => undefined },
      leased,
      performance.now(),
    );
    assert.deepEqual(await findSentState(kind), { sent, abandoned: false, epoch: 1 });
    assert.equal((await leaseJob(kind)).sentAt !== undefined, sent);
  });
}

test("a process that lost its lease sends nothing and records nothing", async () => {
  const job = unansweredJob("lasting");
  const faults: string[] = [];
  const watched: JobRunner = {
    ...runner,
    jobs: new Map([[name, job]]),
    onFault: (cause: unknown) => faults.push(String(cause)),
  };
  const leased = await leaseJob("overtaken");
  const taker = await leaseJob("overtaken");
  await runJob(watched, leased, performance.now());
  assert.deepEqual(faults, ["Error: Nothing was sent: another process has taken over the job."]);
  assert.deepEqual(await findSentState("overtaken"), { sent: false, abandoned: true, epoch: 2 });
  assert.ok(taker.abandonedAt);
});

test("a response that cannot be stored causes retries with backoff", async () => {
  const job: Job = {
    ...slowJob,
    call: async () => "said",
    async write(tx) {
      await tx.query(sql`select 'no number'::text::int`);
      return jobDone;
    },
    retryAt: (_leased, now) => new Date(now.getTime() + 60_000),
  };
  const faults: string[] = [];
  const watched: JobRunner = {
    ...runner,
    jobs: new Map([[name, job]]),
    onFault: (cause: unknown) => faults.push(String(cause)),
  };
  await runJob(watched, await leaseJob("wrong"), performance.now());
  assert.match(faults.join(), /invalid input syntax/);
  const text =
    "select attempts, due_at > now() + interval '30 s' as later from jobs where subject_id = 'wrong'";
  assert.deepEqual(await asSuperuser(text, [], superuserUrl), [{ attempts: 1, later: true }]);
});

test("a job whose lease expired is marked as abandoned at that time, and a rescheduled job is not", async () => {
  for (const subjectId of ["gone", "back"]) await leaseJob(subjectId, "send-capture");
  const past = "due_at = now() - interval '1 s', follows_merchant_clock = (subject_id = 'back')";
  await asSuperuser(`update jobs set ${past} where job = 'send-capture'`, [], superuserUrl);
  const claimed = await database.transaction([clientId], (tx) =>
    claimDueJobs(tx, { names: ["send-capture"], limit: 10 }),
  );
  assert(claimed.outcome === "committed");
  const abandoned = claimed.value.map(({ subjectId, abandonedAt }) => [subjectId, abandonedAt !== undefined]);
  assert.deepEqual(Object.fromEntries(abandoned), { gone: true, back: false });
});

/** Makes a job due now, as a provider's callback does. */
async function makeUrgent(subjectId: string): Promise<void> {
  const key = { bucket: bucketOf(clientId), clientId, subjectId, job: name };
  const outcome = await database.transaction([clientId], async (tx) => insertUrgentJob(tx, key));
  assert(outcome.outcome === "committed");
}

/** The job's row: whether it is due, and whether it has to run again when its present run ends. */
async function findDue(subjectId: string): Promise<object | undefined> {
  const text = `select attempts, follows_merchant_clock and due_at <= now() as due, rerun_at is not null as rerun
    from jobs where subject_id = $1`;
  return (await asSuperuser<object>(text, [subjectId], superuserUrl))[0];
}

const inAnHour = (): Date => new Date(Date.now() + 3_600_000);
const endings: Readonly<Record<string, Partial<Job>>> = {
  "is done": { write: async () => jobDone },
  "is to run in an hour": { write: async () => ({ next: "again", at: inAnHour(), noProgress: true }) },
  "gets no response": { call: () => Promise.reject(new Error("No answer.")), retryAt: inAnHour },
  "has no free slot": { call: () => Promise.reject(new RetryLaterError("Not now.", 3_600_000)) },
};
for (const [ending, parts] of Object.entries(endings)) {
  test(`a job that a callback makes due while it runs, and that ${ending}, is due again at once and only once`, async () => {
    const subjectId = `urgent: ${ending}`;
    const job: Job = { ...slowJob, write: async () => jobDone, ...parts };
    const inRun: Job = {
      ...job,
      async read() {
        await makeUrgent(subjectId);
        return {};
      },
    };
    const quiet = { ...runner, onFault: () => undefined };
    await runJob({ ...quiet, jobs: new Map([[name, inRun]]) }, await leaseJob(subjectId), performance.now());
    assert.deepEqual(await findDue(subjectId), { attempts: 0, due: true, rerun: false });
    await runJob({ ...quiet, jobs: new Map([[name, job]]) }, await leaseJob(subjectId), performance.now());
    assert.notDeepEqual(await findDue(subjectId), { attempts: 0, due: true, rerun: false });
  });
}

for (const [situation, dueAt, isDue] of [
  ["waits for its next poll", "now() + interval '15 minutes'", true],
  ["is held by an operator", "'infinity'", false],
] as const) {
  test(`a callback makes a job that ${situation} due: ${isDue}`, async () => {
    await leaseJob(situation);
    const update = `update jobs set due_at = ${dueAt}, follows_merchant_clock = true, attempts = 9`;
    await asSuperuser(`${update} where subject_id = $1`, [situation], superuserUrl);
    await makeUrgent(situation);
    assert.deepEqual(await findDue(situation), { attempts: 0, due: isDue, rerun: false });
  });
}
