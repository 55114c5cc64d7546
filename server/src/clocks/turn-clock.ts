import { done, type Job } from "../jobs/job.ts";
import { findTurnById, updateTurnDone } from "./clock-turn.sql.ts";
import type { ClockTurn } from "./clock-turn.ts";

/** What moves a clock, step by step, each a transaction of its own. */
export interface ClockMover {
  readonly step: (turn: ClockTurn) => Promise<"moved" | "waits" | "arrived">;
  readonly wait: (ms: number) => Promise<void>;
  /** Tells workers that something has become due. */
  readonly wake: () => void;
}

const lookEveryMs = 15;
/** What is not over by then waits for a wallet or for an endpoint, and is looked at less often: each look is a transaction. */
const looksInHaste = 60;
const lookAtLeisureEveryMs = 250;
/** Every process has heard of the new time by then. */
const knownAfterMs = 300;

/** Moves a merchant's clock, and lets everything happen that becomes due on the way. */
export function turnClock(mover: ClockMover): Job<ClockTurn, "arrived"> {
  return {
    name: "turn-clock",
    lane: "wallets",

    async read(tx, { bucket, clientId, subjectId }) {
      const turn = await findTurnById(tx, { bucket, clientId }, subjectId);
      return turn?.isDone ? undefined : turn;
    },

    async call(turn, _held, signal) {
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

    async settle(tx, turn) {
      updateTurnDone(tx, turn);
      return done;
    },

    retryAt: (_held, now) => now,
  };
}
