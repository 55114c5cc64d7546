const firstDelayMs = 500;
const longestDelayMs = 5_000;
/** The shortest delay before a retry. It is not zero, because the next attempt must have a different time. */
const shortestDelayMs = 50;
const retryAfterMaxMs = 60_000;

/**
 * Returns the delay before the next attempt; undefined if the gateway asks for a longer delay than the client
 * allows.
 */
export function retryDelayMs(
  retriesBefore: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number | undefined {
  if (retryAfterMs !== undefined && retryAfterMs > retryAfterMaxMs) return undefined;
  const longest = Math.min(longestDelayMs, firstDelayMs * 2 ** retriesBefore);
  const delayMs = shortestDelayMs + random() * (longest - shortestDelayMs);
  return Math.max(delayMs, retryAfterMs ?? 0);
}

/** Returns `Retry-After` in milliseconds; the header contains seconds or a date. */
export function readRetryAfter(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text.trim()) * 1000;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
