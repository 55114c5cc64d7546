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
  wantsInquiry(): boolean;
  /** Retry delay for a call that was not allowed. */
  retryAfterMs(): number;
}

export interface BreakerRules {
  /** Length of the window in milliseconds: calls that ended earlier do not count. */
  readonly windowMs: number;
  /** Time after which a call counts as unanswered, even before it ends. */
  readonly slowMs: number;
  /** Number of consecutive unanswered calls that open the breaker. */
  readonly badInARowMax: number;
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
  badInARowMax: 5,
  callsMin: 10,
  openMs: 5_000,
};

/** Pause after a probe, short enough that a job is retried within a second of the response that closes the breaker. */
const afterInquiryMs = 500;

/** Creates a circuit breaker. Its state is in the memory of one process, and not shared. */
export function newBreaker({ monotonicMs, onChange, rules = breakerRules }: BreakerOptions): Breaker {
  const { slowMs, openMs } = rules;
  let tally = newTally(rules);
  /** Undefined while it is closed. */
  let inquiryAtMs: number | undefined;
  let inquiringSinceMs: number | undefined;

  /** Opens or closes the breaker. Calls that began earlier end in the old tally, and no longer count. */
  function change(nextInquiryAtMs: number | undefined): void {
    tally = newTally(rules);
    inquiryAtMs = nextInquiryAtMs;
    inquiringSinceMs = undefined;
    onChange(nextInquiryAtMs === undefined);
  }

  /**
   * Updates the state. Slow calls open the breaker by time alone, without an event, so every method calls this function
   * first.
   */
  function look(): number {
    const nowMs = monotonicMs();
    if (tally.isBad(nowMs)) change(nowMs + openMs);
    return nowMs;
  }

  function beginUsual(nowMs: number): EndCall {
    const end = tally.begin(nowMs);
    return (answered) => {
      end(answered, monotonicMs());
      look();
    };
  }

  function beginInquiry(nowMs: number): EndCall {
    // The time of the next probe counts from the start of this probe, so that a hanging probe does not delay the next
    // one.
    inquiryAtMs = nowMs + openMs;
    inquiringSinceMs = nowMs;
    return (answered) => {
      if (inquiringSinceMs !== nowMs) return;
      inquiringSinceMs = undefined;
      if (answered && monotonicMs() - nowMs < slowMs) change(undefined);
    };
  }

  return {
    isClosed() {
      look();
      return inquiryAtMs === undefined;
    },
    begin(kind) {
      const nowMs = look();
      if (inquiryAtMs === undefined) return beginUsual(nowMs);
      return kind === "inquiry" && nowMs >= inquiryAtMs ? beginInquiry(nowMs) : undefined;
    },
    wantsInquiry() {
      const nowMs = look();
      return inquiryAtMs !== undefined && nowMs >= inquiryAtMs;
    },
    retryAfterMs() {
      const nowMs = look();
      const isAsking = inquiringSinceMs !== undefined && nowMs - inquiringSinceMs < slowMs;
      if (inquiryAtMs === undefined || isAsking) return afterInquiryMs;
      return Math.max(0, inquiryAtMs - nowMs) + afterInquiryMs;
    },
  };
}

/** The tally of a breaker: a sliding window of calls that recently ended or timed out. */
interface Tally {
  begin(nowMs: number): (answered: boolean, nowMs: number) => void;
  isBad(nowMs: number): boolean;
}

function newTally({ windowMs, slowMs, badInARowMax, callsMin }: BreakerRules): Tally {
  /** Oldest first. */
  const underWay = new Set<{ readonly sinceMs: number }>();
  const ended: { readonly atMs: number; readonly bad: boolean }[] = [];
  let badCount = 0;
  let badInARow = 0;

  function count(atMs: number, bad: boolean): void {
    ended.push({ atMs, bad });
    badCount += bad ? 1 : 0;
    badInARow = bad ? badInARow + 1 : 0;
  }

  function countSlow(nowMs: number): void {
    for (const call of underWay) {
      if (nowMs - call.sinceMs < slowMs) return;
      underWay.delete(call);
      count(call.sinceMs + slowMs, true);
    }
  }

  return {
    begin(sinceMs) {
      const call = { sinceMs };
      underWay.add(call);
      return (answered, nowMs) => {
        countSlow(nowMs);
        // A slow call has already been counted when it ends.
        if (underWay.delete(call)) count(nowMs, !answered);
      };
    },
    isBad(nowMs) {
      countSlow(nowMs);
      while (ended[0] && ended[0].atMs <= nowMs - windowMs) badCount -= ended.shift()?.bad ? 1 : 0;
      badInARow = Math.min(badInARow, ended.length);
      return badInARow >= badInARowMax || (ended.length >= callsMin && badCount * 2 >= ended.length);
    },
  };
}
