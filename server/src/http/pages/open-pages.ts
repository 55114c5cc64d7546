import type { ServerResponse } from "node:http";
import { listChangedVersions, type PaymentKey } from "../../payments/payment-version.sql.ts";
import type { Database } from "../../postgres/database.ts";

/**
 * Maximum number of event streams in this process: each holds a connection, which merchants need, too. Above the limit
 * a page polls.
 */
const pagesMax = 5_000;
/** Poll interval: one query reads a batch of the open pages, in turns. Without open pages there is no query. */
const pollIntervalMs = 200;
/** Maximum number of pages in one poll. With 5,000 open pages each is polled every 2.5 s. */
const pagesPerPoll = 400;
/** Heartbeat interval: proxies close a connection that is idle for a minute. */
const heartbeatIntervalMs = 25_000;
/** Maximum length of a stream; the browser reconnects, perhaps to another process. */
const streamLengthMs = 15 * 60_000;
/**
 * Back-pressure: a browser that reads nothing accumulates more unread bytes than one heartbeat, and is disconnected.
 */
const unreadBytesMax = 1_024;

/**
 * The open checkout pages of this process. Each receives an event when its payment has changed, and then fetches its
 * content again.
 */
export interface OpenPages {
  /** Begins a stream of server-sent events; false at the limit, and when this process is shutting down. */
  join(payment: PaymentKey, response: ServerResponse): boolean;
  /** Ends all streams and accepts no more (graceful shutdown). */
  stop(): void;
}

interface OpenPage {
  readonly payment: PaymentKey;
  readonly response: ServerResponse;
  readonly openedMs: number;
  /**
   * The payment's version at the last poll. Undefined at first, because the payment may have changed since the page was
   * rendered.
   */
  version: string | undefined;
}

export function newOpenPages(database: Database): OpenPages {
  const pages = new Set<OpenPage>();
  let timers: readonly NodeJS.Timeout[] = [];
  let isPolling = false;
  let isStopped = false;

  async function poll(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    try {
      const batch = nextBatch(pages);
      const clients = [...new Set(batch.map(({ payment }) => payment.clientId))];
      const changed = await listChangedVersions(database.reader(clients), batch);
      for (const page of batch) sendChange(page, changed.get(page.payment.paymentId));
    } catch {
      // The poll ignores its error: a page also polls by itself, and gets the error then.
    } finally {
      isPolling = false;
    }
  }

  function sendHeartbeats(): void {
    for (const page of pages) {
      const isOver = performance.now() - page.openedMs > streamLengthMs;
      if (isOver || page.response.writableLength > unreadBytesMax) page.response.destroy();
      else page.response.write(":\n\n");
    }
  }

  function leave(page: OpenPage): void {
    pages.delete(page);
    if (pages.size > 0) return;
    for (const timer of timers) clearInterval(timer);
    timers = [];
  }

  return {
    join(payment, response) {
      if (isStopped || pages.size >= pagesMax) return false;
      const page: OpenPage = { payment, response, openedMs: performance.now(), version: undefined };
      response.once("close", () => leave(page));
      pages.add(page);
      if (timers.length === 0)
        timers = [
          setInterval(() => void poll(), pollIntervalMs).unref(),
          setInterval(sendHeartbeats, heartbeatIntervalMs).unref(),
        ];
      return true;
    },
    stop() {
      isStopped = true;
      for (const { response } of pages) response.end();
    },
  };
}

/** The pages whose last poll is the oldest; they move to the end of the queue. */
function nextBatch(pages: Set<OpenPage>): readonly OpenPage[] {
  const batch = pages.values().take(pagesPerPoll).toArray();
  for (const page of batch) {
    pages.delete(page);
    pages.add(page);
  }
  return batch;
}

function sendChange(page: OpenPage, version: string | undefined): void {
  if (version === undefined) return;
  page.version = version;
  page.response.write("event: change\ndata: look\n\n");
}
