import assert from "node:assert/strict";
import { test } from "node:test";
import { findBottlenecks } from "./bottleneck.ts";
import type { WaitSamples } from "./database-watch.ts";
import { costPerPayment, sizeFor } from "./installation-size.ts";
import { failureReasonOf, type BenchStep, type CpuUsage } from "./bench-step.ts";

const goodLatency = { answered: 1_000, refused: 0, p50Ms: 5, p99Ms: 20 };
const idle: CpuUsage = {
  serve: 0.4,
  mainThread: 0.3,
  work: 0.1,
  provider: 0.1,
  postgres: 0.2,
  bench: 0.2,
  machine: 1,
};
const quietSamples: WaitSamples = {
  looks: 50,
  busy: 100,
  waits: { running: 80, "Client ClientRead": 20 },
  serveBusyMost: 4,
  serveOpen: 16,
  isShown: true,
};
const step: BenchStep = {
  rate: 200,
  seconds: 5,
  pay: goodLatency,
  inquiry: goodLatency,
  told: goodLatency,
  firstRefusal: "",
  sendLateMs: 1,
  unsent: 0,
  unanswered: 0,
  usage: idle,
  waits: quietSamples,
  behind: undefined,
};
const machine = { processors: 8, workCount: 1 };

for (const [name, change] of [
  ["the load generator", { usage: { ...idle, bench: 0.99 } }],
  ["the main thread of serve", { usage: { ...idle, mainThread: 0.95 } }],
  ["work", { usage: { ...idle, work: 0.97 } }],
  ["the simulated provider", { usage: { ...idle, provider: 1 } }],
  ["the processors of PostgreSQL", { usage: { ...idle, postgres: 7.8, machine: 7.9, serve: 0.05 } }],
  ["the processors of this machine", { usage: { ...idle, postgres: 3, serve: 4.5, machine: 7.9 } }],
  ["other programs on this machine", { usage: { ...idle, machine: 8 } }],
  [
    "the disk that writes PostgreSQL's log (WAL fsync)",
    { waits: { ...quietSamples, waits: { "IO WALSync": 40, "LWLock WALWrite": 40, running: 20 } } },
  ],
  [
    "the standby that each commit waits for (synchronous replication)",
    { waits: { ...quietSamples, waits: { "IPC SyncRep": 90, running: 10 } } },
  ],
  ["locks in PostgreSQL", { waits: { ...quietSamples, waits: { "Lock transactionid": 90, running: 10 } } }],
  ["the connections of serve to PostgreSQL", { waits: { ...quietSamples, busy: 800, serveOpen: 16 } }],
] as const)
  test(`the first bottleneck is ${name}`, () => {
    const [first] = findBottlenecks({ ...step, ...change }, machine);
    assert.equal(first?.name, name);
    assert.match(first.evidence, /\d/);
  });

test("no bottleneck is reported if no measured part is near its limit", () => {
  assert.deepEqual(findBottlenecks(step, machine), []);
  const unseen = { serve: undefined, mainThread: undefined, work: undefined, provider: undefined };
  const usage = { ...unseen, postgres: undefined, machine: undefined, bench: 0.1 };
  assert.deepEqual(findBottlenecks({ ...step, usage, waits: undefined }, machine), []);
});

for (const [why, change] of [
  [/40 requests were not sent/, { unsent: 40 }],
  [/3 requests had no response/, { unanswered: 3 }],
  [
    /9 of 2009 requests were refused, the first with REQUEST_TRAFFIC/,
    { pay: { ...goodLatency, refused: 9 }, firstRefusal: "REQUEST_TRAFFIC" },
  ],
  [/99th percentile is 700 ms, above 500 ms/, { inquiry: { ...goodLatency, p99Ms: 700 } }],
  [/4 of 1004 webhooks/, { told: { ...goodLatency, refused: 4 } }],
] as const)
  test(`a rate is not sustained when ${String(why)}`, () => {
    assert.equal(failureReasonOf(step, 500), undefined);
    assert.match(failureReasonOf({ ...step, ...change }, 500) ?? "", why);
  });

test("the size follows from the cost per payment, with headroom, and has at least two processes of each kind", () => {
  const cost = costPerPayment(step, 1);
  assert.deepEqual(cost, { serveMs: 2, mainThreadMs: 1.5, workMs: 0.5, postgresMs: 1 });
  assert.partialDeepStrictEqual(sizeFor(2_000, cost), {
    serve: 5,
    work: 2,
    gatewayProcessors: 9,
    postgresProcessors: 4,
    connectionsInAll: 7 * 16 + 10,
  });
  assert.partialDeepStrictEqual(sizeFor(10, cost), { serve: 2, work: 2, postgresProcessors: 1 });
  assert.equal(costPerPayment({ ...step, usage: { ...idle, serve: undefined } }, 1), undefined);
});
