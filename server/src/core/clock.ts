/**
 * Business time is the database's, sampled, and never the process's own: two processes whose clocks
 * disagree must not disagree about what is due. Between samples it runs on the monotonic clock, which
 * no operator can turn back. Leases do not use it; they ask the database itself.
 */
export interface Clock {
  /** The database's time, as well as we know it. */
  now(): Date;
  /** How old the last sample is; a process whose clock is stale is not ready. */
  sampleAgeMs(): number;
  sample(): Promise<void>;
}

export interface ClockSources {
  /** Milliseconds that only ever grow. */
  readonly monotonicMs: () => number;
  /** The database's clock_timestamp(), in epoch milliseconds. */
  readonly databaseMs: () => Promise<number>;
}

export async function startClock(sources: ClockSources): Promise<Clock> {
  const { monotonicMs, databaseMs } = sources;
  let offsetMs = 0;
  let sampledAtMs = 0;

  async function sample(): Promise<void> {
    const askedAtMs = monotonicMs();
    const databaseTimeMs = await databaseMs();
    const answeredAtMs = monotonicMs();
    // The database looked at its clock somewhere between the question and the answer.
    offsetMs = databaseTimeMs - (askedAtMs + answeredAtMs) / 2;
    sampledAtMs = answeredAtMs;
  }

  await sample();
  return {
    now: () => new Date(monotonicMs() + offsetMs),
    sampleAgeMs: () => monotonicMs() - sampledAtMs,
    sample,
  };
}
