import { resultCodes, type CodeFacts } from "./generated/result-codes.ts";

/** What is known of the call that failed. All of it is safe to log. */
export interface CallFacts {
  /** `payments/pay`. */
  readonly operation?: string;
  /** Your own id of the request, such as its `paymentRequestId`: repeat the call with the same one. */
  readonly requestId?: string;
  /** The gateway's name for the call: tell it to support. */
  readonly traceId?: string;
  readonly attempts?: number;
}

/** The base of all errors of this library. */
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

/** The client was put together wrongly; nothing was sent. */
export class ConfigurationError extends GatewayError {
  override readonly name: string = "ConfigurationError";
}

/** What is wrong with a key. */
export type KeyProblem =
  | "EMPTY"
  | "NOT_BASE64"
  | "NOT_A_KEY"
  | "ENCRYPTED"
  | "NOT_RSA"
  | "PUBLIC_INSTEAD_OF_PRIVATE"
  | "PRIVATE_INSTEAD_OF_PUBLIC"
  | "WRONG_SIZE";

/** A key that cannot be used; the message says what to give instead, and never contains it. */
export class InvalidKeyError extends ConfigurationError {
  override readonly name = "InvalidKeyError";
  readonly reason: KeyProblem;

  constructor(reason: KeyProblem, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The gateway could not be reached, or the connection broke. Whether the call had an effect is unknown. */
export class ConnectionError extends GatewayError {
  override readonly name = "ConnectionError";
}

/** There was no answer in time. Whether the call had an effect is unknown. */
export class TimeoutError extends GatewayError {
  override readonly name = "TimeoutError";
}

/** The answer had another HTTP status than 200, so it is not the gateway's word about the call. */
export class HttpStatusError extends GatewayError {
  override readonly name = "HttpStatusError";
  readonly status: number;
  /** The beginning of what was answered. Nobody has signed it. */
  readonly body: string;

  constructor(status: number, body: string, facts: CallFacts) {
    super(`The gateway answered with HTTP ${status}.`, facts);
    this.status = status;
    this.body = body;
  }
}

/** Why an answer or a notification is not believed. */
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
  MISSING_SIGNATURE:
    "it carries no signature. Is something between you and the gateway answering in its place?",
  MISSING_TIME: "it carries a signature but no time.",
  MALFORMED_SIGNATURE: "its signature header cannot be read.",
  UNSUPPORTED_ALGORITHM: "it is signed with another algorithm than RSA256.",
  UNKNOWN_KEY_VERSION:
    "it names a key version of the gateway that you have not configured. Was its key rotated?",
  CLIENT_MISMATCH: "it is addressed to another client id.",
  MISMATCH:
    "the signature does not match. Most often the gateway's public key is not the right one, the path is not the one " +
    "that was called, or the body was changed on the way or parsed and written again.",
  BAD_TIME: "its time cannot be read.",
  STALE: "its time is too far from now. Is your clock right?",
  OTHER_SUBJECT:
    "it is signed, and answers another question: it names another id than the one that was asked about. Is something " +
    "between you and the gateway answering with what it kept?",
  REPLAYED: "it was taken before.",
  BODY_ALREADY_PARSED:
    "the body was parsed before. Hand over its raw bytes: a signature covers those, and JSON that was written again " +
    "is not the same.",
};

/** Nobody can say that the message is the gateway's. Conclude nothing from it. */
export class SignatureVerificationError extends GatewayError {
  override readonly name = "SignatureVerificationError";
  readonly reason: SignatureProblem;

  constructor(reason: SignatureProblem, facts: CallFacts = {}) {
    super(`The message cannot be trusted: ${likelyCause[reason]} (${reason})`, facts);
    this.reason = reason;
  }
}

/** Signed by the gateway, but not JSON with a `result`. */
export class MalformedResponseError extends GatewayError {
  override readonly name = "MalformedResponseError";
}

/** What a refusal says. */
export interface Refusal {
  readonly code: string;
  readonly status: string;
  readonly resultMessage: string;
  readonly isSigned: boolean;
  /** The whole answer. */
  readonly raw: unknown;
}

/** The gateway said no. */
export class ResultError extends GatewayError {
  override readonly name: string = "ResultError";
  readonly code: string;
  readonly status: string;
  readonly resultMessage: string;
  /** What to do about it. */
  readonly advice: string;
  /** Refusals from before the caller is known may come unsigned. */
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
 * All that helps, where it is seen first: the sandbox names the field at fault, says what to do in this very case, and
 * where to read more. Live says none of it, so there it is the code's general advice.
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

/** The request has to be corrected. */
export class InvalidRequestError extends ResultError {
  override readonly name = "InvalidRequestError";
}

/** The gateway does not know who calls: client id, key or signature. */
export class AuthenticationError extends ResultError {
  override readonly name = "AuthenticationError";
}

/** The gateway knows who calls, and does not allow it. */
export class PermissionError extends ResultError {
  override readonly name = "PermissionError";
}

/** The request id came before with other content. */
export class IdempotencyConflictError extends ResultError {
  override readonly name = "IdempotencyConflictError";
}

/** Called too often. Nothing was done. */
export class RateLimitError extends ResultError {
  override readonly name = "RateLimitError";
}

/** There is no such thing, or it is not yours. */
export class NotFoundError extends ResultError {
  override readonly name = "NotFoundError";
}

/** The buyer, the wallet or a rule of the payment says no. */
export class DeclinedError extends ResultError {
  override readonly name = "DeclinedError";
}

/** Something broke at the gateway or behind it. */
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

/** The error for a result; codes that a newer gateway has are plain `ResultError`s. */
export function resultError(refusal: Refusal, facts: CallFacts): ResultError {
  const name = codeFacts(refusal.code)?.error;
  return name === undefined ? new ResultError(refusal, facts) : new classes[name](refusal, facts);
}

/** What this version of the library knows of a code. */
export function codeFacts(code: string): CodeFacts | undefined {
  return Object.hasOwn(resultCodes, code) ? resultCodes[code] : undefined;
}

/** Whether a fault may be over by the next time, so that it is no reason to stop asking. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof ConnectionError ||
    error instanceof TimeoutError ||
    error instanceof RateLimitError ||
    (error instanceof HttpStatusError && (error.status === 429 || error.status >= 500))
  );
}
