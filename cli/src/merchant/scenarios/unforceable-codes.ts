import type { Excuse } from "./scenario.ts";

const providerThat = (limit: string): Excuse => ({
  why: `needs a provider that ${limit}; the operator configures providers`,
});
const never = (why: string): Excuse => ({ why: `never returned here: ${why}` });

/** The codes that a merchant can not force, and why. */
export const excuses: Readonly<Record<string, Excuse>> = {
  INVALID_CLIENT_STATUS: { why: "the operator suspends your client" },
  MERCHANT_BALANCE_NOT_ENOUGH: {
    why: "your contract has a fee, so that less is left than was paid; the operator sets it",
  },
  MERCHANT_NOT_REGISTERED: providerThat("requires registered stores"),
  PAYMENT_METHOD_NOT_SUPPORTED: providerThat("has no authorization holds"),
  MULTI_CAPTURE_NOT_SUPPORTED: providerThat("allows one capture per hold"),
  REFUND_NOT_SUPPORTED: providerThat("refunds nothing"),
  PARTIAL_REFUND_NOT_SUPPORTED: providerThat("refunds only the full amount"),
  MULTIPLE_REFUNDS_NOT_SUPPORTED: providerThat("refunds once"),
  CLIENT_FORBIDDEN_ACCESS_API: never("a client may call every operation or, once suspended, none"),
  INVALID_CLIENT: never("a client is unknown (UNKNOWN_CLIENT) or suspended (INVALID_CLIENT_STATUS)"),
  CLIENT_INVALID: never("a client is unknown (UNKNOWN_CLIENT) or suspended (INVALID_CLIENT_STATUS)"),
  INVALID_API: never("every operation is active for every client"),
  API_INVALID: never("every operation is active for every client"),
  OAUTH_FAIL: never("no third party acts for a merchant"),
  OAUTH_FAILED: never("no third party acts for a merchant"),
  SYSTEM_ERROR: never(
    "a fault of ours is UNKNOWN_EXCEPTION, so that callers do not conclude that nothing happened",
  ),
};
