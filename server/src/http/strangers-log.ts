import type { FastifyBaseLogger } from "fastify";
import { newLimiter } from "../core/limits.ts";

/** Logs a line about an unauthenticated caller. */
export type LogStranger = (line: Readonly<Record<string, unknown>>) => void;

/** Rate limit of log lines: enough to see a developer's mistake; a flood must not keep us busy logging. */
const strangersLines = { ratePerSecond: 50, burst: 200 };

/** Writes lines up to the rate limit; the next line written says how many were dropped. */
export function openStrangersLog(log: FastifyBaseLogger, monotonicMs: () => number): LogStranger {
  const limiter = newLimiter(monotonicMs);
  let unwritten = 0;
  return (line) => {
    if (limiter.take("lines", strangersLines) > 0) {
      unwritten += 1;
      return;
    }
    log.info(unwritten > 0 ? { ...line, unwritten } : line);
    unwritten = 0;
  };
}
