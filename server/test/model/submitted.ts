import type { Real } from "./holding.ts";
import type { ModelPayment } from "./merchant-model.ts";

/** Until an order that needs no page has come to the wallet, so that its verdict is of now. */
export async function untilSubmitted({ world }: Real, { paymentId }: ModelPayment): Promise<void> {
  const isThere = (): boolean => world.effectsOf(paymentId).some(({ outcome }) => outcome === "opened");
  for (let waitMs = 5; !isThere(); waitMs = Math.min(waitMs * 2, 200)) {
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    await world.hurry();
  }
}
