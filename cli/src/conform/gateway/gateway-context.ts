import type { KeyObject } from "node:crypto";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { signatureHolds, type Message } from "../../../../clients/typescript/src/signing.ts";
import { parseWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { ensure, NotObservable } from "../conformance-case.ts";
import { sendRequest, type Answer, type OutgoingRequest } from "../send-request.ts";
import { signHeaders, type Signer } from "../signer.ts";
import type { NotificationListener } from "./notification-listener.ts";

/** The checked gateway, and the merchant with which the check calls it. */
export interface GatewayContext {
  readonly url: URL;
  readonly signer: Signer;
  readonly unknownKey: KeyObject;
  readonly gatewayKey: KeyObject;
  readonly isLive: boolean;
  readonly methodType: string;
  readonly notifications: NotificationListener;
  /** How long to wait for a state or a webhook, in milliseconds. */
  readonly patienceMs: number;
  /** Acts as the buyer; throws `NotObservable` if no buyer is available. */
  decide(payment: CreatedPayment, decision: "approve" | "decline"): Promise<void>;
  /** Observed and expected result codes of requests that were rejected before authentication. */
  readonly refusals: { readonly id: string; readonly code: string; readonly expected: readonly string[] }[];
}

export type Fields = Readonly<Record<string, unknown>>;

export interface GatewayAnswer extends Answer {
  readonly json: Fields;
  /** `resultCode` is an empty text if the response has no result code. */
  readonly resultStatus: string;
  readonly resultCode: string;
}

export interface CallOptions extends Partial<Pick<OutgoingRequest, "method">> {
  readonly signed?: Partial<Message>;
  readonly signer?: Signer;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Replaces the complete path. */
  readonly path?: string;
}

const toleranceMs = 600_000;
export const inquiry = "payments/inquiryPayment";

export function operationPath({ isLive, url }: GatewayContext, operation: string): string {
  return `${url.pathname.replace(/\/$/, "")}/ams/${isLive ? "" : "sandbox/"}api/v1/${operation}`;
}

/** Sends a signed request like a merchant's system, with the changes in `options`. */
export async function send(
  context: GatewayContext,
  operation: string,
  body: object | string | Uint8Array,
  {
    signed,
    signer = context.signer,
    headers,
    path = operationPath(context, operation),
    method = "POST",
  }: CallOptions = {},
): Promise<Answer> {
  const bytes =
    body instanceof Uint8Array
      ? body
      : Buffer.from(typeof body === "string" ? body : JSON.stringify(body), "utf8");
  const allHeaders = {
    "content-type": "application/json; charset=UTF-8",
    accept: "application/json, text/plain, */*",
    ...signHeaders(signer, { method, path, body: bytes, ...signed }),
    ...headers,
  };
  const pairs = Object.entries(allHeaders).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : (value ?? [])).map((each) => [name, each] as const),
  );
  return sendRequest(context.url, { method, path, headers: pairs, body: bytes });
}

/** Sends a request like `send`, and requires that the gateway signs the response. */
export async function call(
  context: GatewayContext,
  operation: string,
  body: object | string | Uint8Array,
  options: CallOptions = {},
): Promise<GatewayAnswer> {
  const answer = await send(context, operation, body, options);
  const problem = findSignatureProblem(context, answer, {
    method: options.method ?? "POST",
    path: options.signed?.path ?? options.path ?? operationPath(context, operation),
  });
  ensure(problem === undefined, `${operation}: ${problem}`);
  return parseAnswer(answer);
}

/** Returns why a merchant must reject the response, or undefined if the signature is valid. */
export function findSignatureProblem(
  { signer, gatewayKey }: GatewayContext,
  { headers, body, text }: Answer,
  { method, path }: Pick<Message, "method" | "path">,
): string | undefined {
  const { signature, "response-time": time } = headers;
  if (signature === undefined) return `the response is not signed: ${text.slice(0, 80)}`;
  if (time === undefined) return "the response has no response-time.";
  const message = { ...(method !== undefined && { method }), path, clientId: signer.clientId, time, body };
  if (!signatureHolds(message, signature, gatewayKey))
    return "the signature of the response is not valid for its path, response-time and body.";
  const timeMs = parseWireTime(time);
  if (timeMs === undefined || Math.abs(Date.now() - timeMs) > toleranceMs)
    return `the response's response-time is ${time}, more than ten minutes from our clock.`;
  return undefined;
}

export function parseAnswer(answer: Answer): GatewayAnswer {
  let json: Fields = {};
  try {
    json = JSON.parse(answer.text) as Fields;
  } catch {
    // The body is not JSON, so all of its required fields count as missing.
  }
  const { resultStatus, resultCode } = (json["result"] ?? {}) as Fields;
  return {
    ...answer,
    json,
    resultStatus: stringOrEmpty(resultStatus),
    resultCode: stringOrEmpty(resultCode),
  };
}

function stringOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function describeAnswer({ status, resultStatus, resultCode, text }: GatewayAnswer): string {
  return resultStatus === "" ? `HTTP ${status} ${text.slice(0, 80)}` : `${resultStatus} ${resultCode}`;
}

/** Requires a final failure: result status F, neither success nor unknown. */
export function requireFailure(answer: GatewayAnswer, ...codes: readonly string[]): void {
  const isExpected = answer.resultStatus === "F" && (codes.length === 0 || codes.includes(answer.resultCode));
  ensure(
    isExpected,
    `It was answered ${describeAnswer(answer)}, instead of F ${codes.join(" or ")}`.trimEnd(),
  );
}

/**
 * Returns the gateway's result code for an unknown payment. Every request that passes authentication gets this code.
 */
export async function fetchUnknownPaymentCode(context: GatewayContext): Promise<string> {
  const answer = await call(context, inquiry, { paymentId: unknownPaymentId });
  requireFailure(answer);
  return answer.resultCode;
}

export const unknownPaymentId = "20260301123450000000001000000000000";

/** A payment that the check created and that waits for its buyer. */
export interface CreatedPayment {
  readonly request: Fields & { readonly paymentRequestId: string };
  readonly paymentId: string;
  readonly normalUrl: string;
}

export function buildPayRequest(
  { methodType }: GatewayContext,
  overrides: Fields = {},
): CreatedPayment["request"] {
  const amount = { currency: "EUR", value: "1250" };
  return {
    productCode: "CASHIER_PAYMENT",
    paymentRequestId: newRequestId("conform"),
    order: { referenceOrderId: newRequestId("order"), orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: methodType },
    paymentRedirectUrl: "https://shop.example/thanks",
    paymentNotifyUrl: "https://shop.example/notify",
    env: { terminalType: "WEB" },
    ...overrides,
  };
}

/** Throws in the live environment, because payments there would move real money. */
export function requireSandbox({ isLive }: GatewayContext): void {
  if (isLive) throw new NotObservable("no payments are started in live.");
}

export async function createPayment(
  context: GatewayContext,
  overrides: Fields = {},
): Promise<CreatedPayment> {
  requireSandbox(context);
  const request = buildPayRequest(context, overrides);
  const answer = await call(context, "payments/pay", request);
  const { paymentId, normalUrl } = answer.json;
  ensure(typeof paymentId === "string", `pay was answered ${describeAnswer(answer)}, without a paymentId.`);
  return { request, paymentId, normalUrl: stringOrEmpty(normalUrl) };
}
