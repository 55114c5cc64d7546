import { newLimiter } from "../core/limits.ts";

/**
 * Rate limit on callbacks with forged signatures, by network. A check takes a tenth of a millisecond of a
 * processor, and forgers send thousands a second. Not for merchants' requests: a merchant may share its
 * address with a forger, and does not retry as wallets do.
 */
export interface Forgers {
  /** Whether to check a signature of this network's. */
  mayTry(network: string): boolean;
  /** A check has failed. */
  failed(network: string): void;
}

export const failedChecks = { ratePerSecond: 20, burst: 100 };
/** How long nothing of a network is checked that is over the limit. */
export const unheardMs = 1_000;
const networksMax = 10_000;

export function watchForgers(monotonicMs: () => number): Forgers {
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
      // An attacker makes up addresses: forgetting all costs less than running out of memory.
      if (unheardUntilMs.size >= networksMax) unheardUntilMs.clear();
      unheardUntilMs.set(network, monotonicMs() + unheardMs);
    },
  };
}
