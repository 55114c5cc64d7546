/** Fair scheduling of pipelined requests over the connections. */
export interface Turns {
  /** Queues the connection if it has a request to start. */
  wait(connection: Waiting): void;
}

export interface Waiting {
  underWay: number;
  /** Requests received and not started. */
  readonly waiting: (() => void)[];
  isInLine: boolean;
}

/** Time slice for starting pipelined requests in one turn of the event loop. */
const sliceMs = 5;

/**
 * Starts pipelined requests round-robin, one per connection, for a few milliseconds in each turn of the event loop. A
 * caller that sends faster than it receives responses cannot starve the others.
 */
export function scheduleFairly(atOnceMax: number, monotonicMs: () => number): Turns {
  const line: Waiting[] = [];
  let isDue = false;

  function wait(connection: Waiting): void {
    const isReady = connection.waiting.length > 0 && connection.underWay < atOnceMax;
    if (connection.isInLine || !isReady) return;
    connection.isInLine = true;
    line.push(connection);
    if (isDue) return;
    isDue = true;
    setImmediate(go);
  }

  function go(): void {
    isDue = false;
    const endsAtMs = monotonicMs() + sliceMs;
    for (const connection of line.splice(0)) {
      connection.isInLine = false;
      const start = monotonicMs() < endsAtMs ? connection.waiting.shift() : undefined;
      if (start) {
        connection.underWay += 1;
        start();
      }
      wait(connection);
    }
  }

  return { wait };
}
