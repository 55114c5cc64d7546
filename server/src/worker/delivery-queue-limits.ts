import { newBreaker, type Breaker, type BreakerRules } from "../resilience/breaker.ts";

/**
 * Callback for the end of a job. `wasAcknowledged` is whether its endpoint acknowledged the webhook; undefined if no request
 * was sent.
 */
export type ReleaseSlot = (wasAcknowledged: boolean | undefined) => void;

/** Concurrency limit and circuit breaker of each delivery queue. Each process has its own. */
export interface DeliveryQueueLimits {
  /** How many more jobs of the delivery queue may start now. */
  freeSlots(queue: string): number;
  /** Whether the endpoint has acknowledged recently and is not paused, so that a job may wait in memory for a slot. */
  isFast(queue: string): boolean;
  /** Takes a slot of the delivery queue; undefined if no slot is free. */
  acquireSlot(queue: string): ReleaseSlot | undefined;
  /** Sets the delivery queues that merchants have paused. */
  setPaused(queues: ReadonlySet<string>): void;
}

export interface DeliveryQueueLimitsOptions {
  readonly monotonicMs: () => number;
  readonly onChange: (queue: string, isAnswering: boolean) => void;
}

interface Queue {
  readonly breaker: Breaker;
  running: number;
  runningMax: number;
  usedAtMs: number;
}

/**
 * Adaptive concurrency limit of an endpoint: it starts low, grows by one with every success, and is reset by a failure.
 */
const [slotsMin, slotsMax] = [4, 32] as const;
const idleQueueMs = 300_000;

/**
 * Circuit breaker of an endpoint: it opens as soon as the first few requests to an endpoint are slow or fail. Then the
 * endpoint gets one request at a time, and at most four per second. These probes are ordinary attempts at their due
 * times, so no webhook is lost for a probe.
 */
const endpointRules: BreakerRules = {
  windowMs: 30_000,
  slowMs: 4_000,
  consecutiveFailuresMax: slotsMin,
  callsMin: 10,
  openMs: 250,
};

/** `logQueueChanges` logs which endpoints stop or start to acknowledge webhooks. */
export function logQueueChanges(log: {
  warn(what: object, message: string): void;
}): DeliveryQueueLimitsOptions["onChange"] {
  return (queue, isAnswering) =>
    log.warn(
      { queue },
      isAnswering ? "An endpoint acknowledges webhooks again." : "An endpoint does not acknowledge webhooks.",
    );
}

export function openDeliveryQueueLimits({
  monotonicMs,
  onChange,
}: DeliveryQueueLimitsOptions): DeliveryQueueLimits {
  const queues = new Map<string, Queue>();
  let paused: ReadonlySet<string> = new Set();

  function getQueue(name: string): Queue {
    const usedAtMs = monotonicMs();
    const existing = queues.get(name);
    if (existing) {
      existing.usedAtMs = usedAtMs;
      return existing;
    }
    removeIdleQueues(usedAtMs);
    const queue: Queue = {
      breaker: newBreaker({
        monotonicMs,
        onChange: (isClosed) => onChange(name, isClosed),
        rules: endpointRules,
      }),
      running: 0,
      runningMax: slotsMin,
      usedAtMs,
    };
    queues.set(name, queue);
    return queue;
  }

  function removeIdleQueues(nowMs: number): void {
    for (const [name, { running, usedAtMs }] of queues) {
      if (running === 0 && nowMs - usedAtMs > idleQueueMs) queues.delete(name);
    }
  }

  function freeSlots(name: string): number {
    if (paused.has(name)) return 0;
    const { breaker, running, runningMax } = getQueue(name);
    if (breaker.isClosed()) return Math.max(0, runningMax - running);
    return running === 0 && breaker.wantsProbe() ? 1 : 0;
  }

  return {
    freeSlots,
    isFast: (name) => !paused.has(name) && getQueue(name).runningMax > slotsMin,
    acquireSlot(name) {
      if (freeSlots(name) === 0) return undefined;
      const queue = getQueue(name);
      const end = queue.breaker.begin("inquiry");
      if (!end) return undefined;
      queue.running += 1;
      return (wasAcknowledged) => {
        queue.running -= 1;
        if (wasAcknowledged !== undefined)
          queue.runningMax = wasAcknowledged ? Math.min(slotsMax, queue.runningMax + 1) : slotsMin;
        end(wasAcknowledged ?? true);
      };
    },
    setPaused(pausedNow) {
      paused = pausedNow;
    },
  };
}
