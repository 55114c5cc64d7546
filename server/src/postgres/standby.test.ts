import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { committed as valueOf, type Outcome } from "./database.ts";
import type { Origin } from "./origin.ts";
import type { Statement, Tx } from "./sql.ts";
import { watchStandby } from "./standby.ts";

/** A PostgreSQL server whose commits wait until the test ends them. */
function heldCommits(): {
  readonly commit: (work: (tx: Tx) => Promise<unknown>, origins: Set<Origin>) => Promise<unknown>;
  readonly held: ((outcome: Outcome<unknown>, from?: Origin) => void)[];
} {
  const held: ((outcome: Outcome<unknown>, from?: Origin) => void)[] = [];
  const commit = async (_work: unknown, origins: Set<Origin>): Promise<unknown> =>
    valueOf(
      await new Promise<Outcome<unknown>>((resolve) =>
        held.push((outcome, from = "first") => {
          origins.add(from);
          resolve(outcome);
        }),
      ),
    );
  return { held, commit };
}

type Ask = (statement: Statement, origins: Set<Origin>) => Promise<object[]>;

function serverWith(isExpected: boolean, origin: Origin = "first"): Ask {
  return async (_statement, origins) => {
    origins.add(origin);
    return [{ expected: isExpected }];
  };
}

const [expected, none] = [serverWith(true), serverWith(false)];
const fromFirst = new Set<Origin>(["first"]);
const committed = { outcome: "committed", value: undefined } as const;

test("without a synchronous standby no caller waits", async () => {
  const { commit, held } = heldCommits();
  await watchStandby(none, commit).confirmed(fromFirst);
  assert.equal(held.length, 0);
});

test("callers that arrive while a mark is in flight share the next one", async () => {
  const { commit, held } = heldCommits();
  const standby = watchStandby(expected, commit);
  const first = standby.confirmed(fromFirst);
  await delay(1);
  let later = 0;
  const others = [standby.confirmed(fromFirst), standby.confirmed(fromFirst)].map((each) =>
    each.then(() => (later += 1)),
  );
  await delay(1);
  assert.equal(held.length, 1);
  held[0]?.(committed);
  await first;
  await delay(1);
  // The mark of the later callers was set after their reads, and has not returned yet.
  assert.deepEqual([held.length, later], [2, 0]);
  held[1]?.(committed);
  await Promise.all(others);
  assert.equal(held.length, 2);
});

test("a mark that returns with a warning confirms nothing, and the next one may", async () => {
  const { commit, held } = heldCommits();
  const standby = watchStandby(expected, commit);
  const refused = assert.rejects(standby.confirmed(fromFirst), /wait was cut short/);
  await delay(1);
  const next = standby.confirmed(fromFirst);
  await delay(1);
  held[0]?.({ outcome: "unknown", cause: new Error("The wait was cut short.") });
  await refused;
  await delay(1);
  held[1]?.(committed);
  await next;
});

test("the wait for a lost standby has a timeout", async () => {
  const { commit } = heldCommits();
  await assert.rejects(watchStandby(expected, commit).confirmed(fromFirst), /within 3000 ms/);
});

test("if the standby setting cannot be queried, a standby is not assumed to be missing", async () => {
  const { commit } = heldCommits();
  const unreachable = async (): Promise<object[]> => Promise.reject(new Error("No connection."));
  await assert.rejects(watchStandby(unreachable, commit).confirmed(fromFirst), /No connection/);
});

test("a mark on another server than the one that was read confirms nothing", async () => {
  const { commit, held } = heldCommits();
  const standby = watchStandby(expected, commit);
  const [first, waitsForNext] = [standby.confirmed(fromFirst), standby.confirmed(fromFirst)];
  const refused = [first, waitsForNext].map((each) => assert.rejects(each, /another server/));
  await delay(1);
  held[0]?.(committed, "promoted");
  await delay(1);
  held[1]?.(committed, "promoted");
  await Promise.all(refused);
});

test("a server without a synchronous standby confirms only rows that were read from it", async () => {
  const { commit } = heldCommits();
  const promoted = watchStandby(serverWith(false, "promoted"), commit);
  await promoted.confirmed(new Set(["promoted"]));
  await assert.rejects(promoted.confirmed(fromFirst), /another server/);
  await assert.rejects(promoted.confirmed(new Set(["promoted", "first"])), /another server/);
});

test("rows from a server in recovery are confirmed by no server", async () => {
  const { commit } = heldCommits();
  const recovering = watchStandby(serverWith(false, undefined), commit);
  await assert.rejects(recovering.confirmed(new Set([undefined])), /another server/);
});

test("after a restart of a single server its setting is queried again, and confirms later reads", async () => {
  const { commit } = heldCommits();
  let origin = "first";
  const restarted = watchStandby(
    (statement, origins) => serverWith(false, origin)(statement, origins),
    commit,
  );
  await restarted.confirmed(fromFirst);
  origin = "restarted";
  await restarted.confirmed(new Set(["restarted"]));
});
