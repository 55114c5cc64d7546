import { systemScope, type Database } from "../postgres/database.ts";
import { fillSearch } from "../search/search.sql.ts";
import { newIdlePace } from "./idle-pace.ts";
import { startLoop, type WorkLoop } from "./work-loop.ts";

const batchMax = 2_000;
/**
 * Poll interval while payments arrive, which is also the delay until the search finds a new payment. No payment waits
 * for this loop.
 */
const pollIntervalMs = 500;
/** A slow poll runs less often, up to a limit, so that polls use at most a twentieth of the time. */
const [pauseFactor, pollIntervalMsMax] = [20, 5_000] as const;
/**
 * Factor of the pause after each batch of a backlog. The loop uses a quarter of a CPU core, because payments have
 * priority.
 */
const backlogPauseFactor = 3;

export interface SearchLoopOptions {
  readonly monotonicMs: () => number;
  readonly onFault: (cause: unknown) => void;
  /** Called when all payments are in the search tables. */
  readonly onCaughtUp?: () => void;
}

/**
 * `startSearchLoop` copies payments into the search tables, soon after their commit. It polls, and NOTIFY does not
 * start a poll, because batches are cheaper.
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
      const filled = await fillBatch();
      const tookMs = monotonicMs() - startedMs;
      if (filled > 0) pace.recordWork();
      const slowedMs = Math.max(pace.intervalMs(), Math.min(pollIntervalMsMax, pauseFactor * tookMs));
      // If the batch is full, there may be more payments.
      await sleep(filled >= batchMax ? backlogPauseFactor * tookMs : slowedMs, isStopping);
    }
  }

  /**
   * Fills the search tables in system scope: the database function works for all merchants, and returns only a count.
   */
  async function fillBatch(): Promise<number> {
    const done = await database.transaction(systemScope, (tx) => fillSearch(tx, batchMax));
    if (done.outcome === "committed") {
      if (done.value !== undefined && done.value < batchMax) onCaughtUp?.();
      return done.value ?? 0;
    }
    onFault(done.cause);
    return 0;
  }

  function sleep(ms: number, isStopping: () => boolean): Promise<void> {
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
  // A wake-up does not start a poll, but restores the normal poll interval.
  return { ...running, wake: () => pace.recordWork() };
}
