import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { requireCommitted as valueOf, type TransactionOutcome } from "./database.ts";
import type { ServerOrigin } from "./connection-origin.ts";
import type { Statement, Tx } from "./sql.ts";
import { watchStandby } from "./standby.ts";

/** A PostgreSQL server whose commits wait until the test ends them. */
function controlCommits(): {
  readonly commit: (work: (tx: Tx) => Promise<unknown>, origins: Set<ServerOrigin>) => Promise<unknown>;
  readonly pendingCommits: ((outcome: TransactionOutcome<unknown>, from?: ServerOrigin) => void)[];
} {
  const pendingCommits: ((outcome: TransactionOutcome<unknown>, from?: ServerOrigin) => void)[] = [];
  const commit = async (_work: unknown, origins: Set<ServerOrigin>): Promise<unknown> =>
    valueOf(
      await new Promise<TransactionOutcome<unknown>>((resolve) =>
        pendingCommits.push((outcome, from = "first") => {
          origins.add(from);
          resolve(outcome);
        }),
      ),
    );
  return { pendingCommits, commit };
}

type Ask = (statement: Statement, origins: Set<ServerOrigin>) => Promise<object[]>;

function queryReturning(isExpected: boolean, origin: ServerOrigin = "first"): Ask {
  return async (_statement, origins) => {
    origins.add(origin);
    return [{ expected: isExpected }];
  };
}

const [expected, withoutStandby] = [queryReturning(true), queryReturning(false)];
const fromFirst = new Set<ServerOrigin>(["first"]);
const committed = { outcome: "committed", value: undefined } as const;

test("without a synchronous standby no caller waits", async () => {
  const { commit, pendingCommits } = controlCommits();
  await watchStandby(withoutStandby, commit).waitForReplication(fromFirst);
  assert.equal(pendingCommits.length, 0);
});

test("callers that arrive while a mark is in flight share the next one", async () => {
  const { commit, pendingCommits } = controlCommits();
  const standby = watchStandby(expected, commit);
  const first = standby.waitForReplication(fromFirst);
  await delay(1);
  let laterMark = 0;
  const otherCallers = [standby.waitForReplication(fromFirst), standby.waitForReplication(fromFirst)].map(
    (each) => each.then(() => (laterMark += 1)),
  );
  await delay(1);
  assert.equal(pendingCommits.length, 1);
  pendingCommits[0]?.(committed);
  await first;
  await delay(1);
  // The mark of the later callers was set after their reads, and has not returned yet.
  assert.deepEqual([pendingCommits.length, laterMark], [2, 0]);
  pendingCommits[1]?.(committed);
  await Promise.all(otherCallers);
  assert.equal(pendingCommits.length, 2);
});

test("a mark that returns with a warning confirms nothing, and the next one may", async () => {
  const { commit, pendingCommits } = controlCommits();
  const standby = watchStandby(expected, commit);
  const refused = assert.rejects(standby.waitForReplication(fromFirst), /wait was cut short/);
  await delay(1);
  const next = standby.waitForReplication(fromFirst);
  await delay(1);
  pendingCommits[0]?.({ outcome: "unknown", cause: new Error("The wait was cut short.") });
  await refused;
  await delay(1);
  pendingCommits[1]?.(committed);
  await next;
});

test("the wait for a lost standby has a timeout", async () => {
  const { commit } = controlCommits();
  await assert.rejects(watchStandby(expected, commit).waitForReplication(fromFirst), /within 3000 ms/);
});

test("if the standby setting cannot be queried, a standby is not assumed to be missing", async () => {
  const { commit } = controlCommits();
  const unreachable = async (): Promise<object[]> => Promise.reject(new Error("No connection."));
  await assert.rejects(watchStandby(unreachable, commit).waitForReplication(fromFirst), /No connection/);
});

test("a mark on another server than the one that was read confirms nothing", async () => {
  const { commit, pendingCommits } = controlCommits();
  const standby = watchStandby(expected, commit);
  const [first, waitsForNext] = [
    standby.waitForReplication(fromFirst),
    standby.waitForReplication(fromFirst),
  ];
  const refused = [first, waitsForNext].map((each) => assert.rejects(each, /another server/));
  await delay(1);
  pendingCommits[0]?.(committed, "promoted");
  await delay(1);
  pendingCommits[1]?.(committed, "promoted");
  await Promise.all(refused);
});

test("a server without a synchronous standby confirms only rows that were read from it", async () => {
  const { commit } = controlCommits();
  const promoted = watchStandby(queryReturning(false, "promoted"), commit);
  await promoted.waitForReplication(new Set(["promoted"]));
  await assert.rejects(promoted.waitForReplication(fromFirst), /another server/);
  await assert.rejects(promoted.waitForReplication(new Set(["promoted", "first"])), /another server/);
});

test("rows from a server in recovery are confirmed by no server", async () => {
  const { commit } = controlCommits();
  const recovering = watchStandby(queryReturning(false, undefined), commit);
  await assert.rejects(recovering.waitForReplication(new Set([undefined])), /another server/);
});

test("after a restart of a single server its setting is queried again, and confirms later reads", async () => {
  const { commit } = controlCommits();
  let origin = "first";
  const restarted = watchStandby(
    (statement, origins) => queryReturning(false, origin)(statement, origins),
    commit,
  );
  await restarted.waitForReplication(fromFirst);
  origin = "restarted";
  await restarted.waitForReplication(new Set(["restarted"]));
});
