import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ConfigurationError, InvalidKeyError } from "./errors.ts";
import type { LogEntry } from "./log.ts";
import { fakeGateway, testKeys, verifyRequest } from "./testing.ts";
import { Tollgate, type TollgateOptions } from "./tollgate.ts";

const [merchant, gateway] = await Promise.all([testKeys(), testKeys()]);
const success = { result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." } };
const complete: TollgateOptions = {
  clientId: "5YTEST",
  privateKey: merchant.privateKey,
  gatewayPublicKeys: gateway.publicKey,
  baseUrl: "https://gateway.example",
};

function withOneAnswer(options: TollgateOptions = {}): [Tollgate, ReturnType<typeof fakeGateway>] {
  const fake = fakeGateway([{ body: success }], gateway.privateKey);
  return [new Tollgate({ ...complete, transport: fake.transport, ...options }), fake];
}

test("a request is signed with the merchant's key and has its client id", async () => {
  const [client, { requests }] = withOneAnswer({
    appInfo: { name: "shop", version: "2" },
    agentToken: "agent",
  });
  await client.payments.inquiryPayment({ paymentId: "1" });
  assert.deepEqual(await verifyRequest(requests[0]!, merchant.publicKey), { paymentId: "1" });
  await assert.rejects(verifyRequest(requests[0]!, gateway.publicKey), /does not match/);
  const { headers, url } = requests[0]!;
  assert.equal(url, "https://gateway.example/ams/api/v1/payments/inquiryPayment");
  assert.match(
    headers["user-agent"] ?? "",
    /^tollgate-typescript\/\d+\.\d+\.\d+(?:-rc\.\d+)? \(node \d.*\) shop\/2$/,
  );
  assert.equal(headers["agent-token"], "agent");
});

for (const [what, options, problem] of [
  [
    "without a client id",
    { clientId: undefined },
    /There is no clientId: pass it, or set TOLLGATE_CLIENT_ID\./,
  ],
  ["without a private key", { privateKey: undefined }, /There is no privateKey/],
  ["without a key of the gateway", { gatewayPublicKeys: undefined }, /There is no gatewayPublicKeys/],
  ["with no key in the map", { gatewayPublicKeys: {} }, /At least one public key/],
  ["without a base URL", { baseUrl: undefined }, /There is no baseUrl/],
  ["with a client id of two lines", { clientId: "a\nb" }, /visible ASCII/],
  ["with a path in the base URL", { baseUrl: "https://a.example/b" }, /only a scheme and a host/],
  ["with a user in the base URL", { baseUrl: "https://a@b.example" }, /only a scheme and a host/],
  ["without encryption", { baseUrl: "http://gateway.example" }, /must start with https/],
  [
    "with a name that only begins like loopback",
    { baseUrl: "http://127.0.0.1.evil.example" },
    /must start with https/,
  ],
  ["with another scheme", { baseUrl: "ftp://gateway.example" }, /must be like/],
  ["with a key version of 0", { keyVersion: 0 }, /key version/],
  ["with a timeout of 0", { timeoutMs: 0 }, /timeoutMs/],
  ["with an infinite timeout", { timeoutMs: Number.POSITIVE_INFINITY }, /timeoutMs/],
  ["with negative retries", { maxRetries: -1 }, /maxRetries/],
  ["with an unknown environment", { environment: "test" as "live" }, /sandbox or live/],
  ["with an agent token of two lines", { agentToken: "a\r\nX: 1" }, /invalid characters/],
] as const) {
  test(`a client ${what} is rejected`, () => {
    assert.throws(
      () => new Tollgate({ ...complete, ...options }),
      (error) => error instanceof ConfigurationError && problem.test(error.message),
    );
  });
}

test("a public key instead of the private key is reported with a clear message", () => {
  const wrong = { ...complete, privateKey: merchant.publicKey };
  assert.throws(
    () => new Tollgate(wrong),
    (error) =>
      error instanceof InvalidKeyError &&
      error.reason === "PUBLIC_INSTEAD_OF_PRIVATE" &&
      error.message ===
        "The private key cannot be used: this is a public key. Provide the private key of the same pair.",
  );
});

test("http is allowed for loopback, and with allowInsecure", () => {
  for (const baseUrl of ["http://127.0.0.1:8080", "http://localhost", "http://[::1]:1"])
    assert.ok(new Tollgate({ ...complete, baseUrl }));
  assert.ok(new Tollgate({ ...complete, baseUrl: "http://inside.example", allowInsecure: true }));
});

test("a client's own public key as the gateway's key logs a warning", () => {
  const said: LogEntry[] = [];
  const logger = (entry: LogEntry): unknown => said.push(entry);
  assert.ok(new Tollgate({ ...complete, logger }));
  assert.deepEqual(said, []);
  assert.ok(new Tollgate({ ...complete, logger, gatewayPublicKeys: { 1: merchant.publicKey } }));
  assert.match(JSON.stringify(said), /"event":"warning".*your own public key/);
});

test("missing options are read from the environment", async () => {
  const variables = {
    TOLLGATE_CLIENT_ID: "SANDBOX_5Y",
    TOLLGATE_PRIVATE_KEY: merchant.privateKey,
    TOLLGATE_GATEWAY_PUBLIC_KEY: gateway.publicKey,
    TOLLGATE_BASE_URL: "https://environment.example/",
    TOLLGATE_KEY_VERSION: "3",
  };
  Object.assign(process.env, variables);
  try {
    const { transport, requests } = fakeGateway([{ body: success }], gateway.privateKey);
    await new Tollgate({ transport }).payments.cancel({ paymentId: "1" });
    assert.equal(requests[0]?.url, "https://environment.example/ams/sandbox/api/v1/payments/cancel");
    assert.match(requests[0]?.headers["signature"] ?? "", /keyVersion=3/);
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
});

test("keys can be in files, and an option takes precedence", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-keys-"));
  const [own, theirs] = [join(folder, "own.pem"), join(folder, "theirs.pem")];
  const variables = { TOLLGATE_PRIVATE_KEY_FILE: own, TOLLGATE_GATEWAY_PUBLIC_KEY_FILE: theirs };
  Object.assign(process.env, variables);
  try {
    await writeFile(own, merchant.privateKey);
    await writeFile(theirs, gateway.publicKey);
    const [client, { requests }] = withOneAnswer({ privateKey: undefined, gatewayPublicKeys: undefined });
    assert.ok((await client.payments.inquiryPayment({ paymentId: "1" })).isSuccess);
    await verifyRequest(requests[0]!, merchant.publicKey);
    await rm(folder, { recursive: true });
    assert.ok(new Tollgate(complete));
    assert.throws(() => new Tollgate({ ...complete, privateKey: undefined }), /this file does not exist/);
    assert.throws(
      () => new Tollgate({ ...complete, gatewayPublicKeys: undefined }),
      /this file does not exist/,
    );
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
});

test("a WebCrypto key signs and verifies", async () => {
  const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const { subtle } = crypto;
  const own = await subtle.importKey("pkcs8", Buffer.from(merchant.privateKey, "base64"), rsa, false, [
    "sign",
  ]);
  const theirs = await subtle.importKey("spki", Buffer.from(gateway.publicKey, "base64"), rsa, true, [
    "verify",
  ]);
  const [client, { requests }] = withOneAnswer({ privateKey: own, gatewayPublicKeys: { 1: theirs } });
  assert.ok((await client.payments.inquiryPayment({ paymentId: "1" })).isSuccess);
  await verifyRequest(requests[0]!, merchant.publicKey);
});

test("the properties that the library adds to a response are not written to JSON", async () => {
  const [client] = withOneAnswer();
  const answer = await client.payments.inquiryPayment({ paymentId: "1" });
  assert.deepEqual(JSON.parse(JSON.stringify(answer)), success);
  assert.equal(answer.attempts, 1);
  assert.equal(answer.isSuccess, true);
});

test("the request object is not changed", async () => {
  const [client] = withOneAnswer({ environment: "sandbox" });
  const request = Object.freeze({ paymentId: "1", paymentRequestId: undefined });
  await client.payments.inquiryPayment(request);
  assert.deepEqual(request, { paymentId: "1", paymentRequestId: undefined });
});
