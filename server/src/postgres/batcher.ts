import { isDataError } from "./database-error.ts";
import type { Database } from "./database.ts";
import type { ServerOrigin } from "./connection-origin.ts";
import type { Tx } from "./sql.ts";

/** The outcome of one item's write in a batch. `write` throws if the database could not run the batch at all. */
export type BatchWriteOutcome =
  | "written"
  /** The statement wrote no row for this item of the batch. */
  | "nothing"
  /** One item of the batch failed and rolled back the batch, so each caller retries in its own transaction. */
  | "alone"
  /** The commit may have happened. */
  | "unknown";

/** Batch writer: the writes of many callers in one transaction (group commit). */
export interface BatchWriter<Item> {
  write(clientId: string, item: Item): Promise<BatchWriteOutcome>;
}

interface PendingItem<Item, Result = BatchWriteOutcome> {
  readonly clientId: string;
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (cause: unknown) => void;
}

const batchMax = 64;
/**
 * Maximum number of batches in flight while the next one gathers. The second one keeps PostgreSQL busy during the first
 * one's round trip.
 */
const inFlightMax = 2;

/**
 * Callers that arrive while all batches are in flight share the next one. A single caller never waits, and many callers
 * pay for one round trip or one commit.
 */
function gather<Item>(send: (batch: readonly Item[]) => Promise<void>): (item: Item) => void {
  const waiting: Item[] = [];
  let inFlight = 0;

  function sendBatches(): void {
    while (inFlight < inFlightMax && waiting.length > 0) {
      inFlight += 1;
      void send(waiting.splice(0, batchMax)).finally(() => {
        inFlight -= 1;
        sendBatches();
      });
    }
  }

  return (item) => {
    waiting.push(item);
    // Callers of the same turn of the event loop share a batch. A full batch is sent at once.
    if (waiting.length === batchMax) sendBatches();
    else if (waiting.length === 1) setImmediate(sendBatches);
  };
}

/** Returns a batch writer. `insert` returns for each item whether it was written. */
export function newBatchWriter<Item>(
  database: Database,
  insert: (tx: Tx, items: readonly Item[]) => Promise<readonly boolean[]>,
): BatchWriter<Item> {
  const add = gather<PendingItem<Item>>(async (batch) => {
    const items = batch.map(({ item }) => item);
    database.countBatch("write", items.length);
    const transaction = await database.transaction(clientIdsOf(batch), (tx) => insert(tx, items));
    for (const [index, { resolve, reject }] of batch.entries()) {
      if (transaction.outcome === "committed") resolve(transaction.value[index] ? "written" : "nothing");
      else if (transaction.outcome === "unknown") resolve("unknown");
      else if (isDataError(transaction.cause)) resolve("alone");
      else reject(transaction.cause);
    }
  });
  return {
    write: (clientId, item) => new Promise((resolve, reject) => add({ clientId, item, resolve, reject })),
  };
}

/**
 * Batch reader: the look-ups of many callers in one statement. The synchronous standby has confirmed the result. If the
 * result is undefined, the caller has to read alone.
 */
export type BatchReader<Item, Found> = (clientId: string, item: Item) => Promise<Found | undefined>;

/**
 * Returns a batch reader. `find` returns the found record for each item. Items of merchants in another cell get
 * undefined, and then an error when the caller reads alone.
 */
export function newBatchReader<Item, Found>(
  database: Database,
  find: (tx: Tx, items: readonly Item[]) => Promise<readonly (Found | undefined)[]>,
): BatchReader<Item, Found> {
  const add = gather<PendingItem<Item, Found | undefined>>(async (batch) => {
    const items = batch.map(({ item }) => item);
    database.countBatch("read", items.length);
    const origins = new Set<ServerOrigin>();
    const rejectAll = (cause: unknown): void => batch.forEach(({ reject }) => reject(cause));
    try {
      const found = await find(database.reader(clientIdsOf(batch), origins), items);
      const resolveAll = (): void => batch.forEach(({ resolve }, index) => resolve(found[index]));
      // The confirmation is not awaited, because the next batch need not wait for the standby.
      void database.waitForReplication(origins).then(resolveAll, rejectAll);
    } catch (cause) {
      // One item may have failed the whole batch, for example by a value that PostgreSQL rejects. So each caller reads
      // alone.
      if (isDataError(cause)) batch.forEach(({ resolve }) => resolve(undefined));
      else rejectAll(cause);
    }
  });
  return (clientId, item) => new Promise((resolve, reject) => add({ clientId, item, resolve, reject }));
}

function clientIdsOf(batch: readonly { readonly clientId: string }[]): readonly string[] {
  return [...new Set(batch.map(({ clientId }) => clientId))];
}
