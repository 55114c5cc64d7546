import { newLimiter } from "../../resilience/limits.ts";

/**
 * Rate limit on callbacks with invalid signatures, by network. Verifying takes 0.1 ms of CPU, and attackers send
 * thousands of callbacks per second. The limit does not apply to merchants' requests: a merchant may share an address
 * with an attacker, and does not retry as providers do.
 */
export interface InvalidSignatureLimiter {
  /** Whether to verify a signature from this network. */
  mayTry(network: string): boolean;
  /** Records a failed verification. */
  failed(network: string): void;
}

export const failedChecks = { ratePerSecond: 20, burst: 100 };
/** How long callbacks from a network over the limit are rejected unverified. */
export const rejectedUnverifiedMs = 1_000;
const networksMax = 10_000;

export function newInvalidSignatureLimiter(monotonicMs: () => number): InvalidSignatureLimiter {
  const limiter = newLimiter(monotonicMs);
  const unheardUntilMs = new Map<string, number>();
  return {
    mayTry(network) {
      const untilMs = unheardUntilMs.get(network);
      if (untilMs === undefined) return true;
      if (monotonicMs() < untilMs) return false;
      unheardUntilMs.delete(network);
      return true;
    },
    failed(network) {
      if (limiter.take(network, failedChecks) === 0) return;
      // At the limit of stored networks, all are forgotten. An attacker can use many addresses, and running out of
      // memory would cost more.
      if (unheardUntilMs.size >= networksMax) unheardUntilMs.clear();
      unheardUntilMs.set(network, monotonicMs() + rejectedUnverifiedMs);
    },
  };
}
