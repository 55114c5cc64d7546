import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { addConnector } from "../../src/operators/providers/connector-settings.ts";
import { formatWireTime } from "../../src/core/request-time.ts";
import type { ConnectorTerms } from "../../src/providers/connector.ts";
import type { ProviderFacts } from "../../src/providers/provider-facts.ts";
import type { TestDatabase } from "./test-database.ts";
import {
  newMerchant,
  prepareTestGateway,
  send,
  writeTestFile,
  type ReceivedAnswer,
  type TestMerchant,
} from "./test-gateway.ts";
import { gatewayProcesses, type GatewayProcesses } from "./test-stack.ts";
import { providerSignature } from "./provider-signature.ts";

/** A request of the gateway to a provider. */
export interface ProviderRequest {
  /** The last segment of the path: `submit`, `inquire-refund` and so on. */
  readonly verb: string;
  readonly fields: ProviderRequestFields;
  readonly atMs: number;
}

export interface ProviderRequestFields {
  readonly reference: string;
  readonly refundReference: string;
  readonly captureReference: string;
  readonly amount: object;
  readonly [field: string]: unknown;
}

/** The provider's reaction to a request: the body of a response, no response ("hang"), or a reset connection. */
export type ScriptedResponse = object | "hang" | "reset";
export type Script = (request: ProviderRequest) => ScriptedResponse | Promise<ScriptedResponse>;

/**
 * A provider that implements the protocol, signs, and responds exactly as a test defines, including protocol violations
 * that the sandbox provider never makes. Its key is RSA, as for providers that offer nothing else.
 */
export interface ScriptedProvider {
  readonly name: string;
  readonly url: string;
  readonly publicKeyFile: string;
  readonly requests: ProviderRequest[];
  /** The function that returns the provider's responses. A test can replace it at any time. */
  script: Script;
  /** The response to `facts`, which no script has to give. Such requests are not recorded. */
  facts: ScriptedResponse;
  /** Sends a callback to a gateway, as this provider does. */
  sendCallback(url: string, about: CallbackSubject, content: object): Promise<ReceivedAnswer>;
}

export interface CallbackSubject {
  readonly clientId: string;
  /** The id of a payment, or of a buyer's consent. */
  readonly subjectId: string;
}

const partnerId = "tollgate";

export async function startScriptedProvider(name: string, script: Script): Promise<ScriptedProvider> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const server = createServer((request, response) => void answer(provider, privateKey, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const provider: ScriptedProvider = {
    name,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicKeyFile: writeTestFile(`${name}.pem`, publicKey.export({ format: "pem", type: "spki" }).toString()),
    requests: [],
    script,
    facts: successResponse({ facts: exampleFacts }),
    sendCallback(url, { clientId, subjectId }, content) {
      const path = `/providers/${name}/callbacks/${clientId}/${subjectId}`;
      const time = formatWireTime(Date.now());
      const body = JSON.stringify(content);
      const signature = providerSignature(privateKey, { path, time, body });
      const headers = { "client-id": partnerId, "request-time": time, signature };
      return send(url, { path, body, headers });
    },
  };
  return provider;
}

async function answer(
  provider: ScriptedProvider,
  privateKey: KeyObject,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks = (await request.toArray().catch(() => [])) as Buffer[];
  const { url: path = "" } = request;
  if (path.endsWith("/facts")) return sendScripted(provider.facts, { privateKey, request, response });
  const fields = JSON.parse(Buffer.concat(chunks).toString("utf8")) as ProviderRequestFields;
  const received = { verb: path.split("/").at(-1) ?? "", fields, atMs: performance.now() };
  provider.requests.push(received);
  await sendScripted(await provider.script(received), { privateKey, request, response });
}

interface ReceivedRequest {
  readonly privateKey: KeyObject;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function sendScripted(
  scripted: ScriptedResponse,
  { privateKey, request, response }: ReceivedRequest,
): Promise<void> {
  const { url: path = "" } = request;
  if (scripted === "hang") return;
  if (scripted === "reset") return void request.socket.resetAndDestroy();
  const body = JSON.stringify(scripted);
  const time = formatWireTime(Date.now());
  const signature = providerSignature(privateKey, { path, time, body });
  const headers = { "content-type": "application/json", "client-id": partnerId, "response-time": time };
  response.writeHead(200, { ...headers, signature }).end(body);
}

/** Facts of a provider without limits. */
export const exampleFacts: ProviderFacts = {
  protocolVersion: "1.1",
  name: "Scripted provider",
  softwareVersion: "1.0.0",
  enforcesNotAfter: true,
  refunds: "MANY",
  captures: "MANY",
  cancelPaid: "DAY",
  currencies: [],
  paymentMethodTypes: [],
  queries: ["order", "capture", "refund", "dispute", "registration"],
  wants: [],
  evidenceTypes: [],
  callbacks: ["order", "capture", "refund", "dispute", "authorization"],
};

/** A provider's results for success and for rejection. */
const successResult = { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "" };

export function successResponse(content: object): object {
  return { result: successResult, ...content };
}

export function failureResponse(resultCode: string): object {
  return { result: { resultCode, resultStatus: "F", resultMessage: "" } };
}

export function orderResponse(reference: string, state: string, more: object = {}): object {
  return successResponse({ order: { reference, state, ...more } });
}

/** Returns the paid order of `payRequest`, as it is in a response and in a callback. */
export function paidOrder(reference: string, state: "PAID" | "AUTHORIZED" = "PAID"): object {
  const amount = { currency: "EUR", value: "1250" };
  return { reference, state, amount, paidAmount: amount, paidTime: formatWireTime(Date.now()) };
}

type MoneyFields = Partial<
  Pick<ProviderRequestFields, "reference" | "refundReference" | "captureReference" | "amount">
>;

/** The report of a successful refund. `more` replaces fields. */
export function refundResponse(
  { reference, refundReference, amount }: MoneyFields,
  more: object = {},
): object {
  const refundTime = formatWireTime(Date.now());
  return successResponse({
    refund: { reference, refundReference, state: "DONE", amount, refundTime, ...more },
  });
}

/** The report of a successful capture. `more` replaces fields. */
export function captureResponse(
  { reference, captureReference, amount }: MoneyFields,
  more: object = {},
): object {
  const captureTime = formatWireTime(Date.now());
  return successResponse({
    capture: { reference, captureReference, state: "DONE", amount, captureTime, ...more },
  });
}

/** A gateway whose providers are scripted. */
export interface ScriptedStack extends GatewayProcesses {
  readonly database: TestDatabase;
  readonly merchant: TestMerchant;
  connect(provider: ScriptedProvider, how?: ConnectOptions): Promise<void>;
}

interface ConnectOptions {
  readonly methods?: readonly string[];
  readonly terms?: Partial<ConnectorTerms>;
  /** Stores these facts with the connector; by default none. */
  readonly facts?: Partial<ProviderFacts>;
}

export async function startScriptedStack(
  environment: "sandbox" | "live" = "sandbox",
): Promise<ScriptedStack> {
  const { database, variables } = await prepareTestGateway(environment);
  return {
    ...(await gatewayProcesses(database, variables)),
    database,
    merchant: await newMerchant(database),
    connect: ({ name, url, publicKeyFile }, { methods = ["*"], terms = {}, facts } = {}) =>
      addConnector(database.ownerUrl, environment, {
        name,
        url,
        partnerId,
        publicKeyFile,
        paymentMethodTypes: methods,
        simulator: false,
        terms,
        facts: facts && { ...exampleFacts, ...facts },
      }),
  };
}
