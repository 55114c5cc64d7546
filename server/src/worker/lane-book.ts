import { newBreaker, type Breaker, type BreakerRules } from "../core/breaker.ts";

/** Told when a job has ended: whether its endpoint did what it is there for; undefined when it was not asked. */
export type Leave = (wasGood: boolean | undefined) => void;

/** How much of each lane may run. What one process has seen of an endpoint is its own. */
export interface LaneBook {
  /** How many more of it may begin now. */
  room(lane: string): number;
  /** Whether the endpoint has shown that it takes what it is sent, so that waiting for a place is worth while. */
  isQuick(lane: string): boolean;
  /** Undefined when there is no room. */
  enter(lane: string): Leave | undefined;
  /** Lanes that their merchants have stopped. */
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

/** A lane begins with few at once and gets a place more with every success, until one fails. */
const [fewest, most] = [4, 32] as const;
const forgottenAfterMs = 300_000;

/**
 * An endpoint that hangs is known as soon as its first few are slow. From then on it gets one at a time, and at most
 * four a second: every notification still has its attempts when they are due, and none has to be sacrificed to find out
 * whether the endpoint is back.
 */
const endpointRules: BreakerRules = {
  windowMs: 30_000,
  slowMs: 4_000,
  badInARowMax: fewest,
  callsMin: 10,
  openMs: 250,
};

export function openLaneBook({ monotonicMs, onChange }: LaneBookOptions): LaneBook {
  const lanes = new Map<string, Lane>();
  let paused: ReadonlySet<string> = new Set();

  function laneOf(name: string): Lane {
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
    const { breaker, running, runningMax } = laneOf(name);
    if (breaker.isClosed()) return Math.max(0, runningMax - running);
    return running === 0 && breaker.wantsInquiry() ? 1 : 0;
  }

  return {
    room,
    isQuick: (name) => laneOf(name).runningMax > fewest,
    enter(name) {
      if (room(name) === 0) return undefined;
      const lane = laneOf(name);
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
