import { inTime } from "../core/in-time.ts";
import type { Outcome } from "./database.ts";
import type { Origin } from "./origin.ts";
import { sql, type Statement, type Tx } from "./sql.ts";

/** Synchronous replication, as far as commits and reads depend on it. */
export interface Standby {
  /** Whether commits wait for a synchronous standby, by the cached setting. */
  isExpected(): boolean;
  /** See Database. */
  confirmed(origins: ReadonlySet<Origin>): Promise<void>;
}

/** The setting of one server. */
interface Setting {
  readonly isExpected: boolean;
  readonly origin: Origin;
}

const askEveryMs = 1_000;
const confirmTimeoutMs = 3_000;
const unconfirmed = `No standby has confirmed within ${confirmTimeoutMs} ms.`;
const readElsewhere = "The rows were read from another server than the present primary.";

/**
 * PostgreSQL shows a row to others when the standby has its commit. But if that wait is cancelled, or the
 * server restarts meanwhile, the row is visible all the same, and a failover takes it back. So a process that
 * answers from what it has read first commits a mark to the WAL: when that commit returns without a warning,
 * the standby has all that came before it. The mark counts only for rows that were read from the server that it was
 * committed on: a promoted standby may never have had the others. Concurrent callers share one mark (group commit).
 */
export function watchStandby(
  ask: (statement: Statement, origins: Set<Origin>) => Promise<object[]>,
  commit: (work: (tx: Tx) => Promise<unknown>, origins: Set<Origin>) => Promise<Outcome<unknown>>,
): Standby {
  let cached: Promise<Setting> = Promise.resolve({ isExpected: false, origin: undefined });
  let isExpected = false;
  let askAgainAtMs = -Infinity;
  let running: Promise<Origin> | undefined;
  let next: Promise<Origin> | undefined;

  async function look(): Promise<Setting> {
    const origins = new Set<Origin>();
    const statement = sql`select current_setting('synchronous_standby_names') <> '' as expected`;
    const [row] = await ask(statement, origins);
    isExpected = (row as { expected: boolean } | undefined)?.expected === true;
    return { isExpected, origin: onlyOne(origins) };
  }

  function setting(): Promise<Setting> {
    if (performance.now() >= askAgainAtMs) {
      askAgainAtMs = performance.now() + askEveryMs;
      cached = look();
      // A failure is not cached: the next caller asks again.
      cached.catch(() => {
        askAgainAtMs = -Infinity;
      });
    }
    return cached;
  }

  /** The setting that counts for rows of this origin. After a failover the cached one is another server's. */
  async function settingFor(origins: ReadonlySet<Origin>): Promise<Setting> {
    const known = await setting();
    if (known.isExpected || isReadFrom(known.origin, origins)) return known;
    askAgainAtMs = -Infinity;
    return setting();
  }

  async function mark(): Promise<Origin> {
    const origins = new Set<Origin>();
    const emit = sql`select pg_logical_emit_message(true, 'tollgate', '')`;
    const set = await commit((tx) => tx.query(emit), origins);
    if (set.outcome !== "committed") throw set.cause;
    return onlyOne(origins);
  }

  /** A mark in flight may have been set before the caller read (a race): only the next one counts. */
  function marked(): Promise<Origin> {
    if (!running) {
      running = mark().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return marked();
      });
    return next;
  }

  return {
    isExpected() {
      void setting().catch(() => undefined);
      return isExpected;
    },
    async confirmed(origins) {
      const now = await settingFor(origins);
      const origin = now.isExpected ? await inTime(confirmTimeoutMs, marked(), unconfirmed) : now.origin;
      if (!isReadFrom(origin, origins)) throw new Error(readElsewhere);
    },
  };
}

/** Whether all rows were read from this one server. An unknown origin equals no other, not even itself. */
function isReadFrom(origin: Origin, origins: ReadonlySet<Origin>): boolean {
  return [...origins].every((each) => each !== undefined && each === origin);
}

function onlyOne(origins: ReadonlySet<Origin>): Origin {
  return origins.size === 1 ? [...origins][0] : undefined;
}
