/** Seconds to wait after each attempt; the last gap repeats for ever. */
export type Backoff = readonly [number, ...number[]];

/** When to try again, or to poll again, after `attempts` that came before this one. */
export function backOff(gapsSeconds: Backoff, attempts: number, now: Date): Date {
  const gapSeconds = gapsSeconds[Math.min(attempts, gapsSeconds.length - 1)] ?? gapsSeconds[0];
  return new Date(now.getTime() + gapSeconds * 1000);
}

const walletRetries: Backoff = [1, 2, 5, 10, 20, 40, 60];

/** When to retry after a call to a wallet failed: most faults are short, and an outage costs a call a minute. */
export function retryAt(attempts: number, now: Date): Date {
  return backOff(walletRetries, attempts, now);
}
