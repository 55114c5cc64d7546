import assert from "node:assert/strict";
import { test } from "node:test";
import { advanceClockJob } from "./advance-clock-job.ts";
import type { ClockAdvance } from "./clock-advance.ts";

const advance: ClockAdvance = {
  bucket: 1,
  clientId: "SANDBOX_COFFEE",
  advanceId: "t",
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
async function pausesOf(steps: readonly ("moved" | "waits" | "arrived")[]): Promise<readonly number[]> {
  const pauses: number[] = [];
  const remainingSteps = steps.values();
  const job = advanceClockJob({
    step: async () => remainingSteps.next().value ?? "arrived",
    wait: async (ms) => void pauses.push(ms),
    wake: () => undefined,
  });
  const calls = { signal: AbortSignal.timeout(1_000), beforeSend: async () => undefined };
  await job.call(advance, { ...leased, aheadMs: 0 }, calls.signal, calls.beforeSend);
  return pauses.slice(0, -1);
}

test("the polls of a clock that waits for a provider back off, and are fast again when it moves", async () => {
  const waits = Array.from({ length: 62 }, () => "waits" as const);
  const pauses = await pausesOf([...waits, "moved", "waits", "arrived"]);
  assert.deepEqual(pauses, [...Array.from({ length: 60 }, () => 15), 250, 250, 15]);
});
