import assert from "node:assert/strict";
import { test } from "node:test";
import { startClock, type Clock } from "./clock.ts";

/** A database and a process with a clock each, which the test sets as it likes. */
interface Clocks {
  clock: Clock;
  monotonicMs: number;
  databaseMs: number;
  /** How long a question and its answer travel, and the database's own part of that. */
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
  const world = Object.assign(clocks, set) as Clocks;
  world.clock = await startClock({
    monotonicMs: () => world.monotonicMs,
    databaseMs: async () => {
      world.monotonicMs += world.thereMs;
      const read = world.databaseMs;
      world.monotonicMs += world.backMs;
      if (world.away) throw new Error("The database is away.");
      return read;
    },
    onJump: (byMs) => world.jumpsMs.push(byMs),
  });
  return world;
}

test("time is the database's, and goes on between two looks at it", async () => {
  const world = await start();
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:00.000Z");
  world.monotonicMs += 1_234;
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:01.234Z");
});

test("the process's own clock does not matter, right or wrong", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.parse("1999-12-31T23:59:59Z") });
  const world = await start();
  t.mock.timers.setTime(Date.parse("2038-01-19T03:14:08Z"));
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:00.000Z");
});

test("the database looked at its clock somewhere on the way, so the middle is taken", async () => {
  const world = await start({ thereMs: 40, backMs: 0 });
  // In truth the answer is 0 ms old. The process cannot know, and is wrong by half the round trip at most.
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:00.020Z");
});

test("an answer that took long says little, and changes no more than it has to", async () => {
  const world = await start();
  world.thereMs = 5_000;
  world.monotonicMs += 1_000;
  world.databaseMs += 6_000;
  await world.clock.sample();
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:06.000Z");
  // Half a second ahead of us, for certain, since the answer came at once.
  world.thereMs = 0;
  world.databaseMs += 500;
  await world.clock.sample();
  assert.equal(world.clock.now().toISOString(), "2026-11-15T09:30:06.500Z");
  assert.deepEqual(world.jumpsMs, []);
});

test("when the database's clock is a little behind ours, ours waits for it, and never goes back", async () => {
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

test("when the database's clock is set, ours follows with the next look, forwards and backwards, and says so", async () => {
  const world = await start();
  for (const time of ["2026-11-15T10:30:00.000Z", "2026-11-15T08:30:00.000Z"]) {
    world.databaseMs = Date.parse(time);
    assert.notEqual(world.clock.now().toISOString(), time);
    await world.clock.sample();
    assert.equal(world.clock.now().toISOString(), time);
  }
  assert.deepEqual(world.jumpsMs, [3_600_000, -7_200_000]);
});

test("a look that fails changes nothing, and the age of the last one tells", async () => {
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

test("without the database there is no time to start with", async () => {
  await assert.rejects(start({ away: true }), /away/);
});
