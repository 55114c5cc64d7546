import { speaksOfRows, type Database } from "./database.ts";
import type { Origin } from "./origin.ts";
import type { Tx } from "./sql.ts";

/** What became of a write in a batch. `write` throws when the database could not take the batch at all. */
export type Written =
  | "written"
  /** The statement wrote no row for this item. */
  | "nothing"
  /** One item failed and rolled the batch back: each caller retries in a transaction of its own. */
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
/** Batches in flight while the next one gathers; the second keeps PostgreSQL busy during the first's round trip. */
const inFlightMax = 2;

/**
 * Callers that come while all batches are in flight share the next one: a lone caller never waits, and a crowd
 * pays for one round trip, or for one commit.
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
    // Callers of the same turn of the event loop share a batch. One that is full does not wait for the turn to end.
    if (waiting.length === batchMax) go();
    else if (waiting.length === 1) setImmediate(go);
  };
}

/** `insert` says of each item whether it was written. */
export function gatherWrites<Item>(
  database: Database,
  insert: (tx: Tx, items: readonly Item[]) => Promise<readonly boolean[]>,
): Together<Item> {
  const add = gather<Waiting<Item>>(async (batch) => {
    const items = batch.map(({ item }) => item);
    const done = await database.transaction(merchantsOf(batch), (tx) => insert(tx, items));
    for (const [index, { tell, fail }] of batch.entries()) {
      if (done.outcome === "committed") tell(done.value[index] ? "written" : "nothing");
      else if (done.outcome === "unknown") tell("unknown");
      else if (speaksOfRows(done.cause)) tell("alone");
      else fail(done.cause);
    }
  });
  return {
    write: (clientId, item) => new Promise((tell, fail) => add({ clientId, item, tell, fail })),
  };
}

/**
 * Batch reader: the look-ups of many callers in one statement. The synchronous standby has confirmed what it gives.
 * Undefined tells nothing: its caller looks alone.
 */
export type Finder<Item, Found> = (clientId: string, item: Item) => Promise<Found | undefined>;

/** `find` gives for each item what it has found. Merchants of another cell find nothing here, and hear of it alone. */
export function gatherReads<Item, Found>(
  database: Database,
  find: (tx: Tx, items: readonly Item[]) => Promise<readonly (Found | undefined)[]>,
): Finder<Item, Found> {
  const add = gather<Waiting<Item, Found | undefined>>(async (batch) => {
    const items = batch.map(({ item }) => item);
    const origins = new Set<Origin>();
    const failAll = (cause: unknown): void => batch.forEach(({ fail }) => fail(cause));
    try {
      const found = await find(database.reader(merchantsOf(batch), origins), items);
      const tellAll = (): void => batch.forEach(({ tell }, index) => tell(found[index]));
      // Not awaited: the next batch need not wait for the standby.
      void database.confirmed(origins).then(tellAll, failAll);
    } catch (cause) {
      // What one of them asked for may have failed all (a value that PostgreSQL refuses).
      if (speaksOfRows(cause)) batch.forEach(({ tell }) => tell(undefined));
      else failAll(cause);
    }
  });
  return (clientId, item) => new Promise((tell, fail) => add({ clientId, item, tell, fail }));
}

function merchantsOf(batch: readonly { readonly clientId: string }[]): readonly string[] {
  return [...new Set(batch.map(({ clientId }) => clientId))];
}
