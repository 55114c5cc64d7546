/** What is to become of an order a little later. */
export interface Plan {
  readonly walletOrderId: string;
  readonly what: "approve" | "dispute";
  /** On the wallet's clock. */
  readonly atMs: number;
}

/** Orders of a test that are carried out later. In memory, as faults are: a restart forgets them. */
export interface Plans {
  add(plan: Omit<Plan, "atMs">, afterMs: number, carryOut: () => void): Plan;
  /** Those that are still to come, the newest last. */
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
      // A wallet that is told to stop does not wait for it.
      timer.unref();
      return plan;
    },
    of: (walletOrderId) => [...plans].filter((plan) => plan.walletOrderId === walletOrderId),
  };
}
