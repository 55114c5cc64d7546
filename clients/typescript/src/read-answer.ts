import { textOf } from "./bytes.ts";
import type { Answer } from "./call.ts";
import {
  codeFacts,
  GatewayError,
  HttpStatusError,
  MalformedResponseError,
  resultError,
  SignatureVerificationError,
  type CallFacts,
  type SignatureProblem,
} from "./errors.ts";
import type { Result } from "./generated/models.ts";
import { withoutNulls } from "./json.ts";
import { readRetryAfter } from "./retry.ts";
import { headerValues, type TransportResponse } from "./transport.ts";
import { timeProblem, verify, type GatewayKeys } from "./verify.ts";

/** The outcome of one attempt, and whether a retry is allowed. */
export interface Outcome {
  readonly end: { readonly answer: Answer<object> } | { readonly error: GatewayError };
  readonly isRetryable: boolean;
  readonly retryAfterMs?: number | undefined;
}

export interface Expected {
  readonly path: string;
  readonly clientId: string;
  readonly keys: GatewayKeys;
  readonly allowUnsignedRefusals: boolean;
  readonly nowMs: number;
  readonly bytesMax: number;
  /** The request's own ids. */
  readonly subject: ReadonlyMap<string, string>;
}

/** The maximum age of a response: allows for network delay and clock skew. */
const ageSecondsMax = 600;

/** Reads a response: the HTTP status first, then the signature, and only then the body. */
export async function readAnswer(
  response: TransportResponse,
  expected: Expected,
  known: CallFacts,
): Promise<Outcome> {
  const [traceId] = headerValues(response.headers, "request-id");
  const facts = { ...known, ...(traceId !== undefined && { traceId }) };
  const retryAfterMs = readRetryAfter(headerValues(response.headers, "retry-after")[0], expected.nowMs);
  if (response.status !== 200) {
    const error = new HttpStatusError(response.status, beginningOf(response.body), facts);
    return { end: { error }, isRetryable: response.status === 429 || response.status >= 500, retryAfterMs };
  }
  if (response.body.length > expected.bytesMax) {
    const text = `The gateway's response is longer than ${expected.bytesMax} bytes.`;
    return { end: { error: new MalformedResponseError(text, facts) }, isRetryable: false };
  }
  const verified = await verify(
    { kind: "response", method: "POST", ...expected, ...response },
    expected.keys,
  );
  if (typeof verified === "string") {
    const unsigned = isUnsigned(response) ? unsignedOutcome(response.body, facts, expected) : undefined;
    return unsigned ? { ...unsigned, retryAfterMs } : untrusted(verified, facts);
  }
  const late = timeProblem(verified.time, expected.nowMs, ageSecondsMax);
  if (late) return untrusted(late, facts);
  return { ...signedOutcome(response.body, facts, expected.subject), retryAfterMs };
}

function untrusted(problem: SignatureProblem, facts: CallFacts): Outcome {
  return { end: { error: new SignatureVerificationError(problem, facts) }, isRetryable: false };
}

/**
 * The signature covers path, client, time and body, but not the request. Only the ids show which request a
 * response belongs to. An attacker could otherwise replay a signed response about another payment.
 */
function isAboutOther(body: object, subject: ReadonlyMap<string, string>): boolean {
  return [...subject].some(([name, id]) => {
    const answered = Object.hasOwn(body, name)
      ? (body as Readonly<Record<string, unknown>>)[name]
      : undefined;
    return answered !== undefined && answered !== id;
  });
}

function signedOutcome(bytes: Uint8Array, facts: CallFacts, subject: ReadonlyMap<string, string>): Outcome {
  const body = bodyOf(bytes);
  if (!body) {
    const error = new MalformedResponseError("The gateway's response is not JSON with a `result`.", facts);
    return { end: { error }, isRetryable: false };
  }
  if (isAboutOther(body, subject)) return untrusted("OTHER_SUBJECT", facts);
  const code = codeFacts(body.result.resultCode);
  // A rate-limited request had no effect, so its outcome is known.
  if (body.result.resultStatus === "U" && code?.error === "RateLimitError") {
    return { end: { error: errorOf(body, true, facts) }, isRetryable: code.isRetryable };
  }
  const isRetryable = body.result.resultStatus === "U" && (code?.isRetryable ?? false);
  return { end: { answer: answerOf(body, facts) }, isRetryable };
}

function isUnsigned({ headers }: TransportResponse): boolean {
  return ["signature", "response-time"].every((name) => headerValues(headers, name).length === 0);
}

/**
 * Reads an unsigned response: the gateway may send it before it authenticates the client. An unsigned
 * response never contains information about money.
 */
function unsignedOutcome(
  bytes: Uint8Array,
  facts: CallFacts,
  { allowUnsignedRefusals }: Expected,
): Outcome | undefined {
  const body = allowUnsignedRefusals ? bodyOf(bytes) : undefined;
  if (!body) return undefined;
  const code = codeFacts(body.result.resultCode);
  if (!code?.mayBeUnsigned || body.result.resultStatus === "S") return undefined;
  return { end: { error: errorOf(body, false, facts) }, isRetryable: code.isRetryable };
}

interface Body {
  readonly result: Result;
}

function bodyOf(bytes: Uint8Array): Body | undefined {
  const text = textOf(bytes);
  if (text === undefined) return undefined;
  try {
    const body = withoutNulls(JSON.parse(text)) as Partial<Body> | undefined;
    const { resultCode, resultStatus } = body?.result ?? {};
    const isWhole = typeof resultCode === "string" && /^[SFU]$/.test(String(resultStatus));
    return isWhole
      ? ({ ...body, result: { ...body?.result, resultMessage: body?.result?.resultMessage ?? "" } } as Body)
      : undefined;
  } catch {
    return undefined;
  }
}

function errorOf(body: Body, isSigned: boolean, facts: CallFacts): GatewayError {
  const { resultCode: code, resultStatus: status, resultMessage } = body.result;
  return resultError({ code, status, resultMessage, isSigned, raw: body }, facts);
}

/** Creates the error for a rejection. */
export function failureOf(answer: Answer<object>, facts: CallFacts): GatewayError {
  const { traceId } = answer;
  return errorOf(answer, true, { ...facts, ...(traceId !== undefined && { traceId }) });
}

function answerOf(body: Body, { traceId, attempts = 1 }: CallFacts): Answer<object> {
  const status = body.result.resultStatus;
  const beside = {
    isSuccess: status === "S",
    isPending: status === "U",
    isFailure: status === "F",
    traceId,
    attempts,
  };
  const hidden = Object.entries(beside).map(
    ([name, value]) => [name, { value, configurable: true }] as const,
  );
  return Object.defineProperties(body, Object.fromEntries(hidden)) as Answer<object>;
}

function beginningOf(body: Uint8Array): string {
  return textOf(body)?.slice(0, 2_000) ?? "";
}
