import type { CountedKeyUse, KeyUse } from "./key-use.ts";
import { addKeyUses } from "./key-use.sql.ts";
import { WrongCellError } from "../core/wrong-cell-error.ts";
import type { Database, TransactionOutcome } from "../postgres/database.ts";

/** Counts the uses of keys, so that a merchant can see whether an old key is still in use. */
export interface KeyUseCache {
  /** Counts a use in memory; never waits and never fails. */
  add(use: KeyUse): void;
  /** Writes the counts to the database. */
  flush(): Promise<void>;
}

const batchMax = 500;
const dayMs = 24 * 60 * 60 * 1000;

/** The counters of a key. They are mutable, because they are incremented twice for every request. */
type Counter = { -readonly [Key in keyof CountedKeyUse]: CountedKeyUse[Key] };

export function openKeyUseCache(database: Database, onFault: (cause: unknown) => void): KeyUseCache {
  // Counters by merchant, key and day. Their number is bounded by the number of merchants with a request since the last
  // flush.
  const counters = new Map<string, Counter>();
  let flushing: Promise<void> | undefined;

  function count({ clientId, messageKind, version, at }: KeyUse, times: number): void {
    const id = `${clientId} ${messageKind} ${version} ${Math.floor(at.getTime() / dayMs)}`;
    const counter = counters.get(id);
    if (!counter) {
      const day = at.toISOString().slice(0, 10);
      counters.set(id, { clientId, messageKind, version, day, times, firstAt: at, lastAt: at });
      return;
    }
    counter.times += times;
    if (at < counter.firstAt) counter.firstAt = at;
    if (at > counter.lastAt) counter.lastAt = at;
  }

  function restoreCount({ firstAt, lastAt, times, ...use }: CountedKeyUse): void {
    count({ ...use, at: firstAt }, times);
    count({ ...use, at: lastAt }, 0);
  }

  async function write(batch: readonly CountedKeyUse[]): Promise<TransactionOutcome<void>> {
    const clientIds = [...new Set(batch.map(({ clientId }) => clientId))];
    const outcome = await database.transaction(clientIds, (tx) => addKeyUses(tx, batch));
    if (outcome.outcome === "committed" || !(outcome.cause instanceof WrongCellError)) return outcome;
    // If a merchant was moved to another cell a moment ago, its counts in this batch are dropped. Its new home cell
    // counts later uses.
    const localClients = await database.findClientsInThisCell(clientIds);
    const localBatch = batch.filter(({ clientId }) => localClients.has(clientId));
    return localBatch.length === 0 ? { outcome: "committed", value: undefined } : write(localBatch);
  }

  async function writeAll(): Promise<void> {
    while (counters.size > 0) {
      const entries = [...counters.entries().take(batchMax)];
      for (const [id] of entries) counters.delete(id);
      const batch = entries.map(([, counter]) => counter);
      const outcome = await write(batch);
      if (outcome.outcome === "committed") continue;
      // The batch is counted again even if the commit's outcome is unknown (at least once): a use counted twice does no
      // harm, but a lost one could lead to the revocation of a key in use.
      batch.forEach(restoreCount);
      return onFault(outcome.cause);
    }
  }

  return {
    add: (use) => count(use, 1),
    flush() {
      flushing ??= writeAll().finally(() => {
        flushing = undefined;
      });
      return flushing;
    },
  };
}
