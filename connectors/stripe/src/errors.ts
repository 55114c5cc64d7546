import { Stripe } from "stripe";
import type { Found, Sent, UnknownOutcome } from "../../kit/src/connector.ts";
import { meaningOf } from "./states.ts";

/** Decline codes of card issuers, as Stripe names them. Any other code is PROCESS_FAIL. */
const declineCodes = {
  insufficient_funds: "USER_BALANCE_NOT_ENOUGH",
  withdrawal_count_limit_exceeded: "PAYMENT_COUNT_EXCEED_LIMIT",
  card_velocity_exceeded: "USER_AMOUNT_EXCEED_LIMIT",
  fraudulent: "RISK_REJECT",
  merchant_blacklist: "RISK_REJECT",
  stolen_card: "RISK_REJECT",
  lost_card: "RISK_REJECT",
  currency_not_supported: "CURRENCY_NOT_SUPPORT",
  card_not_supported: "PAYMENT_METHOD_NOT_SUPPORTED",
  transaction_not_allowed: "PAYMENT_PROHIBITED",
  restricted_card: "USER_STATUS_ABNORMAL",
  invalid_account: "USER_STATUS_ABNORMAL",
} as const;

export function toDeclineCode(code: string | null | undefined): string {
  return meaningOf(declineCodes, code) ?? "PROCESS_FAIL";
}

/**
 * The outcome of a message that ended with an error of the SDK. Only an error about the content of the message is a
 * rejection: Stripe did not act. Stripe stores a 5xx under the idempotency key and returns it again.
 */
export function toSentOutcome(error: unknown): Exclude<Sent<never>, { outcome: "reported" }> {
  if (error instanceof Stripe.errors.StripeCardError)
    return { outcome: "rejected", resultCode: toDeclineCode(error.decline_code ?? error.code) };
  if (error instanceof Stripe.errors.StripeInvalidRequestError)
    return { outcome: "rejected", resultCode: "PROCESS_FAIL" };
  return toUnknownOutcome(error);
}

function toUnknownOutcome(error: unknown): UnknownOutcome {
  if (error instanceof Stripe.errors.StripeAPIError)
    return { outcome: "unknown", reason: "the API answered with a server error", isStored: true };
  if (error instanceof Stripe.errors.StripeError)
    return { outcome: "unknown", reason: `the API answered ${error.type}` };
  throw error;
}

/** A resource that does not exist is not found. Any other error says nothing. */
export function toFoundOutcome(error: unknown): Exclude<Found<never>, { outcome: "found" }> {
  const isMissing =
    error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "resource_missing";
  return isMissing ? { outcome: "not found" } : toUnknownOutcome(error);
}
