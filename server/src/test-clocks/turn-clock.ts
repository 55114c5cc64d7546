import { done, type Job } from "../jobs/job.ts";
import { findTurnById, updateTurnDone } from "./clock-turn.sql.ts";
import type { ClockTurn } from "./clock-turn.ts";

/** Moves a test clock step by step, each in a transaction of its own. */
export interface ClockMover {
  readonly step: (turn: ClockTurn) => Promise<"moved" | "waits" | "arrived">;
  readonly wait: (ms: number) => Promise<void>;
  /** Tells workers that something has become due. */
  readonly wake: () => void;
}

const lookEveryMs = 15;
/** Backoff: after so many polls, jobs wait for a wallet or an endpoint, and each poll is a transaction. */
const looksInHaste = 60;
const lookAtLeisureEveryMs = 250;
/** Longer than any process caches the old time. */
const knownAfterMs = 300;

/** Moves a merchant's test clock, and waits for every job that becomes due on the way. */
export function turnClock(mover: ClockMover): Job<ClockTurn, "arrived"> {
  return {
    loop: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const turn = await findTurnById(tx, { bucket, clientId }, subjectId);
      return turn?.isDone ? undefined : turn;
    },

    async call(turn, _leased, signal) {
      for (let looks = 1; ; looks += 1) {
        const step = await mover.step(turn);
        if (step === "arrived") break;
        if (signal.aborted) throw new Error("The clock is still on its way.");
        if (step === "moved") {
          looks = 0;
          mover.wake();
        } else await mover.wait(looks <= looksInHaste ? lookEveryMs : lookAtLeisureEveryMs);
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
