import type { ResultCode } from "../core/result.ts";

/** About the content or the buyer: a retry of the same message would be refused again. */
const ofWhateverMovesMoney = [
  "PARAM_ILLEGAL",
  "CURRENCY_NOT_SUPPORT",
  "PROCESS_FAIL",
  "RISK_REJECT",
  "USER_NOT_EXIST",
  "USER_STATUS_ABNORMAL",
  "USER_BALANCE_NOT_ENOUGH",
  "USER_AMOUNT_EXCEED_LIMIT",
  "PAYMENT_COUNT_EXCEED_LIMIT",
] as const satisfies readonly ResultCode[];

const ofOrdersThatStand = [
  "ORDER_NOT_EXIST",
  "ORDER_STATUS_INVALID",
  "REPEAT_REQ_INCONSISTENT",
] as const satisfies readonly ResultCode[];

/**
 * The codes that are a final refusal of a call: nothing was moved, nor will be by this message. Any other `F`
 * is about the call (a key, a path, a fault of the wallet's), or about what the reference may already have
 * done; that decides nothing, and is retried.
 */
export const definiteRefusals = {
  submit: [
    ...ofWhateverMovesMoney,
    "INVALID_AMOUNT",
    "PAYMENT_AMOUNT_EXCEED_LIMIT",
    "NO_PAY_OPTIONS",
    "PAYMENT_METHOD_NOT_SUPPORTED",
    "INVALID_PAYMENT_METHOD_META_DATA",
    "PAYMENT_PROHIBITED",
    "PAYMENT_NOT_QUALIFIED",
    "BUSINESS_NOT_SUPPORT",
    "INVALID_CONTRACT",
    "SETTLE_CONTRACT_NOT_MATCH",
    "INVALID_MERCHANT_STATUS",
    "MERCHANT_KYB_NOT_QUALIFIED",
    "MERCHANT_NOT_REGISTERED",
    "USER_KYC_NOT_QUALIFIED",
    "USER_PAYMENT_VERIFICATION_FAILED",
    "FRAUD_REJECT",
    "SUSPECTED_RISK",
    "INVALID_CODE",
    "EXPIRED_CODE",
    "INVALID_ACCESS_TOKEN",
    "EXPIRED_ACCESS_TOKEN",
    "AUTHORIZATION_NOT_EXIST",
  ],
  capture: [...ofWhateverMovesMoney, ...ofOrdersThatStand, "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT"],
  refund: [...ofWhateverMovesMoney, ...ofOrdersThatStand, "REFUND_AMOUNT_EXCEED"],
} as const satisfies Readonly<Record<string, readonly ResultCode[]>>;
