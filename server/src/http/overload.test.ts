import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "../api/operations.ts";
import { beginners } from "./gateway.ts";
import {
  burstMost,
  burstMs,
  burstRestMs,
  inFlightMax,
  ownTimeMaxMs,
  peopleMax,
  placesLeast,
  placesMost,
  watchOverload,
  type RequestLane,
  type Visit,
} from "./overload.ts";

function world() {
  const clock = { nowMs: 0 };
  const guard = watchOverload(() => clock.nowMs);
  const fill = (lane: RequestLane, network = "a"): Visit[] => {
    const visits: Visit[] = [];
    for (;;) {
      const visit = guard.arrive(network);
      if (!visit.take(lane)) return visits;
      visits.push(visit);
    }
  };
  // Given up on while they wait, so that their latency does not count.
  const vanish = (visit: Visit | undefined): void => {
    void visit?.idle(new Promise(() => undefined));
    visit?.leave();
  };
  /** How many are let in, once the burst is over. */
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

test("when new work has taken all it may, what ends old work still has places, and the other way round", () => {
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

test("a burst is let in for a moment, then a standing queue is held to its places", () => {
  const { clock, guard, fill, steady } = world();
  assert.equal(steady(), placesMost * 0.75);
  const few = fill("new work");
  assert.equal(few.length, placesMost * 0.75, "Another burst came without a rest.");
  for (const visit of few) visit.leave();
  clock.nowMs += burstRestMs;
  assert.equal(fill("new work").length, burstMost * 0.75);
  clock.nowMs += burstMs;
  assert.ok(!guard.hasRoom("new work"));
});

test("strangers take no place of a merchant's, and one address not those of others", () => {
  const { guard, fill } = world();
  assert.equal(fill("strangers", "a").length, 50);
  assert.equal(fill("strangers", "b").length, 50);
  for (const network of ["c", "d", "e"]) fill("strangers", network);
  assert.equal(fill("strangers", "f").length, 0);
  assert.ok(guard.hasRoom("new work"));
});

test("people have places of their own: they take none of a merchant's, and merchants none of theirs", () => {
  const { clock, guard, fill } = world();
  const people = fill("people");
  assert.equal(people.length, peopleMax);
  assert.equal(fill("new work").length, burstMost * 0.75);
  assert.equal(fill("old work").length, burstMost * 0.25);
  assert.ok(!guard.arrive("b").take("people"));
  // However long people wait for a list, they have their places back.
  clock.nowMs += 10 * ownTimeMaxMs;
  for (const visit of people) visit.leave();
  assert.equal(fill("people").length, peopleMax);
});

test("fewer are let in while requests take too long, and more again when they do not", () => {
  const { clock, guard, steady } = world();
  const turn = (ownMs: number): void => {
    const visit = guard.arrive("a");
    assert.ok(visit.take("old work"));
    clock.nowMs += ownMs;
    visit.leave();
  };
  assert.equal(steady(), placesMost * 0.75);
  turn(ownTimeMaxMs * 3);
  assert.equal(steady(), Math.ceil(Math.floor(placesMost * 0.7) * 0.75));
  for (let count = 0; count < 20; count += 1) turn(ownTimeMaxMs * 3);
  assert.equal(steady(), placesLeast * 0.75);
  for (let count = 0; count < 2_000; count += 1) turn(10);
  assert.equal(steady(), placesMost * 0.75);
});

test("who waits for a wallet takes no place and no time of ours, but there is an end to how many do", async () => {
  const { clock, guard } = world();
  let answer = (): void => undefined;
  const wallet = new Promise<void>((resolve) => (answer = resolve));
  const waiting: Promise<void>[] = [];
  const visits: Visit[] = [];
  for (;;) {
    const visit = guard.arrive("a");
    if (!visit.take("new work")) break;
    visits.push(visit);
    waiting.push(visit.idle(wallet));
  }
  assert.equal(visits.length, inFlightMax);
  clock.nowMs += 60_000;
  answer();
  await Promise.all(waiting);
  for (const visit of visits) visit.leave();
  assert.ok(guard.hasRoom("new work"));
  const again = Array.from({ length: placesMost * 0.75 }, () => guard.arrive("a").take("new work"));
  assert.ok(again.every(Boolean), "The wallet's minute counted as ours.");
});

test("what begins new work are operations that exist", () => {
  const paths = new Set<string>(operations.map(({ path }) => path));
  for (const path of beginners) assert.ok(paths.has(path), path);
});

test("a request that is given up on while it waits for a wallet gives back all it held, and takes nothing later", async () => {
  const { guard, fill } = world();
  for (let count = 0; count < burstMost; count += 1) {
    let answer = (): void => undefined;
    const wallet = new Promise<void>((resolve) => (answer = resolve));
    const visit = guard.arrive("a");
    assert.ok(visit.take("old work"), `after ${count}`);
    const waiting = visit.idle(wallet);
    visit.leave();
    answer();
    await waiting;
  }
  assert.equal(fill("old work").length, burstMost * 0.75);
});

test("a request that becomes a stranger's gives its place among merchants back", () => {
  const { guard, fill } = world();
  for (let count = 0; count <= inFlightMax; count += 1) {
    const visit = guard.arrive("a");
    assert.ok(visit.take("new work"), `after ${count}`);
    visit.take("strangers");
    visit.leave();
  }
  assert.equal(fill("new work").length, burstMost * 0.75);
});
