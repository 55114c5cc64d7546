import assert from "node:assert/strict";
import type { KeyObject } from "node:crypto";
import { after } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { addMerchantKey } from "../../src/operators/merchants/merchant.ts";
import { serve } from "../../src/processes/serve.ts";
import { readSettings } from "../../src/settings/settings.ts";
import { work } from "../../src/processes/work.ts";
import { results, type ResultCode } from "../../src/core/result.ts";
import type { Environment } from "../../src/postgres/migrate.ts";
import { findFreePort } from "../../src/postgres/temporary-postgres.ts";
import {
  call,
  inquiryPath,
  newKeyPair,
  newMerchant,
  pathOf,
  prepareTestGateway,
  send,
  signedHeaders,
  startTestGateway,
  type ReceivedAnswer,
  type SentRequest,
  type TestGateway,
  type TestMerchant,
} from "../start/test-gateway.ts";
import { insertTestPayment, type TestPayment } from "../shop/test-payment.ts";
import { startTestShop, type TestShop } from "../start/test-shop.ts";
import { connectTestProvider, type TestProvider } from "../start/test-stack.ts";

/** Both environments, each with its own process, database and merchants. */
export interface TestEnvironments {
  readonly sandbox: PayingEnvironment;
  readonly live: TestEnvironment;
  /** A second key of the other sandbox merchant. */
  readonly secondKey: { readonly version: number; readonly privateKey: KeyObject };
}

export interface TestEnvironment {
  readonly environment: Environment;
  readonly gateway: TestGateway;
  readonly merchant: TestMerchant;
  readonly otherMerchant: TestMerchant;
  /** A registered merchant that has not sent a request yet. */
  readonly newcomer: TestMerchant;
  /** The path of the payment inquiry, for online payments. */
  readonly path: string;
  /** A payment of the merchant with two different amounts, so that a test detects when they are swapped. */
  readonly paidPayment: TestPayment;
  readonly answers: readonly KnownResponse[];
}

/**
 * The sandbox can take payments: it has a provider and a merchant that receives webhooks. Live rejects the simulator.
 */
export interface PayingEnvironment extends TestEnvironment {
  readonly provider: TestProvider;
  readonly shop: TestShop;
}

/** A response together with its request. */
export interface KnownResponse {
  readonly code: ResultCode;
  readonly method: string;
  readonly path: string;
  readonly answer: ReceivedAnswer;
}

/** A well-formed client id that does not exist. */
export const unknownClientId = "NOBODY0000000000";
/** A well-formed payment id that does not exist. */
export const unknownPaymentId = "20260301123450000000001000000000000";

export async function startTestEnvironments(): Promise<TestEnvironments> {
  const sandbox = await startSandbox();
  const live = await startLive();
  const { privateKey, publicKeyFile } = await newKeyPair("second key");
  const operator = { url: sandbox.gateway.database.ownerUrl, environment: "sandbox" } as const;
  const files = { publicKeyFile, proofFile: undefined };
  const version = await addMerchantKey(operator, sandbox.otherMerchant.clientId, files);
  return {
    sandbox: { ...sandbox, answers: await requestEachResponseKind(sandbox) },
    live: { ...live, answers: await requestEachResponseKind(live) },
    secondKey: { version, privateKey },
  };
}

type EnvironmentWithoutResponses = Omit<TestEnvironment, "answers">;

async function startLive(): Promise<EnvironmentWithoutResponses> {
  const gateway = await startTestGateway("live");
  return addMerchants(gateway, await newMerchant(gateway.database, "Coffee Lab"));
}

/**
 * `startSandbox` starts the provider before `serve`, which loads connectors at its start. The port of `serve` is chosen
 * in advance.
 */
async function startSandbox(): Promise<
  EnvironmentWithoutResponses & Pick<PayingEnvironment, "provider" | "shop">
> {
  const { database, variables } = await prepareTestGateway("sandbox");
  const merchant = await newMerchant(database, "Coffee Lab");
  const provider = await connectTestProvider(database);
  const settings = { ...variables, TOLLGATE_PORT: String(await findFreePort()) };
  const { url, stop } = await serve(readSettings(settings));
  const working = await work(readSettings({ ...settings, TOLLGATE_DATABASE_URL: database.workUrl }));
  after(() => Promise.all([stop(), working.stop()]));
  const gateway: TestGateway = { environment: "sandbox", url, database, variables, stop };
  return { ...(await addMerchants(gateway, merchant)), provider, shop: await startTestShop() };
}

async function addMerchants(
  gateway: TestGateway,
  merchant: TestMerchant,
): Promise<EnvironmentWithoutResponses> {
  const { environment, database } = gateway;
  const amounts = { currency: "EUR", amountMinor: 10_000n, paidMinor: 9_500n };
  return {
    environment,
    gateway,
    merchant,
    paidPayment: await insertTestPayment(database, merchant.clientId, amounts),
    otherMerchant: await newMerchant(database, "Tea House"),
    newcomer: await newMerchant(database, "Corner Bakery"),
    path: pathOf(environment, inquiryPath),
  };
}

/**
 * One response of each kind. They are requested before other tests run, because each must be signed, and the gateway
 * signs only 20 responses a second to unauthenticated clients.
 */
async function requestEachResponseKind(side: EnvironmentWithoutResponses): Promise<readonly KnownResponse[]> {
  const { path, merchant } = side;
  const { paymentId } = side.paidPayment;
  const body = JSON.stringify({ paymentId });
  const noSuchPath = pathOf(side.environment, "payments/noSuchOperation");
  const requests: readonly [ResultCode, SentRequest][] = [
    ["SUCCESS", { path, body }],
    ["ORDER_NOT_EXIST", { path, body: JSON.stringify({ paymentId: unknownPaymentId }) }],
    ["PARAM_ILLEGAL", { path, body: "{" }],
    ["PARAM_ILLEGAL", { path, body, time: "1000000000000" }],
    ["NO_INTERFACE_DEF", { path: noSuchPath, body }],
    ["METHOD_NOT_SUPPORTED", { path, body: "", method: "GET" }],
    ["MEDIA_TYPE_NOT_ACCEPTABLE", { path, body, headers: { "content-type": "text/plain" } }],
    ["PARAM_ILLEGAL", { path, body, headers: { signature: undefined } }],
    ["UNKNOWN_CLIENT", { path, body, headers: { "client-id": unknownClientId } }],
    ["KEY_NOT_FOUND", { path, body, keyVersion: 99 }],
    ["INVALID_SIGNATURE", { path, body, headers: { "request-time": String(Date.now() - 1) } }],
  ];
  const answers = [];
  for (const [code, sent] of requests) {
    const answer = await callAs(side, merchant, sent);
    answers.push({ code, method: sent.method ?? "POST", path: sent.path, answer });
  }
  return answers;
}

type Given = Parameters<typeof insertTestPayment>[2];

/** Inserts another paid payment of this side's merchant. */
export function newPayment(side: EnvironmentWithoutResponses, given: Given = {}): Promise<TestPayment> {
  return insertTestPayment(side.gateway.database, side.merchant.clientId, given);
}

export interface InquiryOptions extends Partial<Omit<SentRequest, "body">> {
  readonly by?: TestMerchant;
}

/** A signed payment inquiry, by default of this side's merchant. */
export function inquire(
  side: EnvironmentWithoutResponses,
  request: object,
  options: InquiryOptions = {},
): Promise<ReceivedAnswer> {
  return inquireWith(side, JSON.stringify(request), options);
}

/** Sends a signed payment inquiry with any body, which need not be JSON. */
export function inquireWith(
  side: EnvironmentWithoutResponses,
  body: string,
  options: InquiryOptions = {},
): Promise<ReceivedAnswer> {
  const { by = side.merchant, ...sent } = options;
  return callAs(side, by, { path: side.path, ...sent, body });
}

/** Sends a signed payment inquiry whose headers are replaced by these headers after the signature. */
export function inquireWithHeaders(
  side: EnvironmentWithoutResponses,
  request: object,
  change: (signed: Readonly<Record<string, string>>) => SentRequest["headers"],
): Promise<ReceivedAnswer> {
  const sent = { path: side.path, body: JSON.stringify(request) };
  const signed = signedHeaders(side.merchant, sent);
  return sendTo(side, { ...sent, headers: { ...signed, ...change(signed) } });
}

/** A signed request to this side. */
export function callAs(
  side: EnvironmentWithoutResponses,
  merchant: TestMerchant,
  sent: SentRequest,
): Promise<ReceivedAnswer> {
  return retryWhileThrottled(
    () => call(side.gateway.url, merchant, sent),
    ({ text }) => text,
  );
}

/** Sends a request to this side unchanged, signed or not. */
export function sendTo(side: EnvironmentWithoutResponses, sent: SentRequest): Promise<ReceivedAnswer> {
  return retryWhileThrottled(
    () => send(side.gateway.url, sent),
    ({ text }) => text,
  );
}

/**
 * `retryWhileThrottled` retries a request as a merchant does. On a busy machine the gateway may reject any request with "retry
 * later", which proves nothing.
 */
export async function retryWhileThrottled<Answer>(
  ask: () => Promise<Answer>,
  textOf: (answer: Answer) => string,
): Promise<Answer> {
  const answer = await ask();
  if (retriesLeft === 0 || !textOf(answer).includes('"REQUEST_TRAFFIC_EXCEED_LIMIT"')) return answer;
  retriesLeft -= 1;
  await wait(200);
  return retryWhileThrottled(ask, textOf);
}

/**
 * Number of retries that all checks together may use. So the test of a gateway that rejects everything fails within
 * seconds.
 */
let retriesLeft = 50;

/** The inquiry's content for a payment. */
export type PaymentRecord = Readonly<Record<string, unknown>>;

export async function inquireNewPayment(
  side: EnvironmentWithoutResponses,
  given: Given = {},
): Promise<PaymentRecord> {
  const { paymentId } = await newPayment(side, given);
  const answer = await inquire(side, { paymentId });
  assertResult(answer, "SUCCESS");
  return answer.json;
}

/** Asserts that the response has HTTP status 200 and this result code. */
export function assertResult(answer: ReceivedAnswer, code: ResultCode): void {
  assert.equal(answer.status, 200);
  assert.equal(answer.json.result["resultCode"], code, answer.text);
  assert.equal(answer.json.result["resultStatus"], results[code].status);
}

/** Whether a value is a JSON object. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function assertString(value: unknown): asserts value is string {
  assert.equal(typeof value, "string");
}
