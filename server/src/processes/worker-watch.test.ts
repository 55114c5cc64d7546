import assert from "node:assert/strict";
import { test } from "node:test";
import { newMeter } from "../telemetry/meter.ts";
import type { JobBacklog } from "../jobs/job-backlog.sql.ts";
import { watchWorker, type WorkerWatch } from "./worker-watch.ts";

const parked = { count: 0, oldestSeconds: 0 };
const problemsOf = (watch: WorkerWatch): readonly string[] =>
  Object.entries(watch.health.additionalChecks().problems).flatMap(([name, isSo]) => (isSo ? [name] : []));
const dueJobsOf = (connector: string, oldestSeconds: number): JobBacklog => ({
  due: [{ job: "drive-payment", connector, count: 1, oldestSeconds }],
  parked,
});

test("a worker is unready while jobs wait only for itself", () => {
  const watch = watchWorker(newMeter(), () => 0);
  assert.deepEqual(problemsOf(watch), []);
  watch.recordBacklog(dueJobsOf("none", 59), []);
  assert.deepEqual(problemsOf(watch), []);
  watch.recordBacklog(dueJobsOf("none", 61), []);
  assert.deepEqual(problemsOf(watch), ["jobsOverdue"]);
  watch.recordBacklog({ due: [], parked }, []);
  assert.deepEqual(problemsOf(watch), []);
});

test("a silent or full provider does not make a worker unready, and one with free slots does", () => {
  const watch = watchWorker(newMeter(), () => 0);
  watch.recordBacklog(dueJobsOf("alpha", 600), [{ connector: "alpha", isSilent: true, freeSlots: 0 }]);
  assert.deepEqual(problemsOf(watch), []);
  watch.recordBacklog(dueJobsOf("alpha", 600), [{ connector: "alpha", isSilent: false, freeSlots: 0 }]);
  assert.deepEqual(problemsOf(watch), []);
  watch.recordBacklog(dueJobsOf("alpha", 600), [{ connector: "alpha", isSilent: false, freeSlots: 1 }]);
  assert.deepEqual(problemsOf(watch), ["jobsOverdue"]);
});

test("a stalled loop makes a worker unready after half a minute, and fails liveness after five", () => {
  const watch = watchWorker(newMeter(), () => 0);
  let age = 30_000;
  watch.watchLoops({ feed: { ageMs: () => age } });
  assert.deepEqual(problemsOf(watch), []);
  age = 30_001;
  assert.deepEqual(problemsOf(watch), ["loopsStand"]);
  assert.deepEqual(watch.health.stalled(), []);
  age = 300_001;
  assert.deepEqual(watch.health.stalled(), ["feed"]);
});

test("feeds, search and balances may lag by a minute", () => {
  let nowMs = 0;
  const watch = watchWorker(newMeter(), () => nowMs);
  const caughtUp = watch.trackCatchUp("feed");
  nowMs = 60_001;
  assert.deepEqual(problemsOf(watch), ["lagging"]);
  caughtUp();
  assert.deepEqual(problemsOf(watch), []);
  watch.recordForeignBalances(true);
  assert.deepEqual(problemsOf(watch), ["balancesForeign"]);
});

test("money in suspense is shown while it exists, and a standby while it is missing", () => {
  const meter = newMeter();
  const watch = watchWorker(meter, () => 0);
  watch.recordSuspense([{ currency: "EUR", minor: 1250 }]);
  watch.recordStandby({ isExpected: true, isMissing: true });
  assert.match(meter.text(), /^tollgate_suspense_minor_units\{currency="EUR"\} 1250$/m);
  assert.match(meter.text(), /^tollgate_standby_missing 1$/m);
  watch.recordSuspense([]);
  watch.recordStandby({ isExpected: true, isMissing: false });
  assert.doesNotMatch(meter.text(), /^tollgate_suspense_minor_units\{/m);
  assert.match(meter.text(), /^tollgate_standby_missing 0$/m);
});
