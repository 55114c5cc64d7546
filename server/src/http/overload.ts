/** How much a process takes on before it says "later": a queue that grows helps nobody. */
export const inFlightMax = 1_000;
export const loopDelayMaxMs = 250;
const sampleEveryMs = 50;

export interface OverloadGuard {
  /** Looks at the time from now on: what kept the process busy before it served is nobody's load. */
  start(): void;
  overloaded(): boolean;
  enter(): void;
  leave(): void;
  /** Waits for the caller's own bytes. Whoever sends them slowly does not keep us busy, and does not count. */
  idle<Value>(waiting: Promise<Value>): Promise<Value>;
  stop(): void;
}

/** Watches two things: how many requests are under way, and how late the process's own timers are. */
export function watchOverload(monotonicMs: () => number): OverloadGuard {
  let count = 0;
  let lateMs = 0;
  let dueAtMs = Infinity;
  let timer: NodeJS.Timeout | undefined;

  return {
    start() {
      dueAtMs = monotonicMs() + sampleEveryMs;
      timer = setInterval(() => {
        const nowMs = monotonicMs();
        lateMs = nowMs - dueAtMs;
        dueAtMs = nowMs + sampleEveryMs;
      }, sampleEveryMs).unref();
    },
    // A timer that is overdue right now counts too, or a stall would be noticed only when it is over.
    overloaded: () => count > inFlightMax || Math.max(lateMs, monotonicMs() - dueAtMs) > loopDelayMaxMs,
    enter: () => void (count += 1),
    leave: () => void (count -= 1),
    idle(waiting) {
      count -= 1;
      return waiting.finally(() => void (count += 1));
    },
    stop: () => clearInterval(timer),
  };
}
