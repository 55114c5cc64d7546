import type { Answer } from "./call.ts";
import { outcomeOfType, type PaymentOutcome } from "./generated/payment-outcomes.ts";

/** An answer about a payment. Its `isPending` speaks of the payment, which an `S` may leave pending. */
export type PaymentAnswer<Body> = Answer<Body> & PaymentOutcome;

/** Adds the outcome beside the fields of the interface: like what an answer has, it is not written to JSON. */
export function withOutcome<Body extends object>(
  type: keyof typeof outcomeOfType,
  body: Body,
): Body & PaymentOutcome {
  const outcome: PaymentOutcome = outcomeOfType[type](body as never);
  const hidden = Object.entries(outcome).map(
    ([name, value]) => [name, { value, configurable: true }] as const,
  );
  return Object.defineProperties(body, Object.fromEntries(hidden)) as Body & PaymentOutcome;
}
