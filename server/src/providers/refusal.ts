import type { ResultCode } from "../core/result.ts";

/** Refusals because of the content or the buyer. The provider would refuse a retry of the same message again. */
const contentRefusals = [
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

const orderRefusals = [
  "ORDER_NOT_EXIST",
  "ORDER_STATUS_INVALID",
  "REPEAT_REQ_INCONSISTENT",
] as const satisfies readonly ResultCode[];

/**
 * The codes that finally refuse a request: no money was moved, and this message will move none. Any other `F` is about
 * the request itself (a key, a path, a fault of the provider), or about an earlier effect of the reference. Such a code
 * decides nothing, and the gateway retries the request.
 */
export const definiteRefusals = {
  submit: [
    ...contentRefusals,
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
  capture: [...contentRefusals, ...orderRefusals, "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT"],
  refund: [...contentRefusals, ...orderRefusals, "REFUND_AMOUNT_EXCEED"],
} as const satisfies Readonly<Record<string, readonly ResultCode[]>>;

/** The reports of the codes that refuse a request, by result code. */
export function refusalReports(
  codes: readonly ResultCode[],
): Readonly<Record<string, { readonly state: "REFUSED"; readonly resultCode: ResultCode }>> {
  return Object.fromEntries(codes.map((resultCode) => [resultCode, { state: "REFUSED", resultCode }]));
}
