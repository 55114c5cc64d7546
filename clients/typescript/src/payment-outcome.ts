import type { Answer } from "./call.ts";
import { outcomeOfType, type PaymentOutcome } from "./generated/payment-outcomes.ts";

/**
 * A response about a payment. Its `isPending` reports the payment's outcome, which may be pending although
 * the result status is `S`.
 */
export type PaymentAnswer<Body> = Answer<Body> & PaymentOutcome;

/** `withOutcome` adds `isPaid` and the other outcomes as hidden properties: `JSON.stringify` does not write them. */
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
