import { inTime } from "../resilience/in-time.ts";
import type { Origin } from "./origin.ts";
import { sql, type Statement, type Tx } from "./sql.ts";

/** The effect of synchronous replication on commits and reads. */
export interface Standby {
  /** Whether commits wait for a synchronous standby, by the cached setting. */
  isExpected(): boolean;
  /** See `Database.confirmed`. */
  confirmed(origins: ReadonlySet<Origin>): Promise<void>;
}

/** The setting of one server. */
interface Setting {
  readonly isExpected: boolean;
  readonly origin: Origin;
}

const askEveryMs = 1_000;
const confirmTimeoutMs = 3_000;
const unconfirmed = `The standby did not confirm within ${confirmTimeoutMs} ms.`;
const readElsewhere = "The rows were read from another server than the current primary.";

/**
 * PostgreSQL makes a row visible when the standby has its commit. But if the commit's wait for the standby is
 * cancelled, or the server restarts meanwhile, the row is visible anyway, and a failover loses it. So before a process
 * reports rows that it has read, it commits a mark to the WAL. When that commit returns without a warning, the standby
 * has everything before the mark. The mark counts only for rows that were read from the same server: a promoted standby
 * may not have rows from another server. Concurrent callers share one mark (group commit).
 */
export function watchStandby(
  ask: (statement: Statement, origins: Set<Origin>) => Promise<object[]>,
  /** Commits the work; throws unless the transaction was committed. */
  commit: (work: (tx: Tx) => Promise<unknown>, origins: Set<Origin>) => Promise<unknown>,
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
      // A failure is not cached, so the next caller queries the setting again.
      cached.catch(() => {
        askAgainAtMs = -Infinity;
      });
    }
    return cached;
  }

  /** The setting of the server with this origin. After a failover the cached setting belongs to another server. */
  async function settingFor(origins: ReadonlySet<Origin>): Promise<Setting> {
    const known = await setting();
    if (known.isExpected || isReadFrom(known.origin, origins)) return known;
    askAgainAtMs = -Infinity;
    return setting();
  }

  async function mark(): Promise<Origin> {
    const origins = new Set<Origin>();
    const emit = sql`select pg_logical_emit_message(true, 'tollgate', '')`;
    await commit((tx) => tx.query(emit), origins);
    return onlyOne(origins);
  }

  /**
   * Returns a mark. A mark in flight may have been set before the caller's read (a race), so only the next one counts.
   */
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

/** Whether all rows were read from this server. An unknown origin equals no other, not even itself. */
function isReadFrom(origin: Origin, origins: ReadonlySet<Origin>): boolean {
  return [...origins].every((each) => each !== undefined && each === origin);
}

function onlyOne(origins: ReadonlySet<Origin>): Origin {
  return origins.size === 1 ? [...origins][0] : undefined;
}
