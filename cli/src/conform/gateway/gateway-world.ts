import type { KeyObject } from "node:crypto";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { signatureHolds, type Message } from "../../../../clients/typescript/src/signing.ts";
import { parseWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { demand, NotSeen } from "../case.ts";
import { exchange, type Answer, type Sent } from "../exchange.ts";
import { signedHeaders, type Signer } from "../signer.ts";
import type { NotificationListener } from "./notification-listener.ts";

/** The checked gateway, and the merchant with which the check calls it. */
export interface GatewayWorld {
  readonly url: URL;
  readonly signer: Signer;
  readonly otherKey: KeyObject;
  readonly gatewayKey: KeyObject;
  readonly isLive: boolean;
  readonly methodType: string;
  readonly notifications: NotificationListener;
  /** How long to wait for a state or a webhook, in milliseconds. */
  readonly patienceMs: number;
  /** Acts as the buyer; throws `NotSeen` if no buyer is available. */
  decide(payment: MadePayment, decision: "approve" | "decline"): Promise<void>;
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

export interface Calling extends Partial<Pick<Sent, "method">> {
  readonly signed?: Partial<Message>;
  readonly signer?: Signer;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Replaces the complete path. */
  readonly path?: string;
}

const toleranceMs = 600_000;
export const inquiry = "payments/inquiryPayment";

export function pathOf({ isLive, url }: GatewayWorld, operation: string): string {
  return `${url.pathname.replace(/\/$/, "")}/ams/${isLive ? "" : "sandbox/"}api/v1/${operation}`;
}

/** Sends a signed request like a merchant's system, with the changes in `calling`. */
export async function send(
  world: GatewayWorld,
  operation: string,
  body: object | string | Uint8Array,
  { signed, signer = world.signer, headers, path = pathOf(world, operation), method = "POST" }: Calling = {},
): Promise<Answer> {
  const bytes =
    body instanceof Uint8Array
      ? body
      : Buffer.from(typeof body === "string" ? body : JSON.stringify(body), "utf8");
  const all = {
    "content-type": "application/json; charset=UTF-8",
    accept: "application/json, text/plain, */*",
    ...signedHeaders(signer, { method, path, body: bytes, ...signed }),
    ...headers,
  };
  const pairs = Object.entries(all).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : (value ?? [])).map((each) => [name, each] as const),
  );
  return exchange(world.url, { method, path, headers: pairs, body: bytes });
}

/** Sends a request like `send`, and requires that the gateway signs the response. */
export async function call(
  world: GatewayWorld,
  operation: string,
  body: object | string | Uint8Array,
  calling: Calling = {},
): Promise<GatewayAnswer> {
  const answer = await send(world, operation, body, calling);
  const problem = signatureProblem(world, answer, {
    method: calling.method ?? "POST",
    path: calling.signed?.path ?? calling.path ?? pathOf(world, operation),
  });
  demand(problem === undefined, `${operation}: ${problem}`);
  return read(answer);
}

/** Returns why a merchant must reject the response, or undefined if the signature is valid. */
export function signatureProblem(
  { signer, gatewayKey }: GatewayWorld,
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

export function read(answer: Answer): GatewayAnswer {
  let json: Fields = {};
  try {
    json = JSON.parse(answer.text) as Fields;
  } catch {
    // The body is not JSON, so all of its required fields count as missing.
  }
  const { resultStatus, resultCode } = (json["result"] ?? {}) as Fields;
  return { ...answer, json, resultStatus: textOf(resultStatus), resultCode: textOf(resultCode) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function shown({ status, resultStatus, resultCode, text }: GatewayAnswer): string {
  return resultStatus === "" ? `HTTP ${status} ${text.slice(0, 80)}` : `${resultStatus} ${resultCode}`;
}

/** Requires a final failure: result status F, neither success nor unknown. */
export function demandFailure(answer: GatewayAnswer, ...codes: readonly string[]): void {
  const isRight = answer.resultStatus === "F" && (codes.length === 0 || codes.includes(answer.resultCode));
  demand(isRight, `It was answered ${shown(answer)}, instead of F ${codes.join(" or ")}`.trimEnd());
}

/**
 * Returns the gateway's result code for an unknown payment. Every request that passes authentication gets this code.
 */
export async function codeOfUnknownPayment(world: GatewayWorld): Promise<string> {
  const answer = await call(world, inquiry, { paymentId: unknownPaymentId });
  demandFailure(answer);
  return answer.resultCode;
}

export const unknownPaymentId = "20260301123450000000001000000000000";

/** A payment that the check created and that waits for its buyer. */
export interface MadePayment {
  readonly request: Fields & { readonly paymentRequestId: string };
  readonly paymentId: string;
  readonly normalUrl: string;
}

export function newPay({ methodType }: GatewayWorld, more: Fields = {}): MadePayment["request"] {
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
    ...more,
  };
}

/** Throws in the live environment, because payments there would move real money. */
export function demandSandbox({ isLive }: GatewayWorld): void {
  if (isLive) throw new NotSeen("no payments are started in live.");
}

export async function made(world: GatewayWorld, more: Fields = {}): Promise<MadePayment> {
  demandSandbox(world);
  const request = newPay(world, more);
  const answer = await call(world, "payments/pay", request);
  const { paymentId, normalUrl } = answer.json;
  demand(typeof paymentId === "string", `pay was answered ${shown(answer)}, without a paymentId.`);
  return { request, paymentId, normalUrl: textOf(normalUrl) };
}
