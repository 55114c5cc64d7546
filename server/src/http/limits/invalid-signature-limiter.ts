import { newRateLimiter } from "../../resilience/limits.ts";

/**
 * Rate limit on callbacks with invalid signatures, by network. Verifying takes 0.1 ms of CPU, and attackers send
 * thousands of callbacks per second. The limit does not apply to merchants' requests: a merchant may share an address
 * with an attacker, and does not retry as providers do.
 */
export interface InvalidSignatureLimiter {
  /** Whether to verify a signature from this network. */
  mayVerify(network: string): boolean;
  /** Records a failed verification. */
  recordFailure(network: string): void;
}

export const failureRate = { ratePerSecond: 20, burst: 100 };
/** How long callbacks from a network over the limit are rejected unverified. */
export const rejectedUnverifiedMs = 1_000;
const networksMax = 10_000;

export function newInvalidSignatureLimiter(monotonicMs: () => number): InvalidSignatureLimiter {
  const limiter = newRateLimiter(monotonicMs);
  const rejectedUntilMs = new Map<string, number>();
  return {
    mayVerify(network) {
      const untilMs = rejectedUntilMs.get(network);
      if (untilMs === undefined) return true;
      if (monotonicMs() < untilMs) return false;
      rejectedUntilMs.delete(network);
      return true;
    },
    recordFailure(network) {
      if (limiter.take(network, failureRate) === 0) return;
      // At the limit of stored networks, all are forgotten. An attacker can use many addresses, and running out of
      // memory would cost more.
      if (rejectedUntilMs.size >= networksMax) rejectedUntilMs.clear();
      rejectedUntilMs.set(network, monotonicMs() + rejectedUnverifiedMs);
    },
  };
}
