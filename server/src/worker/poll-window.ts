export interface PollWindow {
  /** Starts a poll. */
  begin(): Poll;
  /** Makes the next poll a full one, because jobs were left behind. */
  forceFullPoll(): void;
}

export interface Poll {
  /** Low-water mark: rows that were due before it need not be read; undefined for a full poll. */
  readonly from: Date | undefined;
  /** Reports whether the poll has found all due rows. */
  end(isComplete: boolean): void;
}

export interface PollWindowOptions {
  /** The estimated time of the database. */
  readonly now: () => Date;
  readonly monotonicMs: () => number;
}

/**
 * Overlap in milliseconds for late commits: a row becomes visible when its transaction commits. Rows of transactions
 * that take longer wait for a full poll.
 */
const lateCommitMs = 10_000;
const fullPollIntervalMs = 5_000;
/**
 * A slow full poll runs less often, up to a limit, so that full polls use at most a thousandth of the time. While a
 * snapshot is held open, only full polls become slower, and fewer than one poll in a hundred is a full one.
 */
const [pauseFactor, fullPollIntervalMsMax] = [1_000, 30_000] as const;

/**
 * `newPollWindow` keeps a low-water mark: the time up to which polls found a queue empty, and from which the next poll
 * starts. While a snapshot stays open (a backup, a long report), VACUUM cannot remove dead rows, and a poll from the
 * start reads all of them. A full poll still runs regularly: for late commits, for rows that were locked, for rows that
 * were moved to an earlier time, and for a clock that was set back.
 */
export function newPollWindow({ now, monotonicMs }: PollWindowOptions): PollWindow {
  let emptyAt: Date | undefined;
  let nextFullPollAtMs = -Infinity;
  return {
    begin() {
      const [startedAt, startedAtMs] = [now(), monotonicMs()];
      const isFullPoll = !emptyAt || startedAtMs >= nextFullPollAtMs;
      const from = isFullPoll || !emptyAt ? undefined : new Date(emptyAt.getTime() - lateCommitMs);
      return {
        from,
        end(isComplete) {
          // An incomplete poll leaves rows that are as old as before, so the low-water mark stays.
          if (!isComplete) return;
          emptyAt = startedAt;
          if (isFullPoll) nextFullPollAtMs = startedAtMs + fullPollGapMs(monotonicMs() - startedAtMs);
        },
      };
    },
    forceFullPoll() {
      emptyAt = undefined;
    },
  };
}

function fullPollGapMs(tookMs: number): number {
  return Math.min(fullPollIntervalMsMax, Math.max(fullPollIntervalMs, pauseFactor * tookMs));
}
