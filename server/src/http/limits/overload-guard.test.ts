import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../../catalog/operations.ts";
import { newWorkOperations } from "../merchant-api/gateway.ts";
import {
  burstMax,
  burstMs,
  burstRestMs,
  inFlightMax,
  targetLatencyMs,
  peopleMax,
  concurrencyMin,
  concurrencyMax,
  newOverloadGuard,
  type WorkKind,
  type RequestSlot,
} from "./overload-guard.ts";

function newGuardSetup() {
  const clock = { nowMs: 0 };
  const guard = newOverloadGuard(() => clock.nowMs);
  const takeAllSlots = (kind: WorkKind, network = "a"): RequestSlot[] => {
    const slots: RequestSlot[] = [];
    for (;;) {
      const slot = guard.register(network);
      if (!slot.take(kind)) return slots;
      slots.push(slot);
    }
  };
  // Abandons a request while it waits, so that its latency does not count.
  const abandon = (slot: RequestSlot | undefined): void => {
    void slot?.idle(new Promise(() => undefined));
    slot?.release();
  };
  /** The number of requests admitted after the burst. */
  const steadyLimit = (): number => {
    const slots = takeAllSlots("old work");
    clock.nowMs += burstMs;
    while (slots.length > 0 && !guard.hasFreeSlot("old work")) abandon(slots.pop());
    const limit = guard.hasFreeSlot("old work") ? slots.length + 1 : 0;
    slots.forEach(abandon);
    return limit;
  };
  return { clock, guard, fill: takeAllSlots, steady: steadyLimit };
}

test("new work and old work cannot take each other's reserved slots", () => {
  for (const [first, second] of [
    ["new work", "old work"],
    ["old work", "new work"],
  ] as const) {
    const { guard, fill } = newGuardSetup();
    assert.equal(fill(first).length, burstMax * 0.75);
    assert.ok(!guard.hasFreeSlot(first) && guard.hasFreeSlot(second));
    assert.equal(fill(second).length, burstMax * 0.25);
  }
});

test("a short burst is admitted, then the concurrency limit applies", () => {
  const { clock, guard, fill, steady } = newGuardSetup();
  assert.equal(steady(), concurrencyMax * 0.75);
  const few = fill("new work");
  assert.equal(few.length, concurrencyMax * 0.75, "Another burst came without a rest.");
  for (const visit of few) visit.release();
  clock.nowMs += burstRestMs;
  assert.equal(fill("new work").length, burstMax * 0.75);
  clock.nowMs += burstMs;
  assert.ok(!guard.hasFreeSlot("new work"));
});

test("unauthenticated clients take no merchant slots, and one network cannot take all of theirs", () => {
  const { guard, fill } = newGuardSetup();
  assert.equal(fill("unauthenticated", "a").length, 50);
  assert.equal(fill("unauthenticated", "b").length, 50);
  for (const network of ["c", "d", "e"]) fill("unauthenticated", network);
  assert.equal(fill("unauthenticated", "f").length, 0);
  assert.ok(guard.hasFreeSlot("new work"));
});

test("console users and merchants' systems have separate slots", () => {
  const { clock, guard, fill } = newGuardSetup();
  const people = fill("people");
  assert.equal(people.length, peopleMax);
  assert.equal(fill("new work").length, burstMax * 0.75);
  assert.equal(fill("old work").length, burstMax * 0.25);
  assert.ok(!guard.register("b").take("people"));
  // The latency of console requests does not lower their limit, so all slots are free again.
  clock.nowMs += 10 * targetLatencyMs;
  for (const visit of people) visit.release();
  assert.equal(fill("people").length, peopleMax);
});

test("the concurrency limit falls when latency is high, and rises again afterwards", () => {
  const { clock, guard, steady } = newGuardSetup();
  const completeRequest = (latencyMs: number): void => {
    const slot = guard.register("a");
    assert.ok(slot.take("old work"));
    clock.nowMs += latencyMs;
    slot.release();
  };
  assert.equal(steady(), concurrencyMax * 0.75);
  completeRequest(targetLatencyMs * 3);
  assert.equal(steady(), Math.ceil(Math.floor(concurrencyMax * 0.7) * 0.75));
  for (let count = 0; count < 20; count += 1) completeRequest(targetLatencyMs * 3);
  assert.equal(steady(), concurrencyMin * 0.75);
  for (let count = 0; count < 2_000; count += 1) completeRequest(10);
  assert.equal(steady(), concurrencyMax * 0.75);
});

test("waiting for a provider takes no slot and no latency, but the number of waiting requests is limited", async () => {
  const { clock, guard } = newGuardSetup();
  let answer = (): void => undefined;
  const provider = new Promise<void>((resolve) => (answer = resolve));
  const waiting: Promise<void>[] = [];
  const visits: RequestSlot[] = [];
  for (;;) {
    const visit = guard.register("a");
    if (!visit.take("new work")) break;
    visits.push(visit);
    waiting.push(visit.idle(provider));
  }
  assert.equal(visits.length, inFlightMax);
  clock.nowMs += 60_000;
  answer();
  await Promise.all(waiting);
  for (const visit of visits) visit.release();
  assert.ok(guard.hasFreeSlot("new work"));
  const again = Array.from({ length: concurrencyMax * 0.75 }, () => guard.register("a").take("new work"));
  assert.ok(again.every(Boolean), "The wait for the provider counted as latency.");
});

test("the operations of the new-work bulkhead exist", () => {
  const paths = new Set<string>(operations.map(({ path }) => path));
  for (const path of newWorkOperations) assert.ok(paths.has(path), path);
});

test("a request that is abandoned while it waits for a provider returns its slot and takes none later", async () => {
  const { guard, fill } = newGuardSetup();
  for (let count = 0; count < burstMax; count += 1) {
    let answer = (): void => undefined;
    const provider = new Promise<void>((resolve) => (answer = resolve));
    const visit = guard.register("a");
    assert.ok(visit.take("old work"), `after ${count}`);
    const waiting = visit.idle(provider);
    visit.release();
    answer();
    await waiting;
  }
  assert.equal(fill("old work").length, burstMax * 0.75);
});

test("a request that moves to the unauthenticated bulkhead returns its merchant slot", () => {
  const { guard, fill } = newGuardSetup();
  for (let count = 0; count <= inFlightMax; count += 1) {
    const visit = guard.register("a");
    assert.ok(visit.take("new work"), `after ${count}`);
    visit.take("unauthenticated");
    visit.release();
  }
  assert.equal(fill("new work").length, burstMax * 0.75);
});
