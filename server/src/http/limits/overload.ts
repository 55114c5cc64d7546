/**
 * Maximum number of requests in flight, including waiting ones. Beyond this limit the process sheds load, because a
 * long queue only adds latency.
 */
export const inFlightMax = 1_000;
/**
 * Event-loop lag in milliseconds that means overload if two samples in a row exceed it. A single sample has to exceed
 * `stallMaxMs`.
 */
const loopDelayMaxMs = 250;
export const stallMaxMs = 1_000;
const sampleEveryMs = 50;

/**
 * Bulkhead: unauthenticated clients have their own slots and take none from merchants. One network gets only a part of
 * these slots, although it may have many callers.
 */
const unauthenticatedMax = 200;
export const unauthenticatedPerNetworkMax = 50;

/**
 * Bulkhead: console users have their own slots and take none from merchants' systems. The latency of console requests
 * does not change the concurrency limit, because a slow list says nothing about payments.
 */
export const peopleMax = 16;

/**
 * Bulkheads. "New work" starts something, such as a payment. "Old work" completes something: inquiries, cancels,
 * refunds, providers' callbacks. Each kind has slots that the other kind cannot take, so that started payments can
 * complete while the process admits no new ones.
 */
export type WorkKind = MerchantWorkKind | "unauthenticated" | "people";
type MerchantWorkKind = "new work" | "old work";
const kindShare = 0.75;

/**
 * Bounds of the concurrency limit. Requests that wait for a provider, or for a caller's bytes, do not count towards it.
 */
export const concurrencyMax = 64;
export const concurrencyMin = 32;
/**
 * Burst: the process admits requests above the limit for `burstMs`, and again after `burstRestMs` below the limit. A
 * queue that lasts longer is overload.
 */
export const burstMost = 256;
export const burstMs = 500;
export const burstRestMs = 1_000;
/**
 * Target latency in milliseconds, without time spent waiting. Above this latency the process lowers the concurrency
 * limit.
 */
export const targetLatencyMs = 200;
const looksAtTimesEveryMs = 500;

export interface OverloadGuard {
  /**
   * Starts to sample the event-loop lag. It must not be called before startup is complete, because startup keeps the
   * process busy.
   */
  start(): void;
  /** Whether the event loop lags too far behind. */
  overloaded(): boolean;
  /** Whether this bulkhead has a free slot. */
  hasRoom(kind: MerchantWorkKind): boolean;
  /** Rejects all requests while the function returns true. */
  closeWhile(isClosed: () => boolean): void;
  /** Registers an arriving request, which has no slot yet. */
  arrive(network: string): Visit;
  stop(): void;
}

/** A request on its way through the process. */
export interface Visit {
  /**
   * Takes a slot of this bulkhead, and returns the slot of any other bulkhead. Returns false if no slot is free; then
   * the request has no slot.
   */
  take(kind: WorkKind): boolean;
  /** Waits without a slot, for example for a caller's bytes or a provider. The wait does not count as latency. */
  idle<Value>(waiting: Promise<Value>): Promise<Value>;
  /** Returns its slot. */
  leave(): void;
}

/** Overload detection by requests in flight, their latency, and event-loop lag. */
export function watchOverload(monotonicMs: () => number): OverloadGuard {
  const places = adaptPlaces(monotonicMs);
  const byKind = countByKind(places.max, monotonicMs);
  const lateness = watchLateness(monotonicMs);
  let isClosed = (): boolean => false;

  function arrive(network: string): Visit {
    const arrivedAtMs = monotonicMs();
    let idleMs = 0;
    let occupied: WorkKind | undefined;
    let isUnderWay = false;
    let hasLeft = false;

    function giveBack(): void {
      if (occupied) byKind.count(occupied, network, -1);
      occupied = undefined;
    }

    function end(): void {
      if (isUnderWay) byKind.countUnderWay(-1);
      isUnderWay = false;
      giveBack();
    }

    return {
      take(kind) {
        end();
        if (byKind.isFull(kind, network)) return false;
        occupied = kind;
        byKind.count(kind, network, 1);
        isUnderWay = kind !== "unauthenticated" && kind !== "people";
        if (isUnderWay) byKind.countUnderWay(1);
        return true;
      },
      async idle(waiting) {
        const kind = occupied;
        const sinceMs = monotonicMs();
        giveBack();
        try {
          return await waiting;
        } finally {
          idleMs += monotonicMs() - sinceMs;
          // An admitted request takes a slot even above the limit, so that it is not shed halfway. A request whose
          // deadline has passed has left, and would leak a slot.
          if (kind && !hasLeft) {
            occupied = kind;
            byKind.count(kind, network, 1);
          }
        }
      },
      leave() {
        // An idle request has no slot, and its latency is not complete yet.
        if (isUnderWay && occupied) places.took(monotonicMs() - arrivedAtMs - idleMs);
        hasLeft = true;
        end();
      },
    };
  }

  return {
    start: lateness.start,
    overloaded: lateness.isTooMuch,
    hasRoom: (kind) => !isClosed() && !lateness.isTooMuch() && !byKind.isFull(kind, ""),
    closeWhile: (is) => void (isClosed = is),
    arrive,
    stop: lateness.stop,
  };
}

interface WorkCounts {
  isFull(kind: WorkKind, network: string): boolean;
  count(kind: WorkKind, network: string, change: 1 | -1): void;
  /** Admitted requests, idle ones included. */
  countUnderWay(change: 1 | -1): void;
}

function countByKind(placesMax: () => number, monotonicMs: () => number): WorkCounts {
  const counts = { unauthenticated: 0, people: 0, "new work": 0, "old work": 0 };
  let burstAtMs = -Infinity;
  let aboveAtMs = -Infinity;
  const unauthenticatedByNetwork = new Map<string, number>();
  let underWay = 0;
  return {
    isFull(kind, network) {
      if (kind === "unauthenticated") {
        const ofNetwork = unauthenticatedByNetwork.get(network) ?? 0;
        return counts.unauthenticated >= unauthenticatedMax || ofNetwork >= unauthenticatedPerNetworkMax;
      }
      if (kind === "people") return counts.people >= peopleMax;
      const taken = counts["new work"] + counts["old work"];
      const isAbove = (max: number): boolean => taken >= max || counts[kind] >= max * kindShare;
      if (underWay >= inFlightMax) return true;
      if (!isAbove(placesMax())) return false;
      const nowMs = monotonicMs();
      if (nowMs - aboveAtMs >= burstRestMs) burstAtMs = nowMs;
      aboveAtMs = nowMs;
      return nowMs - burstAtMs >= burstMs || isAbove(burstMost);
    },
    count(kind, network, change) {
      counts[kind] += change;
      if (kind !== "unauthenticated") return;
      const left = (unauthenticatedByNetwork.get(network) ?? 0) + change;
      if (left > 0) unauthenticatedByNetwork.set(network, left);
      else unauthenticatedByNetwork.delete(network);
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
    // An overdue timer counts as lag, too; otherwise the process would notice a stall only after it.
    isTooMuch: () =>
      Math.min(lateMs, lateBeforeMs) > loopDelayMaxMs ||
      Math.max(lateMs, monotonicMs() - dueAtMs) > stallMaxMs,
    stop: () => clearInterval(timer),
  };
}

/**
 * Adaptive concurrency limit (AIMD). Too many concurrent requests slow down each one, and delay rejections. So the
 * limit falls by a factor when the median latency is above the target, and rises by one step when the median is below
 * half of the target.
 */
function adaptPlaces(monotonicMs: () => number): { max(): number; took(ownMs: number): void } {
  let max = concurrencyMax;
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
      if (median > targetLatencyMs) max = Math.max(concurrencyMin, Math.floor(max * 0.7));
      else if (median < targetLatencyMs / 2) max = Math.min(concurrencyMax, max + concurrencyMin);
    },
  };
}
