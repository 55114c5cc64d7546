import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { test } from "node:test";
import {
  call,
  control,
  effects,
  newFolder,
  newOrder,
  startWallet,
  type ProviderAnswer,
} from "../testing/test-wallet.ts";

const wallet = await startWallet(newFolder());
const { walletUrl } = wallet.ready;

interface Opened {
  readonly order: ReturnType<typeof newOrder>;
  readonly opened: ProviderAnswer["order"];
  readonly action: Readonly<Record<string, unknown>>;
}

async function open(kind: string, fault: object = {}, more: object = {}): Promise<Opened> {
  const order = newOrder({ callbackUrl: "https://gateway.example:8443/providers/w", ...more });
  await control(wallet, "POST faults", { kind, match: { paymentId: order.paymentId }, ...fault });
  const { order: opened } = await call(wallet, "submit", order);
  return { order, opened, action: actionOf(opened) };
}

function actionOf(order: ProviderAnswer["order"]): Readonly<Record<string, unknown>> {
  return order["nextAction"] as Readonly<Record<string, unknown>>;
}

test("a fault chooses the next action of one order, also after a restart of the wallet", async () => {
  const folder = newFolder();
  const first = await startWallet(folder);
  const order = newOrder();
  await control(first, "POST faults", { kind: "action-wait", delayMs: 60_000 });
  const { order: opened } = await call(first, "submit", order);
  assert.equal(actionOf(opened)["type"], "WAIT");
  assert.equal(actionOf((await call(first, "submit", newOrder())).order)["type"], "QR_CODE");
  await first.end("SIGKILL");
  const restarted = await startWallet(folder);
  assert.deepEqual((await call(restarted, "inquire", { reference: order.reference })).order, opened);
});

test("each kind of action has the fields of its type", async () => {
  const redirect = await open("action-redirect");
  assert.deepEqual(Object.keys(redirect.action), ["type", "url"]);
  const app = await open("action-app");
  assert.match(String(app.action["appUrl"]), /^sandbox-wallet:\/\/pay\//);
  assert.ok(String(app.action["url"]).startsWith(`${walletUrl}/pay/`));
  const inPage = await open("action-in-page");
  assert.deepEqual(Object.keys(inPage.action), ["type", "frameUrl", "clientData"]);
  const waiting = await open("action-wait");
  assert.deepEqual(waiting.action, { type: "WAIT" });
});

test("an order that is no longer open has no next action", async () => {
  const { order } = await open("action-wait");
  const { json } = await control(wallet, `POST payments/${order.paymentId}/approve`);
  assert.deepEqual([json.order?.["state"], json.order?.["nextAction"]], ["PAID", undefined]);
});

test("after the expiry of a code, an inquiry brings another one, with a higher sequence", async () => {
  const { order, opened, action } = await open("action-code", { delayMs: 2_000 });
  const inquire = async (): Promise<ProviderAnswer["order"]> =>
    (await call(wallet, "inquire", { reference: order.reference })).order;
  assert.deepEqual(await inquire(), opened);
  await wait(2_100);
  const renewed = await inquire();
  assert.equal(renewed["sequence"], 2);
  assert.notEqual(actionOf(renewed)["code"], action["code"]);
  assert.ok(String(actionOf(renewed)["expiryTime"]) > String(action["expiryTime"]));
  assert.deepEqual(await inquire(), renewed);
  assert.equal(effects(wallet).filter(({ kind }) => kind === "code-renewed").length, 1);
  const page = await fetch(String(actionOf(renewed)["code"]));
  assert.match(await page.text(), /One flat white/);
});

test("only the gateway's checkout page may show the page of an order in a frame", async () => {
  const policyOf = async (address: unknown): Promise<string> =>
    (await fetch(String(address))).headers.get("content-security-policy") ?? "";
  for (const paymentMethodType of ["WALLET", "CARD"]) {
    const framed = await open("action-in-page", {}, { paymentMethodType });
    assert.match(
      await policyOf(framed.action["frameUrl"]),
      /frame-ancestors https:\/\/gateway\.example:8443(?:;|$)/,
    );
    const other = await open("action-redirect", {}, { paymentMethodType });
    assert.match(await policyOf(other.action["url"]), /frame-ancestors 'none'/);
  }
});

test("a page in a frame has no link to the shop, because it would open there", async () => {
  const redirectUrl = "https://shop.example/thanks";
  for (const [kind, field, count] of [
    ["action-redirect", "url", 1],
    ["action-in-page", "frameUrl", 0],
  ] as const) {
    const { order, action } = await open(kind, {}, { redirectUrl });
    await control(wallet, `POST payments/${order.paymentId}/approve`);
    const html = await (await fetch(String(action[field]))).text();
    assert.equal(html.match(/href="https:\/\/shop\.example/g)?.length ?? 0, count, kind);
  }
});
