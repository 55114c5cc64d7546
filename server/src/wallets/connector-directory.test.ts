import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, randomBytes, verify, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { walletSignature } from "../../test/start/wallet-signature.ts";
import { wireTime } from "../core/request-time.ts";
import { makeGatewayKey, openSigner } from "../signing/gateway-keys.ts";
import { wrappingKeysOf } from "../signing/wrapping-keys.ts";
import { openConnectorDirectory } from "./connector-directory.ts";
import { usualTerms, type Connector } from "./connector.ts";
import { WalletUnreachable } from "./wallet.ts";

const wrappingKeys = wrappingKeysOf(randomBytes(32));
const gatewayKey = await makeGatewayKey(1, wrappingKeys, "sandbox");
const signer = await openSigner(async () => [gatewayKey], wrappingKeys, "sandbox");
const pairs = {
  RSA256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  Ed25519: generateKeyPairSync("ed25519"),
};

/** A wallet that knows no order. It notes by which algorithm it was asked, and answers with a key that tests change. */
const asked: string[] = [];
const wallet = { key: pairs.RSA256.privateKey };
const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
await once(server, "listening");
after(() => {
  server.closeAllConnections();
  server.close();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url: path = "", headers } = request;
  asked.push(algorithmIn(path, headers, Buffer.concat((await request.toArray()) as Buffer[])));
  const body = JSON.stringify({ result: { resultCode: "ORDER_NOT_EXIST", resultStatus: "F" } });
  const time = wireTime(Date.now());
  const signature = walletSignature(wallet.key, { path, time, body });
  response.writeHead(200, { "response-time": time, signature }).end(body);
}

/** The algorithm of a call, if its signature holds by it. */
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
    terms: usualTerms,
  };
}

test("a wallet moves from RSA to Ed25519 and back while it is called, and only its registered key is believed", async () => {
  let registered = pairs.RSA256.publicKey;
  const directory = await openConnectorDirectory({
    load: async () => [connectorWith(registered)],
    signer,
    environment: "sandbox",
    now: () => new Date(),
    monotonicMs: () => performance.now(),
    onReachable: () => undefined,
    callbackUrl: () => "http://127.0.0.1:9",
  });
  const inquire = async (): Promise<unknown> =>
    (await directory.find("w"))?.wallet.inquire("never", AbortSignal.timeout(10_000));
  for (const algorithm of ["RSA256", "Ed25519", "RSA256"] as const) {
    registered = pairs[algorithm].publicKey;
    await directory.refresh();
    wallet.key = pairs[algorithm].privateKey;
    assert.deepEqual(await inquire(), { state: "NOT_FOUND" });
    assert.equal(asked.at(-1), algorithm);

    wallet.key = pairs[algorithm === "RSA256" ? "Ed25519" : "RSA256"].privateKey;
    await assert.rejects(inquire(), (error) => {
      assert.ok(error instanceof WalletUnreachable && error.cause instanceof Error);
      return error.cause.message === "UNSUPPORTED_ALGORITHM";
    });
  }
});
