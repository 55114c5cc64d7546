import { jobDone, type Job } from "../contract/job.ts";
import { findAdvanceById, updateAdvanceDone } from "./clock-advance.sql.ts";
import type { ClockAdvance } from "./clock-advance.ts";

/** Moves a test clock step by step, each step in its own transaction. */
export interface ClockMover {
  readonly step: (advance: ClockAdvance) => Promise<"moved" | "waits" | "arrived">;
  readonly wait: (ms: number) => Promise<void>;
  /** Wakes the workers, because a job became due. */
  readonly wake: () => void;
}

const pollIntervalMs = 15;
/**
 * Backoff: number of fast polls. After these, jobs wait for a provider or an endpoint, and each poll is a transaction.
 */
const fastPolls = 60;
const slowPollIntervalMs = 250;
/** Pause after a step of the clock, longer than any process caches the old time. */
const clockCacheMs = 300;

/** The job that advances a merchant's test clock, and waits for every job that becomes due. */
export function advanceClockJob(mover: ClockMover): Job<ClockAdvance, "arrived"> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const advance = await findAdvanceById(tx, { bucket, clientId }, subjectId);
      return advance?.isDone ? undefined : advance;
    },

    async call(advance, _leased, signal) {
      for (let polls = 1; ; polls += 1) {
        const step = await mover.step(advance);
        if (step === "arrived") break;
        if (signal.aborted) throw new Error("The clock is still moving.");
        if (step === "moved") {
          polls = 0;
          mover.wake();
        } else await mover.wait(polls <= fastPolls ? pollIntervalMs : slowPollIntervalMs);
      }
      await mover.wait(clockCacheMs);
      return "arrived";
    },

    async write(tx, advance) {
      updateAdvanceDone(tx, advance);
      return jobDone;
    },

    retryAt: (_leased, now) => now,
  };
}
