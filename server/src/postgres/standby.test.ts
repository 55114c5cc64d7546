import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { Outcome } from "./database.ts";
import type { Statement, Tx } from "./sql.ts";
import { watchStandby } from "./standby.ts";

/** A PostgreSQL server that holds commits back until it is told how they end. */
function heldCommits(): {
  readonly commit: (work: (tx: Tx) => Promise<unknown>) => Promise<Outcome<unknown>>;
  readonly held: ((outcome: Outcome<unknown>) => void)[];
} {
  const held: ((outcome: Outcome<unknown>) => void)[] = [];
  return { held, commit: () => new Promise((resolve) => held.push(resolve)) };
}

const expected = async (_statement: Statement): Promise<object[]> => [{ expected: true }];
const none = async (_statement: Statement): Promise<object[]> => [{ expected: false }];
const committed = { outcome: "committed", value: undefined } as const;

test("without a synchronous standby nobody waits", async () => {
  const { commit, held } = heldCommits();
  await watchStandby(none, commit).confirmed();
  assert.equal(held.length, 0);
});

test("who asks while a mark is on its way waits for the next one, and shares it", async () => {
  const { commit, held } = heldCommits();
  const standby = watchStandby(expected, commit);
  const first = standby.confirmed();
  await delay(1);
  let later = 0;
  const others = [standby.confirmed(), standby.confirmed()].map((each) => each.then(() => (later += 1)));
  await delay(1);
  assert.equal(held.length, 1);
  held[0]?.(committed);
  await first;
  await delay(1);
  // The later callers' mark was set after they had read, and is not back yet.
  assert.deepEqual([held.length, later], [2, 0]);
  held[1]?.(committed);
  await Promise.all(others);
  assert.equal(held.length, 2);
});

test("a mark that comes back with a warning confirms nothing, and the next one may", async () => {
  const { commit, held } = heldCommits();
  const standby = watchStandby(expected, commit);
  const refused = assert.rejects(standby.confirmed(), /wait was cut short/);
  await delay(1);
  const next = standby.confirmed();
  await delay(1);
  held[0]?.({ outcome: "unknown", cause: new Error("The wait was cut short.") });
  await refused;
  await delay(1);
  held[1]?.(committed);
  await next;
});

test("nobody waits for ever for a standby that is gone", async () => {
  const { commit } = heldCommits();
  await assert.rejects(watchStandby(expected, commit).confirmed(), /within 3000 ms/);
});

test("who cannot ask whether there is a standby does not take it that there is none", async () => {
  const { commit } = heldCommits();
  const unreachable = async (): Promise<object[]> => Promise.reject(new Error("No connection."));
  await assert.rejects(watchStandby(unreachable, commit).confirmed(), /No connection/);
});
