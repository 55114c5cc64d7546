/**
 * The conclusion about the request that the caller draws from a result: `S` success, `F` failure, `U` unknown outcome.
 */
export type ResultStatus = "S" | "F" | "U";

export const statusesInWords: Readonly<Record<ResultStatus, string>> = {
  S: "It happened.",
  F: "It did not.",
  U: "The outcome is unknown.",
};

export interface ResultMeaning {
  readonly status: ResultStatus;
  /** The text of `resultMessage`; at most 256 characters. */
  readonly message: string;
  /** Advice for the merchant's system, for the results page and the hint in the sandbox. */
  readonly advice: string;
  /** The advice for a rejected request, if it differs from the advice for a recorded payment with this result. */
  readonly adviceWhenRefused?: string;
}

const succeeded = (message: string, advice: string): ResultMeaning => ({ status: "S", message, advice });
const refused = (message: string, advice: string): ResultMeaning => ({ status: "F", message, advice });
const unknown = (message: string, advice: string): ResultMeaning => ({ status: "U", message, advice });

const sameCallAgain = "Send the same call again with the same request id, or inquire.";
const fixTheRequest = "Correct the request and send it again; nothing was recorded.";
const askTheProvider = "Contact the operator of the gateway: this is a setting of your account.";
const otherMethod = "Offer the buyer another payment method, under a new request id.";
const newRequestId = "Start again with a new request id.";
const inquire = "Wait for the webhook, or inquire. Do not start another one under a new id.";
const newCode = "Ask the buyer to refresh the code, and scan it under a new request id.";
const askTheBuyer = "The buyer has to settle this with the payment provider; offer another payment method.";
const authorizeAgain = "Ask the buyer for a new authorization.";
const checkTheId = "Check the id, and that it belongs to this client id.";

/**
 * Every result of an operation. The results page, the OpenAPI document and the enum of each client library are
 * generated from this table. A code always has the same status.
 */
export const results = {
  SUCCESS: succeeded("success.", "Go on."),

  // The codes of the request validation, in its documented order (see http/merchant-api/admit.ts).
  REQUEST_TRAFFIC_EXCEED_LIMIT: unknown(
    "Too many requests.",
    "Wait as long as Retry-After says, then send it again.",
  ),
  NO_INTERFACE_DEF: refused("There is no such operation.", "Check the path, its version and its spelling."),
  METHOD_NOT_SUPPORTED: refused("Operations are called with POST.", fixTheRequest),
  MEDIA_TYPE_NOT_ACCEPTABLE: refused("The body has to be JSON in UTF-8, not compressed.", fixTheRequest),
  PARAM_ILLEGAL: {
    ...refused(
      "A header or a field is missing or malformed.",
      `${fixTheRequest} For a failed payment or refund: the payment provider did not accept it; use a new request id.`,
    ),
    adviceWhenRefused: fixTheRequest,
  },
  UNKNOWN_CLIENT: refused(
    "There is no such client id here.",
    "Check the client id, and that it fits the environment.",
  ),
  KEY_NOT_FOUND: refused(
    "This client has no such key version.",
    "Upload the key, or name the version that you sign with.",
  ),
  INVALID_SIGNATURE: refused(
    "The signature does not match the request.",
    "Sign the exact bytes that you send, with the path and time that you send, and the right private key.",
  ),
  ACCESS_DENIED: refused("This client may not call this operation here.", askTheProvider),
  CLIENT_FORBIDDEN_ACCESS_API: refused("This client may not call this operation.", askTheProvider),
  INVALID_CLIENT: refused("The client is not valid for this operation.", askTheProvider),
  CLIENT_INVALID: refused("The client is restricted.", askTheProvider),
  INVALID_CLIENT_STATUS: refused("The client is suspended.", askTheProvider),
  INVALID_API: refused("This operation is not active.", askTheProvider),
  API_INVALID: refused("This operation cannot be called like this.", fixTheRequest),
  OAUTH_FAIL: refused("The agent token is not accepted.", askTheProvider),
  OAUTH_FAILED: refused("The agent could not be authorized.", askTheProvider),
  REPEAT_REQ_INCONSISTENT: refused(
    "This request id came before with other content.",
    "Repeat the first content, or use a new request id.",
  ),

  // Payments.
  PAYMENT_IN_PROCESS: unknown("payment in process.", inquire),
  ORDER_NOT_EXIST: refused("There is no such payment.", checkTheId),
  ORDER_IS_CLOSED: refused("The payment expired.", newRequestId),
  ORDER_IS_CANCELED: refused("The payment was cancelled.", newRequestId),
  ORDER_STATUS_INVALID: refused(
    "The payment's status does not allow this.",
    "Inquire, and act on the status.",
  ),
  CURRENCY_NOT_SUPPORT: refused(
    "The currency is not supported.",
    "Use a currency that the payment method supports.",
  ),
  INVALID_AMOUNT: refused("The amount is not valid.", fixTheRequest),
  PAYMENT_AMOUNT_EXCEED_LIMIT: refused(
    "The amount is over a limit.",
    "Lower the amount, under a new request id.",
  ),
  PAYMENT_COUNT_EXCEED_LIMIT: refused("The buyer has paid too often.", otherMethod),
  NO_PAY_OPTIONS: refused("No payment method can be used.", otherMethod),
  PAYMENT_METHOD_NOT_SUPPORTED: refused("The payment method does not support this.", otherMethod),
  UNAVAILABLE_PAYMENT_METHOD: refused("The payment method is not available.", otherMethod),
  INVALID_PAYMENT_METHOD_META_DATA: refused("The payment method's data is not valid.", fixTheRequest),
  PAYMENT_PROHIBITED: refused("These goods cannot be sold there.", "Do not try again."),
  AUTHENTICATION_REQUIRED: refused("The issuer demands authentication.", newRequestId),
  BUSINESS_NOT_SUPPORT: refused("This business is not supported.", askTheProvider),

  // The merchant's contract and account.
  INVALID_CONTRACT: refused("The contract does not cover this.", askTheProvider),
  SETTLE_CONTRACT_NOT_MATCH: refused("The settlement currency is not in the contract.", askTheProvider),
  INVALID_MERCHANT_STATUS: refused("The merchant is not active.", askTheProvider),
  MERCHANT_NOT_REGISTERED: refused(
    "The merchant or store is not registered with the wallet.",
    "Register it first.",
  ),
  MERCHANT_KYB_NOT_QUALIFIED: refused("The merchant is not qualified.", askTheProvider),
  PAYMENT_NOT_QUALIFIED: refused("The merchant may not take this payment.", askTheProvider),
  MERCHANT_BALANCE_NOT_ENOUGH: refused(
    "The merchant's balance is too low.",
    "Later, with a new refund request id.",
  ),

  // The buyer.
  USER_BALANCE_NOT_ENOUGH: refused("The buyer's balance is too low.", otherMethod),
  USER_AMOUNT_EXCEED_LIMIT: refused("The amount is over the buyer's limit.", otherMethod),
  USER_NOT_EXIST: refused("The wallet does not know the buyer.", askTheBuyer),
  USER_STATUS_ABNORMAL: refused("The buyer's account is not usable.", askTheBuyer),
  USER_KYC_NOT_QUALIFIED: refused("The buyer's account is not qualified.", askTheBuyer),
  USER_PAYMENT_VERIFICATION_FAILED: refused("The buyer did not pass the wallet's check.", askTheBuyer),
  RISK_REJECT: refused("Refused by risk control.", otherMethod),
  FRAUD_REJECT: refused("Refused on suspicion of fraud.", otherMethod),
  SUSPECTED_RISK: refused(
    "Held back by risk control.",
    "Try again after a working day, under a new request id.",
  ),

  // Codes of card payments. Buyers enter cards on the connector's own page.
  CARD_NOT_SUPPORTED: refused("The card is not supported.", otherMethod),
  SELECTED_CARD_BRAND_NOT_AVAILABLE: refused("The card brand is not available.", otherMethod),
  INVALID_CARD: refused("The card is not valid.", otherMethod),
  INVALID_CARD_NUMBER: refused("The card number is not valid.", otherMethod),
  INVALID_EXPIRATION_DATE: refused("The card's expiry date is not valid.", otherMethod),
  INVALID_EXPIRY_DATE_FORMAT: refused("The card's expiry date is malformed.", otherMethod),
  SUSPECTED_CARD: refused("The card is suspected.", otherMethod),
  ISSUER_REJECTS_TRANSACTION: refused("The issuer refused.", otherMethod),
  DO_NOT_HONOR: refused("The issuer refused.", otherMethod),

  // Codes of payment codes at the point of sale.
  INVALID_CODE: refused("The payment code is not valid.", newCode),
  INVALID_PAYMENT_CODE: refused("The payment code is not valid.", newCode),
  EXPIRED_CODE: refused("The code has expired.", newCode),
  VERIFY_UNMATCHED: refused("The code does not match.", newCode),
  VERIFY_TIMES_EXCEED_LIMIT: refused("The code was tried too often.", newCode),

  // Captures.
  CAPTURE_IN_PROCESS: unknown("capture in process.", inquire),
  CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT: refused("More than what is left to capture.", "Capture less."),
  MULTI_CAPTURE_NOT_SUPPORTED: refused("The payment can be captured once only.", "Do not capture again."),
  AUTH_CANCELLED: refused("The authorization was cancelled.", newRequestId),
  AUTH_EXPIRED: refused("The authorization has expired.", newRequestId),
  AUTH_NOT_FOUND: refused("There is no such authorization.", checkTheId),

  // Cancels and refunds.
  CANCEL_WINDOW_EXCEED: refused("Too late to cancel.", "Refund instead."),
  REFUND_IN_PROCESS: unknown("refund in process.", inquire),
  REFUND_AMOUNT_EXCEED: refused("More than what is left to refund.", "Refund less."),
  REFUND_WINDOW_EXCEED: refused("Too late to refund.", "Return the money another way."),
  REFUND_NOT_SUPPORTED: refused("The payment method takes no refunds.", "Return the money another way."),
  PARTIAL_REFUND_NOT_SUPPORTED: refused(
    "The payment method refunds in full only.",
    "Refund the whole amount.",
  ),
  MULTIPLE_REFUNDS_NOT_SUPPORTED: refused(
    "The payment method refunds once only.",
    "Return the money another way.",
  ),

  // Authorizations.
  AUTH_IN_PROCESS: unknown("authorization in process.", "Apply for the token again."),
  INVALID_AUTHCODE: refused("The authorization code is not valid.", authorizeAgain),
  AUTH_CODE_EXPIRED: refused("The authorization code has expired.", authorizeAgain),
  INVALID_ACCESS_TOKEN: refused("The access token is unknown, expired or revoked.", authorizeAgain),
  INVALID_REFRESH_TOKEN: refused("The refresh token is unknown, expired or used.", authorizeAgain),
  EXPIRED_ACCESS_TOKEN: refused(
    "The access token has expired.",
    "Apply for a new one with the refresh token.",
  ),
  AUTHORIZATION_NOT_EXIST: refused("The buyer has not agreed to this, or no longer does.", authorizeAgain),

  // Registration.
  REPEAT_REGISTRATION: refused("The merchant or store is registered already.", "Inquire its status."),
  ABNORMAL_REGISTRATION_STATUS: refused(
    "The registration's status does not allow this.",
    "Inquire its status.",
  ),
  RECORD_NOT_FOUND: refused("There is no such registration.", checkTheId),

  // Disputes.
  REPEAT_REQUEST: refused(
    "The dispute has been answered, or is over.",
    "Act on the content of the webhooks about the dispute.",
  ),
  TIME_EXCEEDS_LIMIT: refused("The time to answer the dispute is over.", "Do not try again."),
  DEFENSE_EXCEED_LIMIT: refused("The dispute was answered too often.", "Do not try again."),
  NOT_ALLOW_IN_CURRENT_STATUS: refused(
    "What was supplied before is still being looked at.",
    "Wait for the webhook with the outcome.",
  ),

  // Results without a more specific code.
  PROCESS_FAIL: refused("The operation failed.", "Do not repeat it; contact the operator of the gateway."),
  SYSTEM_ERROR: refused("The system failed.", "Do not repeat it; contact the operator of the gateway."),
  UNKNOWN_EXCEPTION: unknown("The outcome is not known yet.", sameCallAgain),
} as const satisfies Record<string, ResultMeaning>;

export type ResultCode = keyof typeof results;

/** A result in its wire form. */
export interface WireResult {
  readonly resultCode: ResultCode;
  readonly resultStatus: ResultStatus;
  readonly resultMessage: string;
}

export function wireResult(resultCode: ResultCode): WireResult {
  const { status: resultStatus, message: resultMessage } = results[resultCode];
  return { resultCode, resultStatus, resultMessage };
}

/** The codes of the request validation. Any operation can return them, so no operation declares them. */
export const requestValidationCodes = [
  "REQUEST_TRAFFIC_EXCEED_LIMIT",
  "NO_INTERFACE_DEF",
  "METHOD_NOT_SUPPORTED",
  "MEDIA_TYPE_NOT_ACCEPTABLE",
  "PARAM_ILLEGAL",
  "UNKNOWN_CLIENT",
  "KEY_NOT_FOUND",
  "INVALID_SIGNATURE",
  "INVALID_CLIENT_STATUS",
  "ACCESS_DENIED",
  "UNKNOWN_EXCEPTION",
] as const satisfies readonly ResultCode[];

export type RequestValidationCode = (typeof requestValidationCodes)[number];

/** The rejection of an operation, which is a returned value and never thrown. */
export interface Refusal<Code extends ResultCode = ResultCode> extends Explained {
  readonly refused: Code;
}

interface Explained {
  /** The exact problem, if the code alone is too general; the gateway sends it as `resultMessage`. */
  readonly detail?: string;
  /** The wrong field or header; the sandbox names it. */
  readonly field?: string;
  /** Advice, if the advice of the code is too general; only the sandbox sends it. */
  readonly hint?: string;
}

export function refuse<Code extends ResultCode>(code: Code, more: Explained = {}): Refusal<Code> {
  return { refused: code, ...more };
}

export function isRefusal(outcome: object): outcome is Refusal {
  return "refused" in outcome;
}

/** The result of a request, a success or a rejection. */
export interface Said extends Explained {
  readonly code: ResultCode;
}

export function said({ refused: code, ...more }: Refusal): Said {
  return { code, ...more };
}
