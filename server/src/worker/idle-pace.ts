/** The poll interval of a loop, which grows while there is no work. */
export interface IdlePace {
  /** Time until the next poll. */
  intervalMs(): number;
  /** Called when work was found, or a NOTIFY arrived. */
  recordWork(): void;
}

/** Time without work after which a loop polls less often. */
const idleAfterMs = 5_000;
/**
 * Poll interval while idle. A NOTIFY reports new work immediately. A job that becomes due, or whose NOTIFY is lost,
 * waits up to this long.
 */
const idleIntervalMs = 1_000;

export function newIdlePace(busyIntervalMs: number, monotonicMs: () => number): IdlePace {
  let workedAtMs = monotonicMs();
  return {
    intervalMs: () =>
      monotonicMs() - workedAtMs < idleAfterMs ? busyIntervalMs : Math.max(busyIntervalMs, idleIntervalMs),
    recordWork() {
      workedAtMs = monotonicMs();
    },
  };
}
