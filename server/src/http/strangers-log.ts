import type { FastifyBaseLogger } from "fastify";
import { newLimiter } from "./limits.ts";

/** A line about a caller who has not proved who it is. */
export type LogStranger = (line: Readonly<Record<string, unknown>>) => void;

/** Enough to see what a developer does wrong. A flood must not keep us busy writing it down. */
const strangersLines = { ratePerSecond: 50, burst: 200 };

/** Writes lines up to a rate; the next one that is written tells how many were not. */
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
