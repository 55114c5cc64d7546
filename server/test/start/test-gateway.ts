import { createPublicKey, randomBytes, sign, verify, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { addGatewayKey } from "../../src/operators/providers/manage-gateway-keys.ts";
import { addMerchant } from "../../src/operators/merchants/merchant.ts";
import { serve } from "../../src/processes/serve.ts";
import { readSettings } from "../../src/settings/settings.ts";
import type { Environment } from "../../src/postgres/migrate.ts";
import { takeRsaKey } from "./key-pool.ts";
import { newTestDatabase, type TestDatabase } from "./test-database.ts";
import { operatorOf } from "./test-operator.ts";

/** A gateway that serves on a free port, with its own database. */
export interface TestGateway {
  readonly environment: Environment;
  readonly url: string;
  readonly database: TestDatabase;
  readonly variables: Variables;
  stop(): Promise<void>;
}

export interface TestMerchant {
  readonly clientId: string;
  readonly keyVersion: number;
  readonly privateKey: KeyObject;
  readonly publicKeyFile: string;
  readonly gatewayPublicKey: KeyObject;
}

const folder = mkdtempSync(join(tmpdir(), "tollgate-test-"));
after(() => rmSync(folder, { recursive: true, force: true }));

export async function startTestGateway(environment: Environment): Promise<TestGateway> {
  const prepared = await prepareTestGateway(environment);
  const serving = await serve(readSettings(prepared.variables));
  after(() => serving.stop());
  return { ...prepared, environment, url: serving.url, stop: () => serving.stop() };
}

type Variables = Readonly<Record<string, string>>;

export interface PreparedGateway {
  readonly database: TestDatabase;
  /** Environment variables of `serve` and `work`. */
  readonly variables: Variables;
  /** Environment variables of commands, with the owner's login. */
  readonly operatorVariables: Variables;
}

/** Everything except the process, for tests that start `serve` as a separate program. */
export async function prepareTestGateway(environment: Environment): Promise<PreparedGateway> {
  const database = await newTestDatabase(environment);
  const keyFile = join(folder, `key-${randomBytes(6).toString("hex")}`);
  writeFileSync(keyFile, randomBytes(32).toString("base64"), { mode: 0o400 });
  await addGatewayKey(database.ownerUrl, environment, keyFile);
  const variables = {
    TOLLGATE_ENVIRONMENT: environment,
    TOLLGATE_DATABASE_URL: database.appUrl,
    TOLLGATE_KEY_FILE: keyFile,
    TOLLGATE_PORT: "0",
    TOLLGATE_LOG_LEVEL: "silent",
    TOLLGATE_DATABASE_CONNECTIONS_MAX: "6",
    // The gateway may send webhooks to loopback addresses, because test merchants run on this machine.
    ...(environment === "sandbox" && { TOLLGATE_EGRESS_LOOPBACK: "allow" }),
  };
  const operatorVariables = { ...variables, TOLLGATE_OWNER_DATABASE_URL: database.ownerUrl };
  return { database, variables, operatorVariables };
}

/** A file that is deleted with the test. */
export function writeTestFile(name: string, text: string | Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

export interface TestKeyPair {
  readonly privateKey: KeyObject;
  readonly publicKeyFile: string;
}

export async function newKeyPair(name: string): Promise<TestKeyPair> {
  const privateKey = await takeRsaKey();
  const publicKeyFile = join(folder, `${name}-${randomBytes(6).toString("hex")}.pem`);
  writeFileSync(publicKeyFile, createPublicKey(privateKey).export({ format: "pem", type: "spki" }));
  return { privateKey, publicKeyFile };
}

/** Registers a merchant as an operator does, with the command's own function. */
export async function newMerchant(database: TestDatabase, name = "Coffee Lab"): Promise<TestMerchant> {
  const { privateKey, publicKeyFile } = await newKeyPair(name);
  const proofFile = join(folder, `proof-${randomBytes(6).toString("hex")}`);
  writeFileSync(proofFile, sign("sha256", Buffer.from(`I hold the private key. ${name}`), privateKey));
  const added = await addMerchant(operatorOf(database), name, { publicKeyFile, proofFile });
  return { ...added, privateKey, publicKeyFile, gatewayPublicKey: createPublicKey(added.gatewayPublicKey) };
}

export interface SentRequest {
  readonly method?: string;
  readonly path: string;
  readonly body: string | Buffer;
  /** Headers that are added to the default headers or replace them. The value undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly time?: string;
  readonly keyVersion?: number;
}

export interface ReceivedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
  readonly text: string;
  readonly json: { readonly result: Readonly<Record<string, string>>; readonly [field: string]: unknown };
}

export const inquiryPath = "payments/inquiryPayment";

export function pathOf(environment: Environment, operationPath: string): string {
  return environment === "sandbox" ? `/ams/sandbox/api/v1/${operationPath}` : `/ams/api/v1/${operationPath}`;
}

/** The three headers of a signed request, over exactly these bytes. */
export function signedHeaders(merchant: TestMerchant, sent: SentRequest): Record<string, string> {
  const { method = "POST", path, body, time = String(Date.now()), keyVersion = merchant.keyVersion } = sent;
  const text = Buffer.concat([
    Buffer.from(`${method} ${path}\n${merchant.clientId}.${time}.`),
    Buffer.from(body),
  ]);
  const signature = encodeURIComponent(sign("sha256", text, merchant.privateKey).toString("base64"));
  return {
    "client-id": merchant.clientId,
    "request-time": time,
    signature: `algorithm=RSA256,keyVersion=${keyVersion},signature=${signature}`,
  };
}

/** Sends a request as a merchant's system does, over a TCP connection. */
export async function call(url: string, merchant: TestMerchant, sent: SentRequest): Promise<ReceivedAnswer> {
  return send(url, { ...sent, headers: { ...signedHeaders(merchant, sent), ...sent.headers } });
}

/** Sends a request unchanged, signed or not. */
export async function send(url: string, sent: SentRequest): Promise<ReceivedAnswer> {
  const defaultHeaders = {
    "content-type": "application/json; charset=UTF-8",
    accept: "application/json, text/plain, */*",
  };
  const headers = Object.entries({ ...defaultHeaders, ...sent.headers }).filter(
    ([, value]) => value !== undefined,
  );
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      {
        hostname,
        port,
        method: sent.method ?? "POST",
        path: sent.path,
        headers: Object.fromEntries(headers) as Record<string, string>,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
        incoming.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers as Record<string, string>,
            rawHeaders: incoming.rawHeaders,
            text,
            json: parse(text),
          });
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(sent.body);
  });
}

function parse(text: string): ReceivedAnswer["json"] {
  try {
    return JSON.parse(text) as ReceivedAnswer["json"];
  } catch {
    return { result: {} };
  }
}

/** Whether the gateway signed a response, over the path of the request. */
export function isResponseSigned(
  answer: ReceivedAnswer,
  path: string,
  key: KeyObject,
  method = "POST",
): boolean {
  const { signature = "", "response-time": time = "", "client-id": clientId = "" } = answer.headers;
  const value = Buffer.from(decodeURIComponent(signature.split("signature=")[1] ?? ""), "base64");
  return verify("sha256", Buffer.from(`${method} ${path}\n${clientId}.${time}.${answer.text}`), key, value);
}
