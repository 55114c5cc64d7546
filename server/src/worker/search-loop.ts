import { systemScope, type Database } from "../postgres/database.ts";
import { fillSearch } from "../search/search.sql.ts";
import { newIdlePace } from "./idle-pace.ts";
import { startLoop, type WorkLoop } from "./work-loop.ts";

const batchMax = 2_000;
/**
 * Poll interval while payments arrive, and so the delay until the search finds a new payment. No payment waits for it.
 */
const pollIntervalMs = 500;
/** A slow poll runs less often, up to a limit, so that it uses at most a twentieth of the time. */
const [timesItsLength, lookEveryMsMax] = [20, 5_000] as const;
/** A backlog is processed with a quarter of a CPU core, because payments have priority. */
const timesWhenBehind = 3;

export interface SearchLoopOptions {
  readonly monotonicMs: () => number;
  readonly onFault: (cause: unknown) => void;
  /** Called when all payments are in the search tables. */
  readonly onCaughtUp?: () => void;
}

/**
 * `startSearchLoop` copies payments into the search tables, soon after their commit. It polls and is not woken by
 * NOTIFY, because batches are cheaper.
 */
export function startSearchLoop(
  database: Database,
  { monotonicMs, onFault, onCaughtUp }: SearchLoopOptions,
): WorkLoop {
  const pace = newIdlePace(pollIntervalMs, monotonicMs);
  let wakeUp: () => void = () => undefined;

  async function loop(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      const startedMs = monotonicMs();
      const filled = await fill();
      const tookMs = monotonicMs() - startedMs;
      if (filled > 0) pace.noteWork();
      const slowedMs = Math.max(pace.intervalMs(), Math.min(lookEveryMsMax, timesItsLength * tookMs));
      // A full batch means that there may be more.
      await rest(filled >= batchMax ? timesWhenBehind * tookMs : slowedMs, isStopping);
    }
  }

  /** System scope: the database function works for all merchants, and returns only a count. */
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
  // A wake-up does not poll immediately, but restores the usual poll interval.
  return { ...running, wake: () => pace.noteWork() };
}
