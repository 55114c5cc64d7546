/** Called when a call has ended: true if a response arrived. */
export type EndCall = (answered: boolean) => void;

/**
 * Circuit breaker: blocks calls to a provider that does not respond. Closed, it allows every call. Open, it allows a
 * single inquiry now and then as a probe (half-open); a probe must not move money.
 */
export interface Breaker {
  /** Whether new payments may be accepted for the provider. */
  isClosed(): boolean;
  /** Undefined if the call must not be made. */
  begin(kind: "inquiry" | "other"): EndCall | undefined;
  /** Whether it is open and the next inquiry would be allowed. */
  wantsInquiry(): boolean;
  /** Retry delay for a call that was not allowed. */
  retryAfterMs(): number;
}

export interface BreakerRules {
  /** Calls that ended longer ago do not count. */
  readonly windowMs: number;
  /** A call that takes longer counts as unanswered, from that moment and not from its end. */
  readonly slowMs: number;
  /** Number of consecutive unanswered calls that open it. */
  readonly badInARowMax: number;
  /** An error rate of one half also opens it, if there were at least this many calls. */
  readonly callsMin: number;
  /**
   * Time from opening to the first probe, and between probes. Longer than `slowMs`, or the caller runs one probe at a
   * time.
   */
  readonly openMs: number;
}

export interface BreakerOptions {
  readonly monotonicMs: () => number;
  readonly onChange: (isClosed: boolean) => void;
  readonly rules?: BreakerRules;
}

/** With less than five calls a second, a hanging provider opens the breaker within five seconds. */
export const breakerRules: BreakerRules = {
  windowMs: 10_000,
  slowMs: 4_000,
  badInARowMax: 5,
  callsMin: 10,
  openMs: 5_000,
};

/** Short enough that a job is retried within a second of the response that closes the breaker. */
const afterInquiryMs = 500;

/** The state is in the memory of one process, and not shared. */
export function newBreaker({ monotonicMs, onChange, rules = breakerRules }: BreakerOptions): Breaker {
  const { slowMs, openMs } = rules;
  let tally = newTally(rules);
  /** Undefined while it is closed. */
  let inquiryAtMs: number | undefined;
  let inquiringSinceMs: number | undefined;

  /** Opens or closes. Earlier calls end in the old tally, and no longer count. */
  function change(nextInquiryAtMs: number | undefined): void {
    tally = newTally(rules);
    inquiryAtMs = nextInquiryAtMs;
    inquiringSinceMs = undefined;
    onChange(nextInquiryAtMs === undefined);
  }

  /** Slow calls open it by time alone, without an event, so every method updates the state first. */
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
    // Counted from the probe's start, so that a hanging probe does not delay the next one.
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

/** Sliding window of calls that recently ended or timed out. */
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
        // A slow call has already been counted.
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
