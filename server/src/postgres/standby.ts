import { withTimeout } from "../resilience/with-timeout.ts";
import type { ServerOrigin } from "./connection-origin.ts";
import { sql, type Statement, type Tx } from "./sql.ts";

/** The effect of synchronous replication on commits and reads. */
export interface Standby {
  /** Whether commits wait for a synchronous standby, by the cached setting. */
  isExpected(): boolean;
  /** See `Database.waitForReplication`. */
  waitForReplication(origins: ReadonlySet<ServerOrigin>): Promise<void>;
}

/** The setting of one server. */
interface Setting {
  readonly isExpected: boolean;
  readonly origin: ServerOrigin;
}

const pollIntervalMs = 1_000;
const confirmTimeoutMs = 3_000;
const unconfirmedMessage = `The standby did not confirm within ${confirmTimeoutMs} ms.`;
const readElsewhereMessage = "The rows were read from another server than the current primary.";

/**
 * PostgreSQL makes a row visible when the standby has its commit. But if the commit's wait for the standby is
 * cancelled, or the server restarts meanwhile, the row is visible anyway, and a failover loses it. So before a process
 * reports rows that it has read, it commits a mark to the WAL. When that commit returns without a warning, the standby
 * has everything before the mark. The mark counts only for rows that were read from the same server: a promoted standby
 * may not have rows from another server. Concurrent callers share one mark (group commit).
 */
export function watchStandby(
  query: (statement: Statement, origins: Set<ServerOrigin>) => Promise<object[]>,
  /** Commits the work; throws unless the transaction was committed. */
  commit: (work: (tx: Tx) => Promise<unknown>, origins: Set<ServerOrigin>) => Promise<unknown>,
): Standby {
  let cached: Promise<Setting> = Promise.resolve({ isExpected: false, origin: undefined });
  let isExpected = false;
  let nextPollAtMs = -Infinity;
  let currentMark: Promise<ServerOrigin> | undefined;
  let followingMark: Promise<ServerOrigin> | undefined;

  async function querySetting(): Promise<Setting> {
    const origins = new Set<ServerOrigin>();
    const statement = sql`select current_setting('synchronous_standby_names') <> '' as expected`;
    const [row] = await query(statement, origins);
    isExpected = (row as { expected: boolean } | undefined)?.expected === true;
    return { isExpected, origin: onlyOrigin(origins) };
  }

  function setting(): Promise<Setting> {
    if (performance.now() >= nextPollAtMs) {
      nextPollAtMs = performance.now() + pollIntervalMs;
      cached = querySetting();
      // A failure is not cached, so the next caller queries the setting again.
      cached.catch(() => {
        nextPollAtMs = -Infinity;
      });
    }
    return cached;
  }

  /** The setting of the server with this origin. After a failover the cached setting belongs to another server. */
  async function settingFor(origins: ReadonlySet<ServerOrigin>): Promise<Setting> {
    const cachedSetting = await setting();
    if (cachedSetting.isExpected || isReadFrom(cachedSetting.origin, origins)) return cachedSetting;
    nextPollAtMs = -Infinity;
    return setting();
  }

  async function commitMark(): Promise<ServerOrigin> {
    const origins = new Set<ServerOrigin>();
    const emit = sql`select pg_logical_emit_message(true, 'tollgate', '')`;
    await commit((tx) => tx.query(emit), origins);
    return onlyOrigin(origins);
  }

  /**
   * Returns a mark. A mark in flight may have been set before the caller's read (a race), so only the next one counts.
   */
  function nextMark(): Promise<ServerOrigin> {
    if (!currentMark) {
      currentMark = commitMark().finally(() => {
        currentMark = undefined;
      });
      return currentMark;
    }
    followingMark ??= currentMark
      .catch(() => undefined)
      .then(() => {
        followingMark = undefined;
        return nextMark();
      });
    return followingMark;
  }

  return {
    isExpected() {
      void setting().catch(() => undefined);
      return isExpected;
    },
    async waitForReplication(origins) {
      const current = await settingFor(origins);
      const origin = current.isExpected
        ? await withTimeout(confirmTimeoutMs, nextMark(), unconfirmedMessage)
        : current.origin;
      if (!isReadFrom(origin, origins)) throw new Error(readElsewhereMessage);
    },
  };
}

/** Whether all rows were read from this server. An unknown origin equals no other, not even itself. */
function isReadFrom(origin: ServerOrigin, origins: ReadonlySet<ServerOrigin>): boolean {
  return [...origins].every((each) => each !== undefined && each === origin);
}

function onlyOrigin(origins: ReadonlySet<ServerOrigin>): ServerOrigin {
  return origins.size === 1 ? [...origins][0] : undefined;
}
