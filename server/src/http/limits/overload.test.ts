import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../catalog/operations.ts";
import { beginners } from "../merchant-api/gateway.ts";
import {
  burstMost,
  burstMs,
  burstRestMs,
  inFlightMax,
  targetLatencyMs,
  peopleMax,
  concurrencyMin,
  concurrencyMax,
  watchOverload,
  type WorkKind,
  type Visit,
} from "./overload.ts";

function world() {
  const clock = { nowMs: 0 };
  const guard = watchOverload(() => clock.nowMs);
  const fill = (kind: WorkKind, network = "a"): Visit[] => {
    const visits: Visit[] = [];
    for (;;) {
      const visit = guard.arrive(network);
      if (!visit.take(kind)) return visits;
      visits.push(visit);
    }
  };
  // Abandons a request while it waits, so that its latency does not count.
  const vanish = (visit: Visit | undefined): void => {
    void visit?.idle(new Promise(() => undefined));
    visit?.leave();
  };
  /** The number of requests admitted after the burst. */
  const steady = (): number => {
    const visits = fill("old work");
    clock.nowMs += burstMs;
    while (visits.length > 0 && !guard.hasRoom("old work")) vanish(visits.pop());
    const most = guard.hasRoom("old work") ? visits.length + 1 : 0;
    visits.forEach(vanish);
    return most;
  };
  return { clock, guard, fill, steady };
}

test("new work and old work cannot take each other's reserved slots", () => {
  for (const [first, second] of [
    ["new work", "old work"],
    ["old work", "new work"],
  ] as const) {
    const { guard, fill } = world();
    assert.equal(fill(first).length, burstMost * 0.75);
    assert.ok(!guard.hasRoom(first) && guard.hasRoom(second));
    assert.equal(fill(second).length, burstMost * 0.25);
  }
});

test("a short burst is admitted, then the concurrency limit applies", () => {
  const { clock, guard, fill, steady } = world();
  assert.equal(steady(), concurrencyMax * 0.75);
  const few = fill("new work");
  assert.equal(few.length, concurrencyMax * 0.75, "Another burst came without a rest.");
  for (const visit of few) visit.leave();
  clock.nowMs += burstRestMs;
  assert.equal(fill("new work").length, burstMost * 0.75);
  clock.nowMs += burstMs;
  assert.ok(!guard.hasRoom("new work"));
});

test("unauthenticated clients take no merchant slots, and one network cannot take all of theirs", () => {
  const { guard, fill } = world();
  assert.equal(fill("unauthenticated", "a").length, 50);
  assert.equal(fill("unauthenticated", "b").length, 50);
  for (const network of ["c", "d", "e"]) fill("unauthenticated", network);
  assert.equal(fill("unauthenticated", "f").length, 0);
  assert.ok(guard.hasRoom("new work"));
});

test("console users and merchants' systems have separate slots", () => {
  const { clock, guard, fill } = world();
  const people = fill("people");
  assert.equal(people.length, peopleMax);
  assert.equal(fill("new work").length, burstMost * 0.75);
  assert.equal(fill("old work").length, burstMost * 0.25);
  assert.ok(!guard.arrive("b").take("people"));
  // The latency of console requests does not lower their limit, so all slots are free again.
  clock.nowMs += 10 * targetLatencyMs;
  for (const visit of people) visit.leave();
  assert.equal(fill("people").length, peopleMax);
});

test("the concurrency limit falls when latency is high, and rises again afterwards", () => {
  const { clock, guard, steady } = world();
  const turn = (ownMs: number): void => {
    const visit = guard.arrive("a");
    assert.ok(visit.take("old work"));
    clock.nowMs += ownMs;
    visit.leave();
  };
  assert.equal(steady(), concurrencyMax * 0.75);
  turn(targetLatencyMs * 3);
  assert.equal(steady(), Math.ceil(Math.floor(concurrencyMax * 0.7) * 0.75));
  for (let count = 0; count < 20; count += 1) turn(targetLatencyMs * 3);
  assert.equal(steady(), concurrencyMin * 0.75);
  for (let count = 0; count < 2_000; count += 1) turn(10);
  assert.equal(steady(), concurrencyMax * 0.75);
});

test("waiting for a provider takes no slot and no latency, but the number of waiting requests is limited", async () => {
  const { clock, guard } = world();
  let answer = (): void => undefined;
  const provider = new Promise<void>((resolve) => (answer = resolve));
  const waiting: Promise<void>[] = [];
  const visits: Visit[] = [];
  for (;;) {
    const visit = guard.arrive("a");
    if (!visit.take("new work")) break;
    visits.push(visit);
    waiting.push(visit.idle(provider));
  }
  assert.equal(visits.length, inFlightMax);
  clock.nowMs += 60_000;
  answer();
  await Promise.all(waiting);
  for (const visit of visits) visit.leave();
  assert.ok(guard.hasRoom("new work"));
  const again = Array.from({ length: concurrencyMax * 0.75 }, () => guard.arrive("a").take("new work"));
  assert.ok(again.every(Boolean), "The wait for the provider counted as latency.");
});

test("the operations of the new-work bulkhead exist", () => {
  const paths = new Set<string>(operations.map(({ path }) => path));
  for (const path of beginners) assert.ok(paths.has(path), path);
});

test("a request that is abandoned while it waits for a provider returns its slot and takes none later", async () => {
  const { guard, fill } = world();
  for (let count = 0; count < burstMost; count += 1) {
    let answer = (): void => undefined;
    const provider = new Promise<void>((resolve) => (answer = resolve));
    const visit = guard.arrive("a");
    assert.ok(visit.take("old work"), `after ${count}`);
    const waiting = visit.idle(provider);
    visit.leave();
    answer();
    await waiting;
  }
  assert.equal(fill("old work").length, burstMost * 0.75);
});

test("a request that moves to the unauthenticated bulkhead returns its merchant slot", () => {
  const { guard, fill } = world();
  for (let count = 0; count <= inFlightMax; count += 1) {
    const visit = guard.arrive("a");
    assert.ok(visit.take("new work"), `after ${count}`);
    visit.take("unauthenticated");
    visit.leave();
  }
  assert.equal(fill("new work").length, burstMost * 0.75);
});
