import { inTime } from "../core/in-time.ts";
import type { Outcome } from "./database.ts";
import { sql, type Statement, type Tx } from "./sql.ts";

/** Synchronous replication, as far as commits and reads depend on it. */
export interface Standby {
  /** Whether commits wait for a synchronous standby, by the cached setting. */
  isExpected(): boolean;
  /** See Database. */
  confirmed(): Promise<void>;
}

const askEveryMs = 1_000;
const confirmTimeoutMs = 3_000;
const unconfirmed = `No standby has confirmed within ${confirmTimeoutMs} ms.`;

/**
 * PostgreSQL shows a row to others when the standby has its commit. But if that wait is cancelled, or the
 * server restarts meanwhile, the row is visible all the same, and a failover takes it back. So a process that
 * answers from what it has read first commits a mark to the WAL: when that commit returns without a warning,
 * the standby has all that came before it. Concurrent callers share one mark (group commit).
 */
export function watchStandby(
  ask: (statement: Statement) => Promise<object[]>,
  commit: (work: (tx: Tx) => Promise<unknown>) => Promise<Outcome<unknown>>,
): Standby {
  let expected: Promise<boolean> = Promise.resolve(false);
  let isExpected = false;
  let askAgainAtMs = -Infinity;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function look(): Promise<boolean> {
    const [row] = await ask(sql`select current_setting('synchronous_standby_names') <> '' as expected`);
    isExpected = (row as { expected: boolean } | undefined)?.expected === true;
    return isExpected;
  }

  function isThereOne(): Promise<boolean> {
    if (performance.now() >= askAgainAtMs) {
      askAgainAtMs = performance.now() + askEveryMs;
      expected = look();
      // A failure is not cached: the next caller asks again.
      expected.catch(() => {
        askAgainAtMs = -Infinity;
      });
    }
    return expected;
  }

  async function mark(): Promise<void> {
    const set = await commit((tx) => tx.query(sql`select pg_logical_emit_message(true, 'tollgate', '')`));
    if (set.outcome !== "committed") throw set.cause;
  }

  /** A mark in flight may have been set before the caller read (a race): only the next one counts. */
  function marked(): Promise<void> {
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
      void isThereOne().catch(() => undefined);
      return isExpected;
    },
    async confirmed() {
      if (await isThereOne()) await inTime(confirmTimeoutMs, marked(), unconfirmed);
    },
  };
}
