import { systemScope, type Database } from "../postgres/database.ts";
import { fillSearch } from "../search/search.sql.ts";
import { newIdlePace } from "./idle-pace.ts";
import { startLoop, type WorkLoop } from "./work-loop.ts";

const batchMax = 2_000;
/** Poll interval while there are payments: they are found so long after their commit. People wait for a list, and payments for nobody. */
const lookEveryMs = 500;
/** A slow look is made less often, up to a limit, so that it takes no more than a twentieth of the time. */
const [timesItsLength, lookEveryMsMax] = [20, 5_000] as const;
/** A backlog is worked off at a quarter of a processor: payments come first. */
const timesWhenBehind = 3;

export interface SearchLoopOptions {
  readonly monotonicMs: () => number;
  readonly onFault: (cause: unknown) => void;
  /** Nothing is left to be taken in. */
  readonly onCaughtUp?: () => void;
}

/** Takes payments into the tables that people search, soon after they were committed. It is woken by nobody: batches are cheaper. */
export function startSearchLoop(
  database: Database,
  { monotonicMs, onFault, onCaughtUp }: SearchLoopOptions,
): WorkLoop {
  const pace = newIdlePace(lookEveryMs, monotonicMs);
  let wakeUp: () => void = () => undefined;

  async function loop(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const startedMs = monotonicMs();
      const filled = await fill();
      const tookMs = monotonicMs() - startedMs;
      if (filled > 0) pace.noteWork();
      const slowedMs = Math.max(pace.intervalMs(), Math.min(lookEveryMsMax, timesItsLength * tookMs));
      // A full batch says that there is more.
      await rest(filled >= batchMax ? timesWhenBehind * tookMs : slowedMs, isStopping);
    }
  }

  /** System scope: the database does it for all merchants, and shows nothing of them. */
  async function fill(): Promise<number> {
    const done = await database.transaction(systemScope, (tx) => fillSearch(tx, batchMax));
    if (done.outcome === "committed") {
      if (done.value !== undefined && done.value < batchMax) onCaughtUp?.();
      return done.value ?? 0;
    }
    onFault(done.cause);
    return 0;
  }

  function rest(ms: number, isStopping: () => boolean): Promise<void> {
    if (isStopping()) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  const running = startLoop(loop, () => wakeUp());
  // A wake-up is no reason to poll at once, but to poll at the usual interval again.
  return { ...running, wake: () => pace.noteWork() };
}
