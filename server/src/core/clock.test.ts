import assert from "node:assert/strict";
import { test } from "node:test";
import { startClock, type Clock } from "./clock.ts";

/** Clocks of a database and a process, both set by the test. */
interface Clocks {
  clock: Clock;
  monotonicMs: number;
  databaseMs: number;
  /** Travel times of a query and its response in milliseconds, and the database's own time. */
  thereMs: number;
  backMs: number;
  away: boolean;
  jumpsMs: number[];
}

async function start(set: Partial<Clocks> = {}): Promise<Clocks> {
  const clocks = {
    monotonicMs: 5_000,
    databaseMs: Date.parse("2026-11-15T09:30:00Z"),
    thereMs: 0,
    backMs: 0,
    away: false,
    jumpsMs: [],
  };
  const fakeClocks = Object.assign(clocks, set) as Clocks;
  fakeClocks.clock = await startClock({
    monotonicMs: () => fakeClocks.monotonicMs,
    databaseMs: async () => {
      fakeClocks.monotonicMs += fakeClocks.thereMs;
      const read = fakeClocks.databaseMs;
      fakeClocks.monotonicMs += fakeClocks.backMs;
      if (fakeClocks.away) throw new Error("The database is away.");
      return read;
    },
    onJump: (byMs) => fakeClocks.jumpsMs.push(byMs),
  });
  return fakeClocks;
}

test("the clock shows the database's time, and runs on between two samples", async () => {
  const world = await start();
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:00.000Z");
  world.monotonicMs += 1_234;
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:01.234Z");
});

test("the process's own clock has no influence", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("1999-12-31T23:59:59Z") });
  const world = await start();
  t.mock.timers.setTime(Date.parse("2038-01-19T03:14:08Z"));
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:00.000Z");
});

test("the database read its clock within the round trip, so the middle is assumed", async () => {
  const world = await start({ thereMs: 40, backMs: 0 });
  // The true offset is 0 ms. The process cannot know the offset, and is wrong by at most half the round trip.
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:00.020Z");
});

test("a slow sample is imprecise, and changes the offset no more than necessary", async () => {
  const world = await start();
  world.thereMs = 5_000;
  world.monotonicMs += 1_000;
  world.databaseMs += 6_000;
  await world.clock.sample();
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:06.000Z");
  // The database's clock is certainly half a second ahead, because the round trip took no time.
  world.thereMs = 0;
  world.databaseMs += 500;
  await world.clock.sample();
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:06.500Z");
  assert.deepEqual(world.jumpsMs, []);
});

test("if the database's clock is a little behind, ours stops until it catches up, and never goes back", async () => {
  const world = await start();
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:00.000Z");
  world.databaseMs -= 2_000;
  await world.clock.sample();
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:00.000Z");
  world.monotonicMs += 1_500;
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:00.000Z");
  world.monotonicMs += 1_500;
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:01.000Z");
  assert.deepEqual(world.jumpsMs, []);
});

test("if the database's clock is set, ours follows at the next sample in either direction, and reports it", async () => {
  const world = await start();
  for (const time of ["2026-11-15T10:30:00.000Z", "2026-11-15T08:30:00.000Z"]) {
    world.databaseMs = Date.parse(time);
    assert.notEqual(world.clock.now().toISOString(), time);
    await world.clock.sample();
    assert.equal(world.clock.now().toISOString(), time);
  }
  assert.deepEqual(world.jumpsMs, [3_600_000, -7_200_000]);
});

test("a failed sample changes nothing, and the age of the last one grows", async () => {
  const world = await start({ thereMs: 10, backMs: 10 });
  assert.equal(world.clock.sampleAgeMs(), 0);
  world.away = true;
  world.databaseMs += 3_600_000;
  await assert.rejects(world.clock.sample(), /away/);
  world.monotonicMs += 5_000;
  assert.equal(world.clock.sampleAgeMs(), 5_020);
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:05.030Z");

  world.away = false;
  await world.clock.sample();
  assert.equal(world.clock.sampleAgeMs(), 0);
});

test("without the database the clock cannot start", async () => {
  await assert.rejects(start({ away: true }), /away/);
});
