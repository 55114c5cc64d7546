import type { UnforceableCode } from "./scenario.ts";

const needsProvider = (limit: string): UnforceableCode => ({
  reason: `needs a provider that ${limit}; the operator configures providers`,
});
const neverReturned = (why: string): UnforceableCode => ({ reason: `never returned here: ${why}` });

/** The codes that a merchant can not force, and why. */
export const unforceableCodes: Readonly<Record<string, UnforceableCode>> = {
  INVALID_CLIENT_STATUS: { reason: "the operator suspends your client" },
  MERCHANT_BALANCE_NOT_ENOUGH: {
    reason: "your contract has a fee, so that less is left than was paid; the operator sets it",
  },
  MERCHANT_NOT_REGISTERED: needsProvider("requires registered stores"),
  PAYMENT_METHOD_NOT_SUPPORTED: needsProvider("has no authorization holds"),
  MULTI_CAPTURE_NOT_SUPPORTED: needsProvider("allows one capture per hold"),
  REFUND_NOT_SUPPORTED: needsProvider("refunds nothing"),
  PARTIAL_REFUND_NOT_SUPPORTED: needsProvider("refunds only the full amount"),
  MULTIPLE_REFUNDS_NOT_SUPPORTED: needsProvider("refunds once"),
  CLIENT_FORBIDDEN_ACCESS_API: neverReturned("a client may call every operation or, once suspended, none"),
  INVALID_CLIENT: neverReturned("a client is unknown (UNKNOWN_CLIENT) or suspended (INVALID_CLIENT_STATUS)"),
  CLIENT_INVALID: neverReturned("a client is unknown (UNKNOWN_CLIENT) or suspended (INVALID_CLIENT_STATUS)"),
  INVALID_API: neverReturned("every operation is active for every client"),
  API_INVALID: neverReturned("every operation is active for every client"),
  OAUTH_FAIL: neverReturned("no third party acts for a merchant"),
  OAUTH_FAILED: neverReturned("no third party acts for a merchant"),
  SYSTEM_ERROR: neverReturned(
    "a fault of ours is UNKNOWN_EXCEPTION, so that callers do not conclude that nothing happened",
  ),
};
