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
  /** Called when the database's clock was set, or after a failover to a server with another clock. */
  readonly onJump: (byMs: number) => void;
}

/** More clock skew than two machines on NTP ever have. Up to this, time stands still rather than go back. */
const jumpMs = 5_000;

export async function startClock(sources: ClockSources): Promise<Clock> {
  const { monotonicMs, databaseMs, onJump } = sources;
  let offsetMs: number | undefined;
  let sampledAtMs = 0;
  let latestMs = -Infinity;

  async function sample(): Promise<void> {
    const askedAtMs = monotonicMs();
    const databaseTimeMs = await databaseMs();
    const answeredAtMs = monotonicMs();
    sampledAtMs = answeredAtMs;
    // The database read its clock somewhere within the round trip. The offset is moved only as far as it
    // contradicts that, so a slow round trip, which says little, changes little.
    const leastMs = databaseTimeMs - answeredAtMs;
    const mostMs = databaseTimeMs - askedAtMs;
    const before = offsetMs ?? (leastMs + mostMs) / 2;
    offsetMs = Math.min(Math.max(before, leastMs), mostMs);
    if (Math.abs(offsetMs - before) <= jumpMs) return;
    latestMs = -Infinity;
    onJump(offsetMs - before);
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
