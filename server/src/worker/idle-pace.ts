/** The poll interval of a loop: longer while there is nothing to do. */
export interface IdlePace {
  /** Until the next poll. */
  intervalMs(): number;
  /** Something was found, or a NOTIFY arrived. */
  noteWork(): void;
}

/** Without work for so long, a loop polls less often. */
const idleAfterMs = 5_000;
/** Poll interval while idle. New work arrives by NOTIFY at once; a job that becomes due, or a lost NOTIFY, waits so long. */
const idleIntervalMs = 1_000;

export function newIdlePace(busyIntervalMs: number, monotonicMs: () => number): IdlePace {
  let workedAtMs = monotonicMs();
  return {
    intervalMs: () =>
      monotonicMs() - workedAtMs < idleAfterMs ? busyIntervalMs : Math.max(busyIntervalMs, idleIntervalMs),
    noteWork() {
      workedAtMs = monotonicMs();
    },
  };
}
