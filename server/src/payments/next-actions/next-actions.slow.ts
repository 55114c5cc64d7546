import assert from "node:assert/strict";
import { test } from "node:test";
import { newMerchantClient } from "../../../test/shop/test-session.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import type { ReceivedAnswer } from "../../../test/start/test-gateway.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { payRequest, startTestStack } from "../../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
const variables = { TOLLGATE_LOG_LEVEL: "debug" };
const serving = await stack.serve({ isPublic: true, variables });
const client = newMerchantClient(serving.url, merchant);
let log = "";
serving.process.child.stdout?.on("data", (text: Buffer) => (log += text.toString("utf8")));

/** Starts a payment whose buyer has this next action, and waits until the gateway knows it. */
async function pay(id: string, fault: object): Promise<ReceivedAnswer> {
  await provider.fault({ match: { verb: "submit" }, ...fault });
  await client.request("payments/pay", payRequest(id));
  await eventually(
    15_000,
    () => accepted(id),
    (isAccepted) => isAccepted,
  );
  // A repeated request returns what the gateway knows now.
  return client.request("payments/pay", payRequest(id));
}

async function accepted(id: string): Promise<boolean> {
  const rows = await select(
    "select from payments where payment_request_id = $1 and provider_accepted_at is not null",
    id,
  );
  return rows.length > 0;
}

function select<Row extends object>(query: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
  return asSuperuser<Row>(query, values, database.superuserUrl);
}

async function pageOf({ json }: ReceivedAnswer): Promise<string> {
  return (await fetch(String(json["normalUrl"]))).text();
}

const shown = {
  "action-redirect": /class="button" href="http:\/\/127\.0\.0\.1:\d+\/pay\//,
  "action-app": /class="button app" href="sandbox-wallet:\/\/pay\//,
  "action-code": /class="renewed/,
  "action-in-page": /<iframe/,
  "action-wait": /Confirm your payment/,
};

for (const [kind, content] of Object.entries(shown))
  test(`${kind}: the checkout page shows it, and the buyer can pay`, async () => {
    const answer = await pay(kind, { kind, delayMs: 60_000 });
    assert.match(await pageOf(answer), content);
    await provider.control(String(answer.json["paymentId"]), "approve");
    await client.waitForStatus(kind, "SUCCESS");
    assert.match(await pageOf(answer), /<h1[^>]*>Paid</);
  });

test("a repeated pay has the address of the app, and none of another action", async () => {
  const app = await pay("app", { kind: "action-app" });
  assert.match(String(app.json["schemeUrl"]), /^sandbox-wallet:\/\/pay\//);
  const redirect = await pay("redirect", { kind: "action-redirect" });
  assert.deepEqual([redirect.json["schemeUrl"], redirect.json["paymentData"]], [undefined, undefined]);
});

test("a code that expires is replaced by a poll of a worker, also after a restart of the worker", async () => {
  const before = await pay("code", { kind: "action-code", delayMs: 2_000 });
  const statusUrl = `${String(before.json["normalUrl"])}/status`;
  const actionOf = async (): Promise<number> =>
    ((await (await fetch(statusUrl)).json()) as { readonly action: number }).action;
  assert.equal(await actionOf(), 1);
  const worker = await stack.work();
  await eventually(30_000, actionOf, (action) => action === 2);
  await worker.stop();
  const restarted = await stack.work();
  await eventually(30_000, actionOf, (action) => action === 3);
  await restarted.stop();
});

test("an order code of a store expires with its code", async () => {
  const merchantFields = {
    referenceMerchantId: "m-1",
    merchantName: "Coffee Lab",
    merchantMCC: "5814",
    store: { referenceStoreId: "s-1", storeName: "Harbour", storeMCC: "5814" },
  };
  await provider.fault({ kind: "action-code", delayMs: 45_000, match: { verb: "submit" } });
  const order = { orderDescription: "Two coffees", merchant: merchantFields, referenceOrderId: "order-1" };
  const { json } = await client.request(
    "payments/pay",
    payRequest("store", {
      productCode: "IN_STORE_PAYMENT",
      order: { ...order, orderAmount: { currency: "EUR", value: "1250" } },
      paymentFactor: { inStorePaymentScenario: "OrderCode" },
      paymentNotifyUrl: "https://shop.example/notify",
    }),
  );
  const { expireTime } = (json["orderCodeForm"] ?? assert.fail(JSON.stringify(json))) as {
    expireTime: string;
  };
  const leftMs = Date.parse(expireTime) - Date.now();
  assert.ok(leftMs > 30_000 && leftMs <= 45_000, expireTime);
});

test("client data is only in the response to the merchant, and deleted when the payment is paid", async () => {
  const answer = await pay("in-page", { kind: "action-in-page" });
  const secret = String(answer.json["paymentData"]);
  assert.match(secret, /^sandbox_client_data_/);
  assert.doesNotMatch(await pageOf(answer), /sandbox_client_data/);
  const tables = (await dump()).filter(([, text]) => text.includes(secret)).map(([table]) => table);
  assert.deepEqual(tables, ["payments"]);

  await provider.control(String(answer.json["paymentId"]), "approve");
  await client.waitForStatus("in-page", "SUCCESS");
  await serving.process.stop();
  assert.match(log, /payments\/pay/);
  assert.doesNotMatch(log, /sandbox_client_data/);
  const [, logged = ""] =
    (await dump()).find(([, text]) => text.includes('"paymentId') && text.includes("paymentData")) ?? [];
  assert.match(logged, /paymentData/);
  assert.deepEqual(
    (await dump()).filter(([, text]) => text.includes("sandbox_client_data")),
    [],
  );
});

/** Every row of every table of the gateway, as text. */
async function dump(): Promise<readonly (readonly [table: string, row: string])[]> {
  const tables = await select<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  const rows = await Promise.all(
    tables.map(async ({ name }) => {
      const found = await select<{ row: string }>(`select row_to_json(t)::text as row from ${name} as t`);
      return found.map(({ row }) => [name, row] as const);
    }),
  );
  return rows.flat();
}
