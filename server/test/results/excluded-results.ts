import type { ResultCode } from "../../src/core/result.ts";

/** Codes that no operation can return in this test, with the reason. */
const neverReturned: Readonly<Partial<Record<ResultCode, string>>> = {
  INVALID_API: "Every operation of this version is active for every client.",
  SYSTEM_ERROR: "A fault of the gateway returns UNKNOWN_EXCEPTION, because its outcome is unknown.",
  CLIENT_FORBIDDEN_ACCESS_API:
    "A client may use every operation or, if suspended, none (INVALID_CLIENT_STATUS).",
  INVALID_CLIENT: "A client is unknown (UNKNOWN_CLIENT) or suspended (INVALID_CLIENT_STATUS).",
  OAUTH_FAIL: "There are no agents that act for a merchant, so an agent-token is ignored.",
  OAUTH_FAILED: "There are no agents that act for a merchant, so an agent-token is ignored.",
};

/**
 * Codes that an operation cannot return, although other operations return them. The key is the operation and the code.
 */
const neverReturnedHere: Readonly<Record<string, string>> = {
  "payments/consult MERCHANT_NOT_REGISTERED":
    "Only in-store payments are rejected for their store, and they do not use consult.",
  "payments/consult UNKNOWN_EXCEPTION":
    "It answers from the cache of the process, without database and provider.",
  "payments/consult PROCESS_FAIL": "It only reads settings.",
  "payments/consult SETTLE_CONTRACT_NOT_MATCH": "Contracts have no separate settlement currency here.",
  "payments/createPaymentSession PROCESS_FAIL": "A session is stored, or rejected with a more specific code.",
  "authorizations/consult PAYMENT_NOT_QUALIFIED":
    "Every active merchant may ask a buyer for consent; a provider rejects it with PAYMENT_METHOD_NOT_SUPPORTED.",
  "authorizations/applyToken USER_NOT_EXIST":
    "A buyer who agreed has an account; its status is returned when it is charged.",
  "authorizations/applyToken USER_STATUS_ABNORMAL":
    "A buyer who agreed has an account; its status is returned when it is charged.",
  "authorizations/applyToken PROCESS_FAIL":
    "A code is valid, invalid or expired, or its outcome is unknown yet (AUTH_IN_PROCESS).",
  "payments/pay ORDER_NOT_EXIST": "`pay` creates the payment, so it cannot be missing.",
  "payments/pay ORDER_STATUS_INVALID":
    "A repeat of `pay` has a result for every status: ORDER_IS_CANCELED, ORDER_IS_CLOSED, or the code of its failure.",
  "payments/inquiryPayment PROCESS_FAIL": "An inquiry finds the payment or not, and has no other failure.",
  "payments/inquiryPayment PAYMENT_IN_PROCESS":
    "The result is about the inquiry, which succeeds; paymentStatus says that the payment is in process.",
  "payments/inquiryRefund PROCESS_FAIL": "An inquiry finds the refund or not, and has no other failure.",
  "payments/capture INVALID_CONTRACT": "The connector's settings limit captures, with their own codes.",
  "payments/capture NO_PAY_OPTIONS": "The connector was selected when the payment was created.",
  "payments/refund INVALID_MERCHANT_STATUS":
    "Every active merchant may refund; any other gets INVALID_CLIENT_STATUS.",
  "payments/refund PAYMENT_METHOD_NOT_SUPPORTED": "Refunds return REFUND_NOT_SUPPORTED instead.",
};

const servesAllReason = "Online shops and stores use it in sandbox and live, so it is never denied.";

/** Operations on both paths of the sandbox, for online and in-store payments. */
const unrestrictedPaths = [
  "merchants/registration",
  "merchants/inquiryRegistrationInfo",
  "merchants/inquiryRegistrationStatus",
  "tollgate/inquiryBalance",
  "tollgate/inquiryStatements",
  "tollgate/inquirySettlements",
  "tollgate/inquiryOpenRecords",
  "tollgate/inquiryEvents",
  "tollgate/inquiryNotifications",
  "tollgate/resendNotifications",
  "tollgate/changeEndpoints",
  "tollgate/changeBrand",
  "tollgate/inquiryKeyUse",
  "tollgate/useGatewayKey",
  "tollgate/inquiryRequests",
];

/** Why an operation cannot return a code; undefined if the test must produce it. */
export function exclusionReason(path: string, code: ResultCode): string | undefined {
  if (code === "ACCESS_DENIED" && unrestrictedPaths.includes(path)) return servesAllReason;
  return neverReturnedHere[`${path} ${code}`] ?? neverReturned[code];
}

/** Excuses for codes that are no longer listed. */
export function unusedExclusions(
  listed: readonly { readonly path: string; readonly code: ResultCode }[],
): string[] {
  const pairs = new Set(listed.map(({ path, code }) => `${path} ${code}`));
  const codes = new Set<string>(listed.map(({ code }) => code));
  return [
    ...Object.keys(neverReturnedHere).filter((pair) => !pairs.has(pair)),
    ...Object.keys(neverReturned).filter((code) => !codes.has(code)),
  ];
}
