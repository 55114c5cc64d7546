import { setTimeout as wait } from "node:timers/promises";
import { errorPlace } from "./error-place.ts";

export interface Loop {
  /** Waits for the current run. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  /** The pause after a run without work, and after an error. */
  readonly idleMs: number;
  readonly onError: (reason: string) => void;
}

/** Runs a job again and again: at once after a run with work, otherwise after a pause. */
export function startLoop(job: () => Promise<number>, { idleMs, onError }: LoopOptions): Loop {
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const count = await job().catch((error: unknown) => {
        onError(errorPlace(error));
        return 0;
      });
      if (count === 0) await wait(idleMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
