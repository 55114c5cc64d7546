/** A scheduled change of an order. */
export interface Plan {
  readonly providerOrderId: string;
  readonly action: "approve" | "dispute";
  /** On the wallet's clock. */
  readonly atMs: number;
}

/**
 * Scheduled changes that a test has requested. Like faults, they are stored only in memory, so a restart deletes them.
 */
export interface Plans {
  add(plan: Omit<Plan, "atMs">, afterMs: number, carryOut: () => void): Plan;
  /** Pending changes, the newest last. */
  plansOf(providerOrderId: string): readonly Plan[];
}

export function newPlans(now: () => number): Plans {
  const plans = new Set<Plan>();
  return {
    add(planned, afterMs, carryOut) {
      const plan = { ...planned, atMs: now() + afterMs };
      plans.add(plan);
      const timer = setTimeout(() => {
        plans.delete(plan);
        carryOut();
      }, afterMs);
      // `unref` lets a stopped wallet exit without waiting for the timer.
      timer.unref();
      return plan;
    },
    plansOf: (providerOrderId) => [...plans].filter((plan) => plan.providerOrderId === providerOrderId),
  };
}
