/** How much a process takes on before it says "later": a queue that grows helps nobody. */
export const inFlightMax = 1_000;
/** How late the process's own timers may be twice in a row; once, so much: what is over is no reason to send anybody away. */
const loopDelayMaxMs = 250;
export const stallMaxMs = 1_000;
const sampleEveryMs = 50;

/**
 * Who is not proven has places of its own, so that it takes none away from merchants; and of these no address, behind
 * which there may be many, takes more than its part.
 */
const strangersMax = 200;
export const strangersPerAddressMax = 50;

/**
 * What a request is at the moment, and with whom it shares its places. Merchants' requests either begin something, such as
 * a payment, or bring something to its end: inquiries, cancels, refunds, wallets' callbacks. Each kind has places that the
 * other cannot take, so that what has begun can end while nothing more is begun.
 */
export type Lane = "strangers" | "new work" | "old work";
const laneShare = 0.75;

/** Requests that are worked on at once. Whoever waits for a wallet, or for a caller's bytes, is not among them. */
export const placesMost = 128;
export const placesLeast = 32;
/** How long a request may take, without what it waits for others, before fewer are let in at once. */
export const ownTimeMaxMs = 200;
const looksAtTimesEveryMs = 500;

export interface OverloadGuard {
  /** Looks at the time from now on: what kept the process busy before it served is nobody's load. */
  start(): void;
  /** Whether the process has more to do than it can do in time. */
  overloaded(): boolean;
  /** Whether there is a place in this lane. */
  hasRoom(lane: Exclude<Lane, "strangers">): boolean;
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

/** Watches three things: how many requests are under way, how long they take, and how late the process's own timers are. */
export function watchOverload(monotonicMs: () => number): OverloadGuard {
  const counts = { strangers: 0, "new work": 0, "old work": 0 };
  const strangersByNetwork = new Map<string, number>();
  const places = adaptPlaces(monotonicMs);
  let underWay = 0;
  const lateness = watchLateness(monotonicMs);

  function isFull(lane: Lane, network: string): boolean {
    if (lane !== "strangers") {
      const max = places.max();
      const isOutOfPlaces = counts["new work"] + counts["old work"] >= max;
      return isOutOfPlaces || counts[lane] >= max * laneShare || underWay >= inFlightMax;
    }
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

  function arrive(network: string): Visit {
    const arrivedAtMs = monotonicMs();
    let idleMs = 0;
    let held: Lane | undefined;
    let isUnderWay = false;
    let hasLeft = false;

    function giveBack(): void {
      if (held) count(held, network, -1);
      held = undefined;
    }

    function end(): void {
      if (isUnderWay) underWay -= 1;
      isUnderWay = false;
      giveBack();
    }

    return {
      take(lane) {
        end();
        if (isFull(lane, network)) return false;
        held = lane;
        count(lane, network, 1);
        isUnderWay = lane !== "strangers";
        if (isUnderWay) underWay += 1;
        return true;
      },
      async idle(waiting) {
        const lane = held;
        const sinceMs = monotonicMs();
        giveBack();
        try {
          return await waiting;
        } finally {
          idleMs += monotonicMs() - sinceMs;
          // A request that was admitted is not refused in the middle. One whose deadline has passed has left, and would keep its place for ever.
          if (lane && !hasLeft) {
            held = lane;
            count(lane, network, 1);
          }
        }
      },
      leave() {
        // While it is idle it holds no place, and its own time says nothing yet.
        if (isUnderWay && held) places.took(monotonicMs() - arrivedAtMs - idleMs);
        hasLeft = true;
        end();
      },
    };
  }

  return {
    start: lateness.start,
    overloaded: lateness.isTooMuch,
    hasRoom: (lane) => !lateness.isTooMuch() && !isFull(lane, ""),
    arrive,
    stop: lateness.stop,
  };
}

interface Lateness {
  start(): void;
  isTooMuch(): boolean;
  stop(): void;
}

function watchLateness(monotonicMs: () => number): Lateness {
  let lateMs = 0;
  let lateBeforeMs = 0;
  let dueAtMs = Infinity;
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      dueAtMs = monotonicMs() + sampleEveryMs;
      timer = setInterval(() => {
        const nowMs = monotonicMs();
        lateBeforeMs = lateMs;
        lateMs = nowMs - dueAtMs;
        dueAtMs = nowMs + sampleEveryMs;
      }, sampleEveryMs).unref();
    },
    // A timer that is overdue right now counts too, or a stall would be noticed only when it is over.
    isTooMuch: () =>
      Math.min(lateMs, lateBeforeMs) > loopDelayMaxMs ||
      Math.max(lateMs, monotonicMs() - dueAtMs) > stallMaxMs,
    stop: () => clearInterval(timer),
  };
}

/**
 * How many requests are worked on at once. The more there are, the longer each takes and the later the next is told to
 * wait; so when half of those that ended took too long, fewer are let in, and step by step more when they do not.
 */
function adaptPlaces(monotonicMs: () => number): { max(): number; took(ownMs: number): void } {
  let max = placesMost;
  let times: number[] = [];
  let sinceMs = monotonicMs();
  return {
    max: () => max,
    took(ownMs) {
      times.push(ownMs);
      if (monotonicMs() - sinceMs < looksAtTimesEveryMs) return;
      const median = times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
      times = [];
      sinceMs = monotonicMs();
      if (median > ownTimeMaxMs) max = Math.max(placesLeast, Math.floor(max * 0.7));
      else if (median < ownTimeMaxMs / 2) max = Math.min(placesMost, max + placesLeast);
    },
  };
}
