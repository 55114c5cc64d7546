import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { addConnector } from "../../src/commands/connector.ts";
import { wireTime } from "../../src/core/request-time.ts";
import type { ConnectorTerms } from "../../src/wallets/connector.ts";
import type { TestDatabase } from "./test-database.ts";
import { newMerchant, prepareTestGateway, send, writeTestFile } from "./test-gateway.ts";
import type { ReceivedAnswer, TestMerchant } from "./test-gateway.ts";
import { gatewayProcesses, type GatewayProcesses } from "./test-stack.ts";
import { walletSignature } from "./wallet-signature.ts";

/** What the gateway asked a wallet for. */
export interface WalletAsked {
  /** The last word of the path: `submit`, `inquire-refund` and so on. */
  readonly verb: string;
  readonly fields: AskedFields;
  readonly atMs: number;
}

export interface AskedFields {
  readonly reference: string;
  readonly refundReference: string;
  readonly captureReference: string;
  readonly amount: object;
  readonly [field: string]: unknown;
}

/** An answer's body, or none: the call hangs, or its connection is reset. */
export type Said = object | "hang" | "reset";
export type Script = (asked: WalletAsked) => Said | Promise<Said>;

/**
 * A wallet that speaks the protocol, signs, and says exactly what a test tells it to: also what the
 * sandbox's wallet, which keeps every duty, never would. Its key is RSA, as that of wallets that offer nothing else.
 */
export interface ScriptedWallet {
  readonly name: string;
  readonly url: string;
  readonly publicKeyFile: string;
  readonly asked: WalletAsked[];
  /** What it says from now on; a test changes it as it goes. */
  script: Script;
  /** A callback, as this wallet sends it to a gateway. */
  tell(url: string, about: CallbackSubject, content: object): Promise<ReceivedAnswer>;
}

export interface CallbackSubject {
  readonly clientId: string;
  /** A payment's id, or that of a buyer's consent. */
  readonly subjectId: string;
}

const partnerId = "tollgate";

export async function startScriptedWallet(name: string, script: Script): Promise<ScriptedWallet> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const server = createServer((request, response) => void answer(wallet, privateKey, request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const wallet: ScriptedWallet = {
    name,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publicKeyFile: writeTestFile(`${name}.pem`, publicKey.export({ format: "pem", type: "spki" }).toString()),
    asked: [],
    script,
    tell(url, { clientId, subjectId }, content) {
      const path = `/wallets/${name}/callbacks/${clientId}/${subjectId}`;
      const time = wireTime(Date.now());
      const body = JSON.stringify(content);
      const signature = walletSignature(privateKey, { path, time, body });
      const headers = { "client-id": partnerId, "request-time": time, signature };
      return send(url, { path, body, headers });
    },
  };
  return wallet;
}

async function answer(
  wallet: ScriptedWallet,
  privateKey: KeyObject,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks = (await request.toArray().catch(() => [])) as Buffer[];
  const { url: path = "" } = request;
  const fields = JSON.parse(Buffer.concat(chunks).toString("utf8")) as AskedFields;
  const asked = { verb: path.split("/").at(-1) ?? "", fields, atMs: performance.now() };
  wallet.asked.push(asked);
  const said = await wallet.script(asked);
  if (said === "hang") return;
  if (said === "reset") return void request.socket.resetAndDestroy();
  const body = JSON.stringify(said);
  const time = wireTime(Date.now());
  const signature = walletSignature(privateKey, { path, time, body });
  const headers = { "content-type": "application/json", "client-id": partnerId, "response-time": time };
  response.writeHead(200, { ...headers, signature }).end(body);
}

/** What a wallet says to a call that it did, and how it says no. */
const walletSaidYes = { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "" };

export function walletSays(content: object): object {
  return { result: walletSaidYes, ...content };
}

export function walletSaysNo(resultCode: string): object {
  return { result: { resultCode, resultStatus: "F", resultMessage: "" } };
}

export function orderIs(reference: string, state: string, more: object = {}): object {
  return walletSays({ order: { reference, state, ...more } });
}

/** The order of `payRequest`, paid: for an answer as well as for a callback. */
export function paidOrder(reference: string, state: "PAID" | "AUTHORIZED" = "PAID"): object {
  const amount = { currency: "EUR", value: "1250" };
  return { reference, state, amount, paidAmount: amount, paidTime: wireTime(Date.now()) };
}

type MoneyFields = Partial<
  Pick<AskedFields, "reference" | "refundReference" | "captureReference" | "amount">
>;

/** The report of a refund that is done. `more` replaces fields of it. */
export function refundIs({ reference, refundReference, amount }: MoneyFields, more: object = {}): object {
  const refundTime = wireTime(Date.now());
  return walletSays({ refund: { reference, refundReference, state: "DONE", amount, refundTime, ...more } });
}

/** The report of a capture that is done. `more` replaces fields of it. */
export function captureIs({ reference, captureReference, amount }: MoneyFields, more: object = {}): object {
  const captureTime = wireTime(Date.now());
  return walletSays({ capture: { reference, captureReference, amount, captureTime, ...more } });
}

/** A gateway whose wallets are scripted. */
export interface ScriptedStack extends GatewayProcesses {
  readonly database: TestDatabase;
  readonly merchant: TestMerchant;
  connect(wallet: ScriptedWallet, how?: Connecting): Promise<void>;
}

interface Connecting {
  readonly methods?: readonly string[];
  readonly terms?: Partial<ConnectorTerms>;
}

export async function startScriptedStack(
  environment: "sandbox" | "live" = "sandbox",
): Promise<ScriptedStack> {
  const { database, variables } = await prepareTestGateway(environment);
  return {
    ...(await gatewayProcesses(database, variables)),
    database,
    merchant: await newMerchant(database),
    connect: ({ name, url, publicKeyFile }, { methods = ["*"], terms = {} } = {}) =>
      addConnector(database.ownerUrl, environment, {
        name,
        url,
        partnerId,
        publicKeyFile,
        paymentMethodTypes: methods,
        simulator: false,
        terms,
      }),
  };
}
