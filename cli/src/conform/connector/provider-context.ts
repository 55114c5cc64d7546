import type { KeyObject } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { newRequestId } from "../../../../clients/typescript/src/request-id.ts";
import { signatureHolds, type Message } from "../../../../clients/typescript/src/signing.ts";
import { parseWireTime, toWireTime } from "../../../../clients/typescript/src/wire-time.ts";
import { ensure, NotObservable } from "../conformance-case.ts";
import { sendRequest, type Answer, type OutgoingRequest } from "../send-request.ts";
import { signHeaders, type Signer } from "../signer.ts";
import type { CallbackListener } from "./callback-listener.ts";

/** The checked payment provider, and the gateway with whose identity the check calls it. */
export interface ProviderContext {
  readonly url: URL;
  readonly signer: Signer;
  readonly unknownKey: KeyObject;
  readonly providerKey: KeyObject;
  readonly methodType: string;
  readonly currency: string;
  readonly callbacks: CallbackListener;
  /** How long to wait for a callback, in milliseconds. */
  readonly patienceMs: number;
  readonly buyer: Buyer;
  /** The path of a settlement file of the provider; undefined if the check was given none. */
  readonly settlementFile: string | undefined;
  /** The operations that were called, such as `orders/submit`. */
  readonly calledOperations: Set<string>;
}

/** The actions of a buyer. */
export interface Buyer {
  /** Approves or declines an order; throws `NotObservable` if no buyer is available. */
  decide(order: ProviderOrder, decision: "approve" | "decline"): Promise<void>;
  /** Throws `NotObservable` if the provider has no control interface. */
  requireControl(): void;
  /** Calls the control interface of the sandbox provider; throws `NotObservable` if there is none. */
  control(path: string, body?: object): Promise<Fields>;
  /** Returns the settlement file of the sandbox provider; throws `NotObservable` if there is no control interface. */
  downloadSettlementFile(query: string): Promise<string>;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A response whose signature is valid. */
export interface ProviderAnswer extends Answer {
  readonly json: Fields;
  readonly resultStatus: string;
  readonly resultCode: string;
}

export interface CallOptions extends Partial<Pick<OutgoingRequest, "method" | "cut" | "timeoutMs">> {
  readonly signed?: Partial<Message>;
  readonly signer?: Signer;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Version of the protocol (default: the version that the gateway speaks). */
  readonly version?: string;
}

/** The merchant of all calls. */
export const merchantId = "conform-merchant";

const protocolVersion = "1.1";
const toleranceMs = 600_000;
/** The gateway has the same time limit for a call to a provider. */
const callTimeoutMs = 8_000;

/** Calls an operation of the provider protocol, such as `submit` or `registrations/register`. */
export async function call(
  context: ProviderContext,
  operation: string,
  fields: object | string,
  options: CallOptions = {},
): Promise<ProviderAnswer> {
  const { answer, path, method } = await send(context, operation, fields, options);
  const problem = findSignatureProblem(context, answer, { path, method });
  ensure(problem === undefined, `${operation}: ${problem}`);
  return parseAnswer(operation, answer);
}

/** Sends a request without verifying the response's signature, for requests that must be rejected. */
export async function send(
  context: ProviderContext,
  operation: string,
  fields: object | string,
  {
    signed,
    signer = context.signer,
    headers,
    version = protocolVersion,
    ...requestOptions
  }: CallOptions = {},
): Promise<{ readonly answer: Answer; readonly path: string; readonly method: string }> {
  const isWhole = operation === "facts" || operation.includes("/");
  const operationPath = isWhole ? operation : `orders/${operation}`;
  const path = `${context.url.pathname.replace(/\/$/, "")}/provider/${version}/${operationPath}`;
  if (version === protocolVersion) context.calledOperations.add(operationPath);
  const { method = "POST" } = requestOptions;
  // As the gateway does, each call except a registration names the merchant.
  const owner = operationPath.startsWith("registrations/") ? {} : { merchantId };
  const content = typeof fields === "string" ? fields : JSON.stringify({ ...owner, ...fields });
  const body = Buffer.from(content, "utf8");
  const allHeaders = {
    "content-type": "application/json; charset=UTF-8",
    ...signHeaders(signer, { method, path, body, ...signed }),
    ...headers,
  };
  const pairs = Object.entries(allHeaders).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const answer = await sendRequest(context.url, {
    timeoutMs: callTimeoutMs,
    ...requestOptions,
    path,
    headers: pairs,
    body,
  });
  return { answer, path, method };
}

/** Returns why the gateway must reject the response, or undefined if the signature is valid. */
export function findSignatureProblem(
  { signer, providerKey }: ProviderContext,
  { headers, body }: Answer,
  { path, method }: Pick<Message, "path" | "method">,
): string | undefined {
  const { signature, "response-time": time } = headers;
  if (signature === undefined) return "the response is not signed.";
  if (time === undefined) return "the response has no response-time.";
  if (
    !signatureHolds(
      { method: method ?? "POST", path, clientId: signer.clientId, time, body },
      signature,
      providerKey,
    )
  )
    return "the signature of the response is not valid for its path, response-time and body.";
  const timeMs = parseWireTime(time);
  if (timeMs === undefined || Math.abs(Date.now() - timeMs) > toleranceMs)
    return `the response's response-time is ${time}, more than ten minutes from our clock.`;
  return undefined;
}

function parseAnswer(operation: string, answer: Answer): ProviderAnswer {
  ensure(answer.status === 200, `${operation} was answered HTTP ${answer.status}.`);
  const json = parseFields(answer.text);
  const { resultStatus, resultCode } = (json?.["result"] ?? {}) as Fields;
  ensure(
    json !== undefined && typeof resultStatus === "string" && typeof resultCode === "string",
    `${operation} was answered without a result: ${answer.text.slice(0, 80)}`,
  );
  return { ...answer, json, resultStatus, resultCode };
}

export function parseFields(text: string): Fields | undefined {
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return undefined;
  }
}

/** An order as the provider reports it. */
export interface ProviderOrder {
  readonly reference: string;
  readonly paymentId: string;
  readonly providerOrderId: unknown;
  readonly state: unknown;
  readonly fields: Fields;
}

/** Returns the order of a response, which must have this reference. */
export function readOrder(answer: ProviderAnswer, reference: string): ProviderOrder {
  const fields = (answer.json["order"] ?? {}) as Fields;
  ensure(
    fields["reference"] === reference,
    `The response ${answer.resultStatus} ${answer.resultCode} has no order with our reference.`,
  );
  const { providerOrderId, state, paymentId } = fields;
  return { reference, paymentId: String(paymentId), providerOrderId, state, fields };
}

export function requireSuccess(answer: ProviderAnswer, operation: string): void {
  ensure(
    answer.resultStatus === "S",
    `${operation} was answered ${answer.resultStatus} ${answer.resultCode}.`,
  );
}

/** Requires a rejection with one of these codes. */
export function requireCode(answer: ProviderAnswer, ...codes: readonly string[]): void {
  const answerCodes = `${answer.resultStatus} ${answer.resultCode}`;
  ensure(
    answer.resultStatus === "F" && codes.includes(answer.resultCode),
    `It was answered ${answerCodes}instead of F ${codes.join(" or ")}.`,
  );
}

export function requireState({ state }: ProviderOrder, ...states: readonly string[]): void {
  ensure(states.includes(String(state)), `The order is ${String(state)}, and not ${states.join(" or ")}.`);
}

/** A valid submit with new ids. */
export function buildSubmitRequest(
  { callbacks, methodType, currency }: ProviderContext,
  overrides: Fields = {},
): Fields & { readonly reference: string; readonly paymentId: string } {
  return {
    reference: newRequestId("conform"),
    paymentId: newRequestId("payment"),
    merchantName: "Coffee Lab",
    description: "Two coffees",
    amount: { currency, value: "1250" },
    paymentMethodType: methodType,
    capture: "AUTOMATIC",
    notAfter: oneMinuteAhead(),
    expiryTime: toWireTime(Date.now() + 600_000),
    callbackUrl: callbacks.open("S").url,
    ...overrides,
  };
}

/** `oneMinuteAhead` returns a `notAfter` in the future, and `oneMinuteAgo` one in the past. */
export function oneMinuteAhead(): string {
  return toWireTime(Date.now() + 60_000);
}

export function oneMinuteAgo(): string {
  return toWireTime(Date.now() - 60_000);
}

export async function submitOrder(context: ProviderContext, overrides: Fields = {}): Promise<ProviderOrder> {
  const fields = buildSubmitRequest(context, overrides);
  const answer = await call(context, "submit", fields);
  requireSuccess(answer, "submit");
  return readOrder(answer, fields.reference);
}

export async function inquireOrder(context: ProviderContext, reference: string): Promise<ProviderOrder> {
  const answer = await call(context, "inquire", { reference });
  requireSuccess(answer, "inquire");
  return readOrder(answer, reference);
}

/** An order that the buyer has paid; with a manual capture, an order with an authorization hold. */
export async function createPaidOrder(
  context: ProviderContext,
  overrides: Fields = {},
): Promise<ProviderOrder> {
  const order = await submitOrder(context, overrides);
  await context.buyer.decide(order, "approve");
  return inquireOrder(context, order.reference);
}

/** The buyer: a person on the order's page with `--ask`, otherwise the control interface of the sandbox provider. */
export function createBuyer(
  url: URL,
  {
    controlSecret,
    decisionSeconds,
  }: { readonly controlSecret: string | undefined; readonly decisionSeconds: number | undefined },
  inquire: (reference: string) => Promise<ProviderOrder>,
): Buyer {
  const requireControl = (): void => {
    if (controlSecret === undefined)
      throw new NotObservable(
        "it needs the sandbox's control secret: set TOLLGATE_CONTROL_SECRET or --control-secret-file.",
      );
  };
  const callControl = async (path: string, options: RequestInit): Promise<string> => {
    requireControl();
    const headers = { authorization: `Bearer ${controlSecret}` };
    const answer = await fetch(new URL(`/control/${path}`, url), { ...options, headers });
    const text = await answer.text();
    if (!answer.ok)
      throw new Error(`The provider's control interface answered ${answer.status}: ${text.slice(0, 100)}`);
    return text;
  };
  const control: Buyer["control"] = async (path, body = {}) =>
    parseFields(await callControl(path, { method: "POST", body: JSON.stringify(body) })) ?? {};
  return {
    requireControl,
    control,
    downloadSettlementFile: (query) => callControl(`settlement.csv?${query}`, {}),
    async decide(order, decision) {
      if (decisionSeconds !== undefined) await waitForDecision(order, decision, decisionSeconds, inquire);
      else if (controlSecret !== undefined) await control(`payments/${order.paymentId}/${decision}`);
      else
        throw new NotObservable(
          "no buyer pays: set the sandbox's control secret (TOLLGATE_CONTROL_SECRET), or use --ask SECONDS to pay by hand.",
        );
    },
  };
}

const finalStates = { approve: ["PAID", "AUTHORIZED"], decline: ["DECLINED"] } as const;

async function waitForDecision(
  order: ProviderOrder,
  decision: "approve" | "decline",
  seconds: number,
  inquire: (reference: string) => Promise<ProviderOrder>,
): Promise<void> {
  const { url, frameUrl, appUrl, code } = (order.fields["nextAction"] ?? {}) as Record<string, string>;
  const address = url ?? frameUrl ?? appUrl ?? code ?? "at the provider";
  process.stderr.write(`Please ${decision} this order within ${seconds} s: ${address}\n`);
  for (const giveUpAtMs = Date.now() + seconds * 1000; Date.now() < giveUpAtMs; await wait(500)) {
    const state = String((await inquire(order.reference)).state);
    if (finalStates[decision].some((end) => end === state)) return;
    if (state !== "OPEN" && state !== "PENDING")
      throw new NotObservable(`the order is ${state}, although you were asked to ${decision} it.`);
  }
  throw new NotObservable(`no person did ${decision} the order within ${seconds} s.`);
}
