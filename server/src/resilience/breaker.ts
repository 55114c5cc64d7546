/** Called when a call has ended: true if a response arrived. */
export type EndCall = (answered: boolean) => void;

/**
 * Circuit breaker: blocks calls to a provider that does not respond. A closed breaker allows every call. An open
 * breaker allows only single inquiries as probes (half-open), because a probe must not move money.
 */
export interface Breaker {
  /** Whether new payments may be accepted for the provider. */
  isClosed(): boolean;
  /** Begins a call; undefined if the breaker does not allow the call. */
  begin(kind: "inquiry" | "other"): EndCall | undefined;
  /** Whether the breaker is open and would allow the next inquiry. */
  wantsProbe(): boolean;
  /** Retry delay for a call that was not allowed. */
  retryAfterMs(): number;
}

export interface BreakerRules {
  /** Length of the window in milliseconds: calls that ended earlier do not count. */
  readonly windowMs: number;
  /** Time after which a call counts as unanswered, even before it ends. */
  readonly slowMs: number;
  /** Number of consecutive unanswered calls that open the breaker. */
  readonly consecutiveFailuresMax: number;
  /** Minimum number of calls in the window with which an error rate of one half also opens the breaker. */
  readonly callsMin: number;
  /**
   * Time from opening to the first probe, and between probes. It must be longer than `slowMs`, or the caller must run
   * one probe at a time.
   */
  readonly openMs: number;
}

export interface BreakerOptions {
  readonly monotonicMs: () => number;
  readonly onChange: (isClosed: boolean) => void;
  readonly rules?: BreakerRules;
}

/**
 * The rules of the breaker of a provider. With less than five calls a second, a hanging provider opens the breaker
 * within five seconds.
 */
export const breakerRules: BreakerRules = {
  windowMs: 10_000,
  slowMs: 4_000,
  consecutiveFailuresMax: 5,
  callsMin: 10,
  openMs: 5_000,
};

/** Pause after a probe, short enough that a job is retried within a second of the response that closes the breaker. */
const afterProbeMs = 500;

/** Creates a circuit breaker. Its state is in the memory of one process, and not shared. */
export function newBreaker({ monotonicMs, onChange, rules = breakerRules }: BreakerOptions): Breaker {
  const { slowMs, openMs } = rules;
  let tally = newTally(rules);
  /** Undefined while it is closed. */
  let nextProbeAtMs: number | undefined;
  let probingSinceMs: number | undefined;

  /** Opens or closes the breaker. Calls that began earlier end in the old tally, and no longer count. */
  function setState(probeAtMs: number | undefined): void {
    tally = newTally(rules);
    nextProbeAtMs = probeAtMs;
    probingSinceMs = undefined;
    onChange(probeAtMs === undefined);
  }

  /**
   * Updates the state. Slow calls open the breaker by time alone, without an event, so every method calls this function
   * first.
   */
  function updateState(): number {
    const nowMs = monotonicMs();
    if (tally.shouldOpen(nowMs)) setState(nowMs + openMs);
    return nowMs;
  }

  function beginCall(nowMs: number): EndCall {
    const end = tally.begin(nowMs);
    return (answered) => {
      end(answered, monotonicMs());
      updateState();
    };
  }

  function beginProbe(nowMs: number): EndCall {
    // The time of the next probe counts from the start of this probe, so that a hanging probe does not delay the next
    // one.
    nextProbeAtMs = nowMs + openMs;
    probingSinceMs = nowMs;
    return (answered) => {
      if (probingSinceMs !== nowMs) return;
      probingSinceMs = undefined;
      if (answered && monotonicMs() - nowMs < slowMs) setState(undefined);
    };
  }

  return {
    isClosed() {
      updateState();
      return nextProbeAtMs === undefined;
    },
    begin(kind) {
      const nowMs = updateState();
      if (nextProbeAtMs === undefined) return beginCall(nowMs);
      return kind === "inquiry" && nowMs >= nextProbeAtMs ? beginProbe(nowMs) : undefined;
    },
    wantsProbe() {
      const nowMs = updateState();
      return nextProbeAtMs !== undefined && nowMs >= nextProbeAtMs;
    },
    retryAfterMs() {
      const nowMs = updateState();
      const isProbing = probingSinceMs !== undefined && nowMs - probingSinceMs < slowMs;
      if (nextProbeAtMs === undefined || isProbing) return afterProbeMs;
      return Math.max(0, nextProbeAtMs - nowMs) + afterProbeMs;
    },
  };
}

/** The tally of a breaker: a sliding window of calls that recently ended or timed out. */
interface Tally {
  begin(nowMs: number): (answered: boolean, nowMs: number) => void;
  shouldOpen(nowMs: number): boolean;
}

function newTally({ windowMs, slowMs, consecutiveFailuresMax, callsMin }: BreakerRules): Tally {
  /** Oldest first. */
  const inProgress = new Set<{ readonly sinceMs: number }>();
  const endedCalls: { readonly atMs: number; readonly isFailure: boolean }[] = [];
  let failureCount = 0;
  let consecutiveFailures = 0;

  function countCall(atMs: number, isFailure: boolean): void {
    endedCalls.push({ atMs, isFailure });
    failureCount += isFailure ? 1 : 0;
    consecutiveFailures = isFailure ? consecutiveFailures + 1 : 0;
  }

  function countSlow(nowMs: number): void {
    for (const call of inProgress) {
      if (nowMs - call.sinceMs < slowMs) return;
      inProgress.delete(call);
      countCall(call.sinceMs + slowMs, true);
    }
  }

  return {
    begin(sinceMs) {
      const call = { sinceMs };
      inProgress.add(call);
      return (answered, nowMs) => {
        countSlow(nowMs);
        // A slow call has already been counted when it ends.
        if (inProgress.delete(call)) countCall(nowMs, !answered);
      };
    },
    shouldOpen(nowMs) {
      countSlow(nowMs);
      while (endedCalls[0] && endedCalls[0].atMs <= nowMs - windowMs)
        failureCount -= endedCalls.shift()?.isFailure ? 1 : 0;
      consecutiveFailures = Math.min(consecutiveFailures, endedCalls.length);
      return (
        consecutiveFailures >= consecutiveFailuresMax ||
        (endedCalls.length >= callsMin && failureCount * 2 >= endedCalls.length)
      );
    },
  };
}
