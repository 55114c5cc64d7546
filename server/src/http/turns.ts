/** Gives every connection its turn, however many requests one of them has sent at once. */
export interface Turns {
  /** One that waits for the connection to have something started. */
  wait(connection: Waiting): void;
}

export interface Waiting {
  underWay: number;
  /** Requests that have come, and are not started. */
  readonly waiting: (() => void)[];
  isInLine: boolean;
}

/** So long others wait at most for what was sent before an answer was there. */
const sliceMs = 5;

/**
 * Requests that wait behind others of their connection are started one of each connection after the other, for a few
 * milliseconds in a turn of the event loop: nobody comes before others by asking faster than it is answered.
 */
export function takeTurns(atOnceMax: number, monotonicMs: () => number): Turns {
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
