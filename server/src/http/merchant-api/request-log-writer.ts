import { WrongCellError } from "../../core/wrong-cell-error.ts";
import type { Database } from "../../postgres/database.ts";
import { newLogBudget } from "./log-budget.ts";
import { insertRequests, type LoggedRequest } from "../../merchants/request-log.sql.ts";

export interface RequestLog {
  /** Queues an entry. It never waits and never fails, because the response is already sent. */
  add(request: LoggedRequest): void;
  /** Writes the queue in batches. */
  flush(): Promise<void>;
  /** Number of entries that were dropped because the queue was full or a write failed. */
  droppedCount(): number;
}

/** Queue limit: while the database is down, the log must not use up the memory that payments need. */
const queueMax = 20_000;
/** Limit of the queue in characters of bodies, because entries differ in size. */
const queuedCharactersMax = 32_000_000;
const batchMax = 500;
/**
 * Maximum logged length of a body in bytes. A longer body is truncated: its hash is stored, and the merchant has the
 * full body.
 */
const bodyBytesMax = 16 * 1024;
export function openRequestLog(
  database: Database,
  onFault: (cause: unknown) => void,
  /** Daily quota of one merchant's bodies: many large bodies must not fill the disk. */
  bytesPerDay: number,
): RequestLog {
  const budget = newLogBudget(bytesPerDay);
  let queue: LoggedRequest[] = [];
  let queuedCharacters = 0;
  let dropped = 0;
  let flushing: Promise<void> | undefined;

  async function write(batch: readonly LoggedRequest[]): Promise<void> {
    const clientIds = [...new Set(batch.map(({ clientId }) => clientId))];
    const written = await database.transaction(clientIds, (tx) => insertRequests(tx, batch));
    if (written.outcome === "committed") return;
    if (!(written.cause instanceof WrongCellError)) {
      dropped += batch.length;
      return onFault(written.cause);
    }
    // If a merchant was moved to another cell a moment ago, the batch is written again without its entries.
    const here = await database.findClientsInThisCell(clientIds);
    const rest = batch.filter(({ clientId }) => here.has(clientId));
    dropped += batch.length - rest.length;
    if (rest.length > 0) await write(rest);
  }

  async function writeAll(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, batchMax);
      queue = queue.slice(batchMax);
      queuedCharacters -= charactersOf(batch);
      await write(batch);
    }
  }

  function applyBudget(request: LoggedRequest): LoggedRequest {
    const { clientId, at, requestBody, answerBody } = request;
    const bytes = Buffer.byteLength(requestBody) + Buffer.byteLength(answerBody);
    if (budget.spend(clientId, at, bytes)) return request;
    return { ...request, requestBody: overBudgetText, answerBody: overBudgetText };
  }

  return {
    add(request) {
      const entry = applyBudget(truncateBodies(request));
      const characters = queuedCharacters + charactersOf([entry]);
      if (queue.length >= queueMax || characters > queuedCharactersMax) {
        dropped += 1;
        return;
      }
      queue.push(entry);
      queuedCharacters = characters;
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

const overBudgetText = "(left out: enough bodies of this merchant were written down today)";

function truncateBodies(request: LoggedRequest): LoggedRequest {
  const { requestBody, answerBody } = request;
  if (requestBody.length + answerBody.length <= bodyBytesMax / 3) return request;
  return { ...request, requestBody: truncate(requestBody), answerBody: truncate(answerBody) };
}

/** Truncates at a character boundary. */
function truncate(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= bodyBytesMax) return text;
  const mark = `… (cut: ${bytes} bytes)`;
  const room = new Uint8Array(bodyBytesMax - Buffer.byteLength(mark));
  return text.slice(0, new TextEncoder().encodeInto(text, room).read) + mark;
}

function charactersOf(requests: readonly LoggedRequest[]): number {
  return requests.reduce(
    (sum, { requestBody, answerBody }) => sum + requestBody.length + answerBody.length,
    0,
  );
}
