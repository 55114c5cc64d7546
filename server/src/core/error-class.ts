import { results, type ResultCode } from "./result.ts";

/** The error class that a client library throws, by the party that has to fix the error. */
export type ErrorClass =
  | "InvalidRequestError"
  | "AuthenticationError"
  | "PermissionError"
  | "IdempotencyConflictError"
  | "RateLimitError"
  | "NotFoundError"
  | "DeclinedError"
  | "ServerError";

const codesOf: Readonly<Record<Exclude<ErrorClass, "DeclinedError">, readonly ResultCode[]>> = {
  // Fixed in the merchant's program.
  InvalidRequestError: [
    "NO_INTERFACE_DEF",
    "METHOD_NOT_SUPPORTED",
    "MEDIA_TYPE_NOT_ACCEPTABLE",
    "PARAM_ILLEGAL",
    "API_INVALID",
    "INVALID_AMOUNT",
    "CURRENCY_NOT_SUPPORT",
    "INVALID_PAYMENT_METHOD_META_DATA",
    "ORDER_STATUS_INVALID",
    "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT",
    "REFUND_AMOUNT_EXCEED",
    "REPEAT_REGISTRATION",
    "ABNORMAL_REGISTRATION_STATUS",
  ],
  // Fixed in the merchant's keys.
  AuthenticationError: ["UNKNOWN_CLIENT", "KEY_NOT_FOUND", "INVALID_SIGNATURE", "OAUTH_FAIL", "OAUTH_FAILED"],
  // Fixed in the merchant's contract.
  PermissionError: [
    "ACCESS_DENIED",
    "CLIENT_FORBIDDEN_ACCESS_API",
    "INVALID_CLIENT",
    "CLIENT_INVALID",
    "INVALID_CLIENT_STATUS",
    "INVALID_API",
    "BUSINESS_NOT_SUPPORT",
    "INVALID_CONTRACT",
    "SETTLE_CONTRACT_NOT_MATCH",
    "INVALID_MERCHANT_STATUS",
    "MERCHANT_NOT_REGISTERED",
    "MERCHANT_KYB_NOT_QUALIFIED",
    "PAYMENT_NOT_QUALIFIED",
  ],
  IdempotencyConflictError: ["REPEAT_REQ_INCONSISTENT"],
  RateLimitError: ["REQUEST_TRAFFIC_EXCEED_LIMIT"],
  NotFoundError: ["ORDER_NOT_EXIST", "AUTH_NOT_FOUND", "RECORD_NOT_FOUND"],
  // Errors of the gateway.
  ServerError: ["PROCESS_FAIL", "SYSTEM_ERROR", "UNKNOWN_EXCEPTION"],
};

const classByCode = new Map(
  Object.entries(codesOf).flatMap(([name, codes]) =>
    codes.map((code) => [code, name as ErrorClass] as const),
  ),
);

/**
 * The error class of a code; undefined if the result is no error: success, or in process. A failure of no other class
 * is a decline.
 */
export function errorClassOf(code: ResultCode): ErrorClass | undefined {
  return classByCode.get(code) ?? (results[code].status === "F" ? "DeclinedError" : undefined);
}

/** Whether to retry the same request, because its outcome is unknown. */
export function isRetryable(code: ResultCode): boolean {
  return results[code].status === "U" && classByCode.has(code);
}
