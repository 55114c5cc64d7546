/** Token bucket: `burst` calls at once, `ratePerSecond` in the long run. */
export interface Rate {
  readonly ratePerSecond: number;
  readonly burst: number;
}

export interface RateLimiter {
  /**
   * Takes tokens: returns zero if the call is allowed; otherwise the seconds until a retry. `cost` is the number of
   * tokens, at most a full bucket.
   */
  take(key: string, rate: Rate, cost?: number): number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** A bucket that was idle for this time is full, and need not be stored. */
const idleBucketMs = 60_000;
const keysMax = 100_000;

/** Rate limiter in the memory of one process. An installation allows its rate times the number of processes. */
export function newRateLimiter(monotonicMs: () => number): RateLimiter {
  const buckets = new Map<string, Bucket>();

  return {
    take(key, { ratePerSecond, burst }, requestedCost = 1) {
      const cost = Math.min(requestedCost, burst);
      const nowMs = monotonicMs();
      let bucket = buckets.get(key);
      if (!bucket) {
        if (buckets.size >= keysMax) deleteIdleBuckets(buckets, nowMs);
        bucket = { tokens: burst, filledAtMs: nowMs };
        buckets.set(key, bucket);
      }
      bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.filledAtMs) / 1000) * ratePerSecond);
      bucket.filledAtMs = nowMs;
      if (bucket.tokens < cost) return Math.ceil((cost - bucket.tokens) / ratePerSecond);
      bucket.tokens -= cost;
      return 0;
    },
  };
}

/** Runs work when it gets a permit. */
export type Semaphore = <Value>(work: () => Promise<Value>) => Promise<Value>;

/** Semaphore, first come first served: at most `max` works run at once, and the other works wait. */
export function newSemaphore(max: number): Semaphore {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (work) => {
    if (running < max) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Passes the permit to the longest waiter.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

function deleteIdleBuckets(buckets: Map<string, Bucket>, nowMs: number): void {
  for (const [key, bucket] of buckets) {
    if (nowMs - bucket.filledAtMs > idleBucketMs) buckets.delete(key);
  }
  // An attacker can invent addresses. Above the limit of keys, all rate limits are reset, which is better than running
  // out of memory.
  if (buckets.size >= keysMax) buckets.clear();
}
