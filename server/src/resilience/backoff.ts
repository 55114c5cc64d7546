/** Seconds to wait after each attempt. The last wait repeats without limit. */
export type Backoff = readonly [number, ...number[]];

/** The time of the next attempt or poll, after `attempts` earlier ones. */
export function backOff(gapsSeconds: Backoff, attempts: number, now: Date): Date {
  const gapSeconds = gapsSeconds[Math.min(attempts, gapsSeconds.length - 1)] ?? gapsSeconds[0];
  return new Date(now.getTime() + gapSeconds * 1000);
}

const providerRetries: Backoff = [1, 2, 5, 10, 20, 40, 60];

/**
 * When to retry after a request to a provider failed. Most faults are short, and during an outage there is only one
 * request per minute.
 */
export function retryAt(attempts: number, now: Date): Date {
  return backOff(providerRetries, attempts, now);
}
