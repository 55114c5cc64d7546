import { utf8 } from "./bytes.ts";
import type { Answer, Call, CallOptions, OperationFacts } from "./call.ts";
import type { Clock } from "./clock.ts";
import { ConfigurationError, ConnectionError, GatewayError, TimeoutError, type CallFacts } from "./errors.ts";
import { operations } from "./generated/operations.ts";
import type { PrivateKey } from "./key.ts";
import { isSecret, redacted, type Logger } from "./log.ts";
import { observed, type Observer } from "./observer.ts";
import { failureOf, readAnswer, type Outcome } from "./read-answer.ts";
import { retryDelayMs } from "./retry.ts";
import { signedText, writeSignatureHeader } from "./signature.ts";
import type { Transport, TransportRequest, TransportResponse } from "./transport.ts";
import type { GatewayKeys } from "./verify.ts";

/** A client's settings, validated and complete. */
export interface Settings {
  readonly clientId: string;
  readonly privateKey: PrivateKey;
  readonly keyVersion: number;
  readonly gatewayKeys: GatewayKeys;
  /** Scheme and host, without a slash at the end. */
  readonly baseUrl: string;
  readonly isSandbox: boolean;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly transport: Transport;
  readonly logger: Logger;
  readonly observer: Observer | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowUnsignedRefusals: boolean;
}

/** A signed request that is sent once, for a streaming response. */
export async function signedRequest(
  settings: Settings,
  operation: string,
  request: object,
  signal: AbortSignal,
): Promise<TransportRequest & { readonly path: string }> {
  const prepared = prepare(settings, operation, request, { signal }, undefined);
  const { path, body, answerBytesMax } = prepared;
  const headers = { ...prepared.headers, ...(await signatureHeaders(settings, prepared)) };
  return { url: settings.baseUrl + path, path, headers, body, answerBytesMax, signal };
}

/** One call of one operation: the parts that are equal in all of its attempts. */
interface Prepared {
  readonly path: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly facts: CallFacts & { readonly operation: string };
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** The deadline, as a time of the client's clock. No attempt starts after it. */
  readonly untilMs: number;
  readonly answerBytesMax: number;
  readonly subject: ReadonlyMap<string, string>;
}

const answerBytesMaxUsual = 2 * 1024 * 1024;
/** Larger response size limits, for operations that return a file. */
const answerBytesMaxOf: Readonly<Record<string, number>> = {
  "payments/downloadDisputeEvidence": 4 * 1024 * 1024,
};

/**
 * Serialises the body once. Then signs, sends, verifies and reads, and retries if that is useful and safe.
 */
export function callerOf(settings: Settings): Call {
  const call = async (
    operation: string,
    request: object,
    options: CallOptions = {},
  ): Promise<Answer<object>> => {
    const known = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
    const prepared = prepare(settings, operation, request, options, known);
    const retriesMax = known?.isRepeatable
      ? notNegative("maxRetries", options.maxRetries ?? settings.maxRetries)
      : 0;
    logSafely(settings.logger, { event: "request", ...idsOf(prepared), attempt: 1, body: redacted(request) });
    return observed(settings, { ...idsOf(prepared), baseUrl: settings.baseUrl }, async () => {
      const outcome = await repeat(settings, prepared, retriesMax);
      return answerOf(outcome, prepared, options.throwOnFailure ?? true);
    });
  };
  return call as Call;
}

function answerOf({ end }: Outcome, { facts }: Prepared, throwOnFailure: boolean): Answer<object> {
  if ("error" in end) throw end.error;
  const { answer } = end;
  if (answer.isFailure && throwOnFailure) throw failureOf(answer, { ...facts, attempts: answer.attempts });
  return answer;
}

async function repeat(settings: Settings, prepared: Prepared, retriesMax: number): Promise<Outcome> {
  for (let retries = 0; ; retries += 1) {
    const outcome = await attempt(settings, prepared, retries + 1);
    if (!outcome.isRetryable || retries >= retriesMax) return outcome;
    const delayMs = retryDelayMs(retries, outcome.retryAfterMs, settings.random);
    if (delayMs === undefined || settings.clock.now() + delayMs >= prepared.untilMs) return outcome;
    logSafely(settings.logger, {
      event: "retry",
      ...idsOf(prepared),
      attempt: retries + 2,
      delayMs: Math.round(delayMs),
      outcome: nameOf(outcome),
    });
    await settings.clock.sleep(delayMs, prepared.signal);
  }
}

async function attempt(settings: Settings, prepared: Prepared, number: number): Promise<Outcome> {
  const startedAtMs = settings.clock.now();
  const facts = { ...prepared.facts, attempts: number };
  const outcome = await send(settings, prepared, facts);
  const traceId = "answer" in outcome.end ? outcome.end.answer.traceId : outcome.end.error.traceId;
  logSafely(settings.logger, {
    event: "response",
    ...idsOf(prepared),
    traceId,
    attempt: number,
    durationMs: settings.clock.now() - startedAtMs,
    outcome: nameOf(outcome),
  });
  return outcome;
}

async function send(settings: Settings, prepared: Prepared, facts: CallFacts): Promise<Outcome> {
  const headers = { ...prepared.headers, ...(await signatureHeaders(settings, prepared)) };
  const response = await transmit(settings, prepared, headers, facts);
  if (response instanceof GatewayError) return { end: { error: response }, isRetryable: true };
  const { clientId, gatewayKeys: keys, allowUnsignedRefusals, clock } = settings;
  const { path, subject, answerBytesMax: bytesMax } = prepared;
  const nowMs = clock.now();
  const expected = { path, clientId, keys, allowUnsignedRefusals, nowMs, bytesMax, subject };
  return readAnswer(response, expected, facts);
}

async function transmit(
  { baseUrl, transport, clock }: Settings,
  { path, body, timeoutMs: attemptMs, untilMs, answerBytesMax, signal }: Prepared,
  headers: Readonly<Record<string, string>>,
  facts: CallFacts,
): Promise<TransportResponse | ConnectionError | TimeoutError> {
  const timeoutMs = Math.max(1, Math.min(attemptMs, untilMs - clock.now()));
  const limit = timeLimit(timeoutMs, signal);
  try {
    return await transport({ url: baseUrl + path, headers, body, answerBytesMax, signal: limit.signal });
  } catch (cause) {
    signal?.throwIfAborted();
    return limit.isOver()
      ? new TimeoutError(`The gateway did not answer within ${timeoutMs} ms.`, facts, cause)
      : new ConnectionError("The gateway could not be reached, or the connection broke.", facts, cause);
  } finally {
    limit.clear();
  }
}

/** Creates the signed headers of one attempt: each attempt has a new time, and so a new signature. */
async function signatureHeaders(
  { clientId, keyVersion, privateKey, clock }: Settings,
  { path, body }: Prepared,
): Promise<Readonly<Record<string, string>>> {
  const time = String(clock.now());
  const signature = await privateKey.sign(signedText({ method: "POST", path, clientId, time, body }));
  return {
    "client-id": clientId,
    "request-time": time,
    signature: writeSignatureHeader(keyVersion, signature),
  };
}

interface TimeLimit {
  readonly signal: AbortSignal;
  isOver(): boolean;
  clear(): void;
}

function timeLimit(timeoutMs: number, outer: AbortSignal | undefined): TimeLimit {
  const controller = new AbortController();
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    controller.abort(new DOMException("The time is over.", "TimeoutError"));
  }, timeoutMs);
  const stop = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) stop();
  outer?.addEventListener("abort", stop, { once: true });
  return {
    signal: controller.signal,
    isOver: () => isOver,
    clear() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", stop);
    },
  };
}

function prepare(
  settings: Settings,
  operation: string,
  request: object,
  options: CallOptions,
  known: OperationFacts | undefined,
): Prepared {
  options.signal?.throwIfAborted();
  if (!/^[A-Za-z0-9]+(?:\/[A-Za-z0-9]+)+$/.test(operation)) {
    throw new ConfigurationError(`The operation must be a path such as payments/pay, not ${operation}.`);
  }
  const requestId = requestIdIn(request, known?.idempotencyField);
  return {
    path: `/ams/${settings.isSandbox ? "sandbox/" : ""}api/v1/${operation}`,
    body: utf8(JSON.stringify(request)),
    headers: { ...settings.headers, ...checkedHeaders(options.headers ?? {}) },
    facts: { operation, ...(requestId !== undefined && { requestId }) },
    signal: options.signal,
    timeoutMs: checkedTimeoutMs(options.timeoutMs ?? settings.timeoutMs),
    untilMs: settings.clock.now() + notNegative("deadlineMs", options.deadlineMs ?? Infinity),
    answerBytesMax: answerBytesMaxOf[operation] ?? answerBytesMaxUsual,
    subject: idsIn(request),
  };
}

/** The ids in the request. A response with one of these fields must have the same value. */
function idsIn(request: object): ReadonlyMap<string, string> {
  const ids = Object.entries(request as Readonly<Record<string, unknown>>).flatMap(([name, value]) =>
    name.endsWith("Id") && typeof value === "string" ? [[name, value] as const] : [],
  );
  return new Map(ids);
}

/**
 * The merchant's id of the request: the idempotency key, or else the first id in the request. It is never a
 * token.
 */
function requestIdIn(request: object, idempotencyField = ""): string | undefined {
  const fields = Object.entries(request).filter(([name]) => !isSecret(name));
  const [, value] =
    fields.find(([name, each]) => name === idempotencyField && each !== undefined) ??
    fields.find(([name]) => name.endsWith("RequestId")) ??
    fields.find(([name]) => name.endsWith("Id")) ??
    [];
  return typeof value === "string" ? value : undefined;
}

const ownHeaders = new Set([
  "client-id",
  "request-time",
  "signature",
  "content-type",
  "content-length",
  "host",
]);

/** Rejects values with line breaks: header injection. */
export function checkedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[A-Za-z0-9-]+$/.test(name) || !/^[\x20-\x7e]*$/.test(value)) {
      throw new ConfigurationError(`The header ${JSON.stringify(name)} has invalid characters.`);
    }
    if (ownHeaders.has(name.toLowerCase())) {
      throw new ConfigurationError(`The header ${name} is set by the library.`);
    }
  }
  return headers;
}

/**
 * The longest delay in milliseconds that a JavaScript timer supports: a timer with a longer delay would fire
 * immediately.
 */
const timeoutMaxMs = 2_147_483_647;

export function checkedTimeoutMs(timeoutMs: number): number {
  if (timeoutMs > 0 && timeoutMs <= timeoutMaxMs) return timeoutMs;
  throw new ConfigurationError(`timeoutMs must be greater than 0 and at most ${timeoutMaxMs}.`);
}

export function notNegative(name: string, value: number): number {
  if (value >= 0) return value;
  throw new ConfigurationError(`${name} must not be less than 0.`);
}

function idsOf({ facts }: Prepared): { readonly operation: string; readonly requestId: string | undefined } {
  return { operation: facts.operation, requestId: facts.requestId };
}

function nameOf({ end }: Outcome): string {
  return "answer" in end ? end.answer.result.resultCode : end.error.name;
}

/** A logger that throws must not make a payment fail. */
export function logSafely(logger: Logger, entry: Parameters<Logger>[0]): void {
  try {
    logger(entry);
  } catch {
    // The error is ignored, because it cannot be reported anywhere.
  }
}
