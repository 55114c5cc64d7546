import { systemScope, type Database } from "../postgres/database.ts";
import { assignFeedPositions } from "../notifications/feed.sql.ts";
import { newLookBack, type LookBackOptions } from "./look-back.ts";
import { startLoop, type WorkLoop } from "./work-loop.ts";

const batchMax = 500;
/** Poll interval: a lost NOTIFY delays an event by no more than this. */
const lookEveryMs = 200;
/** Retry delay while another worker holds the lock: its snapshot may be older than the event that woke us. */
const lookAfterOthersMs = 20;

/** Gives notifications their positions in the merchants' feeds, soon after they were committed. */
export function startFeedLoop(
  database: Database,
  clocks: LookBackOptions,
  onFault: (cause: unknown) => void,
  onCaughtUp: () => void = () => undefined,
): WorkLoop {
  const lookBack = newLookBack(clocks);
  let woken = false;
  let wakeUp: () => void = () => undefined;

  async function loop(isStopping: () => boolean): Promise<void> {
    while (!isStopping()) {
      woken = false;
      const assigned = await assign();
      // A full batch says that there is more.
      if (assigned === batchMax) continue;
      await rest(assigned === undefined ? lookAfterOthersMs : lookEveryMs);
    }
  }

  /** System scope: the database does it for all merchants, and shows nothing of them. */
  async function assign(): Promise<number | undefined> {
    const look = lookBack.begin();
    const done = await database.transaction(systemScope, (tx) =>
      assignFeedPositions(tx, batchMax, look.from),
    );
    const assigned = done.outcome === "committed" ? done.value : undefined;
    if (assigned !== undefined && assigned < batchMax) onCaughtUp();
    look.end(assigned !== undefined && assigned < batchMax);
    if (done.outcome === "committed") return assigned;
    onFault(done.cause);
    return 0;
  }

  function rest(ms: number): Promise<void> {
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
