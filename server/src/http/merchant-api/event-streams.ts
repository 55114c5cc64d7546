import type { Stream } from "../../contract/operation.ts";
import type { Database } from "../../postgres/database.ts";

/** Limit of open streams per client. Each stream holds a connection, and every stream carries all events. */
export const streamsPerClientMax = 10;
const streamsMax = 1_000;
/** Poll interval of new events: one query serves all open streams, and there is none without streams. */
const pollIntervalMs = 100;

/** Open event streams of one operation in this process. */
export interface Followers {
  /** Reserves a place for one more stream; undefined at the limit. */
  join(client: FollowedClient): Follower | undefined;
  /** Ends all streams and accepts no more (graceful shutdown). */
  stop(): void;
}

interface FollowedClient {
  readonly bucket: number;
  readonly clientId: string;
}

export interface Follower {
  /** Resolves when there is an event after `position`, when the process shuts down, or after `ms`. */
  somethingAfter(position: bigint, ms: number): Promise<void>;
  leave(): void;
  /** True once this process is shutting down. */
  isToLeave(): boolean;
}

interface Waiting {
  readonly client: FollowedClient;
  position: bigint;
  wakeUp: () => void;
}

export function openEventStreams(database: Database, { heads }: Pick<Stream, "heads">): Followers {
  const all = new Set<Waiting>();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let stopped = false;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      const clients = [...new Map([...all].map(({ client }) => [client.clientId, client])).values()];
      const newest = await heads(database.reader(clients.map(({ clientId }) => clientId)), clients);
      for (const { client, position, wakeUp } of all) {
        if ((newest.get(client.clientId) ?? 0n) > position) wakeUp();
      }
    } catch {
      // The poll ignores its error: each stream also reads at its own heartbeat, and fails then.
    } finally {
      looking = false;
    }
  }

  function join(client: FollowedClient): Follower | undefined {
    const own = [...all].filter(({ client: { clientId } }) => clientId === client.clientId);
    if (stopped || all.size >= streamsMax || own.length >= streamsPerClientMax) return undefined;
    const waiting: Waiting = { client, position: 0n, wakeUp: () => undefined };
    all.add(waiting);
    timer ??= setInterval(() => void look(), pollIntervalMs).unref();
    return {
      somethingAfter: (position, ms) =>
        new Promise((resolve) => {
          const timeout = setTimeout(resolve, stopped ? 0 : ms);
          waiting.position = position;
          waiting.wakeUp = () => {
            clearTimeout(timeout);
            resolve();
          };
        }),
      leave() {
        waiting.wakeUp();
        all.delete(waiting);
        if (all.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      },
      isToLeave: () => stopped,
    };
  }

  return {
    join,
    stop() {
      stopped = true;
      for (const { wakeUp } of all) wakeUp();
    },
  };
}
