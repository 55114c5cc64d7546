import type { ResultCode } from "../../src/core/result.ts";

/** Codes that nothing here can give, whatever the operation: why not. */
const never: Readonly<Partial<Record<ResultCode, string>>> = {
  INVALID_API: "Every operation of this version is active for every client.",
  SYSTEM_ERROR: "A fault of ours is UNKNOWN_EXCEPTION: nobody may conclude from it that nothing happened.",
  CLIENT_FORBIDDEN_ACCESS_API:
    "A client may call everything or, once suspended, nothing (INVALID_CLIENT_STATUS).",
  INVALID_CLIENT: "A client is unknown (UNKNOWN_CLIENT) or suspended (INVALID_CLIENT_STATUS).",
  OAUTH_FAIL: "There are no agents who act for a merchant: an agent-token is not looked at.",
  OAUTH_FAILED: "There are no agents who act for a merchant: an agent-token is not looked at.",
};

/** Codes that one operation cannot give, though others do. */
const neverHere: Readonly<Record<string, string>> = {
  "payments/consult MERCHANT_NOT_REGISTERED":
    "Only a till's payment is refused for its store, and it does not consult.",
  "payments/consult UNKNOWN_EXCEPTION":
    "It answers from what the process knows, with no database and no wallet.",
  "payments/consult PROCESS_FAIL": "It reads settings that are there or are not.",
  "payments/consult SETTLE_CONTRACT_NOT_MATCH": "A contract has no settlement currency of its own here.",
  "payments/createPaymentSession PROCESS_FAIL": "A session is written down or refused by a code of its own.",
  "authorizations/consult PAYMENT_NOT_QUALIFIED":
    "A merchant who may call may ask a buyer; the wallet says no by PAYMENT_METHOD_NOT_SUPPORTED.",
  "authorizations/applyToken USER_NOT_EXIST":
    "Whoever agreed has an account; what becomes of it is told when it is charged.",
  "authorizations/applyToken USER_STATUS_ABNORMAL":
    "Whoever agreed has an account; what becomes of it is told when it is charged.",
  "authorizations/applyToken PROCESS_FAIL":
    "A code is good, bad or expired, or nobody knows yet: AUTH_IN_PROCESS.",
  "payments/pay ORDER_NOT_EXIST": "Pay makes the payment: it cannot be missing.",
  "payments/pay ORDER_STATUS_INVALID":
    "A repeat of pay has an answer in every status: ORDER_IS_CANCELED, ORDER_IS_CLOSED, or the code of its failure.",
  "payments/inquiryPayment PROCESS_FAIL": "An inquiry finds the payment, or it does not.",
  "payments/inquiryPayment PAYMENT_IN_PROCESS":
    "The result speaks of the inquiry, which succeeds; the payment is in process by its paymentStatus.",
  "payments/inquiryRefund PROCESS_FAIL": "An inquiry finds the refund, or it does not.",
  "payments/capture INVALID_CONTRACT":
    "What a contract allows is the wallet's terms, which say so by their own codes.",
  "payments/capture NO_PAY_OPTIONS": "The wallet was found when the payment was made.",
  "payments/refund INVALID_MERCHANT_STATUS":
    "A merchant who may call may refund; who may not, is INVALID_CLIENT_STATUS.",
  "payments/refund PAYMENT_METHOD_NOT_SUPPORTED": "REFUND_NOT_SUPPORTED says the same of refunds.",
};

const forEveryone = "Shops and stores ask for it alike, in the sandbox and live, so nobody is denied it.";

/** Operations that both paths of the sandbox serve, whatever they are asked about. */
const servesEveryone = [
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

/** Why a code cannot come from an operation, or undefined when it has to be shown. */
export function excuseFor(path: string, code: ResultCode): string | undefined {
  if (code === "ACCESS_DENIED" && servesEveryone.includes(path)) return forEveryone;
  return neverHere[`${path} ${code}`] ?? never[code];
}

/** Excuses for what nobody lists any more. */
export function idleExcuses(
  listed: readonly { readonly path: string; readonly code: ResultCode }[],
): string[] {
  const pairs = new Set(listed.map(({ path, code }) => `${path} ${code}`));
  const codes = new Set<string>(listed.map(({ code }) => code));
  return [
    ...Object.keys(neverHere).filter((pair) => !pairs.has(pair)),
    ...Object.keys(never).filter((code) => !codes.has(code)),
  ];
}
