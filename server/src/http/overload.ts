/** How much a process takes on before it says "later": a queue that grows helps nobody. */
export const inFlightMax = 1_000;
export const loopDelayMaxMs = 250;
const sampleEveryMs = 50;

/**
 * Who is not proven has places of its own, so that it takes none away from merchants; and of these no address, behind
 * which there may be many, takes more than its part.
 */
export const strangersMax = 200;
export const strangersPerAddressMax = 50;

/** What a request is at the moment, and with whom it shares its places. */
export type Lane = "strangers" | "merchants";

export interface OverloadGuard {
  /** Looks at the time from now on: what kept the process busy before it served is nobody's load. */
  start(): void;
  /** Whether the process has more to do than it can do in time. */
  overloaded(): boolean;
  /** Somebody comes in, and holds no place yet. */
  arrive(network: string): Visit;
  stop(): void;
}

/** A request on its way through the process. */
export interface Visit {
  /** Takes a place in a lane, for the one it has; false when there is none. */
  take(lane: Lane): boolean;
  /** Waits for what does not keep us busy, such as a caller's bytes or a wallet's answer. That does not count. */
  idle<Value>(waiting: Promise<Value>): Promise<Value>;
  /** Gives its place back. */
  leave(): void;
}

/** Watches two things: how many requests are under way, and how late the process's own timers are. */
export function watchOverload(monotonicMs: () => number): OverloadGuard {
  const counts = { strangers: 0, merchants: 0 };
  const strangersByNetwork = new Map<string, number>();
  let lateMs = 0;
  let dueAtMs = Infinity;
  let timer: NodeJS.Timeout | undefined;

  function isFull(lane: Lane, network: string): boolean {
    if (lane === "merchants") return counts.merchants >= inFlightMax - strangersMax;
    return (
      counts.strangers >= strangersMax || (strangersByNetwork.get(network) ?? 0) >= strangersPerAddressMax
    );
  }

  function count(lane: Lane, network: string, change: 1 | -1): void {
    counts[lane] += change;
    if (lane !== "strangers") return;
    const left = (strangersByNetwork.get(network) ?? 0) + change;
    if (left > 0) strangersByNetwork.set(network, left);
    else strangersByNetwork.delete(network);
  }

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
    overloaded: () => isFull("merchants", "") || Math.max(lateMs, monotonicMs() - dueAtMs) > loopDelayMaxMs,
    arrive(network) {
      let held: Lane | undefined;
      const leave = (): void => {
        if (held) count(held, network, -1);
        held = undefined;
      };
      return {
        take(lane) {
          leave();
          if (isFull(lane, network)) return false;
          held = lane;
          count(lane, network, 1);
          return true;
        },
        async idle(waiting) {
          const lane = held;
          leave();
          try {
            return await waiting;
          } finally {
            // Whoever was let in is not sent away in the middle.
            held = lane;
            if (lane) count(lane, network, 1);
          }
        },
        leave,
      };
    },
    stop: () => clearInterval(timer),
  };
}
