/**
 * Maximum number of requests in flight, including waiting ones. Beyond this limit the process sheds load, because a
 * long queue only adds latency.
 */
export const inFlightMax = 1_000;
/**
 * Event-loop lag in milliseconds that means overload if two samples in a row exceed it. A single sample has to exceed
 * `stallMaxMs`.
 */
const lagMaxMs = 250;
export const stallMaxMs = 1_000;
const lagSampleIntervalMs = 50;

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
export const burstMax = 256;
export const burstMs = 500;
export const burstRestMs = 1_000;
/**
 * Target latency in milliseconds, without time spent waiting. Above this latency the process lowers the concurrency
 * limit.
 */
export const targetLatencyMs = 200;
const limitUpdateIntervalMs = 500;

export interface OverloadGuard {
  /**
   * Starts to sample the event-loop lag. It must not be called before startup is complete, because startup keeps the
   * process busy.
   */
  start(): void;
  /** Whether the event loop lags too far behind. */
  isOverloaded(): boolean;
  /** Whether this bulkhead has a free slot. */
  hasFreeSlot(kind: MerchantWorkKind): boolean;
  /** Rejects all requests while the function returns true. */
  closeWhile(isClosed: () => boolean): void;
  /** Registers an arriving request, which has no slot yet. */
  register(network: string): RequestSlot;
  stop(): void;
}

/** A request on its way through the process. */
export interface RequestSlot {
  /**
   * Takes a slot of this bulkhead, and returns the slot of any other bulkhead. Returns false if no slot is free; then
   * the request has no slot.
   */
  take(kind: WorkKind): boolean;
  /** Waits without a slot, for example for a caller's bytes or a provider. The wait does not count as latency. */
  idle<Value>(waiting: Promise<Value>): Promise<Value>;
  /** Returns its slot. */
  release(): void;
}

/** Overload detection by requests in flight, their latency, and event-loop lag. */
export function newOverloadGuard(monotonicMs: () => number): OverloadGuard {
  const concurrencyLimit = adaptConcurrencyLimit(monotonicMs);
  const byKind = countByKind(concurrencyLimit.max, monotonicMs);
  const lag = watchEventLoopLag(monotonicMs);
  let isClosed = (): boolean => false;

  function register(network: string): RequestSlot {
    const arrivedAtMs = monotonicMs();
    let idleMs = 0;
    let takenKind: WorkKind | undefined;
    let isAdmitted = false;
    let hasLeft = false;

    function returnSlot(): void {
      if (takenKind) byKind.count(takenKind, network, -1);
      takenKind = undefined;
    }

    function end(): void {
      if (isAdmitted) byKind.countAdmitted(-1);
      isAdmitted = false;
      returnSlot();
    }

    return {
      take(kind) {
        end();
        if (byKind.isFull(kind, network)) return false;
        takenKind = kind;
        byKind.count(kind, network, 1);
        isAdmitted = kind !== "unauthenticated" && kind !== "people";
        if (isAdmitted) byKind.countAdmitted(1);
        return true;
      },
      async idle(waiting) {
        const kind = takenKind;
        const sinceMs = monotonicMs();
        returnSlot();
        try {
          return await waiting;
        } finally {
          idleMs += monotonicMs() - sinceMs;
          // An admitted request takes a slot even above the limit, so that it is not shed halfway. A request whose
          // deadline has passed has left, and would leak a slot.
          if (kind && !hasLeft) {
            takenKind = kind;
            byKind.count(kind, network, 1);
          }
        }
      },
      release() {
        // An idle request has no slot, and its latency is not complete yet.
        if (isAdmitted && takenKind) concurrencyLimit.recordLatency(monotonicMs() - arrivedAtMs - idleMs);
        hasLeft = true;
        end();
      },
    };
  }

  return {
    start: lag.start,
    isOverloaded: lag.isTooHigh,
    hasFreeSlot: (kind) => !isClosed() && !lag.isTooHigh() && !byKind.isFull(kind, ""),
    closeWhile: (condition) => void (isClosed = condition),
    register,
    stop: lag.stop,
  };
}

interface WorkCounts {
  isFull(kind: WorkKind, network: string): boolean;
  count(kind: WorkKind, network: string, change: 1 | -1): void;
  /** Admitted requests, idle ones included. */
  countAdmitted(change: 1 | -1): void;
}

function countByKind(concurrencyLimit: () => number, monotonicMs: () => number): WorkCounts {
  const counts = { unauthenticated: 0, people: 0, "new work": 0, "old work": 0 };
  let burstAtMs = -Infinity;
  let aboveAtMs = -Infinity;
  const unauthenticatedByNetwork = new Map<string, number>();
  let admittedCount = 0;
  return {
    isFull(kind, network) {
      if (kind === "unauthenticated") {
        const ofNetwork = unauthenticatedByNetwork.get(network) ?? 0;
        return counts.unauthenticated >= unauthenticatedMax || ofNetwork >= unauthenticatedPerNetworkMax;
      }
      if (kind === "people") return counts.people >= peopleMax;
      const takenSlots = counts["new work"] + counts["old work"];
      const isAbove = (max: number): boolean => takenSlots >= max || counts[kind] >= max * kindShare;
      if (admittedCount >= inFlightMax) return true;
      if (!isAbove(concurrencyLimit())) return false;
      const nowMs = monotonicMs();
      if (nowMs - aboveAtMs >= burstRestMs) burstAtMs = nowMs;
      aboveAtMs = nowMs;
      return nowMs - burstAtMs >= burstMs || isAbove(burstMax);
    },
    count(kind, network, change) {
      counts[kind] += change;
      if (kind !== "unauthenticated") return;
      const remaining = (unauthenticatedByNetwork.get(network) ?? 0) + change;
      if (remaining > 0) unauthenticatedByNetwork.set(network, remaining);
      else unauthenticatedByNetwork.delete(network);
    },
    countAdmitted: (change) => void (admittedCount += change),
  };
}

interface EventLoopLag {
  start(): void;
  isTooHigh(): boolean;
  stop(): void;
}

function watchEventLoopLag(monotonicMs: () => number): EventLoopLag {
  let lagMs = 0;
  let previousLagMs = 0;
  let dueAtMs = Infinity;
  let timer: NodeJS.Timeout | undefined;
  return {
    start() {
      dueAtMs = monotonicMs() + lagSampleIntervalMs;
      timer = setInterval(() => {
        const nowMs = monotonicMs();
        previousLagMs = lagMs;
        lagMs = nowMs - dueAtMs;
        dueAtMs = nowMs + lagSampleIntervalMs;
      }, lagSampleIntervalMs).unref();
    },
    // An overdue timer counts as lag, too; otherwise the process would notice a stall only after it.
    isTooHigh: () =>
      Math.min(lagMs, previousLagMs) > lagMaxMs || Math.max(lagMs, monotonicMs() - dueAtMs) > stallMaxMs,
    stop: () => clearInterval(timer),
  };
}

/**
 * Adaptive concurrency limit (AIMD). Too many concurrent requests slow down each one, and delay rejections. So the
 * limit falls by a factor when the median latency is above the target, and rises by one step when the median is below
 * half of the target.
 */
function adaptConcurrencyLimit(monotonicMs: () => number): {
  max(): number;
  recordLatency(latencyMs: number): void;
} {
  let max = concurrencyMax;
  let latenciesMs: number[] = [];
  let sinceMs = monotonicMs();
  return {
    max: () => max,
    recordLatency(latencyMs) {
      latenciesMs.push(latencyMs);
      if (monotonicMs() - sinceMs < limitUpdateIntervalMs) return;
      const median = latenciesMs.toSorted((a, b) => a - b)[latenciesMs.length >> 1] ?? 0;
      latenciesMs = [];
      sinceMs = monotonicMs();
      if (median > targetLatencyMs) max = Math.max(concurrencyMin, Math.floor(max * 0.7));
      else if (median < targetLatencyMs / 2) max = Math.min(concurrencyMax, max + concurrencyMin);
    },
  };
}
