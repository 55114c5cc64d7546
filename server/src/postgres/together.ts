import { speaksOfRows, type Database } from "./database.ts";
import type { Tx } from "./sql.ts";

/** What became of a write that was made together with others. Throws when the database could not take any of them. */
export type Written =
  | "written"
  /** There was nothing to write. */
  | "nothing"
  /** Somebody's write failed and took the others with it: each is to be tried by itself. */
  | "alone"
  /** The commit may have happened. */
  | "unknown";

/** Writes of many callers in one transaction. */
export interface Together<Item> {
  write(clientId: string, item: Item): Promise<Written>;
}

interface Waiting<Item> {
  readonly clientId: string;
  readonly item: Item;
  readonly tell: (written: Written) => void;
  readonly fail: (cause: unknown) => void;
}

const batchMax = 64;
/** One is on its way while the next gathers; a second keeps PostgreSQL busy meanwhile. */
const inFlightMax = 2;

/**
 * Whoever comes while others are on their way waits for them and goes with the next, so a lone caller never
 * waits, and a crowd pays for one commit. `insert` says of each item whether it was written.
 */
export function gatherWrites<Item>(
  database: Database,
  insert: (tx: Tx, items: readonly Item[]) => Promise<readonly boolean[]>,
): Together<Item> {
  const waiting: Waiting<Item>[] = [];
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

  async function send(batch: readonly Waiting<Item>[]): Promise<void> {
    const clientIds = [...new Set(batch.map(({ clientId }) => clientId))];
    const items = batch.map(({ item }) => item);
    const done = await database.transaction(clientIds, (tx) => insert(tx, items));
    for (const [index, { tell, fail }] of batch.entries()) {
      if (done.outcome === "committed") tell(done.value[index] ? "written" : "nothing");
      else if (done.outcome === "unknown") tell("unknown");
      else if (speaksOfRows(done.cause)) tell("alone");
      else fail(done.cause);
    }
  }

  return {
    write: (clientId, item) =>
      new Promise((tell, fail) => {
        waiting.push({ clientId, item, tell, fail });
        // Those who come in the same turn of the event loop go together.
        if (waiting.length === 1) setImmediate(go);
      }),
  };
}
