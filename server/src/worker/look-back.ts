export interface LookBack {
  /** Begins a look: from when on things have to be looked for, or undefined for all of them. */
  begin(): Look;
  /** Something was left behind: the next look is for all. */
  forget(): void;
}

export interface Look {
  readonly from: Date | undefined;
  /** Told whether it has found all that there was to find. */
  end(isComplete: boolean): void;
}

export interface LookBackOptions {
  /** The database's time, as well as it is known. */
  readonly now: () => Date;
  readonly monotonicMs: () => number;
}

/** What is written with a time is seen when its transaction commits; hardly one takes longer, and those that do wait a while. */
const lateCommitMs = 10_000;
const allEveryMs = 5_000;
/** A look at all that takes long is made less often, so that it takes up no more than a twentieth of the time. */
const [timesItsLength, allEveryMsMax] = [20, 30_000] as const;

/**
 * Remembers up to when a queue was found empty, so that the next look begins there. While a snapshot stays open (a backup,
 * a long report) PostgreSQL keeps every row that has gone since, and a look from the start reads past all of them. Now
 * and then all is looked at nevertheless: for what was committed late, what somebody held at the time, what was moved to
 * an earlier time, and for a clock that was set back.
 */
export function newLookBack({ now, monotonicMs }: LookBackOptions): LookBack {
  let emptyAt: Date | undefined;
  let nextAllAtMs = -Infinity;
  return {
    begin() {
      const [startedAt, startedAtMs] = [now(), monotonicMs()];
      const isForAll = !emptyAt || startedAtMs >= nextAllAtMs;
      const from = isForAll || !emptyAt ? undefined : new Date(emptyAt.getTime() - lateCommitMs);
      return {
        from,
        end(isComplete) {
          // What is left is as old as it was, so the next look begins where this one did.
          if (!isComplete) return;
          emptyAt = startedAt;
          if (isForAll) nextAllAtMs = startedAtMs + allGapMs(monotonicMs() - startedAtMs);
        },
      };
    },
    forget() {
      emptyAt = undefined;
    },
  };
}

function allGapMs(tookMs: number): number {
  return Math.min(allEveryMsMax, Math.max(allEveryMs, timesItsLength * tookMs));
}
