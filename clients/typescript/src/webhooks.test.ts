import assert from "node:assert/strict";
import { test } from "node:test";
import { MalformedResponseError, SignatureVerificationError } from "./errors.ts";
import { fakeClock, testKeys } from "./testing.ts";
import { Tollgate } from "./tollgate.ts";
import { Webhooks, type Incoming } from "./webhooks.ts";

const [merchant, gateway] = await Promise.all([testKeys(), testKeys()]);
const clock = fakeClock();
const { webhooks } = new Tollgate({
  clientId: "5YTEST",
  privateKey: merchant.privateKey,
  gatewayPublicKeys: gateway.publicKey,
  baseUrl: "https://gateway.example",
  clock,
});
const path = "/notify?shop=1";
const paid = {
  notifyType: "PAYMENT_RESULT",
  result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
  paymentId: "20261115",
  paymentRequestId: "order-1",
  paymentCreateTime: "2026-11-15T09:30:00+00:00",
  newField: "kept",
  sequence: 2,
};

async function incoming(content: object | string, more: Partial<Incoming> = {}): Promise<Incoming> {
  const body = typeof content === "string" ? content : JSON.stringify(content);
  const headers = await webhooks.sign({ path, body, privateKey: gateway.privateKey });
  return { path, headers, body, ...more };
}

const isBecause = (reason: string) => (error: unknown) =>
  error instanceof SignatureVerificationError && error.reason === reason;

test("a webhook is typed by its kind, and keeps unknown fields", async () => {
  const told = await webhooks.construct(await incoming(paid));
  assert.equal(told.kind, "notifyPayment");
  assert.deepEqual(told.body, paid);
  assert.equal(told.subject, "notifyPayment 20261115");
  assert.equal(told.sequence, 2);
});

test("headers of any framework are accepted, and the body as bytes or text", async () => {
  const { headers, body } = await incoming(paid);
  const pairs = Object.entries(headers as Record<string, string>);
  const lists = Object.fromEntries(pairs.map(([name, value]) => [name.toUpperCase(), [value]]));
  for (const each of [headers, new Headers(pairs), new Map(pairs), pairs, lists])
    assert.ok(await webhooks.construct({ path, headers: each as Incoming["headers"], body }));
  assert.ok(await webhooks.construct({ path, headers, body: Buffer.from(body) }));
});

test("a body that a framework has parsed is rejected with its own reason", async () => {
  const message = await incoming(paid);
  const parsed = { ...message, body: paid as unknown as string };
  await assert.rejects(webhooks.construct(parsed), isBecause("BODY_ALREADY_PARSED"));
  const rewritten = { ...message, body: JSON.stringify(paid, undefined, 1) };
  await assert.rejects(webhooks.construct(rewritten), isBecause("MISMATCH"));
});

test("the query is part of the path", async () => {
  await assert.rejects(webhooks.construct(await incoming(paid, { path: "/notify" })), isBecause("MISMATCH"));
});

test("a webhook whose time differs by more than five minutes is rejected", async () => {
  const message = await incoming(paid);
  clock.advance(300_000);
  assert.ok(await webhooks.construct(message));
  clock.advance(2_000);
  await assert.rejects(webhooks.construct(message), isBecause("STALE"));
});

test("a webhook of an unknown kind is verified, too", async () => {
  const told = await webhooks.construct(await incoming({ notifyType: "SOMETHING_NEW", paymentId: "1" }));
  assert.equal(told.kind, "unknown");
  assert.match(told.subject, /^unknown [0-9a-f]{64}$/);
  assert.equal(told.sequence, 0);
});

test("a webhook without notifyType is identified by its fields", async () => {
  const registration = {
    referenceMerchantId: "m",
    registrationRequestId: "r-1",
    registrationResult: { registrationStatus: "COMPLETED" },
    pspRegistrationResultList: [],
    sequence: 4,
  };
  const told = await webhooks.construct(await incoming(registration));
  assert.equal(told.kind, "notifyRegistrationStatus");
  assert.equal(told.subject, "notifyRegistrationStatus r-1");
});

test("a signed body that is not a JSON object is malformed", async () => {
  for (const body of ["", "[]", "1", "null", "{"])
    await assert.rejects(webhooks.construct(await incoming(body)), MalformedResponseError);
});

test("the acknowledgement has the exact bytes of the interface", () => {
  assert.equal(
    webhooks.ack(),
    '{"result":{"resultCode":"SUCCESS","resultStatus":"S","resultMessage":"success"}}',
  );
});

test("a service that only receives webhooks needs no private key", async () => {
  const message = await incoming(paid);
  const receiving = { clientId: "5YTEST", gatewayPublicKeys: { 1: gateway.publicKey }, clock };
  assert.equal((await Webhooks.of(receiving).construct(message)).subject, "notifyPayment 20261115");
  const wrongKey = Webhooks.of({ ...receiving, gatewayPublicKeys: merchant.publicKey });
  await assert.rejects(wrongKey.construct(message), isBecause("MISMATCH"));
  const otherClient = Webhooks.of({ ...receiving, clientId: "5YOTHER" });
  await assert.rejects(otherClient.construct(message), isBecause("CLIENT_MISMATCH"));
});

test("a receiver reads the environment, and names missing variables", async () => {
  const variables = { TOLLGATE_CLIENT_ID: "5YTEST", TOLLGATE_GATEWAY_PUBLIC_KEY: gateway.publicKey };
  Object.assign(process.env, variables);
  try {
    assert.ok(await Webhooks.of({ clock }).construct(await incoming(paid)));
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
  }
  assert.throws(() => Webhooks.of(), /There is no clientId: pass it, or set TOLLGATE_CLIENT_ID\./);
  assert.throws(() => Webhooks.of({ clientId: "5YTEST" }), /There is no gatewayPublicKeys/);
  const { publicKey } = gateway;
  assert.throws(
    () => Webhooks.of({ clientId: "5YTEST", gatewayPublicKeys: publicKey, webhookToleranceSeconds: -1 }),
    /webhookToleranceSeconds/,
  );
});
