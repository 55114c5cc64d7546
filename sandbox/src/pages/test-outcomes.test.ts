import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { refusalCodes } from "../wallet/result.ts";
import { startGateway } from "../testing/test-gateway.ts";
import { join } from "node:path";
import {
  call,
  control,
  effects,
  newFolder,
  newOrder,
  startWallet,
  type TestWallet,
  pageOf,
} from "../testing/test-wallet.ts";

const folder = newFolder();
const gateway = await startGateway(join(folder, "wallet-public.pem"));
const wallet = await startWallet(folder, "--list-orders");

interface PressResult {
  readonly status: number;
  readonly json: Readonly<Record<string, unknown>> & { readonly order?: Readonly<Record<string, unknown>> };
}

async function submitted(at: TestWallet = wallet) {
  const order = newOrder({ callbackUrl: `${gateway.url}/callbacks` });
  const { order: opened } = await call(at, "submit", order);
  const url = pageOf(opened);
  const state = async () => (await call(at, "inquire", { reference: order.reference })).order["state"];
  return { ...order, url, state };
}

/** Posts to the form's own address, without a secret. */
async function press(url: string, fields: Readonly<Record<string, string>>): Promise<PressResult> {
  const headers = { accept: "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: new URLSearchParams(fields) });
  return { status: answer.status, json: (await answer.json()) as PressResult["json"] };
}

/** The two ways to cause each outcome: through the page's form, and through the control API. */
const outcomeCases: readonly (readonly [
  name: string,
  play: (
    order: { readonly url: string; readonly paymentId: string },
    act: string,
    body: object,
  ) => Promise<PressResult>,
])[] = [
  [
    "the page",
    ({ url }, act, body) =>
      press(url, {
        choice: act,
        ...Object.fromEntries(Object.entries(body).map(([k, v]) => [k, String(v)])),
      }),
  ],
  ["control", ({ paymentId }, act, body) => control(wallet, `POST payments/${paymentId}/${act}`, body)],
];

for (const [name, play] of outcomeCases) {
  test(`with ${name} a slow bank approves after a while`, async () => {
    const order = await submitted();
    const { status, json } = await play(order, "approve-later", { seconds: 1 });
    assert.equal(status, 200);
    assert.equal(json.order?.["state"], "PENDING");
    assert.match(String(json["plannedTime"]), /^\d{4}-.*\+00:00$/);
    assert.equal(await order.state(), "PENDING");
    assert.match(await (await fetch(order.url)).text(), /It approves automatically in 1 s\./);
    await wait(1_200);
    assert.equal(await order.state(), "PAID");
  });

  test(`with ${name} a payment is paid, and the given number of callbacks is lost`, async () => {
    const order = await submitted();
    const countCallbacks = () =>
      gateway.received.filter(({ reference }) => reference === order.reference).length;
    assert.equal((await play(order, "lose-answer", { count: 2 })).json.order?.["state"], "PAID");
    for (let tries = 0; countCallbacks() === 0 && tries < 200; tries += 1) await wait(10);
    assert.equal(countCallbacks(), 1);
    const injectedFaults = effects(wallet).filter(
      (line) => line.kind === "fault" && line.fault === "callback-drop" && line.paymentId === order.paymentId,
    );
    assert.equal(injectedFaults.length, 2);
  });

  test(`with ${name} a buyer who pays twice pays once, and the gateway gets two callbacks`, async () => {
    const order = await submitted();
    const { json } = await play(order, "pay-twice", {});
    assert.equal(json["secondAttempt"], "The order is PAID.");
    const paid = effects(wallet).filter((line) => line.kind === "paid" && line.reference === order.reference);
    assert.equal(paid.length, 1);
    const receivedCallbacks = () => gateway.received.filter(({ reference }) => reference === order.reference);
    for (let tries = 0; receivedCallbacks().length < 2 && tries < 200; tries += 1) await wait(10);
    assert.deepEqual(new Set(receivedCallbacks().map(({ eventId }) => eventId)).size, 1);
    assert.equal(receivedCallbacks().length, 2);
  });

  test(`with ${name} a payment is paid and disputed, now or later`, async () => {
    const now = await submitted();
    const { json } = await play(now, "dispute-later", { seconds: 0, disputeType: "RETRIEVAL_REQUEST" });
    assert.equal((json["dispute"] as Record<string, unknown>)["disputeType"], "RETRIEVAL_REQUEST");
    const later = await submitted();
    const disputes = () =>
      effects(wallet).filter((line) => line.kind === "dispute-opened" && line.paymentId === later.paymentId);
    assert.equal((await play(later, "dispute-later", { seconds: 1 })).json.order?.["state"], "PAID");
    assert.equal(disputes().length, 0);
    await wait(1_200);
    assert.equal(disputes().length, 1);
  });

  test(`with ${name} a final order does not change, and an invalid request has no effect`, async () => {
    const order = await submitted();
    for (const [act, body] of [
      ["approve-later", { seconds: -1 }],
      ["approve-later", { seconds: 1.5 }],
      ["lose-answer", { count: 0 }],
      ["dispute-later", { disputeType: "QUARREL" }],
    ] as const)
      assert.equal((await play(order, act, body)).status, 400, act);
    assert.equal(await order.state(), "OPEN");
    await play(order, "decline", {});
    for (const act of ["approve-later", "lose-answer", "pay-twice", "dispute-later"])
      assert.equal((await play(order, act, {})).status, 409, act);
    assert.deepEqual((await control(wallet, "GET faults")).json.faults, []);
  });
}

test("a decision in the meantime stays, although a slow bank was scheduled", async () => {
  const order = await submitted();
  await press(order.url, { choice: "approve-later", seconds: "1" });
  await press(order.url, { choice: "decline" });
  await wait(1_200);
  assert.equal(await order.state(), "DECLINED");
});

test("the page offers every decline reason of the protocol, and declines with the chosen one", async () => {
  const { url, reference } = await submitted();
  const html = await (await fetch(url)).text();
  const offered = [...html.matchAll(/<option[^>]*>([A-Z_]+)<\/option>/g)].map(([, code = ""]) => code);
  assert.deepEqual(offered.slice(0, refusalCodes.length), refusalCodes);
  assert.ok(refusalCodes.length >= 24 && !refusalCodes.includes("SUCCESS"));
  assert.equal((await press(url, { choice: "result-code", resultCode: "SUCCESS" })).status, 400);
  assert.equal((await press(url, { choice: "result-code", resultCode: "USER_NOT_EXIST" })).status, 200);
  assert.equal((await call(wallet, "inquire", { reference })).order["resultCode"], "USER_NOT_EXIST");
});

test("the page shows that a second payment was rejected, with the count of the journal", async () => {
  const { url } = await submitted();
  const pressed = await fetch(url, { method: "POST", body: new URLSearchParams({ choice: "pay-twice" }) });
  assert.match(await pressed.text(), /rejected: the journal has 1 of this order\./);
});

test("a dispute is decided on the page of its order, and on no other page", async () => {
  const order = await submitted();
  const { json } = await press(order.url, { choice: "dispute-later", seconds: "0" });
  const { providerDisputeId } = json["dispute"] as { readonly providerDisputeId: string };
  assert.match(await (await fetch(order.url)).text(), /value="judge-lost">Judge: the shop loses</);
  const other = await submitted();
  assert.equal((await press(other.url, { choice: "judge-lost", dispute: providerDisputeId })).status, 400);
  assert.equal((await press(order.url, { choice: "judge-lost", dispute: providerDisputeId })).status, 200);
  assert.match(await (await fetch(order.url)).text(), /<dt>Refunded<\/dt><dd>€4\.50<\/dd>/);
});

test("a developer can use the payment id instead of the link, also before the order arrives", async () => {
  const order = newOrder();
  const pressed = press(`${wallet.ready.walletUrl}/payments/${order.paymentId}`, { choice: "approve" });
  await wait(100);
  const { order: opened } = await call(wallet, "submit", order);
  assert.equal((await pressed).json.order?.["state"], "PAID");
  const page = await fetch(`${wallet.ready.walletUrl}/payments/${order.paymentId}`, { redirect: "manual" });
  assert.equal(page.headers.get("location"), new URL(pageOf(opened)).pathname);
});

/** Sends the request as a browser would from a page under another name, or from another site. */
async function sendAs(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const form = { "content-type": "application/x-www-form-urlencoded", ...headers };
    const sent = request(url, { method: "POST", headers: form }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on("error", reject).end(body);
  });
}

test("without the secret, test outcomes work only on this machine, and from no other site's page", async () => {
  const order = await submitted();
  const byId = `${wallet.ready.walletUrl}/payments/${order.paymentId}`;
  const named = { host: "evil.example" };
  const foreign = { "sec-fetch-site": "cross-site" };
  assert.equal(await sendAs(order.url, named, "choice=expire"), 400);
  assert.equal(await sendAs(byId, named, "choice=approve"), 404);
  assert.equal(await sendAs(`${wallet.ready.walletUrl}/test`, named, "choice=clear"), 405);
  for (const url of [order.url, byId, `${wallet.ready.walletUrl}/test`])
    assert.equal(await sendAs(url, foreign, "choice=approve"), 403);
  assert.equal(await order.state(), "OPEN");
  assert.equal(await sendAs(order.url, { "sec-fetch-site": "same-origin" }, "choice=expire"), 303);
  assert.equal(await order.state(), "CLOSED");
});

test("a wallet without --list-orders offers no test outcomes without the secret", async () => {
  const closed = await startWallet();
  const order = await submitted(closed);
  const html = await (await fetch(order.url)).text();
  assert.match(html, /Test outcomes.*value="not-enough-money".*value="pend"/s);
  assert.doesNotMatch(html, /<select|approve-later|lose-answer|pay-twice|expire/);
  for (const choice of [
    "approve-later",
    "lose-answer",
    "pay-twice",
    "dispute-later",
    "expire",
    "result-code",
  ])
    assert.equal((await press(order.url, { choice, resultCode: "RISK_REJECT" })).status, 400, choice);
  const byId = `${closed.ready.walletUrl}/payments/${order.paymentId}`;
  assert.equal(await sendAs(byId, {}, "choice=approve"), 404);
  assert.equal(await sendAs(`${closed.ready.walletUrl}/test`, {}, "choice=clear"), 405);
  assert.equal(await order.state(), "OPEN");
});

test("faults are set, shown and cancelled on the test page", async () => {
  const url = `${wallet.ready.walletUrl}/test`;
  const form = {
    choice: "fault",
    kind: "late-answer",
    verb: "submit",
    paymentId: "p-9",
    count: "2",
    delayMs: "50",
  };
  const set = await fetch(url, { method: "POST", body: new URLSearchParams(form) });
  assert.match(await set.text(), /late-answer.*submit, p-9, 2 times, 50 ms/s);
  const wrong = await fetch(url, { method: "POST", body: new URLSearchParams({ ...form, kind: "flood" }) });
  assert.equal(wrong.status, 400);
  assert.equal((await control(wallet, "GET faults")).json.faults?.length, 1);
  await fetch(url, { method: "POST", body: new URLSearchParams({ choice: "clear" }) });
  assert.deepEqual((await control(wallet, "GET faults")).json.faults, []);
});
