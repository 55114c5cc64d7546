import type { Excuse } from "./scenario.ts";

const walletThat = (limit: string): Excuse => ({
  why: `needs a wallet that ${limit}; the operator sets up wallets`,
});
const never = (why: string): Excuse => ({ why: `never given here: ${why}` });

/** The codes that no merchant can force by itself, and why. */
export const excuses: Readonly<Record<string, Excuse>> = {
  INVALID_CLIENT_STATUS: { why: "the operator suspends your client" },
  MERCHANT_BALANCE_NOT_ENOUGH: {
    why: "your contract has a fee, so that less is left than was paid; the operator sets it",
  },
  MERCHANT_NOT_REGISTERED: walletThat("demands that stores are registered"),
  PAYMENT_METHOD_NOT_SUPPORTED: walletThat("holds no money"),
  MULTI_CAPTURE_NOT_SUPPORTED: walletThat("lets what is held be captured once"),
  REFUND_NOT_SUPPORTED: walletThat("refunds nothing"),
  PARTIAL_REFUND_NOT_SUPPORTED: walletThat("refunds all or nothing"),
  MULTIPLE_REFUNDS_NOT_SUPPORTED: walletThat("refunds once"),
  CLIENT_FORBIDDEN_ACCESS_API: never("a client may call everything or, once suspended, nothing"),
  INVALID_CLIENT: never("a client is unknown (UNKNOWN_CLIENT) or suspended (INVALID_CLIENT_STATUS)"),
  CLIENT_INVALID: never("a client is unknown (UNKNOWN_CLIENT) or suspended (INVALID_CLIENT_STATUS)"),
  INVALID_API: never("every operation is active for every client"),
  API_INVALID: never("every operation is active for every client"),
  OAUTH_FAIL: never("there are no agents who act for a merchant"),
  OAUTH_FAILED: never("there are no agents who act for a merchant"),
  SYSTEM_ERROR: never("a fault of ours is UNKNOWN_EXCEPTION, so that nobody concludes that nothing happened"),
};
