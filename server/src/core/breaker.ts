/** Called when a call has ended: whether it brought an answer. */
export type EndCall = (answered: boolean) => void;

/**
 * Circuit breaker: keeps calls away from a wallet that does not answer. Closed, it lets everything through.
 * Open, it lets a single inquiry through now and then as a probe (half-open): a probe must not move money.
 */
export interface Breaker {
  /** Whether new payments may be promised in the wallet's name. */
  isClosed(): boolean;
  /** Undefined when the call must not be made. */
  begin(kind: "inquiry" | "other"): EndCall | undefined;
  /** Whether it is open and the next inquiry would be let through. */
  wantsInquiry(): boolean;
  /** Retry delay for a call that was not let through. */
  retryAfterMs(): number;
}

export interface BreakerRules {
  /** Calls that ended longer ago are forgotten. */
  readonly windowMs: number;
  /** Timeout of the count: a call that takes longer counts as unanswered, from that moment and not from its end. */
  readonly slowMs: number;
  /** So many unanswered calls in a row open it. */
  readonly badInARowMax: number;
  /** An error rate of one half opens it as well, if there were at least so many calls. */
  readonly callsMin: number;
  /** From opening to the first probe, and between probes; longer than `slowMs`, or the caller makes one at a time. */
  readonly openMs: number;
}

export interface BreakerOptions {
  readonly monotonicMs: () => number;
  readonly onChange: (isClosed: boolean) => void;
  readonly rules?: BreakerRules;
}

/** Under five calls a second, a wallet that hangs opens the breaker within five seconds. */
export const breakerRules: BreakerRules = {
  windowMs: 10_000,
  slowMs: 4_000,
  badInARowMax: 5,
  callsMin: 10,
  openMs: 5_000,
};

/** Short enough that a job is retried within a second of the answer that closes the breaker. */
const afterInquiryMs = 500;

/** The state is in the memory of one process, and not shared with others. */
export function newBreaker({ monotonicMs, onChange, rules = breakerRules }: BreakerOptions): Breaker {
  const { slowMs, openMs } = rules;
  let tally = newTally(rules);
  /** Undefined while it is closed. */
  let inquiryAtMs: number | undefined;
  let inquiringSinceMs: number | undefined;

  /** Opens or closes. Calls that began before end in the old tally, and do not count any more. */
  function change(nextInquiryAtMs: number | undefined): void {
    tally = newTally(rules);
    inquiryAtMs = nextInquiryAtMs;
    inquiringSinceMs = undefined;
    onChange(nextInquiryAtMs === undefined);
  }

  /** Slow calls open it without any event, by time alone, so every method looks first. */
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
    // Counted from the probe's beginning, so that a probe that hangs does not delay the next one.
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

/** Sliding window of calls that ended lately, or have timed out. */
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
        // A call that was slow has been counted already.
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
