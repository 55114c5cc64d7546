/**
 * The conclusion about the request that the caller draws from a result: `S` success, `F` failure, `U` unknown outcome.
 */
export type ResultStatus = "S" | "F" | "U";

export const statusMeanings: Readonly<Record<ResultStatus, string>> = {
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

const success = (message: string, advice: string): ResultMeaning => ({ status: "S", message, advice });
const failure = (message: string, advice: string): ResultMeaning => ({ status: "F", message, advice });
const unknownOutcome = (message: string, advice: string): ResultMeaning => ({ status: "U", message, advice });

const repeatSameRequest = "Send the same call again with the same request id, or inquire.";
const correctRequest = "Correct the request and send it again; nothing was recorded.";
const contactOperator = "Contact the operator of the gateway: this is a setting of your account.";
const offerOtherMethod = "Offer the buyer another payment method, under a new request id.";
const useNewRequestId = "Start again with a new request id.";
const waitOrInquire = "Wait for the webhook, or inquire. Do not start another one under a new id.";
const refreshCode = "Ask the buyer to refresh the code, and scan it under a new request id.";
const buyerMustResolve =
  "The buyer has to settle this with the payment provider; offer another payment method.";
const requestNewConsent = "Ask the buyer for a new authorization.";
const checkId = "Check the id, and that it belongs to this client id.";

/**
 * Every result of an operation. The results page, the OpenAPI document and the enum of each client library are
 * generated from this table. A code always has the same status.
 */
export const results = {
  SUCCESS: success("success.", "Go on."),

  // The codes of the request validation, in its documented order (see http/merchant-api/admit.ts).
  REQUEST_TRAFFIC_EXCEED_LIMIT: unknownOutcome(
    "Too many requests.",
    "Wait as long as Retry-After says, then send it again.",
  ),
  NO_INTERFACE_DEF: failure("There is no such operation.", "Check the path, its version and its spelling."),
  METHOD_NOT_SUPPORTED: failure("Operations are called with POST.", correctRequest),
  MEDIA_TYPE_NOT_ACCEPTABLE: failure("The body has to be JSON in UTF-8, not compressed.", correctRequest),
  PARAM_ILLEGAL: {
    ...failure(
      "A header or a field is missing or malformed.",
      `${correctRequest} For a failed payment or refund: the payment provider did not accept it; use a new request id.`,
    ),
    adviceWhenRefused: correctRequest,
  },
  UNKNOWN_CLIENT: failure(
    "There is no such client id here.",
    "Check the client id, and that it fits the environment.",
  ),
  KEY_NOT_FOUND: failure(
    "This client has no such key version.",
    "Upload the key, or name the version that you sign with.",
  ),
  INVALID_SIGNATURE: failure(
    "The signature does not match the request.",
    "Sign the exact bytes that you send, with the path and time that you send, and the right private key.",
  ),
  ACCESS_DENIED: failure("This client may not call this operation here.", contactOperator),
  CLIENT_FORBIDDEN_ACCESS_API: failure("This client may not call this operation.", contactOperator),
  INVALID_CLIENT: failure("The client is not valid for this operation.", contactOperator),
  CLIENT_INVALID: failure("The client is restricted.", contactOperator),
  INVALID_CLIENT_STATUS: failure("The client is suspended.", contactOperator),
  INVALID_API: failure("This operation is not active.", contactOperator),
  API_INVALID: failure("This operation cannot be called like this.", correctRequest),
  OAUTH_FAIL: failure("The agent token is not accepted.", contactOperator),
  OAUTH_FAILED: failure("The agent could not be authorized.", contactOperator),
  REPEAT_REQ_INCONSISTENT: failure(
    "This request id came before with other content.",
    "Repeat the first content, or use a new request id.",
  ),

  // Payments.
  PAYMENT_IN_PROCESS: unknownOutcome("payment in process.", waitOrInquire),
  ORDER_NOT_EXIST: failure("There is no such payment.", checkId),
  ORDER_IS_CLOSED: failure("The payment expired.", useNewRequestId),
  ORDER_IS_CANCELED: failure("The payment was cancelled.", useNewRequestId),
  ORDER_STATUS_INVALID: failure(
    "The payment's status does not allow this.",
    "Inquire, and act on the status.",
  ),
  CURRENCY_NOT_SUPPORT: failure(
    "The currency is not supported.",
    "Use a currency that the payment method supports.",
  ),
  INVALID_AMOUNT: failure("The amount is not valid.", correctRequest),
  PAYMENT_AMOUNT_EXCEED_LIMIT: failure(
    "The amount is over a limit.",
    "Lower the amount, under a new request id.",
  ),
  PAYMENT_COUNT_EXCEED_LIMIT: failure("The buyer has paid too often.", offerOtherMethod),
  NO_PAY_OPTIONS: failure("No payment method can be used.", offerOtherMethod),
  PAYMENT_METHOD_NOT_SUPPORTED: failure("The payment method does not support this.", offerOtherMethod),
  UNAVAILABLE_PAYMENT_METHOD: failure("The payment method is not available.", offerOtherMethod),
  INVALID_PAYMENT_METHOD_META_DATA: failure("The payment method's data is not valid.", correctRequest),
  PAYMENT_PROHIBITED: failure("These goods cannot be sold there.", "Do not try again."),
  AUTHENTICATION_REQUIRED: failure("The issuer demands authentication.", useNewRequestId),
  BUSINESS_NOT_SUPPORT: failure("This business is not supported.", contactOperator),

  // The merchant's contract and account.
  INVALID_CONTRACT: failure("The contract does not cover this.", contactOperator),
  SETTLE_CONTRACT_NOT_MATCH: failure("The settlement currency is not in the contract.", contactOperator),
  INVALID_MERCHANT_STATUS: failure("The merchant is not active.", contactOperator),
  MERCHANT_NOT_REGISTERED: failure(
    "The merchant or store is not registered with the wallet.",
    "Register it first.",
  ),
  MERCHANT_KYB_NOT_QUALIFIED: failure("The merchant is not qualified.", contactOperator),
  PAYMENT_NOT_QUALIFIED: failure("The merchant may not take this payment.", contactOperator),
  MERCHANT_BALANCE_NOT_ENOUGH: failure(
    "The merchant's balance is too low.",
    "Later, with a new refund request id.",
  ),

  // The buyer.
  USER_BALANCE_NOT_ENOUGH: failure("The buyer's balance is too low.", offerOtherMethod),
  USER_AMOUNT_EXCEED_LIMIT: failure("The amount is over the buyer's limit.", offerOtherMethod),
  USER_NOT_EXIST: failure("The wallet does not know the buyer.", buyerMustResolve),
  USER_STATUS_ABNORMAL: failure("The buyer's account is not usable.", buyerMustResolve),
  USER_KYC_NOT_QUALIFIED: failure("The buyer's account is not qualified.", buyerMustResolve),
  USER_PAYMENT_VERIFICATION_FAILED: failure("The buyer did not pass the wallet's check.", buyerMustResolve),
  RISK_REJECT: failure("Refused by risk control.", offerOtherMethod),
  FRAUD_REJECT: failure("Refused on suspicion of fraud.", offerOtherMethod),
  SUSPECTED_RISK: failure(
    "Held back by risk control.",
    "Try again after a working day, under a new request id.",
  ),

  // Codes of card payments. Buyers enter cards on the connector's own page.
  CARD_NOT_SUPPORTED: failure("The card is not supported.", offerOtherMethod),
  SELECTED_CARD_BRAND_NOT_AVAILABLE: failure("The card brand is not available.", offerOtherMethod),
  INVALID_CARD: failure("The card is not valid.", offerOtherMethod),
  INVALID_CARD_NUMBER: failure("The card number is not valid.", offerOtherMethod),
  INVALID_EXPIRATION_DATE: failure("The card's expiry date is not valid.", offerOtherMethod),
  INVALID_EXPIRY_DATE_FORMAT: failure("The card's expiry date is malformed.", offerOtherMethod),
  SUSPECTED_CARD: failure("The card is suspected.", offerOtherMethod),
  ISSUER_REJECTS_TRANSACTION: failure("The issuer refused.", offerOtherMethod),
  DO_NOT_HONOR: failure("The issuer refused.", offerOtherMethod),

  // Codes of payment codes at the point of sale.
  INVALID_CODE: failure("The payment code is not valid.", refreshCode),
  INVALID_PAYMENT_CODE: failure("The payment code is not valid.", refreshCode),
  EXPIRED_CODE: failure("The code has expired.", refreshCode),
  VERIFY_UNMATCHED: failure("The code does not match.", refreshCode),
  VERIFY_TIMES_EXCEED_LIMIT: failure("The code was tried too often.", refreshCode),

  // Captures.
  CAPTURE_IN_PROCESS: unknownOutcome("capture in process.", waitOrInquire),
  CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT: failure("More than what is left to capture.", "Capture less."),
  MULTI_CAPTURE_NOT_SUPPORTED: failure("The payment can be captured once only.", "Do not capture again."),
  AUTH_CANCELLED: failure("The authorization was cancelled.", useNewRequestId),
  AUTH_EXPIRED: failure("The authorization has expired.", useNewRequestId),
  AUTH_NOT_FOUND: failure("There is no such authorization.", checkId),

  // Cancels and refunds.
  CANCEL_WINDOW_EXCEED: failure("Too late to cancel.", "Refund instead."),
  REFUND_IN_PROCESS: unknownOutcome("refund in process.", waitOrInquire),
  REFUND_AMOUNT_EXCEED: failure("More than what is left to refund.", "Refund less."),
  REFUND_WINDOW_EXCEED: failure("Too late to refund.", "Return the money another way."),
  REFUND_NOT_SUPPORTED: failure("The payment method takes no refunds.", "Return the money another way."),
  PARTIAL_REFUND_NOT_SUPPORTED: failure(
    "The payment method refunds in full only.",
    "Refund the whole amount.",
  ),
  MULTIPLE_REFUNDS_NOT_SUPPORTED: failure(
    "The payment method refunds once only.",
    "Return the money another way.",
  ),

  // Authorizations.
  AUTH_IN_PROCESS: unknownOutcome("authorization in process.", "Apply for the token again."),
  INVALID_AUTHCODE: failure("The authorization code is not valid.", requestNewConsent),
  AUTH_CODE_EXPIRED: failure("The authorization code has expired.", requestNewConsent),
  INVALID_ACCESS_TOKEN: failure("The access token is unknown, expired or revoked.", requestNewConsent),
  INVALID_REFRESH_TOKEN: failure("The refresh token is unknown, expired or used.", requestNewConsent),
  EXPIRED_ACCESS_TOKEN: failure(
    "The access token has expired.",
    "Apply for a new one with the refresh token.",
  ),
  AUTHORIZATION_NOT_EXIST: failure("The buyer has not agreed to this, or no longer does.", requestNewConsent),

  // Registration.
  REPEAT_REGISTRATION: failure("The merchant or store is registered already.", "Inquire its status."),
  ABNORMAL_REGISTRATION_STATUS: failure(
    "The registration's status does not allow this.",
    "Inquire its status.",
  ),
  RECORD_NOT_FOUND: failure("There is no such registration.", checkId),

  // Disputes.
  REPEAT_REQUEST: failure(
    "The dispute has been answered, or is over.",
    "Act on the content of the webhooks about the dispute.",
  ),
  TIME_EXCEEDS_LIMIT: failure("The time to answer the dispute is over.", "Do not try again."),
  DEFENSE_EXCEED_LIMIT: failure("The dispute was answered too often.", "Do not try again."),
  NOT_ALLOW_IN_CURRENT_STATUS: failure(
    "What was supplied before is still being looked at.",
    "Wait for the webhook with the outcome.",
  ),

  // Results without a more specific code.
  PROCESS_FAIL: failure("The operation failed.", "Do not repeat it; contact the operator of the gateway."),
  SYSTEM_ERROR: failure("The system failed.", "Do not repeat it; contact the operator of the gateway."),
  UNKNOWN_EXCEPTION: unknownOutcome("The outcome is not known yet.", repeatSameRequest),
} as const satisfies Record<string, ResultMeaning>;

export type ResultCode = keyof typeof results;

/** A result in its wire form. */
export interface WireResult {
  readonly resultCode: ResultCode;
  readonly resultStatus: ResultStatus;
  readonly resultMessage: string;
}

export function toWireResult(resultCode: ResultCode): WireResult {
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
export interface Refusal<Code extends ResultCode = ResultCode> extends Explanation {
  readonly refused: Code;
}

interface Explanation {
  /** The exact problem, if the code alone is too general; the gateway sends it as `resultMessage`. */
  readonly detail?: string;
  /** The wrong field or header; the sandbox names it. */
  readonly field?: string;
  /** Advice, if the advice of the code is too general; only the sandbox sends it. */
  readonly hint?: string;
}

export function refuse<Code extends ResultCode>(code: Code, explanation: Explanation = {}): Refusal<Code> {
  return { refused: code, ...explanation };
}

export function isRefusal(outcome: object): outcome is Refusal {
  return "refused" in outcome;
}

/** The result of a request, a success or a rejection. */
export interface RequestResult extends Explanation {
  readonly code: ResultCode;
}

export function toRequestResult({ refused: code, ...more }: Refusal): RequestResult {
  return { code, ...more };
}
