import { done, type Job } from "../contract/job.ts";
import { findTurnById, updateTurnDone } from "./clock-turn.sql.ts";
import type { ClockTurn } from "./clock-turn.ts";

/** Moves a test clock step by step, each step in its own transaction. */
export interface ClockMover {
  readonly step: (turn: ClockTurn) => Promise<"moved" | "waits" | "arrived">;
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
const knownAfterMs = 300;

/** The job that advances a merchant's test clock, and waits for every job that becomes due. */
export function turnClock(mover: ClockMover): Job<ClockTurn, "arrived"> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const turn = await findTurnById(tx, { bucket, clientId }, subjectId);
      return turn?.isDone ? undefined : turn;
    },

    async call(turn, _leased, signal) {
      for (let looks = 1; ; looks += 1) {
        const step = await mover.step(turn);
        if (step === "arrived") break;
        if (signal.aborted) throw new Error("The clock is still moving.");
        if (step === "moved") {
          looks = 0;
          mover.wake();
        } else await mover.wait(looks <= fastPolls ? pollIntervalMs : slowPollIntervalMs);
      }
      await mover.wait(knownAfterMs);
      return "arrived";
    },

    async write(tx, turn) {
      updateTurnDone(tx, turn);
      return done;
    },

    retryAt: (_leased, now) => now,
  };
}
