/** Limit of requests in flight, waiting ones included; beyond it load is shed: a long queue helps nobody. */
export const inFlightMax = 1_000;
/**
 * Event-loop lag that means overload if two samples in a row exceed it; one alone has to exceed `stallMaxMs`.
 */
const loopDelayMaxMs = 250;
export const stallMaxMs = 1_000;
const sampleEveryMs = 50;

/**
 * Bulkhead: unauthenticated callers have places of their own and take none from merchants. One network,
 * behind which there may be many callers, gets only a part of them.
 */
const strangersMax = 200;
export const strangersPerAddressMax = 50;

/**
 * Bulkhead: people who look at the console have places of their own. They take none from merchants' systems, and how long they wait
 * for a list says nothing about how long a payment takes.
 */
export const peopleMax = 16;

/**
 * Bulkheads. A merchant's request begins something, such as a payment, or brings something to its end:
 * inquiries, cancels, refunds, wallets' callbacks. Each kind has places that the other cannot take, so that
 * begun payments can end while no new ones are let in.
 */
export type RequestLane = MerchantLane | "strangers" | "people";
type MerchantLane = "new work" | "old work";
const laneShare = 0.75;

/** Bounds of the concurrency limit. Requests that wait for a wallet, or a caller's bytes, do not count. */
export const placesMost = 64;
export const placesLeast = 32;
/**
 * Burst: requests above the limit are admitted for a moment, and again after a rest below it. A queue that
 * stands is overload.
 */
export const burstMost = 256;
export const burstMs = 500;
export const burstRestMs = 1_000;
/** Target latency without time spent waiting; above it the concurrency limit is lowered. */
export const ownTimeMaxMs = 200;
const looksAtTimesEveryMs = 500;

export interface OverloadGuard {
  /** Starts sampling event-loop lag; starting up keeps the process busy, and that is no load. */
  start(): void;
  /** Whether the event loop lags too far behind. */
  overloaded(): boolean;
  /** Whether there is a place in this lane. */
  hasRoom(lane: MerchantLane): boolean;
  /** Turns everybody away for as long as this says so: what could not be answered is not begun. */
  closeWhile(isClosed: () => boolean): void;
  /** A request arrives; it holds no place yet. */
  arrive(network: string): Visit;
  stop(): void;
}

/** A request on its way through the process. */
export interface Visit {
  /** Moves to a place in this lane; false when there is none, and then it holds no place. */
  take(lane: RequestLane): boolean;
  /** Waits, such as for a caller's bytes or a wallet, without a place; the wait does not count as latency. */
  idle<Value>(waiting: Promise<Value>): Promise<Value>;
  /** Gives its place back. */
  leave(): void;
}

/** Overload detection by requests in flight, their latency, and event-loop lag. */
export function watchOverload(monotonicMs: () => number): OverloadGuard {
  const places = adaptPlaces(monotonicMs);
  const lanes = countLanes(places.max, monotonicMs);
  const lateness = watchLateness(monotonicMs);
  let isClosed = (): boolean => false;

  function arrive(network: string): Visit {
    const arrivedAtMs = monotonicMs();
    let idleMs = 0;
    let occupied: RequestLane | undefined;
    let isUnderWay = false;
    let hasLeft = false;

    function giveBack(): void {
      if (occupied) lanes.count(occupied, network, -1);
      occupied = undefined;
    }

    function end(): void {
      if (isUnderWay) lanes.countUnderWay(-1);
      isUnderWay = false;
      giveBack();
    }

    return {
      take(lane) {
        end();
        if (lanes.isFull(lane, network)) return false;
        occupied = lane;
        lanes.count(lane, network, 1);
        isUnderWay = lane !== "strangers" && lane !== "people";
        if (isUnderWay) lanes.countUnderWay(1);
        return true;
      },
      async idle(waiting) {
        const lane = occupied;
        const sinceMs = monotonicMs();
        giveBack();
        try {
          return await waiting;
        } finally {
          idleMs += monotonicMs() - sinceMs;
          // Even above the limit: an admitted request is not shed half-way. One whose deadline passed meanwhile has
          // left, and would leak its place.
          if (lane && !hasLeft) {
            occupied = lane;
            lanes.count(lane, network, 1);
          }
        }
      },
      leave() {
        // While it is idle it holds no place, and its own time says nothing yet.
        if (isUnderWay && occupied) places.took(monotonicMs() - arrivedAtMs - idleMs);
        hasLeft = true;
        end();
      },
    };
  }

  return {
    start: lateness.start,
    overloaded: lateness.isTooMuch,
    hasRoom: (lane) => !isClosed() && !lateness.isTooMuch() && !lanes.isFull(lane, ""),
    closeWhile: (is) => void (isClosed = is),
    arrive,
    stop: lateness.stop,
  };
}

interface Lanes {
  isFull(lane: RequestLane, network: string): boolean;
  count(lane: RequestLane, network: string, change: 1 | -1): void;
  /** Admitted requests, idle ones included. */
  countUnderWay(change: 1 | -1): void;
}

function countLanes(placesMax: () => number, monotonicMs: () => number): Lanes {
  const counts = { strangers: 0, people: 0, "new work": 0, "old work": 0 };
  let burstAtMs = -Infinity;
  let aboveAtMs = -Infinity;
  const strangersByNetwork = new Map<string, number>();
  let underWay = 0;
  return {
    isFull(lane, network) {
      if (lane === "strangers") {
        const ofNetwork = strangersByNetwork.get(network) ?? 0;
        return counts.strangers >= strangersMax || ofNetwork >= strangersPerAddressMax;
      }
      if (lane === "people") return counts.people >= peopleMax;
      const taken = counts["new work"] + counts["old work"];
      const isAbove = (max: number): boolean => taken >= max || counts[lane] >= max * laneShare;
      if (underWay >= inFlightMax) return true;
      if (!isAbove(placesMax())) return false;
      const nowMs = monotonicMs();
      if (nowMs - aboveAtMs >= burstRestMs) burstAtMs = nowMs;
      aboveAtMs = nowMs;
      return nowMs - burstAtMs >= burstMs || isAbove(burstMost);
    },
    count(lane, network, change) {
      counts[lane] += change;
      if (lane !== "strangers") return;
      const left = (strangersByNetwork.get(network) ?? 0) + change;
      if (left > 0) strangersByNetwork.set(network, left);
      else strangersByNetwork.delete(network);
    },
    countUnderWay: (change) => void (underWay += change),
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
    // An overdue timer counts too, or a stall would be noticed only when it is over.
    isTooMuch: () =>
      Math.min(lateMs, lateBeforeMs) > loopDelayMaxMs ||
      Math.max(lateMs, monotonicMs() - dueAtMs) > stallMaxMs,
    stop: () => clearInterval(timer),
  };
}

/**
 * Adaptive concurrency limit. More requests at once make each slower, and refusals later. So the limit falls
 * by a factor when the median latency is above the target, and rises step by step when it is below half of it
 * (AIMD).
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
