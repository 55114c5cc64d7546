import assert from "node:assert/strict";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, beforeEach, test } from "node:test";
import { createTestCertificate } from "../../test/start/test-certificate.ts";
import { writeTestFile } from "../../test/start/test-gateway.ts";
import { providerSignature } from "../../test/start/provider-signature.ts";
import { formatWireTime } from "../core/request-time.ts";
import { createGatewayKey, openSigner } from "../signing/gateway-keys.ts";
import { createWrappingKeys } from "../signing/wrapping-keys.ts";
import { createHttpProviderFactory } from "../egress/http-provider-factory.ts";
import { openConnectorDirectory, type ConnectorDirectory } from "./connector-directory.ts";
import { defaultTerms, type Connector, type ProviderTlsFiles } from "./connector.ts";
import { ProviderUnreachable } from "./provider.ts";

/**
 * These tests have a provider that requires a client certificate, has its own CA, and responds with a key that tests
 * change.
 */
const [providersOwn, ours, renewed] = await Promise.all([
  createTestCertificate("IP:127.0.0.1"),
  createTestCertificate("DNS:gateway.example"),
  createTestCertificate("DNS:gateway.example"),
]);
const wrappingKeys = createWrappingKeys(randomBytes(32));
const gatewayKey = await createGatewayKey(1, wrappingKeys, "sandbox");
const signer = await openSigner(async () => [gatewayKey], wrappingKeys, "sandbox");
const [key, nextKey] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
const provider = { key: key.privateKey };
const clients: string[] = [];

const server = createServer(
  { ...providersOwn, ca: [ours.cert, renewed.cert], requestCert: true, rejectUnauthorized: true },
  (request, response) => void respond(request, response),
).listen(0, "127.0.0.1");
await once(server, "listening");
after(() => {
  server.closeAllConnections();
  server.close();
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  await request.toArray();
  const { socket, url: path = "" } = request as IncomingMessage & {
    socket: { getPeerCertificate(): { fingerprint256: string } };
  };
  clients.push(socket.getPeerCertificate().fingerprint256);
  const body = JSON.stringify({ result: { resultCode: "ORDER_NOT_EXIST", resultStatus: "F" } });
  const time = formatWireTime(Date.now());
  response
    .writeHead(200, {
      "response-time": time,
      signature: providerSignature(provider.key, { path, time, body }),
    })
    .end(body);
}

const files = {
  certificateFile: writeTestFile("gateway.pem", ours.cert),
  keyFile: writeTestFile("gateway.key", ours.key),
  caFile: writeTestFile("provider-ca.pem", providersOwn.cert),
};
const connector: Connector = {
  name: "w",
  url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
  partnerId: "tollgate",
  publicKey: key.publicKey.export({ format: "der", type: "spki" }),
  gatewayKeyVersion: 1,
  paymentMethodTypes: ["*"],
  simulator: true,
  terms: defaultTerms,
};
let set: Partial<Connector> = { tls: files };

function newDirectory(): Promise<ConnectorDirectory> {
  return openConnectorDirectory({
    load: async () => [{ ...connector, ...set }],
    openProvider: createHttpProviderFactory({
      signer,
      now: () => new Date(),
      callbackUrl: () => "http://127.0.0.1:9",
    }),
    environment: "sandbox",
    monotonicMs: () => performance.now(),
    onReachable: () => undefined,
  });
}

let directory = await newDirectory();
// A new directory, so that a circuit breaker that one test has opened does not affect the next one.
beforeEach(async () => {
  directory = await newDirectory();
});

async function inquire(): Promise<unknown> {
  await directory.refresh();
  return (await directory.find("w"))?.provider.inquire(
    { reference: "never", owner: undefined },
    AbortSignal.timeout(10_000),
  );
}

test("a provider that requires a client certificate gets ours, and its own CA is trusted", async () => {
  assert.deepEqual(await inquire(), { state: "NOT_FOUND" });
  assert.equal(clients.length, 1);
});

const lacking: Readonly<Record<string, ProviderTlsFiles | undefined>> = {
  "without a certificate": { caFile: files.caFile },
  "without its CA": { certificateFile: files.certificateFile, keyFile: files.keyFile },
  "without either": undefined,
  "with another's key": { ...files, keyFile: writeTestFile("other.key", renewed.key) },
  "with a missing file": { ...files, certificateFile: "/nowhere/gateway.pem" },
};
for (const [description, tls] of Object.entries(lacking)) {
  test(`${description} that provider is unreachable, and receives no request`, async () => {
    const before = clients.length;
    set = { tls };
    await assert.rejects(inquire(), ProviderUnreachable);
    assert.equal(clients.length, before);
  });
}

test("a renewed certificate is used from the next refresh of the connectors on", async () => {
  set = { tls: files };
  await inquire();
  writeFileSync(files.certificateFile, renewed.cert);
  writeFileSync(files.keyFile, renewed.key);
  await inquire();
  assert.notEqual(clients.at(-1), clients.at(-2));
});

test("a provider rotates its key without downtime: both keys are accepted while both are registered", async () => {
  const otherPublicKey = nextKey.publicKey.export({ format: "der", type: "spki" });
  set = { tls: files };
  provider.key = nextKey.privateKey;
  await assert.rejects(inquire(), ProviderUnreachable);
  set = { tls: files, otherPublicKey };
  for (const pair of [key, nextKey]) {
    provider.key = pair.privateKey;
    assert.deepEqual(await inquire(), { state: "NOT_FOUND" });
  }
  set = { tls: files, publicKey: otherPublicKey };
  assert.deepEqual(await inquire(), { state: "NOT_FOUND" });
  provider.key = key.privateKey;
  await assert.rejects(inquire(), ProviderUnreachable);
});
