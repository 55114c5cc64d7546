import { RetryLaterError } from "../core/retry-later-error.ts";

/** Concurrency limit of each merchant's transactions (a bulkhead). */
export interface Turns {
  /**
   * Runs `work` as soon as fewer than `atOnceMax` transactions of this merchant are running. Work that completes
   * started payments goes first and is never rejected. New work is rejected if too many wait already, or after a
   * timeout (load shedding).
   */
  take<Value>(clientId: string, work: () => Promise<Value>, how?: Turn): Promise<Value>;
  /** Whether the queue would reject new work of this merchant now. */
  isFull(clientId: string): boolean;
}

export interface Turn {
  readonly isEnding: boolean;
  /** Waits without a slot of the process's concurrency limit, because a merchant's queue has its own limit. */
  readonly idle?: <Value>(waiting: Promise<Value>) => Promise<Value>;
}

/** Thrown before anything was started. */
export class TooManyWaiting extends RetryLaterError {
  override readonly name = "TooManyWaiting";
}

export interface TurnLimits {
  readonly atOnceMax: number;
  readonly waitingMax: number;
  readonly waitMaxMs: number;
}

/**
 * Default limits: less than half of the usual pool for any one merchant, and a timeout of a second, after which callers
 * retry.
 */
const usualLimits: TurnLimits = { atOnceMax: 4, waitingMax: 64, waitMaxMs: 1_000 };

interface Line {
  running: number;
  readonly ending: (() => void)[];
  readonly beginning: Waiting[];
}

interface Waiting {
  readonly go: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Per-merchant queue (fair scheduling). Transactions of one merchant often wait for one row lock: its reserve's, or a
 * payment's. Each transaction would wait with a connection, so one merchant's hot row could exhaust the pool and starve
 * all others. In this queue transactions wait before they take a connection.
 */
export function openMerchantQueue({ atOnceMax, waitingMax, waitMaxMs }: TurnLimits = usualLimits): Turns {
  const lines = new Map<string, Line>();

  function lineOf(clientId: string): Line {
    const line = lines.get(clientId) ?? { running: 0, ending: [], beginning: [] };
    lines.set(clientId, line);
    return line;
  }

  /**
   * Gives the slot directly to the next waiter, so that no newcomer can take it (race). If no work waits, it frees the
   * slot.
   */
  function leave(clientId: string, line: Line): void {
    const ending = line.ending.shift();
    if (ending) return ending();
    const beginning = line.beginning.shift();
    if (beginning) {
      clearTimeout(beginning.timer);
      return beginning.go();
    }
    line.running -= 1;
    if (line.running === 0) lines.delete(clientId);
  }

  function wait(line: Line, isEnding: boolean): Promise<void> {
    return new Promise((go, fail) => {
      if (isEnding) return void line.ending.push(go);
      if (line.beginning.length >= waitingMax) return fail(tooMany());
      const timer = setTimeout(() => {
        line.beginning.splice(line.beginning.indexOf(waiting), 1);
        fail(tooMany());
      }, waitMaxMs);
      const waiting = { go, timer };
      line.beginning.push(waiting);
    });
  }

  return {
    async take(clientId, work, { isEnding, idle = asItIs } = { isEnding: false }) {
      const line = lineOf(clientId);
      if (line.running >= atOnceMax) await idle(wait(line, isEnding));
      else line.running += 1;
      try {
        return await work();
      } finally {
        leave(clientId, line);
      }
    },
    isFull: (clientId) => (lines.get(clientId)?.beginning.length ?? 0) >= waitingMax,
  };
}

function asItIs<Value>(waiting: Promise<Value>): Promise<Value> {
  return waiting;
}

function tooMany(): TooManyWaiting {
  return new TooManyWaiting("Too many of this merchant's transactions are waiting.", 1_000);
}
