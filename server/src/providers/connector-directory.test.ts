import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, randomBytes, verify, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { providerSignature } from "../../test/start/provider-signature.ts";
import { formatWireTime } from "../core/request-time.ts";
import { createGatewayKey, openSigner } from "../signing/gateway-keys.ts";
import { createWrappingKeys } from "../signing/wrapping-keys.ts";
import { createHttpProviderFactory } from "../egress/http-provider-factory.ts";
import { openConnectorDirectory } from "./connector-directory.ts";
import { defaultTerms, type Connector } from "./connector.ts";
import { ProviderUnreachable } from "./provider.ts";

const wrappingKeys = createWrappingKeys(randomBytes(32));
const gatewayKey = await createGatewayKey(1, wrappingKeys, "sandbox");
const signer = await openSigner(async () => [gatewayKey], wrappingKeys, "sandbox");
const pairs = {
  RSA256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  Ed25519: generateKeyPairSync("ed25519"),
};

/**
 * A provider that knows no order. It records the algorithm of each request, and responds with a key that tests change.
 */
const receivedPaths: string[] = [];
const provider = { key: pairs.RSA256.privateKey };
const server = createServer((request, response) => void respond(request, response)).listen(0, "127.0.0.1");
await once(server, "listening");
after(() => {
  server.closeAllConnections();
  server.close();
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url: path = "", headers } = request;
  receivedPaths.push(algorithmIn(path, headers, Buffer.concat((await request.toArray()) as Buffer[])));
  const body = JSON.stringify({ result: { resultCode: "ORDER_NOT_EXIST", resultStatus: "F" } });
  const time = formatWireTime(Date.now());
  const signature = providerSignature(provider.key, { path, time, body });
  response.writeHead(200, { "response-time": time, signature }).end(body);
}

/** The algorithm of a request whose signature is valid. */
function algorithmIn(path: string, headers: NodeJS.Dict<string | string[]>, body: Buffer): string {
  const [, algorithm, value = ""] =
    /^algorithm=(\w+),keyVersion=1,signature=(.*)$/.exec(String(headers["signature"])) ?? [];
  const text = Buffer.concat([
    Buffer.from(`POST ${path}\ntollgate.${String(headers["request-time"])}.`),
    body,
  ]);
  const [digest, der] =
    algorithm === "Ed25519"
      ? ([null, gatewayKey.ed25519?.publicKey] as const)
      : (["sha256", gatewayKey.publicKey] as const);
  const key = createPublicKey({ key: der ?? Buffer.of(), format: "der", type: "spki" });
  return verify(digest, text, key, Buffer.from(decodeURIComponent(value), "base64"))
    ? String(algorithm)
    : "forged";
}

function connectorWith(key: KeyObject): Connector {
  return {
    name: "w",
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    partnerId: "tollgate",
    publicKey: key.export({ format: "der", type: "spki" }),
    gatewayKeyVersion: 1,
    paymentMethodTypes: ["*"],
    simulator: true,
    terms: defaultTerms,
  };
}

test("a provider moves from RSA to Ed25519 and back under traffic, and only its registered key is accepted", async () => {
  let registered = pairs.RSA256.publicKey;
  const directory = await openConnectorDirectory({
    load: async () => [connectorWith(registered)],
    openProvider: createHttpProviderFactory({
      signer,
      now: () => new Date(),
      callbackUrl: () => "http://127.0.0.1:9",
    }),
    environment: "sandbox",
    monotonicMs: () => performance.now(),
    onReachable: () => undefined,
  });
  const inquire = async (): Promise<unknown> =>
    (await directory.find("w"))?.provider.inquire(
      { reference: "never", owner: undefined },
      AbortSignal.timeout(10_000),
    );
  for (const algorithm of ["RSA256", "Ed25519", "RSA256"] as const) {
    registered = pairs[algorithm].publicKey;
    await directory.refresh();
    provider.key = pairs[algorithm].privateKey;
    assert.deepEqual(await inquire(), { state: "NOT_FOUND" });
    assert.equal(receivedPaths.at(-1), algorithm);

    provider.key = pairs[algorithm === "RSA256" ? "Ed25519" : "RSA256"].privateKey;
    await assert.rejects(inquire(), (error) => {
      assert.ok(error instanceof ProviderUnreachable && error.cause instanceof Error);
      return error.cause.message === "UNSUPPORTED_ALGORITHM";
    });
  }
});
