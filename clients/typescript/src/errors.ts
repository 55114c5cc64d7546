import { resultCodes, type CodeFacts } from "./generated/result-codes.ts";

/** The facts about the failed call. All of them are safe to log. */
export interface CallFacts {
  /** `payments/pay`. */
  readonly operation?: string;
  /** Your own id of the request, such as its `paymentRequestId`. Retry with the same id. */
  readonly requestId?: string;
  /** The gateway's id of the request. Give it to support. */
  readonly traceId?: string;
  readonly attempts?: number;
}

/** The base class of all errors of this library. */
export class GatewayError extends Error {
  override readonly name: string = "GatewayError";
  readonly operation: string | undefined;
  readonly requestId: string | undefined;
  readonly traceId: string | undefined;
  readonly attempts: number | undefined;

  constructor(message: string, { operation, requestId, traceId, attempts }: CallFacts = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.operation = operation;
    this.requestId = requestId;
    this.traceId = traceId;
    this.attempts = attempts;
  }
}

/** The client's configuration is invalid. No request was sent. */
export class ConfigurationError extends GatewayError {
  override readonly name: string = "ConfigurationError";
}

/** The reason why a key is invalid. */
export type KeyProblem =
  | "EMPTY"
  | "NOT_BASE64"
  | "NOT_A_KEY"
  | "ENCRYPTED"
  | "NOT_RSA"
  | "PUBLIC_INSTEAD_OF_PRIVATE"
  | "PRIVATE_INSTEAD_OF_PUBLIC"
  | "WRONG_SIZE";

/** An unusable key. The message says which key to provide instead, and never contains the key. */
export class InvalidKeyError extends ConfigurationError {
  override readonly name = "InvalidKeyError";
  readonly reason: KeyProblem;

  constructor(reason: KeyProblem, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The gateway could not be reached, or the connection broke. Whether the request took effect is unknown. */
export class ConnectionError extends GatewayError {
  override readonly name = "ConnectionError";
}

/** No response arrived in time. Whether the request took effect is unknown. */
export class TimeoutError extends GatewayError {
  override readonly name = "TimeoutError";
}

/** The response has an HTTP status other than 200, so it is not a result from the gateway. */
export class HttpStatusError extends GatewayError {
  override readonly name = "HttpStatusError";
  readonly status: number;
  /** The beginning of the response body. It is not signed. */
  readonly body: string;

  constructor(status: number, body: string, facts: CallFacts) {
    super(`The gateway answered with HTTP ${status}.`, facts);
    this.status = status;
    this.body = body;
  }
}

/** The reason why the signature of a response or webhook is rejected. */
export type SignatureProblem =
  | "MISSING_SIGNATURE"
  | "MISSING_TIME"
  | "MALFORMED_SIGNATURE"
  | "UNSUPPORTED_ALGORITHM"
  | "UNKNOWN_KEY_VERSION"
  | "CLIENT_MISMATCH"
  | "MISMATCH"
  | "BAD_TIME"
  | "STALE"
  | "OTHER_SUBJECT"
  | "REPLAYED"
  | "BODY_ALREADY_PARSED";

const likelyCause: Readonly<Record<SignatureProblem, string>> = {
  MISSING_SIGNATURE: "it has no signature. Does a proxy between you and the gateway send its own response?",
  MISSING_TIME: "it has a signature but no time.",
  MALFORMED_SIGNATURE: "its signature header is malformed.",
  UNSUPPORTED_ALGORITHM: "its signature algorithm is not RSA256.",
  UNKNOWN_KEY_VERSION: "its key version is not configured. Was the gateway's key rotated?",
  CLIENT_MISMATCH: "it is for another client id.",
  MISMATCH:
    "the signature does not match. Usual causes: a wrong public key of the gateway, a wrong path, or a body " +
    "that was changed in transit or parsed and written again.",
  BAD_TIME: "its time is malformed.",
  STALE: "its time differs too much from your clock. Is your clock correct?",
  OTHER_SUBJECT:
    "it is signed, but its id differs from the id in the request. Does a proxy between you and the gateway " +
    "send an old response (replay)?",
  REPLAYED: "it was received before (replay).",
  BODY_ALREADY_PARSED:
    "the body was already parsed. Pass its raw bytes: the signature covers them, and JSON that is written again " +
    "differs.",
};

/** The message may not be from the gateway. The outcome of the request is unknown. */
export class SignatureVerificationError extends GatewayError {
  override readonly name = "SignatureVerificationError";
  readonly reason: SignatureProblem;

  constructor(reason: SignatureProblem, facts: CallFacts = {}) {
    super(`The message failed verification: ${likelyCause[reason]} (${reason})`, facts);
    this.reason = reason;
  }
}

/** The message is signed by the gateway, but it is not JSON with a `result`. */
export class MalformedResponseError extends GatewayError {
  override readonly name = "MalformedResponseError";
}

/** The details of a rejection. */
export interface Refusal {
  readonly code: string;
  readonly status: string;
  readonly resultMessage: string;
  readonly isSigned: boolean;
  /** The complete response. */
  readonly raw: unknown;
}

/** The gateway rejected the request. */
export class ResultError extends GatewayError {
  override readonly name: string = "ResultError";
  readonly code: string;
  readonly status: string;
  readonly resultMessage: string;
  /** The recommended action. */
  readonly advice: string;
  /**
   * Whether the rejection is signed. The gateway may send a rejection without a signature before it
   * authenticates the client.
   */
  readonly isSigned: boolean;
  readonly raw: unknown;

  constructor({ code, status, resultMessage, isSigned, raw }: Refusal, facts: CallFacts) {
    const advice = codeFacts(code)?.advice ?? "";
    super(refusalMessage(code, resultMessage, advice, raw), facts);
    this.code = code;
    this.status = status;
    this.resultMessage = resultMessage;
    this.advice = advice;
    this.isSigned = isSigned;
    this.raw = raw;
  }
}

/**
 * Builds the error message. A sandbox response names the invalid field, the fix for this case, and a link. A
 * live response has none of these, so its message has the general advice for the result code.
 */
function refusalMessage(code: string, resultMessage: string, advice: string, raw: unknown): string {
  const said = (raw as { readonly result?: Readonly<Record<string, unknown>> } | undefined)?.result ?? {};
  const text = (name: string): string => (typeof said[name] === "string" ? said[name] : "");
  const [field, hint, docUrl] = [text("resultField"), text("resultHint"), text("docUrl")];
  return [
    `${code}: ${resultMessage}`.trim(),
    hint || advice,
    field && `Field: ${field}.`,
    docUrl && `See ${docUrl}`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

/** The request is invalid. Correct it. */
export class InvalidRequestError extends ResultError {
  override readonly name = "InvalidRequestError";
}

/** The gateway could not authenticate the client: client id, key or signature. */
export class AuthenticationError extends ResultError {
  override readonly name = "AuthenticationError";
}

/** The client is authenticated, but not allowed to do this. */
export class PermissionError extends ResultError {
  override readonly name = "PermissionError";
}

/** The request id was used before with different content. */
export class IdempotencyConflictError extends ResultError {
  override readonly name = "IdempotencyConflictError";
}

/** The client sent too many requests (rate limit). The request had no effect. */
export class RateLimitError extends ResultError {
  override readonly name = "RateLimitError";
}

/** The record does not exist, or it belongs to another merchant. */
export class NotFoundError extends ResultError {
  override readonly name = "NotFoundError";
}

/** The buyer, the payment provider or a rule of the payment rejected the request. */
export class DeclinedError extends ResultError {
  override readonly name = "DeclinedError";
}

/** A fault at the gateway or at a system behind it. */
export class ServerError extends ResultError {
  override readonly name = "ServerError";
}

const classes = {
  InvalidRequestError,
  AuthenticationError,
  PermissionError,
  IdempotencyConflictError,
  RateLimitError,
  NotFoundError,
  DeclinedError,
  ServerError,
} as const;

/** Creates the error for a result. Unknown codes of a newer gateway become a plain `ResultError`. */
export function resultError(refusal: Refusal, facts: CallFacts): ResultError {
  const name = codeFacts(refusal.code)?.error;
  return name === undefined ? new ResultError(refusal, facts) : new classes[name](refusal, facts);
}

/** The facts that this version of the library knows about a code. */
export function codeFacts(code: string): CodeFacts | undefined {
  return Object.hasOwn(resultCodes, code) ? resultCodes[code] : undefined;
}

/** Whether the fault may be temporary, so that polling should continue. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof RateLimitError ||
    (error instanceof HttpStatusError && (error.status === 429 || error.status >= 500))
  );
}
