import { systemScope, type Database } from "../postgres/database.ts";
import { assignFeedPositions } from "../notifications/feed.sql.ts";
import { newPollWindow, type PollWindowOptions } from "./poll-window.ts";
import { startLoop, type WorkLoop } from "./work-loop.ts";

const batchMax = 500;
/** Poll interval in milliseconds. A lost NOTIFY delays an event by at most this time. */
const pollIntervalMs = 200;
/**
 * Retry delay while another worker holds the lock, because that worker's snapshot may be older than the event that woke
 * this loop.
 */
const lockRetryMs = 20;

/** `startFeedLoop` assigns positions in the merchants' event feeds to webhooks, soon after their commit. */
export function startFeedLoop(
  database: Database,
  clocks: PollWindowOptions,
  onFault: (cause: unknown) => void,
  onCaughtUp: () => void = () => undefined,
): WorkLoop {
  const pollWindow = newPollWindow(clocks);
  let woken = false;
  let wakeUp: () => void = () => undefined;

  async function loop(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      woken = false;
      const assigned = await assignPositions();
      // If the batch is full, there may be more webhooks.
      if (assigned === batchMax) continue;
      await sleep(assigned === undefined ? lockRetryMs : pollIntervalMs);
    }
  }

  /** Assigns positions in system scope: the database function works for all merchants, and returns only a count. */
  async function assignPositions(): Promise<number | undefined> {
    const poll = pollWindow.begin();
    const done = await database.transaction(systemScope, (tx) =>
      assignFeedPositions(tx, batchMax, poll.from),
    );
    const assigned = done.outcome === "committed" ? done.value : undefined;
    if (assigned !== undefined && assigned < batchMax) onCaughtUp();
    poll.end(assigned !== undefined && assigned < batchMax);
    if (done.outcome === "committed") return assigned;
    onFault(done.cause);
    return 0;
  }

  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, woken ? 0 : ms);
      wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function wake(): void {
    woken = true;
    wakeUp();
  }

  return startLoop(loop, wake);
}
