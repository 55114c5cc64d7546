import type { Stream } from "../../contract/operation.ts";
import type { Database } from "../../postgres/database.ts";

/** Limit of open streams per client. Each stream holds a connection, and every stream carries all events. */
export const streamsPerClientMax = 10;
const streamsMax = 1_000;
/** Poll interval of new events: one query serves all open streams, and there is none without streams. */
const pollIntervalMs = 100;

/** Open event streams of one operation in this process. */
export interface EventStreamRegistry {
  /** Reserves a place for one more stream; undefined at the limit. */
  join(client: StreamClient): StreamSubscription | undefined;
  /** Ends all streams and accepts no more (graceful shutdown). */
  stop(): void;
}

interface StreamClient {
  readonly bucket: number;
  readonly clientId: string;
}

export interface StreamSubscription {
  /** Resolves when there is an event after `position`, when the process shuts down, or after `ms`. */
  waitForEventAfter(position: bigint, ms: number): Promise<void>;
  leave(): void;
  /** True once this process is shutting down. */
  isStopping(): boolean;
}

interface Subscriber {
  readonly client: StreamClient;
  position: bigint;
  onEvent: () => void;
}

export function openEventStreamRegistry(
  database: Database,
  { heads }: Pick<Stream, "heads">,
): EventStreamRegistry {
  const subscribers = new Set<Subscriber>();
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;
  let isStopped = false;

  async function poll(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    try {
      const clients = [...new Map([...subscribers].map(({ client }) => [client.clientId, client])).values()];
      const newest = await heads(database.reader(clients.map(({ clientId }) => clientId)), clients);
      for (const { client, position, onEvent } of subscribers) {
        if ((newest.get(client.clientId) ?? 0n) > position) onEvent();
      }
    } catch {
      // The poll ignores its error: each stream also reads at its own heartbeat, and fails then.
    } finally {
      isPolling = false;
    }
  }

  function join(client: StreamClient): StreamSubscription | undefined {
    const ofClient = [...subscribers].filter(({ client: { clientId } }) => clientId === client.clientId);
    if (isStopped || subscribers.size >= streamsMax || ofClient.length >= streamsPerClientMax)
      return undefined;
    const subscriber: Subscriber = { client, position: 0n, onEvent: () => undefined };
    subscribers.add(subscriber);
    timer ??= setInterval(() => void poll(), pollIntervalMs).unref();
    return {
      waitForEventAfter: (position, ms) =>
        new Promise((resolve) => {
          const timeout = setTimeout(resolve, isStopped ? 0 : ms);
          subscriber.position = position;
          subscriber.onEvent = () => {
            clearTimeout(timeout);
            resolve();
          };
        }),
      leave() {
        subscriber.onEvent();
        subscribers.delete(subscriber);
        if (subscribers.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      },
      isStopping: () => isStopped,
    };
  }

  return {
    join,
    stop() {
      isStopped = true;
      for (const { onEvent } of subscribers) onEvent();
    },
  };
}
