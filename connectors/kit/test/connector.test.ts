import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "pg";
import { apiKey, startTestConnector, type Fields } from "./test-connector.ts";

const connector = await startTestConnector(2);
const { call, fake, newOrder } = connector;
const amount = { currency: "EUR", value: "1250" };
const paymentsOf = (reference: string): number =>
  fake.payments.filter((each) => each.reference === reference).length;
const operationsOf = (reference: string): number =>
  fake.operations.filter((each) => each.reference === reference).length;

async function openPaid(more: Fields = {}): Promise<Fields & { readonly reference: string }> {
  const order = newOrder(more);
  await call("submit", order);
  fake.act(order.reference, "approve");
  return order;
}

test("an order is created, paid by a webhook, and reported to the gateway by a callback", async () => {
  const order = newOrder();
  const { reference } = order;
  const submitted = await call("submit", order);
  assert.equal(submitted.resultStatus, "S");
  assert.equal(submitted.order["state"], "OPEN");
  assert.equal((submitted.order["nextAction"] as Fields)["type"], "REDIRECT");
  fake.act(reference, "approve");
  const callback = await connector.waitForCallback((each) => each["reference"] === reference);
  const paid = callback["order"] as Fields;
  assert.equal(paid["state"], "PAID");
  assert.deepEqual(paid["paidAmount"], amount);
  assert.deepEqual((await call("inquire", { reference })).order, paid);
});

test("a repeated submit is the same order, at every process, also at the same moment", async () => {
  const order = newOrder();
  const answers = await Promise.all([0, 1, 0, 1, 0, 1].map((server) => call("submit", order, server)));
  assert.deepEqual(new Set(answers.map(({ resultCode }) => resultCode)), new Set(["SUCCESS"]));
  assert.equal(paymentsOf(order.reference), 1);
  const other = await call("submit", { ...order, amount: { currency: "EUR", value: "1251" } });
  assert.equal(other.resultCode, "REPEAT_REQ_INCONSISTENT");
});

test("after a lost answer, a repeat finds the order under the same idempotency key", async () => {
  const order = newOrder();
  fake.inject("answer-lost");
  assert.equal((await call("submit", order)).resultStatus, "U");
  const repeated = await call("submit", order, 1);
  assert.equal(repeated.order["state"], "OPEN");
  assert.equal(paymentsOf(order.reference), 1);
});

test("after a stored error of a message that acted, the order is looked up and not created again", async () => {
  const order = newOrder();
  fake.inject("acted-500");
  assert.equal((await call("submit", order)).resultStatus, "U");
  assert.equal((await call("submit", order)).order["state"], "OPEN");
  assert.equal(paymentsOf(order.reference), 1);
});

test("after a stored error of a message that did not act, another key is used, but only after the quiet time", async () => {
  const order = newOrder();
  fake.inject("failed-500");
  assert.equal((await call("submit", order)).resultStatus, "U");
  assert.equal((await call("submit", order)).resultStatus, "U");
  assert.equal(paymentsOf(order.reference), 0);
  connector.pass(11_000);
  assert.equal((await call("submit", order)).order["state"], "OPEN");
  assert.equal(paymentsOf(order.reference), 1);
});

test("after the idempotency window a message is never sent again", async () => {
  const [lost, acted] = [newOrder(), newOrder()];
  fake.inject("failed-500");
  await call("submit", lost);
  fake.inject("answer-lost");
  await call("submit", acted);
  connector.pass(24 * 3600 * 1000);
  const notAfter = newOrder()["notAfter"];
  assert.equal((await call("submit", { ...lost, notAfter })).order["state"], "CLOSED");
  assert.equal((await call("submit", { ...acted, notAfter })).order["state"], "OPEN");
  assert.deepEqual([paymentsOf(lost.reference), paymentsOf(acted.reference)], [0, 1]);
});

test("an order whose message never arrived is not cancelled before the quiet time, and closed after it", async () => {
  const { reference, ...order } = newOrder();
  fake.inject("failed-500");
  await call("submit", { ...order, reference });
  assert.equal((await call("cancel", { reference })).resultStatus, "U");
  assert.equal((await call("inquire", { reference })).resultStatus, "U");
  connector.pass(11_000);
  assert.equal((await call("inquire", { reference })).resultCode, "ORDER_NOT_EXIST");
  assert.equal((await call("cancel", { reference })).order["state"], "CLOSED");
  assert.equal((await call("submit", { ...order, reference })).order["state"], "CLOSED");
  assert.equal(paymentsOf(reference), 0);
});

test("an order that was created without an answer is found and closed by a cancel", async () => {
  const order = newOrder();
  fake.inject("answer-lost");
  await call("submit", order);
  assert.equal((await call("cancel", { reference: order.reference })).order["state"], "CLOSED");
  assert.equal(fake.payments.find((each) => each.reference === order.reference)?.status, "closed");
});

test("a rate limit is no answer, and a rejection declines the order", async () => {
  const [limited, rejected] = [newOrder(), newOrder()];
  fake.inject("rate-limited");
  assert.equal((await call("submit", limited)).resultStatus, "U");
  assert.equal((await call("submit", limited)).order["state"], "OPEN");
  fake.inject("rejected");
  const declined = await call("submit", rejected);
  assert.deepEqual([declined.order["state"], declined.order["resultCode"]], ["DECLINED", "RISK_REJECT"]);
});

test("a cancel closes an order, and an unknown reference permanently", async () => {
  const order = newOrder();
  await call("submit", order);
  assert.equal((await call("cancel", { reference: order.reference })).order["state"], "CLOSED");
  const never = newOrder();
  assert.equal((await call("cancel", { reference: never.reference })).order["state"], "CLOSED");
  assert.equal((await call("submit", never)).order["state"], "CLOSED");
  assert.equal(paymentsOf(never.reference), 0);
});

test("a late submit and a late cancel have no effect", async () => {
  const notAfter = "2026-01-01T00:00:00+00:00";
  const late = newOrder({ notAfter });
  assert.equal((await call("submit", late)).resultCode, "ORDER_IS_CLOSED");
  const open = newOrder();
  await call("submit", open);
  assert.equal((await call("cancel", { reference: open.reference, notAfter })).resultCode, "MESSAGE_EXPIRED");
  assert.equal((await call("inquire", { reference: open.reference })).order["state"], "OPEN");
});

test("a hold is captured in parts, never above its amount, and refunded up to the captured amount", async () => {
  const { reference } = await openPaid({ capture: "MANUAL" });
  const capture = (captureReference: string, value: string): ReturnType<typeof call> =>
    call("capture", { reference, captureReference, amount: { currency: "EUR", value } });
  assert.equal((await capture("c1-" + reference, "1000")).capture["state"], "DONE");
  assert.equal((await capture("c2-" + reference, "251")).resultCode, "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT");
  assert.equal((await call("cancel", { reference })).order["state"], "AUTHORIZED");
  const refundReference = `r-${reference}`;
  const refund = { reference, refundReference, amount: { currency: "EUR", value: "1001" } };
  assert.equal((await call("refund", refund)).resultCode, "REFUND_AMOUNT_EXCEED");
  const small = { ...refund, amount: { currency: "EUR", value: "1000" } };
  assert.equal((await call("refund", small)).refund["state"], "DONE");
});

test("a refund whose answer is lost is made once, whatever process gets the repeat", async () => {
  const { reference } = await openPaid();
  const refundReference = `r-${reference}`;
  for (const fault of ["answer-lost", "acted-500"] as const) {
    fake.inject(fault);
    const refund = {
      reference,
      refundReference: `${refundReference}-${fault}`,
      amount: { currency: "EUR", value: "100" },
    };
    assert.equal((await call("refund", refund)).resultStatus, "U");
    assert.equal((await call("inquire-refund", refund)).refund["state"], "DONE");
    assert.equal((await call("refund", refund, 1)).refund["state"], "DONE");
    assert.equal(operationsOf(refund.refundReference), 1);
  }
});

test("a refund that is pending is done later by a webhook, and can fail afterwards", async () => {
  const { reference } = await openPaid();
  const refundReference = `r-${reference}`;
  fake.inject("operation-pending");
  const refund = { reference, refundReference, amount };
  assert.equal((await call("refund", refund)).refund["state"], "PROCESSING");
  const isAbout = (state: string) => (each: Fields) =>
    (each["refund"] as Fields | undefined)?.["refundReference"] === refundReference &&
    (each["refund"] as Fields)["state"] === state;
  fake.finish(refundReference, "done");
  await connector.waitForCallback(isAbout("DONE"));
  fake.finish(refundReference, "failed");
  await connector.waitForCallback(isAbout("FAILED"));
  assert.equal(
    (await call("refund", { ...refund, refundReference: `${refundReference}-2` })).refund["state"],
    "DONE",
  );
});

test("a rejected refund may be requested again under the same reference", async () => {
  const { reference } = await openPaid();
  const refund = { reference, refundReference: `r-${reference}`, amount };
  fake.inject("rejected");
  assert.equal((await call("refund", refund)).resultCode, "PROCESS_FAIL");
  assert.equal((await call("inquire-refund", refund)).resultCode, "ORDER_NOT_EXIST");
  assert.equal((await call("refund", refund)).refund["state"], "DONE");
  assert.equal(operationsOf(refund.refundReference), 1);
});

test("a forged webhook is rejected, and a repeated one changes nothing", async () => {
  const order = newOrder();
  await call("submit", order);
  assert.equal(await fake.sendWebhook("order", order.reference, { secret: "another" }), 401);
  fake.inject("webhook-twice");
  fake.act(order.reference, "approve");
  await connector.waitForCallback((each) => each["reference"] === order.reference);
  await wait(600);
  assert.equal(connector.callbacks.filter((each) => each["reference"] === order.reference).length, 1);
});

test("a webhook secret can be rotated: the old one stays valid while its file exists", async () => {
  const folder = join(connector.folder, "secrets/default");
  writeFileSync(join(folder, "webhook-secret.old"), "test-only-older-secret", { mode: 0o600 });
  assert.equal(await fake.sendWebhook("order", "x", { secret: "test-only-older-secret" }), 200);
});

test("a payment without a webhook is found by a poll", async () => {
  const order = newOrder();
  await call("submit", order);
  fake.inject("no-webhook");
  fake.act(order.reference, "approve");
  connector.pass(31_000);
  const callback = await connector.waitForCallback((each) => each["reference"] === order.reference);
  assert.equal((callback["order"] as Fields)["state"], "PAID");
});

test("an order belongs to its account, whose key the provider gets", async () => {
  const order = newOrder({ account: "acct_1" });
  await call("submit", order);
  assert.ok(fake.apiKeys.has(`Bearer ${apiKey}-acct_1`));
  const { reference } = order;
  assert.equal((await call("inquire", { reference, account: "acct_2" })).resultCode, "ORDER_NOT_EXIST");
  assert.equal((await call("inquire", { reference, account: "acct_1" })).order["state"], "OPEN");
  const unknown = newOrder({ account: "acct_9" });
  assert.equal((await call("submit", unknown)).resultCode, "MERCHANT_NOT_REGISTERED");
});

test("no secret and no data of a buyer is in the tables", async () => {
  const order = newOrder({ data: { buyer: { buyerEmail: "marked@buyer.example" } } });
  await call("submit", order);
  assert.equal((fake.payments.at(-1)?.buyer as Fields | undefined)?.["buyerEmail"], "marked@buyer.example");
  const client = new Client({ connectionString: connector.databaseUrl });
  await client.connect();
  const texts: string[] = [];
  for (const table of ["orders", "money_operations", "callbacks", "webhook_events"])
    texts.push(JSON.stringify((await client.query(`select * from ${table}`)).rows));
  await client.end();
  assert.ok(texts.join("").includes(order.reference), "the dump contains the order");
  for (const marked of [apiKey, "test-only-webhook-secret", "marked@buyer.example"])
    assert.ok(!texts.join("").includes(marked), `${marked} is stored`);
});

test("the facts state what the kit adds, and metrics count calls and open work", async () => {
  const { facts } = await call("facts", {});
  assert.equal(facts["protocolVersion"], "1.1");
  assert.equal(facts["idempotencyWindowSeconds"], undefined);
  const text = await (await fetch(connector.servers[0]?.metricsUrl ?? "")).text();
  assert.match(text, /^tollgate_connector_gateway_calls_total\{kind="orders_submit_SUCCESS"\} \d+$/m);
  assert.match(text, /^tollgate_connector_unknown_sends 0$/m);
});
