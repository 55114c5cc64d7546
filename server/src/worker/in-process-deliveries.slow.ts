import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest, startTestStack, type ServeOptions } from "../../test/start/test-stack.ts";
import { acknowledge, startTestEndpoint, type TestEndpoint } from "../../test/shop/test-notification.ts";

/** No worker runs in these tests, unless a test starts one: `serve` delivers all webhooks. */
const stack = await startTestStack();
const { database, merchant, provider } = stack;
const run = <Row extends object>(text: string): Promise<readonly Row[]> =>
  asSuperuser<Row>(text, [], database.superuserUrl);

/** Pays, and lets the buyer approve. A process with a crash point may be gone when this returns. */
async function payWithWebhook(
  name: string,
  endpoint: TestEndpoint,
  serving: ServeOptions = {},
): Promise<() => Promise<void>> {
  const served = await stack.serve({ ...serving, isPublic: true });
  const request = payRequest(name, { paymentNotifyUrl: endpoint.url });
  const { json } = await callPayments(served.url, merchant, "pay", request);
  const approve = (): Promise<{ status: number }> => provider.control(String(json["paymentId"]), "approve");
  await eventually(10_000, approve, ({ status }) => status === 200);
  return async () => {
    served.process.kill("SIGTERM");
    await served.process.exited;
  };
}

interface WebhookState {
  readonly status: string;
  readonly attempts: number;
  readonly is_leased: boolean | null;
}

/** The webhook about a payment, and whether its job is leased. */
async function readWebhookState(name: string): Promise<WebhookState | undefined> {
  const [row] = await run<WebhookState>(
    `select n.status, n.attempts, not j.follows_merchant_clock as is_leased
     from payments p join notifications n on n.subject_id = p.payment_id
     left join jobs j on j.subject_id = n.notification_id where p.payment_request_id = '${name}'`,
  );
  return row;
}

async function waitForState(name: string, expected: Partial<WebhookState>): Promise<void> {
  const found = await eventually(
    20_000,
    () => readWebhookState(name),
    (now) => Object.entries(expected).every(([key, value]) => now?.[key as keyof WebhookState] === value),
  );
  assert.ok(found);
}

test("the process that settled a payment delivers its webhook, without a worker", async () => {
  const endpoint = await startTestEndpoint();
  const stop = await payWithWebhook("told", endpoint);
  await waitForState("told", { status: "DELIVERED", attempts: 1, is_leased: null });
  assert.equal(endpoint.bodies.length, 1);
  await stop();
});

test("if the endpoint refuses the webhook, it is retried later by any process", async () => {
  const endpoint = await startTestEndpoint((_request, response) => void response.writeHead(500).end());
  const stop = await payWithWebhook("refused", endpoint);
  await waitForState("refused", { status: "WAITING", attempts: 1, is_leased: false });
  await stop();
});

test("a crash between settlement and delivery: the webhook is delivered once, after the lease", async () => {
  const endpoint = await startTestEndpoint();
  await payWithWebhook("killed", endpoint, { crashAt: "after-callback-commit" });
  await waitForState("killed", { status: "WAITING", attempts: 0, is_leased: true });
  const worker = await stack.work();
  // The provider does not repeat its callback, so only the outbox has the webhook. The test sets the lease to expire
  // immediately.
  await run(
    "update jobs set due_at = now() where job = 'deliver-notification' and not follows_merchant_clock",
  );
  await waitForState("killed", { status: "DELIVERED", attempts: 1, is_leased: null });
  assert.equal(endpoint.bodies.length, 1);
  await worker.stop();
});

test("a stop during a delivery waits for the response, and leaves nothing behind", async () => {
  const endpoint = await startTestEndpoint((request, response) => {
    setTimeout(() => acknowledge(request, response), 1_000);
  });
  const stop = await payWithWebhook("stopped", endpoint);
  await eventually(
    10_000,
    async () => endpoint.bodies.length,
    (count) => count === 1,
  );
  await stop();
  assert.deepEqual(await readWebhookState("stopped"), { status: "DELIVERED", attempts: 1, is_leased: null });
});

test("an operator can configure that only workers deliver webhooks", async () => {
  const endpoint = await startTestEndpoint();
  const stop = await payWithWebhook("by-work", endpoint, { variables: { TOLLGATE_NOTIFY_FROM: "work" } });
  await waitForState("by-work", { status: "WAITING", attempts: 0, is_leased: false });
  await stop();
  assert.equal(endpoint.bodies.length, 0);
});
