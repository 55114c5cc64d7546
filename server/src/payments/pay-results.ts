import type { ResultCode } from "../core/result.ts";

/** Decline reasons of a payment provider or card issuer, except those about the user. */
const providerDeclines = [
  "FRAUD_REJECT",
  "SUSPECTED_RISK",
  "PAYMENT_PROHIBITED",
  "PAYMENT_COUNT_EXCEED_LIMIT",
  "PAYMENT_NOT_QUALIFIED",
  "INVALID_CONTRACT",
  "SETTLE_CONTRACT_NOT_MATCH",
  "INVALID_MERCHANT_STATUS",
  "MERCHANT_KYB_NOT_QUALIFIED",
  "BUSINESS_NOT_SUPPORT",
  "AUTHENTICATION_REQUIRED",
  "CARD_NOT_SUPPORTED",
  "SELECTED_CARD_BRAND_NOT_AVAILABLE",
  "INVALID_CARD",
  "INVALID_CARD_NUMBER",
  "INVALID_EXPIRATION_DATE",
  "INVALID_EXPIRY_DATE_FORMAT",
  "SUSPECTED_CARD",
  "ISSUER_REJECTS_TRANSACTION",
  "DO_NOT_HONOR",
  "INVALID_AMOUNT",
  "INVALID_PAYMENT_CODE",
  "INVALID_PAYMENT_METHOD_META_DATA",
  "VERIFY_UNMATCHED",
  "VERIFY_TIMES_EXCEED_LIMIT",
] as const satisfies readonly ResultCode[];

/** Decline reasons about the user, and about the limits of the user's account. */
const userDeclines = [
  "PAYMENT_AMOUNT_EXCEED_LIMIT",
  "USER_BALANCE_NOT_ENOUGH",
  "USER_AMOUNT_EXCEED_LIMIT",
  "USER_NOT_EXIST",
  "USER_STATUS_ABNORMAL",
  "USER_KYC_NOT_QUALIFIED",
  "USER_PAYMENT_VERIFICATION_FAILED",
  "RISK_REJECT",
] as const satisfies readonly ResultCode[];

/** All codes with which a payment can be declined. The merchant receives the provider's code unchanged. */
export const declineCodes = [...userDeclines, ...providerDeclines, "PROCESS_FAIL"] as const;

/** All result codes that `pay` can return. */
export const payResults = [
  "SUCCESS",
  "PAYMENT_IN_PROCESS",
  "PARAM_ILLEGAL",
  "ACCESS_DENIED",
  "REPEAT_REQ_INCONSISTENT",
  "ORDER_IS_CANCELED",
  "ORDER_IS_CLOSED",
  "CURRENCY_NOT_SUPPORT",
  "NO_PAY_OPTIONS",
  "UNAVAILABLE_PAYMENT_METHOD",
  "PAYMENT_METHOD_NOT_SUPPORTED",
  ...userDeclines,
  ...providerDeclines,
  "INVALID_CODE",
  "EXPIRED_CODE",
  "INVALID_ACCESS_TOKEN",
  "EXPIRED_ACCESS_TOKEN",
  "AUTHORIZATION_NOT_EXIST",
  "MERCHANT_NOT_REGISTERED",
  "PROCESS_FAIL",
] as const satisfies readonly ResultCode[];

export type PayCode = (typeof payResults)[number];
