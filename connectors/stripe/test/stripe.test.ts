import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { findFreePort } from "../../../server/src/postgres/temporary-postgres.ts";
import type { Fields } from "../../kit/test/test-connector.ts";
import { toAmount, toStripeAmount } from "../src/amount.ts";
import { disputeMeanings, paymentIntentStates, refundStates, sessionStates } from "../src/states.ts";
import { webhookKinds } from "../src/webhooks.ts";
import { startFakeStripe } from "./fake-stripe.ts";
import { startTestStripe } from "./test-stripe.ts";

const stripe = await startFakeStripe("test-only-webhook-secret");
after(() => stripe.stop());
const connector = await startTestStripe(stripe, 2);
const { call } = connector;
const amount = { currency: "EUR", value: "1250" };
const newOrder = (more: Fields = {}): ReturnType<typeof connector.newOrder> =>
  connector.newOrder({ paymentMethodType: "CARD", redirectUrl: "https://shop.example/thanks", ...more });
const orderCallback = (reference: string, state: string) => (each: Fields) =>
  (each["order"] as Fields | undefined)?.["reference"] === reference &&
  (each["order"] as Fields)["state"] === state;
const disputeCallback = (reference: string, state: string) => (each: Fields) =>
  each["reference"] === reference && (each["dispute"] as Fields | undefined)?.["state"] === state;
const sessionsOf = (reference: string): number =>
  stripe.state.sessions.filter((each) => each["client_reference_id"] === reference).length;

async function openPaid(more: Fields = {}): Promise<ReturnType<typeof newOrder>> {
  const order = newOrder(more);
  await call("submit", order);
  stripe.pay(order.reference);
  const state = more["capture"] === "MANUAL" ? "AUTHORIZED" : "PAID";
  await connector.waitForCallback(orderCallback(order.reference, state));
  return order;
}

test("an order is a Checkout Session, and its payment comes by a webhook with the details of the card", async () => {
  const order = newOrder({ data: { buyer: { buyerEmail: "buyer@shop.example" } } });
  const { reference } = order;
  const { order: opened } = await call("submit", order);
  assert.equal(opened["state"], "OPEN");
  assert.match(String((opened["nextAction"] as Fields)["url"]), /^https:\/\/checkout\.stripe\.example\//);
  stripe.pay(reference);
  const callback = await connector.waitForCallback(orderCallback(reference, "PAID"));
  const paid = callback["order"] as Fields;
  assert.deepEqual(paid["paidAmount"], amount);
  const details = paid["details"] as Fields;
  assert.deepEqual(
    [details["cardBrand"], details["cardLastFour"], details["cvcResult"]],
    ["VISA", "4242", "pass"],
  );
  assert.deepEqual(details["threeDSecure"], {
    version: "2.2.0",
    outcome: "AUTHENTICATED",
    isLiabilityShifted: true,
  });
  assert.deepEqual(details["fee"], { currency: "EUR", value: "61" });
});

test("lost, stored and limited answers create one session", async () => {
  for (const fault of ["answer-lost", "acted-500", "rate-limited"] as const) {
    const order = newOrder();
    stripe.inject(fault);
    assert.equal((await call("submit", order)).resultStatus, "U", fault);
    assert.equal((await call("submit", order, 1)).order["state"], "OPEN", fault);
    assert.equal(sessionsOf(order.reference), 1, fault);
  }
});

test("an asynchronous payment is pending, and then paid or declined with the issuer's reason", async () => {
  for (const [outcome, state] of [
    ["succeeded", "PAID"],
    ["requires_payment_method", "DECLINED"],
  ] as const) {
    const order = newOrder();
    await call("submit", order);
    stripe.pay(order.reference, "processing");
    await connector.waitForCallback(orderCallback(order.reference, "PENDING"));
    stripe.endProcessing(order.reference, outcome);
    const callback = await connector.waitForCallback(orderCallback(order.reference, state));
    const { resultCode } = callback["order"] as Fields;
    assert.equal(resultCode, state === "PAID" ? undefined : "USER_BALANCE_NOT_ENOUGH");
  }
});

test("a hold is captured once, in part, and a lost answer is found by the reference in the metadata", async () => {
  const { reference } = await openPaid({ capture: "MANUAL" });
  const capture = {
    reference,
    captureReference: `c-${reference}`,
    amount: { currency: "EUR", value: "1000" },
  };
  stripe.inject("acted-500");
  assert.equal((await call("capture", capture)).resultStatus, "U");
  assert.equal((await call("inquire-capture", capture)).capture["state"], "DONE");
  const second = { ...capture, captureReference: `c2-${reference}`, amount: { currency: "EUR", value: "1" } };
  assert.equal((await call("capture", second)).resultCode, "ORDER_STATUS_INVALID");
  assert.equal((await call("inquire", { reference })).order["state"], "AUTHORIZED");
});

test("a cancel expires an open session and releases a hold, and a paid order stays paid", async () => {
  const open = newOrder();
  await call("submit", open);
  assert.equal((await call("cancel", { reference: open.reference })).order["state"], "CLOSED");
  const held = await openPaid({ capture: "MANUAL" });
  assert.equal((await call("cancel", { reference: held.reference })).order["state"], "CLOSED");
  const paid = await openPaid();
  assert.equal((await call("cancel", { reference: paid.reference })).order["state"], "PAID");
});

test("a pending refund is done, and fails later; a lost answer is found", async () => {
  const { reference } = await openPaid();
  const refundReference = `r-${reference}`;
  const isRefund = (state: string) => (each: Fields) =>
    (each["refund"] as Fields | undefined)?.["refundReference"] === refundReference &&
    (each["refund"] as Fields)["state"] === state;
  stripe.inject("refund-pending");
  stripe.inject("answer-lost");
  const refund = { reference, refundReference, amount };
  assert.equal((await call("refund", refund)).resultStatus, "U");
  assert.equal((await call("refund", refund, 1)).refund["state"], "PROCESSING");
  stripe.endRefund(refundReference, "succeeded");
  await connector.waitForCallback(isRefund("DONE"));
  stripe.endRefund(refundReference, "failed");
  await connector.waitForCallback(isRefund("FAILED"));
  assert.equal(
    stripe.state.refunds.filter((each) => (each["metadata"] as Fields)["reference"] === refundReference)
      .length,
    1,
  );
});

test("a dispute is reported, answered once, and judged; an early fraud warning is final", async () => {
  const { reference } = await openPaid();
  const providerDisputeId = stripe.dispute(reference);
  const opened = await connector.waitForCallback(disputeCallback(reference, "OPEN"));
  assert.equal((opened["dispute"] as Fields)["disputeType"], "CHARGEBACK");
  const accepted = await call("disputes/accept-dispute", {
    providerDisputeId,
    answerReference: `a-${reference}`,
    reason: "MERCHANT_ACCEPTED",
  });
  assert.equal(accepted.dispute["state"], "JUDGED");
  assert.deepEqual(accepted.dispute["takenAmount"], amount);
  const other = await openPaid();
  const warningId = stripe.warn(other.reference);
  const warned = await connector.waitForCallback(disputeCallback(other.reference, "RESOLVED"));
  assert.deepEqual(
    [(warned["dispute"] as Fields)["providerDisputeId"], (warned["dispute"] as Fields)["disputeType"]],
    [warningId, "FRAUD_WARNING"],
  );
});

test("a dispute is defended with typed documents, each of which is uploaded", async () => {
  const { reference } = await openPaid();
  const providerDisputeId = stripe.dispute(reference);
  await connector.waitForCallback(disputeCallback(reference, "OPEN"));
  const content = Buffer.from("%PDF-1.7 a receipt");
  const sha256 = createHash("sha256").update(content).digest("hex");
  const evidence = [{ type: "RECEIPT", format: "PDF", content: content.toString("base64"), sha256 }];
  const defense = { providerDisputeId, answerReference: `d-${reference}`, reason: "DEFENDED", evidence };
  const damaged = [{ ...evidence[0], sha256: "0".repeat(64) }];
  assert.equal(
    (await call("disputes/defend-dispute", { ...defense, evidence: damaged })).resultCode,
    "PARAM_ILLEGAL",
  );
  const defended = await call("disputes/defend-dispute", defense);
  assert.equal(defended.dispute["state"], "DEFENDED");
  assert.equal((await call("disputes/defend-dispute", defense)).resultCode, "SUCCESS");
  const stored = stripe.state.disputes.find((each) => each["id"] === providerDisputeId);
  assert.match(String((stored?.["evidence"] as Fields | undefined)?.["receipt"]), /^file_/);
  stripe.changeDispute(providerDisputeId, "won");
  const judged = await connector.waitForCallback(disputeCallback(reference, "JUDGED"));
  assert.equal((judged["dispute"] as Fields)["judgedResult"], "ACCEPT_BY_CUSTOMER");
});

test("two merchants with two connected accounts pay through one connector", async () => {
  for (const account of ["acct_A", "acct_B"]) {
    const order = newOrder({ account });
    assert.equal((await call("submit", order)).order["state"], "OPEN");
    assert.ok(
      [...stripe.callers].some((caller) => caller.endsWith(account)),
      account,
    );
    assert.equal((await call("inquire", { reference: order.reference })).resultCode, "ORDER_NOT_EXIST");
  }
});

test("a forged webhook is rejected, and a repeated one changes nothing", async () => {
  const order = newOrder();
  await call("submit", order);
  const session = stripe.state.sessions.at(-1) ?? {};
  assert.equal(await stripe.sendEvent("checkout.session.completed", session, { secret: "another" }), 401);
  stripe.inject("webhook-twice");
  stripe.pay(order.reference);
  await connector.waitForCallback(orderCallback(order.reference, "PAID"));
  await wait(600);
  assert.equal(connector.callbacks.filter(orderCallback(order.reference, "PAID")).length, 1);
});

test("amounts have Stripe's decimals where they differ from ISO 4217", () => {
  assert.equal(toStripeAmount({ currency: "EUR", value: "1250" }), 1250);
  assert.equal(toStripeAmount({ currency: "ISK", value: "100" }), 10_000);
  assert.equal(toStripeAmount({ currency: "MGA", value: "500" }), 5);
  assert.equal(toStripeAmount({ currency: "MGA", value: "501" }), undefined);
  for (const currency of ["EUR", "JPY", "KWD", "ISK", "UGX", "MGA"])
    assert.deepEqual(toAmount(currency, toStripeAmount({ currency, value: "12300" }) ?? 0), {
      currency,
      value: "12300",
    });
});

test("the tables of states have every status of Stripe's SDK", () => {
  const types = dirname(dirname(createRequire(import.meta.url).resolve("stripe")));
  const statusesIn = (file: string, unionPattern: RegExp): readonly string[] => {
    const text = readFileSync(join(types, "esm/resources", file), "utf8");
    const union = unionPattern.exec(text)?.[1] ?? assert.fail(`${file} has another form.`);
    return [...union.matchAll(/'(\w+)'/g)].map(([, status = ""]) => status).toSorted();
  };
  const first = /\n {4}type Status = ([^;]+);/;
  assert.deepEqual(Object.keys(paymentIntentStates).toSorted(), statusesIn("PaymentIntents.d.ts", first));
  assert.deepEqual(Object.keys(sessionStates).toSorted(), statusesIn("Checkout/Sessions.d.ts", first));
  assert.deepEqual(Object.keys(disputeMeanings).toSorted(), statusesIn("Disputes.d.ts", first));
  const refund = /Status of the refund\. This can be ([^.]+)\./;
  const text = readFileSync(join(types, "esm/resources/Refunds.d.ts"), "utf8");
  const named = [...(refund.exec(text)?.[1] ?? "").matchAll(/`(\w+)`/g)].map(([, status = ""]) => status);
  assert.deepEqual(Object.keys(refundStates).toSorted(), named.toSorted());
});

test("the page of the connector lists every event for the webhook endpoint", () => {
  const page = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/`((?:checkout|payment_intent|refund|charge|radar)\.[\w.]+)`/g)].map(
    ([, kind]) => kind,
  );
  assert.deepEqual(new Set(listed), new Set(webhookKinds));
});

/** stripe-mock answers each request by Stripe's published document, and rejects unknown or wrong parameters. */
const stripeMock = process.env["STRIPE_MOCK"] ?? "stripe-mock";
const hasStripeMock = spawnSync(stripeMock, ["-version"]).status === 0;
const skipReason = !hasStripeMock && process.env["CI"] === undefined ? "stripe-mock is not installed" : false;

test("each request has the form of Stripe's published document", { skip: skipReason }, async () => {
  const port = await findFreePort();
  const mock = spawn(stripeMock, ["-http-addr", `127.0.0.1:${port}`], { stdio: "ignore" });
  after(() => mock.kill());
  const url = `http://127.0.0.1:${port}`;
  const authorization = "Bearer sk_test_123";
  for (let tries = 0; tries < 100; tries += 1) {
    if (await fetch(`${url}/v1/refunds`, { headers: { authorization } }).catch(() => undefined)) break;
    await wait(50);
  }
  const problems: string[] = [];
  for (const { method, path, body, contentType } of stripe.requests) {
    const headers = { authorization, "content-type": contentType };
    const response = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(method === "POST" && { body: Buffer.from(body, "latin1") }),
    });
    if (response.status !== 200) problems.push(`${method} ${path}: ${(await response.text()).slice(0, 300)}`);
  }
  assert.deepEqual(problems, []);
  assert.ok(stripe.requests.length > 50, `${stripe.requests.length} requests were compared`);
});
