import assert from "node:assert/strict";
import { test } from "node:test";
import type { DatabaseState } from "../oracle/database-state.ts";
import { findFeedGaps, isExplainedByThaw, wasServedByHome } from "./check-fleet.ts";

const since = new Date("2026-11-17T12:00:00Z");
const after = (ms: number): Date => new Date(since.getTime() + ms);
const merchant = { clientId: "SANDBOX_X", keyVersion: 1, cell: "a" };
const move = {
  merchant,
  from: "a",
  to: "b",
  epoch: 1,
  rows: 1,
  pauseMs: 1,
  beganAtMs: 0,
  endedAtMs: 1,
  killedAt: [],
};
const row = { client_id: "SANDBOX_X", path: "payments/pay", result_code: "SUCCESS", since };

for (const [description, cell, arrivedMs, answeredMs, expected] of [
  ["served by its first home before the move", "a", -100, -50, true],
  ["started at its first home before the move", "a", -100, 300, true],
  ["served by its first home after the move", "a", 100, 150, false],
  ["served by its new home after the move", "b", -100, 50, true],
  ["served by its new home before the move", "b", -100, -50, false],
  ["served by a third cell", "c", 100, 150, false],
] as const)
  test(`a call that was ${description} is ${expected ? "correct" : "wrong"}`, () => {
    const served = { ...row, arrived_at: after(arrivedMs), at: after(answeredMs) };
    assert.equal(wasServedByHome(cell, served, "a", move), expected);
  });

test("a merchant that was not moved is served in the cell where it was opened", () => {
  const served = { ...row, since: null, arrived_at: since, at: since };
  assert.deepEqual(
    ["a", "b"].map((cell) => wasServedByHome(cell, served, "a", undefined)),
    [true, false],
  );
});

test("a feed with a gap, a duplicate event, or a payment without an event is reported", () => {
  const payments = [{ clientId: "SANDBOX_X", paymentId: "p2", wasPaid: true }];
  const databaseState = { payments, refunds: [] } as unknown as DatabaseState;
  const event = (cursor: string, subjectId: string) => ({ cursor, notificationId: `n${cursor}`, subjectId });
  const gapsOf = (...feed: ReturnType<typeof event>[]): readonly string[] =>
    findFeedGaps({ merchant, feed, wrong: [], waits: [], soldCount: () => 1, ...closedShop }, databaseState);
  assert.deepEqual(gapsOf(event("1", "p1"), event("2", "p2")), []);
  assert.match(gapsOf(event("1", "p1"), event("3", "p2")).join(), /position 3 where 2 is due/);
  assert.match(gapsOf(event("1", "p1")).join(), /no event about p2/);
  assert.match(gapsOf(event("1", "p2"), event("1", "p2")).join(), /twice/);
});

test("a rejection is attributed to the thawed cell only if it is the merchant's home, about the provider, and soon", () => {
  const frozen = { cell: "a", fromMs: 1_000, untilMs: 2_000 };
  const answer = { clientId: "SANDBOX_X", atMs: 1_500, description: "", code: "UNAVAILABLE_PAYMENT_METHOD" };
  const ofThawed = (change: object): boolean =>
    isExplainedByThaw({ ...answer, ...change }, frozen, [merchant]);
  assert.equal(ofThawed({}), true);
  for (const change of [
    { code: "UNKNOWN_CLIENT" },
    { clientId: "SANDBOX_Y" },
    { atMs: 500 },
    { atMs: 20_000 },
  ])
    assert.equal(ofThawed(change), false, JSON.stringify(change));
});

const closedShop = { readRest: async () => undefined, close: async () => undefined };
