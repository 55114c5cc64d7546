import type { FastifyBaseLogger } from "fastify";
import { newRateLimiter } from "../../resilience/limits.ts";

/** Logs a line about an unauthenticated caller. */
export type LogUnauthenticated = (line: Readonly<Record<string, unknown>>) => void;

/**
 * Rate limit of log lines about unauthenticated callers: enough to see a developer's mistake, but a flood must not cost
 * much.
 */
const unauthenticatedLines = { ratePerSecond: 50, burst: 200 };

/** Writes lines up to the rate limit; the next line after a gap has the number of dropped lines. */
export function openUnauthenticatedLog(
  log: FastifyBaseLogger,
  monotonicMs: () => number,
): LogUnauthenticated {
  const limiter = newRateLimiter(monotonicMs);
  let droppedLines = 0;
  return (line) => {
    if (limiter.take("lines", unauthenticatedLines) > 0) {
      droppedLines += 1;
      return;
    }
    log.info(droppedLines > 0 ? { ...line, unwritten: droppedLines } : line);
    droppedLines = 0;
  };
}
