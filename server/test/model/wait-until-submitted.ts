import type { Real } from "./run-context.ts";
import type { ModelPayment } from "./merchant-model.ts";

/** Waits until an order without a page has reached the provider, so that the provider has decided. */
export async function waitUntilSubmitted({ system }: Real, { paymentId }: ModelPayment): Promise<void> {
  const isThere = (): boolean => system.effectsOf(paymentId).some(({ outcome }) => outcome === "opened");
  for (let waitMs = 5; !isThere(); waitMs = Math.min(waitMs * 2, 200)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await system.makeJobsDue();
  }
}
