import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { newRequestId } from "../typescript/src/request-id.ts";
import { testKeys } from "../typescript/src/testing.ts";
import { Tollgate } from "../typescript/src/tollgate.ts";
import type { DevGateway } from "./dev-gateway.ts";
import { createExampleGateway, type ExampleGateway } from "./example-gateway.ts";

/**
 * Tests that every example of a webhook receiver must pass, with a real gateway. The example is a shop with
 * two addresses: `/notify`, and `/orders`. `/orders` takes `{"paymentRequestId":"…"}` as JSON, creates an
 * order with this name if there is none, and returns `{"paymentRequestId":"…","status":"WAITING"}`; later
 * `PAID` or `FAILED`.
 *
 * From another language: `TOLLGATE_DEV='{…}' node clients/life/receiver-tests.ts http://127.0.0.1:3000`, with
 * the output of `scripts/dev.ts --json`.
 */
export async function testReceiver(gateway: ExampleGateway, url: string): Promise<void> {
  await waitUntilListening(url);
  const shop = connectToShop(gateway, url);
  await testForgedWebhooks(gateway, url);
  await Promise.all([
    testPaidPayment(shop),
    testRedelivery(shop),
    testFailedPayment(shop),
    testPendingPayment(shop),
  ]);
  // After all valid webhooks, the receiver must still reject invalid signatures.
  await testForgedWebhooks(gateway, url);
}

interface Shop {
  readonly gateway: ExampleGateway;
  readonly notifyUrl: string;
  /**
   * Creates an order if there is none, and returns its status. An ordinary JSON route next to the receiver.
   */
  orderStatus(paymentRequestId: string): Promise<string>;
}

/**
 * Tests forged webhooks: only the gateway may report a payment as paid. A client with an invalid signature
 * must learn nothing about the shop.
 */
async function testForgedWebhooks({ variables }: ExampleGateway, url: string): Promise<void> {
  const path = "/notify?shop=1";
  const body = JSON.stringify({ notifyType: "PAYMENT_RESULT", paymentId: "1", sequence: 1 });
  const otherKey = await testKeys();
  const { webhooks } = new Tollgate({
    clientId: variables["TOLLGATE_CLIENT_ID"] ?? "",
    privateKey: otherKey.privateKey,
    gatewayPublicKeys: otherKey.publicKey,
    baseUrl: "https://gateway.example",
  });
  const signatureHeaders = await webhooks.sign({ path, body, privateKey: otherKey.privateKey });
  for (const headers of [{}, signatureHeaders]) {
    const contentType = { "content-type": "application/json" };
    const response = await fetch(url + path, {
      method: "POST",
      headers: { ...headers, ...contentType },
      body,
    });
    const text = await response.text();
    assert.equal(response.status, 401, `A webhook with an invalid signature got ${response.status}: ${text}`);
    assert.doesNotMatch(text, /^\s+at |Traceback|node_modules|\.(php|java|py|ts)\b/m);
  }
}

async function testPaidPayment({ gateway, notifyUrl, orderStatus }: Shop): Promise<void> {
  const paymentRequestId = newRequestId("paid");
  assert.equal(await orderStatus(paymentRequestId), "WAITING");
  const paymentId = await gateway.pay(notifyUrl, paymentRequestId);
  await gateway.approve(paymentId);
  await gateway.untilDelivered(paymentId);
  assert.equal(await orderStatus(paymentRequestId), "PAID");
}

/**
 * Tests a webhook whose order does not exist yet, for example because the webhook arrives before the shop's
 * own commit.
 */
async function testRedelivery({ gateway, notifyUrl, orderStatus }: Shop): Promise<void> {
  const paymentRequestId = newRequestId("late");
  const paymentId = await gateway.pay(notifyUrl, paymentRequestId);
  await gateway.approve(paymentId);
  await gateway.untilResponded(paymentId, 500);
  assert.equal(await orderStatus(paymentRequestId), "WAITING");
  await gateway.resend(paymentId);
  await gateway.untilDelivered(paymentId);
  assert.equal(
    await orderStatus(paymentRequestId),
    "PAID",
    "A webhook whose update failed once was acknowledged and not applied.",
  );
}

async function testFailedPayment({ gateway, notifyUrl, orderStatus }: Shop): Promise<void> {
  const paymentRequestId = newRequestId("failed");
  assert.equal(await orderStatus(paymentRequestId), "WAITING");
  const paymentId = await gateway.pay(notifyUrl, paymentRequestId);
  await gateway.decline(paymentId);
  await gateway.untilDelivered(paymentId);
  assert.equal(await orderStatus(paymentRequestId), "FAILED", "A failed payment is not FAILED.");
}

/**
 * The webhook of a pending payment has a result with S; only its notifyType shows that the payment is not
 * paid yet.
 */
async function testPendingPayment({ gateway, notifyUrl, orderStatus }: Shop): Promise<void> {
  const paymentRequestId = newRequestId("pending");
  assert.equal(await orderStatus(paymentRequestId), "WAITING");
  const paymentId = await gateway.pay(notifyUrl, paymentRequestId);
  await gateway.pend(paymentId);
  await gateway.untilDelivered(paymentId);
  assert.equal(await orderStatus(paymentRequestId), "WAITING", "A pending payment is not WAITING.");
}

function connectToShop(gateway: ExampleGateway, url: string): Shop {
  return {
    gateway,
    notifyUrl: `${url}/notify?shop=1`,
    async orderStatus(paymentRequestId) {
      const response = await postOrder(url, paymentRequestId);
      const text = await response.text();
      assert.equal(response.status, 200, `The other JSON route got ${response.status}: ${text}`);
      const { paymentRequestId: returnedId, status } = JSON.parse(text) as Record<string, string>;
      assert.equal(returnedId, paymentRequestId);
      return status ?? "";
    },
  };
}

function postOrder(url: string, paymentRequestId: string): Promise<Response> {
  return fetch(`${url}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ paymentRequestId }),
  });
}

export async function waitUntilListening(url: string): Promise<void> {
  const isListening = (): Promise<boolean> =>
    postOrder(url, newRequestId("first")).then(
      (response) => response.text().then(() => true),
      () => false,
    );
  for (const untilMs = Date.now() + startTimeoutMs; Date.now() < untilMs; await pause(100))
    if (await isListening()) return;
  throw new Error(`No server listens at ${url}.`);
}

const startTimeoutMs = 60_000;

if (import.meta.main) {
  const devGateway = JSON.parse(process.env["TOLLGATE_DEV"] ?? "{}") as Omit<DevGateway, "stop">;
  const gateway = await createExampleGateway({ ...devGateway, stop: async () => {} });
  await testReceiver(gateway, process.argv[2] ?? "");
}
