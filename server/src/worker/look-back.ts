export interface LookBack {
  /** Begins a poll. */
  begin(): Look;
  /** Something was left behind: the next poll is a full one. */
  forget(): void;
}

export interface Look {
  /** Rows that were due before need not be read; undefined for a full poll. */
  readonly from: Date | undefined;
  /** Told whether the poll has found all that was due. */
  end(isComplete: boolean): void;
}

export interface LookBackOptions {
  /** The database's time, as well as it is known. */
  readonly now: () => Date;
  readonly monotonicMs: () => number;
}

/** Overlap for late commits: a row is visible when its transaction commits. Later ones wait for a full poll. */
const lateCommitMs = 10_000;
const allEveryMs = 5_000;
/**
 * A slow full poll is made less often, up to a limit, so that it takes no more than a thousandth of the time: while a snapshot is
 * held, it is the one poll that grows, and fewer than one in a hundred are full ones then.
 */
const [timesItsLength, allEveryMsMax] = [1_000, 30_000] as const;

/**
 * A watermark: remembers up to when a queue was found empty, so that the next poll begins there. While a
 * snapshot stays open (a backup, a long report) VACUUM cannot remove dead rows, and a poll from the start reads
 * past all of them. A full poll still runs now and then: for late commits, rows that were locked at the time,
 * rows that were moved to an earlier time, and a clock that was set back.
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
          // The rows that are left are as old as they were, so the watermark stays.
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
