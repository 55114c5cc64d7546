/**
 * Business time is a sample of the database's time, never the process's own time: two processes with clock skew must
 * agree on what is due. Between samples, business time advances with the monotonic clock, which cannot be set back.
 * Leases do not use this clock; they compare times in the database.
 */
export interface Clock {
  /** The best estimate of the database's time. */
  now(): Date;
  /** The age of the last sample. A process with a stale clock is not ready. */
  sampleAgeMs(): number;
  sample(): Promise<void>;
}

export interface ClockSources {
  /** Monotonic time in milliseconds. */
  readonly monotonicMs: () => number;
  /** The database's clock_timestamp(), in epoch milliseconds. */
  readonly databaseMs: () => Promise<number>;
  /** Called when the database's clock was set, or after a failover to a server with another clock. */
  readonly onJump: (byMs: number) => void;
}

/**
 * Clock skew in milliseconds that two machines with NTP never have. Up to this skew, the clock stops instead of going
 * back.
 */
const jumpMs = 5_000;

export async function startClock(sources: ClockSources): Promise<Clock> {
  const { monotonicMs, databaseMs, onJump } = sources;
  let offsetMs: number | undefined;
  let sampledAtMs = 0;
  let latestMs = -Infinity;

  async function sample(): Promise<void> {
    const requestedAtMs = monotonicMs();
    const databaseTimeMs = await databaseMs();
    const respondedAtMs = monotonicMs();
    sampledAtMs = respondedAtMs;
    // The database read its clock at an unknown moment within the round trip. The offset changes only as far as the
    // response contradicts it, so a slow round trip, which is imprecise, changes little.
    const offsetMinMs = databaseTimeMs - respondedAtMs;
    const offsetMaxMs = databaseTimeMs - requestedAtMs;
    const previousOffsetMs = offsetMs ?? (offsetMinMs + offsetMaxMs) / 2;
    offsetMs = Math.min(Math.max(previousOffsetMs, offsetMinMs), offsetMaxMs);
    if (Math.abs(offsetMs - previousOffsetMs) <= jumpMs) return;
    latestMs = -Infinity;
    onJump(offsetMs - previousOffsetMs);
  }

  await sample();
  return {
    now() {
      latestMs = Math.max(latestMs, monotonicMs() + (offsetMs ?? 0));
      return new Date(latestMs);
    },
    sampleAgeMs: () => monotonicMs() - sampledAtMs,
    sample,
  };
}
