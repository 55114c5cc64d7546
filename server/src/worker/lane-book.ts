import { newBreaker, type Breaker, type BreakerRules } from "../core/breaker.ts";

/** Told when a job has ended: whether its endpoint acknowledged; undefined when it was not called. */
export type Leave = (wasGood: boolean | undefined) => void;

/** Concurrency limit and circuit breaker of each lane. Each process keeps its own: they are not shared. */
export interface LaneBook {
  /** How many more jobs of the lane may begin now. */
  room(lane: string): number;
  /** Whether the endpoint has acknowledged lately, so that a job may wait in memory for a place. */
  isQuick(lane: string): boolean;
  /** Undefined when there is no room. */
  enter(lane: string): Leave | undefined;
  /** Sets the lanes that their merchants have paused. */
  pause(lanes: ReadonlySet<string>): void;
}

export interface LaneBookOptions {
  readonly monotonicMs: () => number;
  readonly onChange: (lane: string, isAnswering: boolean) => void;
}

interface Lane {
  readonly breaker: Breaker;
  running: number;
  runningMax: number;
  usedAtMs: number;
}

/** Adaptive concurrency limit: begins with few, grows by one with every success, starts over on a failure. */
const [fewest, most] = [4, 32] as const;
const forgottenAfterMs = 300_000;

/**
 * Circuit breaker: it opens as soon as the first few calls to an endpoint are slow or fail. From then on the
 * endpoint gets one at a time, and at most four a second. These probes are ordinary attempts, made when they
 * are due: no notification is sacrificed to find out whether the endpoint is back.
 */
const endpointRules: BreakerRules = {
  windowMs: 30_000,
  slowMs: 4_000,
  badInARowMax: fewest,
  callsMin: 10,
  openMs: 250,
};

/** Tells the operator of endpoints that stop or begin to answer. */
export function laneLog(log: { warn(what: object, message: string): void }): LaneBookOptions["onChange"] {
  return (lane, isAnswering) =>
    log.warn({ lane }, isAnswering ? "An endpoint takes notifications again." : "An endpoint takes none.");
}

export function openLaneBook({ monotonicMs, onChange }: LaneBookOptions): LaneBook {
  const lanes = new Map<string, Lane>();
  let paused: ReadonlySet<string> = new Set();

  function laneNamed(name: string): Lane {
    const usedAtMs = monotonicMs();
    const known = lanes.get(name);
    if (known) {
      known.usedAtMs = usedAtMs;
      return known;
    }
    forget(usedAtMs);
    const lane: Lane = {
      breaker: newBreaker({
        monotonicMs,
        onChange: (isClosed) => onChange(name, isClosed),
        rules: endpointRules,
      }),
      running: 0,
      runningMax: fewest,
      usedAtMs,
    };
    lanes.set(name, lane);
    return lane;
  }

  function forget(nowMs: number): void {
    for (const [name, { running, usedAtMs }] of lanes) {
      if (running === 0 && nowMs - usedAtMs > forgottenAfterMs) lanes.delete(name);
    }
  }

  function room(name: string): number {
    if (paused.has(name)) return 0;
    const { breaker, running, runningMax } = laneNamed(name);
    if (breaker.isClosed()) return Math.max(0, runningMax - running);
    return running === 0 && breaker.wantsInquiry() ? 1 : 0;
  }

  return {
    room,
    isQuick: (name) => laneNamed(name).runningMax > fewest,
    enter(name) {
      if (room(name) === 0) return undefined;
      const lane = laneNamed(name);
      const end = lane.breaker.begin("inquiry");
      if (!end) return undefined;
      lane.running += 1;
      return (wasGood) => {
        lane.running -= 1;
        if (wasGood !== undefined) lane.runningMax = wasGood ? Math.min(most, lane.runningMax + 1) : fewest;
        end(wasGood ?? true);
      };
    },
    pause(now) {
      paused = now;
    },
  };
}
