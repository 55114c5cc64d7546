/** Fair scheduling of pipelined requests over the connections. */
export interface ConnectionScheduler {
  /** Queues the connection if it has a request to start. */
  enqueue(connection: QueuedConnection): void;
}

export interface QueuedConnection {
  inFlight: number;
  /** Requests received and not started. */
  readonly pending: (() => void)[];
  isQueued: boolean;
}

/** Time slice for starting pipelined requests in one turn of the event loop. */
const sliceMs = 5;

/**
 * Starts pipelined requests round-robin, one per connection, for a few milliseconds in each turn of the event loop. A
 * caller that sends faster than it receives responses cannot starve the others.
 */
export function newFairScheduler(atOnceMax: number, monotonicMs: () => number): ConnectionScheduler {
  const queue: QueuedConnection[] = [];
  let isScheduled = false;

  function enqueue(connection: QueuedConnection): void {
    const isReady = connection.pending.length > 0 && connection.inFlight < atOnceMax;
    if (connection.isQueued || !isReady) return;
    connection.isQueued = true;
    queue.push(connection);
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(startPending);
  }

  function startPending(): void {
    isScheduled = false;
    const endsAtMs = monotonicMs() + sliceMs;
    for (const connection of queue.splice(0)) {
      connection.isQueued = false;
      const start = monotonicMs() < endsAtMs ? connection.pending.shift() : undefined;
      if (start) {
        connection.inFlight += 1;
        start();
      }
      enqueue(connection);
    }
  }

  return { enqueue };
}
