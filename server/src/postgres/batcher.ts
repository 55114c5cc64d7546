import { isDataError } from "./database-error.ts";
import type { Database } from "./database.ts";
import type { Origin } from "./origin.ts";
import type { Tx } from "./sql.ts";

/** The outcome of one item's write in a batch. `write` throws if the database could not run the batch at all. */
export type Written =
  | "written"
  /** The statement wrote no row for this item of the batch. */
  | "nothing"
  /** One item of the batch failed and rolled back the batch, so each caller retries in its own transaction. */
  | "alone"
  /** The commit may have happened. */
  | "unknown";

/** Batch writer: the writes of many callers in one transaction (group commit). */
export interface Together<Item> {
  write(clientId: string, item: Item): Promise<Written>;
}

interface Waiting<Item, Told = Written> {
  readonly clientId: string;
  readonly item: Item;
  readonly tell: (told: Told) => void;
  readonly fail: (cause: unknown) => void;
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

  function go(): void {
    while (inFlight < inFlightMax && waiting.length > 0) {
      inFlight += 1;
      void send(waiting.splice(0, batchMax)).finally(() => {
        inFlight -= 1;
        go();
      });
    }
  }

  return (item) => {
    waiting.push(item);
    // Callers of the same turn of the event loop share a batch. A full batch is sent at once.
    if (waiting.length === batchMax) go();
    else if (waiting.length === 1) setImmediate(go);
  };
}

/** Returns a batch writer. `insert` returns for each item whether it was written. */
export function batchWrites<Item>(
  database: Database,
  insert: (tx: Tx, items: readonly Item[]) => Promise<readonly boolean[]>,
): Together<Item> {
  const add = gather<Waiting<Item>>(async (batch) => {
    const items = batch.map(({ item }) => item);
    database.countBatch("write", items.length);
    const done = await database.transaction(merchantsOf(batch), (tx) => insert(tx, items));
    for (const [index, { tell, fail }] of batch.entries()) {
      if (done.outcome === "committed") tell(done.value[index] ? "written" : "nothing");
      else if (done.outcome === "unknown") tell("unknown");
      else if (isDataError(done.cause)) tell("alone");
      else fail(done.cause);
    }
  });
  return {
    write: (clientId, item) => new Promise((tell, fail) => add({ clientId, item, tell, fail })),
  };
}

/**
 * Batch reader: the look-ups of many callers in one statement. The synchronous standby has confirmed the result. If the
 * result is undefined, the caller has to read alone.
 */
export type Finder<Item, Found> = (clientId: string, item: Item) => Promise<Found | undefined>;

/**
 * Returns a batch reader. `find` returns the found record for each item. Items of merchants in another cell get
 * undefined, and then an error when the caller reads alone.
 */
export function batchReads<Item, Found>(
  database: Database,
  find: (tx: Tx, items: readonly Item[]) => Promise<readonly (Found | undefined)[]>,
): Finder<Item, Found> {
  const add = gather<Waiting<Item, Found | undefined>>(async (batch) => {
    const items = batch.map(({ item }) => item);
    database.countBatch("read", items.length);
    const origins = new Set<Origin>();
    const failAll = (cause: unknown): void => batch.forEach(({ fail }) => fail(cause));
    try {
      const found = await find(database.reader(merchantsOf(batch), origins), items);
      const tellAll = (): void => batch.forEach(({ tell }, index) => tell(found[index]));
      // The confirmation is not awaited, because the next batch need not wait for the standby.
      void database.confirmed(origins).then(tellAll, failAll);
    } catch (cause) {
      // One item may have failed the whole batch, for example by a value that PostgreSQL rejects. So each caller reads
      // alone.
      if (isDataError(cause)) batch.forEach(({ tell }) => tell(undefined));
      else failAll(cause);
    }
  });
  return (clientId, item) => new Promise((tell, fail) => add({ clientId, item, tell, fail }));
}

function merchantsOf(batch: readonly { readonly clientId: string }[]): readonly string[] {
  return [...new Set(batch.map(({ clientId }) => clientId))];
}
