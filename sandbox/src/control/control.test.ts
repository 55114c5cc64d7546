import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { call, control, effects, newFolder, newOrder, startWallet, pageOf } from "../testing/test-wallet.ts";
import { wireTime } from "../wallet/wire-time.ts";

const wallet = await startWallet();

async function submitted(more: Readonly<Record<string, unknown>> = {}) {
  const order = newOrder(more);
  await call(wallet, "submit", order);
  return order;
}

test("a test approves a payment, and the approval is on disk before control responds", async () => {
  const { paymentId, reference } = await submitted();
  const { status, json } = await control(wallet, `POST payments/${paymentId}/approve`);

  assert.equal(status, 200);
  assert.equal(json.order?.["state"], "PAID");
  assert.deepEqual(json.order?.["paidAmount"], { currency: "EUR", value: "450" });
  assert.match(String(json.order?.["paidTime"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  assert.equal(
    effects(wallet).filter((line) => line.kind === "paid" && line.reference === reference).length,
    1,
  );
  assert.deepEqual((await call(wallet, "inquire", { reference })).order, json.order);
});

test("a payment can be approved with another amount than requested", async () => {
  const { paymentId } = await submitted();
  const paidAmount = { currency: "EUR", value: "400" };
  const { json } = await control(wallet, `POST payments/${paymentId}/approve`, { paidAmount });
  assert.deepEqual(json.order?.["paidAmount"], paidAmount);
  assert.deepEqual(json.order?.["amount"], { currency: "EUR", value: "450" });
});

test("a payment is declined for insufficient funds, or for the given reason", async () => {
  const declinedOrder = await submitted();
  const riskOrder = await submitted();
  const first = await control(wallet, `POST payments/${declinedOrder.paymentId}/decline`);
  const second = await control(wallet, `POST payments/${riskOrder.paymentId}/decline`, {
    resultCode: "RISK_REJECT",
  });
  assert.equal(first.json.order?.["state"], "DECLINED");
  assert.equal(first.json.order?.["resultCode"], "USER_BALANCE_NOT_ENOUGH");
  assert.equal(second.json.order?.["resultCode"], "RISK_REJECT");
});

test("a pending payment can still be approved", async () => {
  const { paymentId } = await submitted();
  assert.equal((await control(wallet, `POST payments/${paymentId}/pend`)).json.order?.["state"], "PENDING");
  assert.equal((await control(wallet, `POST payments/${paymentId}/approve`)).json.order?.["state"], "PAID");
});

for (const last of ["approve", "decline", "expire"]) {
  test(`after ${last} no other action on a payment is possible`, async () => {
    const { paymentId } = await submitted();
    const { json } = await control(wallet, `POST payments/${paymentId}/${last}`);
    for (const action of ["approve", "decline", "pend", "expire"]) {
      const refused = await control(wallet, `POST payments/${paymentId}/${action}`);
      assert.equal(refused.status, 409);
      assert.deepEqual(refused.json.order, json.order);
    }
  });
}

test("the facts want the groups that a test names, until it names others", async () => {
  const wantsOf = async () => (await call(wallet, "/provider/1.1/facts", {})).facts["wants"];
  assert.deepEqual(await wantsOf(), []);
  assert.equal((await control(wallet, "POST facts", { wants: ["buyer", "goods"] })).status, 200);
  assert.deepEqual(await wantsOf(), ["buyer", "goods"]);
  assert.equal((await control(wallet, "POST facts", { wants: ["shoe size"] })).status, 400);
  await control(wallet, "POST facts", { wants: [] });
  assert.deepEqual(await wantsOf(), []);
});

test("an order shows the names of its groups of data, and nothing has their content", async () => {
  const data = { buyer: { buyerEmail: "marked@mail.example" }, locale: { userRegion: "DE" } };
  const { paymentId } = await submitted({ data });
  const { json } = await control(wallet, `GET orders?paymentId=${paymentId}`);
  assert.deepEqual(json.orders?.[0]?.["dataGroups"], ["buyer", "locale"]);
  assert.doesNotMatch(JSON.stringify([json, effects(wallet)]), /marked/);
});

test("an expired order can not be approved, and stays open until it is cancelled", async () => {
  const { paymentId, reference } = await submitted({ expiryTime: wireTime(Date.now() - 2_000) });
  assert.equal((await control(wallet, `POST payments/${paymentId}/approve`)).status, 409);
  assert.equal((await call(wallet, "inquire", { reference })).order["state"], "OPEN");
  assert.equal((await call(wallet, "cancel", { reference })).order["state"], "CLOSED");
});

test("control waits for an order that is in transit", async () => {
  const order = newOrder();
  const approved = control(wallet, `POST payments/${order.paymentId}/approve`);
  await new Promise((resolve) => setTimeout(resolve, 150));
  await call(wallet, "submit", order);
  assert.equal((await approved).json.order?.["state"], "PAID");
});

test("control stops waiting for an order that does not arrive", async () => {
  const startedAt = performance.now();
  assert.equal((await control(wallet, "POST payments/never/approve")).status, 404);
  assert.ok(performance.now() - startedAt >= 4_900);
});

test("control without the secret has no effect", async () => {
  const { paymentId, reference } = await submitted();
  for (const authorization of [
    "",
    "Bearer ",
    `Bearer ${wallet.ready.controlSecret}x`,
    wallet.ready.controlSecret,
  ]) {
    assert.equal(
      (await control(wallet, `POST payments/${paymentId}/approve`, {}, authorization)).status,
      401,
    );
  }
  assert.equal((await call(wallet, "inquire", { reference })).order["state"], "OPEN");
});

test("the wallet listens on this machine only", async (t) => {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const externalAddress = addresses.find(({ internal, family }) => !internal && family === "IPv4")?.address;
  if (externalAddress === undefined) return t.skip("this machine has no other address");
  const port = Number(new URL(wallet.ready.walletUrl).port);
  const outcome = await new Promise((resolve) => {
    connect(port, externalAddress)
      .on("connect", () => resolve("connected"))
      .on("error", () => resolve("refused"));
  });
  return assert.equal(outcome, "refused");
});

const malformed = [
  ["POST faults", { kind: "earthquake" }],
  ["POST faults", { kind: "garbage", count: 0 }],
  ["POST faults", { kind: "garbage", wrong: "all" }],
  ["POST faults", { kind: "late-answer", delayMs: -1 }],
  ["POST faults", { kind: "garbage", match: { reference: "x" } }],
  ["POST faults", { kind: "garbage", match: { verb: "steal" } }],
  ["POST payments/x/approve", { paidAmount: "450" }],
  ["GET effects?since=x", undefined],
  ["GET settlement.csv?until=2026-11-15T00:00:00+00:00", undefined],
] as const;
for (const [command, body] of malformed) {
  test(`control rejects ${command} ${JSON.stringify(body) ?? ""}`, async () => {
    assert.equal((await control(wallet, command, body)).status, 400);
  });
}

test("an unknown command gives 404", async () => {
  assert.equal((await control(wallet, "POST payments/x/steal")).status, 404);
});

test("control lists orders, all or of one payment, and effects after any line", async () => {
  const { paymentId, reference } = await submitted();
  const all = (await control(wallet, "GET orders")).json.orders ?? [];
  const ownOrders = (await control(wallet, `GET orders?paymentId=${paymentId}`)).json.orders ?? [];
  assert.deepEqual(
    ownOrders.map((order) => order["reference"]),
    [reference],
  );
  assert.ok(all.length > 1 && all.some((order) => order["reference"] === reference));

  const allEffects = (await control(wallet, "GET effects")).json;
  assert.deepEqual(allEffects.effects, effects(wallet));
  assert.equal(allEffects.next, allEffects.effects?.length);
  const lastEffects = (await control(wallet, `GET effects?since=${(allEffects.next ?? 0) - 2}`)).json;
  assert.deepEqual(lastEffects.effects, allEffects.effects?.slice(-2));
  const noEffects = (await control(wallet, `GET effects?since=${allEffects.next}`)).json;
  assert.deepEqual(noEffects, { effects: [], next: allEffects.next });
});

test("the secret can come from a file, and only its owner can read the private key", async () => {
  const folder = newFolder();
  const file = join(folder, "secret");
  writeFileSync(file, "open sesame\n");
  const other = await startWallet(
    folder,
    "--control-secret-file",
    file,
    "--public-url",
    "https://pay.example/w/",
  );
  assert.equal(other.ready.controlSecret, "open sesame");
  assert.equal((await control(other, "GET orders", undefined, "Bearer open sesame")).status, 200);
  assert.equal(statSync(join(folder, "wallet-private.pem")).mode & 0o777, 0o600);
  assert.match(readFileSync(other.ready.publicKeyFile, "utf8"), /^-----BEGIN PUBLIC KEY-----/);
  assert.match(
    pageOf((await call(other, "submit", newOrder())).order),
    /^https:\/\/pay\.example\/w\/pay\/[\w-]+$/,
  );
});
