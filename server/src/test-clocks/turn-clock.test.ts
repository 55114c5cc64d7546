import assert from "node:assert/strict";
import { test } from "node:test";
import { turnClock } from "./turn-clock.ts";
import type { ClockTurn } from "./clock-turn.ts";

const turn: ClockTurn = {
  bucket: 1,
  clientId: "SANDBOX_COFFEE",
  turnId: "t",
  turnRequestId: "t",
  fingerprint: new Uint8Array(),
  from: new Date(0),
  to: new Date(1),
  isDone: false,
  fired: [],
};
const leased = {
  bucket: 1,
  clientId: "SANDBOX_COFFEE",
  subjectId: "t",
  job: "turn-clock" as const,
  epoch: 1,
  attempts: 0,
};

/** Runs a turn with these outcomes of its steps; returns the pauses between polls. */
async function restsOf(steps: readonly ("moved" | "waits" | "arrived")[]): Promise<readonly number[]> {
  const rests: number[] = [];
  const left = steps.values();
  const job = turnClock({
    step: async () => left.next().value ?? "arrived",
    wait: async (ms) => void rests.push(ms),
    wake: () => undefined,
  });
  const calls = { signal: AbortSignal.timeout(1_000), beforeSend: async () => undefined };
  await job.call(turn, { ...leased, aheadMs: 0 }, calls.signal, calls.beforeSend);
  return rests.slice(0, -1);
}

test("the polls of a clock that waits for a provider back off, and are fast again when it moves", async () => {
  const waits = Array.from({ length: 62 }, () => "waits" as const);
  const rests = await restsOf([...waits, "moved", "waits", "arrived"]);
  assert.deepEqual(rests, [...Array.from({ length: 60 }, () => 15), 250, 250, 15]);
});
