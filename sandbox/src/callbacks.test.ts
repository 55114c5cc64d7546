import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Line } from "./wallet/effect.ts";
import { startGateway } from "./testing/test-gateway.ts";
import {
  call,
  control,
  effects,
  newFolder,
  newOrder,
  startWallet,
  type TestWallet,
} from "./testing/test-wallet.ts";

/** A new wallet and gateway, and a submitted order. */
async function startScene(...flags: readonly string[]) {
  const folder = newFolder();
  const gateway = await startGateway(join(folder, "wallet-public.pem"));
  const wallet = await startWallet(folder, ...flags);
  const order = newOrder({ callbackUrl: `${gateway.url}/providers/w/callbacks/c/p?a=%20b` });
  const { order: opened } = await call(wallet, "submit", order);
  const sendCommand = (action: string) => control(wallet, `POST payments/${order.paymentId}/${action}`);
  return { gateway, wallet, order, opened, sendCommand };
}

async function delivered(wallet: TestWallet, count: number): Promise<readonly Line[]> {
  const lines = () => effects(wallet).filter(({ kind }) => kind === "callback");
  for (const deadline = Date.now() + 5_000; lines().length < count && Date.now() < deadline;) await wait(10);
  return lines();
}

test("each change of an order is sent to the gateway in one signed callback", async () => {
  const { gateway, wallet, order, opened, sendCommand } = await startScene();
  await sendCommand("pend");
  await gateway.until(1);
  const { json } = await sendCommand("approve");
  const [pending, paid] = await gateway.until(2);

  assert.equal(pending?.path, "/providers/w/callbacks/c/p?a=%20b");
  assert.ok(pending?.isSigned && paid?.isSigned);
  assert.equal(pending?.order["state"], "PENDING");
  const { nextAction: _, ...withoutAction } = opened;
  assert.deepEqual(pending?.order, { ...withoutAction, state: "PENDING", sequence: 2 });
  assert.deepEqual(paid?.order, json.order);
  assert.equal(paid?.reference, order.reference);
  assert.notEqual(paid?.eventId, pending?.eventId);
  const lines = await delivered(wallet, 2);
  assert.deepEqual(
    lines.map((line) => line.kind === "callback" && [line.eventId, line.sequence, line.attempts]),
    [
      [pending?.eventId, 2, 1],
      [paid?.eventId, 3, 1],
    ],
  );
  await wait(200);
  assert.equal(gateway.received.length, 2);
});

for (const refusal of ["U", "unsigned", "HTTP 500"] as const) {
  test(`a response that is ${refusal} does not count: the same event is sent again`, async () => {
    const { gateway, wallet, sendCommand } = await startScene();
    gateway.answerWith(refusal);
    await sendCommand("approve");
    await gateway.until(2);
    gateway.answerWith("S");
    const [line] = await delivered(wallet, 1);
    const received = [...gateway.received];

    assert.ok(received.length >= 3);
    assert.equal(new Set(received.map(({ eventId }) => eventId)).size, 1);
    assert.ok(received.every(({ isSigned }) => isSigned));
    assert.equal(line?.kind === "callback" && line.attempts, received.length);
  });
}

test("the gaps between attempts are configured, and the last gap repeats", async () => {
  const { gateway, sendCommand } = await startScene("--callback-gaps-ms", "100,300");
  gateway.answerWith("U");
  const startedAt = performance.now();
  await sendCommand("approve");
  const times: number[] = [];
  for (const count of [1, 2, 3]) {
    await gateway.until(count);
    times.push(performance.now() - startedAt);
  }
  const [first = 0, second = 0, third = 0] = times;
  assert.ok(first >= 95, `first after ${first} ms`);
  assert.ok(second - first >= 280, `second ${second - first} ms later`);
  assert.ok(third - second >= 280, `third ${third - second} ms later`);
});

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  test(`a callback that was not delivered before ${signal} is delivered after the next start, as the same event`, async () => {
    const { gateway, wallet, sendCommand } = await startScene();
    gateway.answerWith("U");
    await sendCommand("approve");
    const [before] = await gateway.until(1);
    await wallet.end(signal);
    gateway.answerWith("S");
    const count = gateway.received.length;
    const restarted = await startWallet(wallet.folder);
    await delivered(restarted, 1);
    const after = gateway.received.slice(count);

    assert.equal(after.length, 1);
    assert.equal(after[0]?.eventId, before?.eventId);
    assert.equal(after[0]?.order["state"], "PAID");
    await restarted.end("SIGTERM");
    const third = await startWallet(wallet.folder);
    await wait(200);
    assert.equal(gateway.received.length, count + 1);
    await third.end("SIGTERM");
  });
}

/** A paid or held order at a gateway that has received its callback. */
async function startPaidScene(capture: "AUTOMATIC" | "MANUAL") {
  const folder = newFolder();
  const gateway = await startGateway(join(folder, "wallet-public.pem"));
  const wallet = await startWallet(folder);
  const order = newOrder({ capture, callbackUrl: gateway.url });
  await call(wallet, "submit", order);
  await control(wallet, `POST payments/${order.paymentId}/approve`);
  await gateway.until(1);
  return { gateway, wallet, order };
}

const amount = { currency: "EUR", value: "450" };

for (const verb of ["capture", "refund"] as const) {
  test(`the end of a pending ${verb} is sent to the gateway with its own state, also after SIGKILL`, async () => {
    const { gateway, wallet, order } = await startPaidScene(verb === "capture" ? "MANUAL" : "AUTOMATIC");
    const { reference } = order;
    await control(wallet, "POST faults", { kind: `${verb}-pending` });
    await call(wallet, verb, { reference, [`${verb}Reference`]: "m", amount });
    gateway.answerWith("U");
    await control(wallet, `POST ${verb}s/m/fail`);
    const before = (await gateway.until(2))[1];
    await wallet.end("SIGKILL");
    gateway.answerWith("S");
    const count = gateway.received.length;
    const restarted = await startWallet(wallet.folder);
    await delivered(restarted, 2);

    const after = gateway.received[count];
    const inquired = await call(restarted, `inquire-${verb}`, { [`${verb}Reference`]: "m" });
    assert.equal(inquired[verb]["state"], "FAILED");
    for (const callback of [before, after]) {
      assert.ok(callback?.isSigned);
      assert.equal(callback?.reference, reference);
      assert.equal(callback?.order, undefined);
      assert.deepEqual(callback?.[verb], inquired[verb]);
    }
    assert.equal(after?.eventId, before?.eventId);
  });
}

test("a capture or a refund whose response reports its state is not sent, and each later change is one event", async () => {
  const { gateway, wallet, order } = await startPaidScene("AUTOMATIC");
  await call(wallet, "refund", { reference: order.reference, refundReference: "r", amount });
  await wait(100);
  assert.equal(gateway.received.length, 1);
  await control(wallet, "POST faults", { kind: "refund-pending" });
  await control(wallet, "POST refunds/r/fail");
  await call(wallet, "refund", { reference: order.reference, refundReference: "s", amount });
  await control(wallet, "POST refunds/s/finish");
  await control(wallet, "POST refunds/s/fail");
  const [, ...changes] = await gateway.until(4);
  assert.deepEqual(
    changes.map(({ refund }) => `${String(refund?.["refundReference"])} ${String(refund?.["state"])}`).sort(),
    ["r FAILED", "s DONE", "s FAILED"],
  );
  assert.equal(new Set(changes.map(({ eventId }) => eventId)).size, 3);
});

test("each change of a cancel is sent to the gateway with the order", async () => {
  const { gateway, wallet, order } = await startPaidScene("MANUAL");
  await control(wallet, "POST faults", { kind: "cancel-pending" });
  await call(wallet, "cancel", { reference: order.reference });
  await gateway.until(2);
  await control(wallet, `POST payments/${order.paymentId}/fail-cancel`);
  const [, started, failed] = await gateway.until(3);
  assert.deepEqual(started?.order["cancel"], { state: "PROCESSING" });
  assert.deepEqual(failed?.order["cancel"], { state: "FAILED", resultCode: "PROCESS_FAIL" });
  assert.equal(failed?.order["state"], "AUTHORIZED");
});

test("a returned direct debit is sent to the gateway as a chargeback that is judged at once", async () => {
  const { gateway, wallet, order } = await startPaidScene("AUTOMATIC");
  const { reference, paymentId } = order;
  const partial = { currency: "EUR", value: "100" };
  await call(wallet, "refund", { reference, refundReference: "r", amount: partial });
  const { json } = await control(wallet, `POST payments/${paymentId}/return`);
  const [, callback] = await gateway.until(2);
  assert.deepEqual(callback?.dispute, json.dispute);
  assert.partialDeepStrictEqual(json.dispute, {
    disputeType: "CHARGEBACK",
    state: "JUDGED",
    judgedResult: "ACCEPT_BY_MERCHANT",
    takenAmount: { currency: "EUR", value: "350" },
    defendable: false,
    reasonCode: "DIRECT_DEBIT_RETURNED",
  });
  assert.equal((await call(wallet, "inquire", { reference })).order["state"], "PAID");
  const more = await call(wallet, "refund", { reference, refundReference: "s", amount: partial });
  assert.equal(more.result["resultCode"], "REFUND_AMOUNT_EXCEED");
  assert.equal((await control(wallet, `POST payments/${paymentId}/return`)).status, 409);
});

test("a fault can send callbacks twice, lose them in transit, or change their amount", async () => {
  const twiceScene = await startScene();
  await control(twiceScene.wallet, "POST faults", { kind: "callback-twice" });
  await twiceScene.sendCommand("approve");
  const [first, second] = await twiceScene.gateway.until(2);
  assert.equal(first?.eventId, second?.eventId);
  assert.equal((await delivered(twiceScene.wallet, 2)).length, 2);

  const dropped = await startScene();
  await control(dropped.wallet, "POST faults", { kind: "callback-drop", count: 2 });
  await dropped.sendCommand("approve");
  const [line] = await delivered(dropped.wallet, 1);
  assert.equal(line?.kind === "callback" && line.attempts, 3);
  assert.equal(dropped.gateway.received.length, 1);

  const wrongScene = await startScene();
  await control(wrongScene.wallet, "POST faults", { kind: "callback-amount" });
  await wrongScene.sendCommand("approve");
  const [callback] = await wrongScene.gateway.until(1);
  assert.deepEqual(callback?.order["paidAmount"], { currency: "EUR", value: "451" });
  const { order } = await call(wrongScene.wallet, "inquire", { reference: wrongScene.order.reference });
  assert.deepEqual(order["paidAmount"], { currency: "EUR", value: "450" });
});
