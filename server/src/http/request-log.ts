import type { Database } from "../postgres/database.ts";
import { insertRequests, type LoggedRequest } from "./request-log.sql.ts";

export interface RequestLog {
  /** Takes note; never waits and never fails, because the answer is already out. */
  add(request: LoggedRequest): void;
  /** Writes what has been noted. */
  flush(): Promise<void>;
  /** How many were given up because the database could not keep up. */
  droppedCount(): number;
}

/** The log is for people. It must not cost payments their memory when the database is away. */
const waitingMax = 20_000;
/** Of bodies, in characters: a few large ones must not weigh as much as all the small ones together. */
const waitingCharactersMax = 32_000_000;
const batchMax = 500;

export function openRequestLog(database: Database, onFault: (cause: unknown) => void): RequestLog {
  let waiting: LoggedRequest[] = [];
  let waitingCharacters = 0;
  let dropped = 0;
  let flushing: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      waitingCharacters -= charactersOf(batch);
      const clientIds = [...new Set(batch.map(({ clientId }) => clientId))];
      const written = await database.transaction(clientIds, (tx) => insertRequests(tx, batch));
      if (written.outcome === "committed") continue;
      dropped += batch.length;
      onFault(written.cause);
    }
  }

  return {
    add(request) {
      const characters = waitingCharacters + charactersOf([request]);
      if (waiting.length >= waitingMax || characters > waitingCharactersMax) {
        dropped += 1;
        return;
      }
      waiting.push(request);
      waitingCharacters = characters;
    },
    flush() {
      flushing ??= writeAll().finally(() => {
        flushing = undefined;
      });
      return flushing;
    },
    droppedCount: () => dropped,
  };
}

function charactersOf(requests: readonly LoggedRequest[]): number {
  return requests.reduce(
    (sum, { requestBody, answerBody }) => sum + requestBody.length + answerBody.length,
    0,
  );
}
