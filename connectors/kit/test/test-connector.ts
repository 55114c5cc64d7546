import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes, type KeyObject } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { signatureFor, signatureHolds } from "../../../clients/typescript/src/signing.ts";
import { migrateFolder } from "../../../server/src/postgres/migrate.ts";
import { asSuperuser, postgresVariable } from "../../../server/test/start/test-database.ts";
import { toWireTime } from "../src/protocol/wire-time.ts";
import { serveConnector, type ConnectorServer } from "../src/serve-connector.ts";
import type { ConnectorSettings } from "../src/settings.ts";
import { startFakeToyProvider, type FakeToyProvider } from "../toy/fake-toy-provider.ts";
import { newToyConnector } from "../toy/toy-connector.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface GatewayAnswer {
  readonly resultCode: string;
  readonly resultStatus: string;
  readonly order: Fields;
  readonly capture: Fields;
  readonly refund: Fields;
  readonly dispute: Fields;
  readonly facts: Fields;
}

/** One server of a connector, in this process or in another one. */
type TestServer = Pick<ConnectorServer, "url" | "webhooksUrl" | "stop">;

export interface TestConnector<Server extends TestServer = ConnectorServer> {
  readonly fake: FakeToyProvider;
  readonly servers: readonly Server[];
  readonly settings: ConnectorSettings;
  /** The callbacks that the gateway has received. */
  readonly callbacks: readonly Fields[];
  /** Calls the connector as the gateway does, at the server with this index. */
  call(name: string, fields: Fields, server?: number): Promise<GatewayAnswer>;
  /** A valid submit with new ids. */
  newOrder(more?: Fields): Fields & { readonly reference: string };
  /** Lets time pass for all processes, without waiting. */
  pass(ms: number): void;
  waitForCallback(matches: (callback: Fields) => boolean): Promise<Fields>;
  databaseUrl: string;
  folder: string;
}

const partnerId = "tollgate";
const webhookSecret = "test-only-webhook-secret";
export const apiKey = "test-only-api-key";

/** Starts servers of a connector on one database, with a fake provider and a gateway that receives callbacks. */
export function startTestConnector(count = 1): Promise<TestConnector> {
  return startTestServers(count, (settings, providerUrl, now) =>
    serveConnector(newToyConnector(providerUrl), settings, now),
  );
}

type StartServer<Server> = (
  settings: ConnectorSettings,
  providerUrl: string,
  now: () => Date,
) => Promise<Server>;

export async function startTestServers<Server extends TestServer>(
  count: number,
  start: StartServer<Server>,
): Promise<TestConnector<Server>> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-connector-"));
  const databaseName = `connector_${randomBytes(8).toString("hex")}`;
  const databaseUrl = await newConnectorDatabase(databaseName);
  const [gateway, own] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
  const settings = writeSettings(folder, databaseUrl, gateway.publicKey, own.privateKey);
  const fake = await startFakeToyProvider(webhookSecret);
  let aheadMs = 0;
  const now = (): Date => new Date(Date.now() + aheadMs);
  const servers: Server[] = [];
  for (let index = 0; index < count; index += 1) servers.push(await start(settings, fake.url, now));
  fake.webhooksUrl = servers[0]?.webhooksUrl ?? "";
  const receiver = await startReceiver(gateway.privateKey, own.publicKey, now);
  after(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all([fake.stop(), receiver.stop()]);
    await asSuperuser(`drop database ${databaseName} with (force)`);
    rmSync(folder, { recursive: true, force: true });
  });

  const call = newGatewayCall({ servers, gatewayKey: gateway.privateKey, connectorKey: own.publicKey, now });
  return {
    fake,
    servers,
    settings,
    callbacks: receiver.callbacks,
    call,
    databaseUrl,
    folder,
    pass: (ms) => void (aheadMs += ms),
    newOrder: (more = {}) => ({
      reference: `order-${randomBytes(6).toString("hex")}`,
      paymentId: `payment-${randomBytes(6).toString("hex")}`,
      merchantName: "Coffee Lab",
      description: "Two coffees",
      amount: { currency: "EUR", value: "1250" },
      paymentMethodType: "TOY",
      notAfter: toWireTime(now().getTime() + 60_000),
      expiryTime: toWireTime(now().getTime() + 600_000),
      callbackUrl: receiver.url,
      ...more,
    }),
    async waitForCallback(matches) {
      for (let tries = 0; tries < 200; tries += 1) {
        const found = receiver.callbacks.find(matches);
        if (found) return found;
        await wait(50);
      }
      throw new Error("No such callback came within ten seconds.");
    },
  };
}

interface GatewayCallOptions {
  readonly servers: readonly TestServer[];
  readonly gatewayKey: KeyObject;
  readonly connectorKey: KeyObject;
  readonly now: () => Date;
}

/** Calls a connector as the gateway does, and verifies the signature of the response. */
function newGatewayCall({
  servers,
  gatewayKey,
  connectorKey,
  now,
}: GatewayCallOptions): TestConnector["call"] {
  return async (name, fields, server = 0) => {
    const path = `/provider/1.1/${name === "facts" || name.includes("/") ? name : `orders/${name}`}`;
    const body = Buffer.from(JSON.stringify({ merchantId: "merchant-1", ...fields }));
    const time = toWireTime(now().getTime());
    const message = { path, clientId: partnerId, time, body };
    const headers = {
      "content-type": "application/json",
      "client-id": partnerId,
      "request-time": time,
      signature: signatureFor(message, gatewayKey, 1),
    };
    const response = await fetch(`${servers[server]?.url}${path}`, { method: "POST", headers, body });
    const answer = Buffer.from(await response.arrayBuffer());
    const answered = { ...message, time: response.headers.get("response-time") ?? "", body: answer };
    assert.ok(signatureHolds(answered, response.headers.get("signature") ?? "", connectorKey), "signed");
    const { result, ...content } = JSON.parse(answer.toString("utf8")) as { readonly result: Fields };
    return { ...result, ...content } as unknown as GatewayAnswer;
  };
}

async function newConnectorDatabase(name: string): Promise<string> {
  await asSuperuser(`create database ${name}`);
  const url = new URL(process.env[postgresVariable] ?? "");
  url.pathname = `/${name}`;
  await migrateFolder(url.href, new URL("../migrations/", import.meta.url));
  return url.href;
}

function writeSettings(
  folder: string,
  databaseUrl: string,
  gatewayPublicKey: KeyObject,
  privateKey: KeyObject,
): ConnectorSettings {
  const secretsFolder = join(folder, "secrets");
  for (const account of ["default", "acct_1", "acct_2"]) {
    mkdirSync(join(secretsFolder, account), { recursive: true });
    const secret = account === "default" ? apiKey : `${apiKey}-${account}`;
    writeFileSync(join(secretsFolder, account, "api-key"), secret, { mode: 0o600 });
    writeFileSync(join(secretsFolder, account, "secret-key"), secret, { mode: 0o600 });
    writeFileSync(join(secretsFolder, account, "webhook-secret"), webhookSecret, { mode: 0o600 });
  }
  const write = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    return join(folder, name);
  };
  return {
    databaseUrl,
    secretsFolder,
    partnerId,
    privateKeyFile: write("connector.pem", privateKey.export({ format: "pem", type: "pkcs8" })),
    keyVersion: 1,
    gatewayPublicKeyFile: write("gateway.pem", gatewayPublicKey.export({ format: "pem", type: "spki" })),
    host: "127.0.0.1",
    port: 0,
    webhookPort: 0,
    metricsPort: 0,
    databaseConnectionsMax: 10,
    providerTimeoutMs: 2_000,
  };
}

/** The gateway's end for callbacks: verifies, and acknowledges with its own signature. */
async function startReceiver(
  gatewayKey: KeyObject,
  connectorKey: KeyObject,
  now: () => Date,
): Promise<{ readonly url: string; readonly callbacks: Fields[]; stop(): Promise<void> }> {
  const callbacks: Fields[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      const body = Buffer.concat(chunks);
      const path = request.url ?? "";
      const headers = request.headers as Readonly<Record<string, string>>;
      const message = { path, clientId: partnerId, time: headers["request-time"] ?? "", body };
      const isValid = signatureHolds(message, headers["signature"] ?? "", connectorKey);
      if (isValid) callbacks.push(JSON.parse(body.toString("utf8")) as Fields);
      const result = { resultCode: "SUCCESS", resultStatus: isValid ? "S" : "F", resultMessage: "" };
      const answer = Buffer.from(JSON.stringify({ result }));
      const time = toWireTime(now().getTime());
      const signature = signatureFor({ path, clientId: partnerId, time, body: answer }, gatewayKey, 1);
      response.writeHead(200, { "response-time": time, signature, "client-id": partnerId });
      response.end(answer);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/callbacks`,
    callbacks,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
