/** A scheduled change of an order. */
export interface Plan {
  readonly walletOrderId: string;
  readonly what: "approve" | "dispute";
  /** On the wallet's clock. */
  readonly atMs: number;
}

/** Scheduled changes that a test has requested. In memory, like faults: a restart forgets them. */
export interface Plans {
  add(plan: Omit<Plan, "atMs">, afterMs: number, carryOut: () => void): Plan;
  /** Pending changes, the newest last. */
  of(walletOrderId: string): readonly Plan[];
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
      // A wallet that is stopped does not wait for it.
      timer.unref();
      return plan;
    },
    of: (walletOrderId) => [...plans].filter((plan) => plan.walletOrderId === walletOrderId),
  };
}
