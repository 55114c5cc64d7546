import assert from "node:assert/strict";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { startGateway } from "../testing/test-gateway.ts";
import { call, control, effects, newOrder, startWallet } from "../testing/test-wallet.ts";
import { wireTime } from "./wire-time.ts";

const wallet = await startWallet();
const gateway = await startGateway(join(wallet.folder, "wallet-public.pem"));

afterEach(async () => {
  await control(wallet, "DELETE faults");
});

async function withFault(fault: object): Promise<void> {
  assert.equal((await control(wallet, "POST faults", fault)).status, 200);
}

function kindsOf(reference: string): string[] {
  return effects(wallet)
    .filter((line) => "reference" in line && line.reference === reference)
    .map((line) => {
      if (line.kind === "fault") return `fault ${line.fault}`;
      return "outcome" in line ? `${line.kind} ${line.outcome}` : line.kind;
    });
}

/** Returns the states of an order that the gateway got in callbacks, as soon as there are two different ones. */
async function untilTwoStates(reference: string): Promise<Set<unknown>> {
  const countReceived = () => gateway.received.filter((callback) => callback.reference === reference);
  const deadlineMs = Date.now() + 5_000;
  while (countReceived().length < 2 && Date.now() < deadlineMs) await wait(10);
  return new Set(countReceived().map((callback) => callback.order["state"]));
}

test("a lost response hides an order that was opened", async () => {
  const order = newOrder();
  await withFault({ kind: "answer-lost", match: { paymentId: order.paymentId, verb: "submit" } });

  await assert.rejects(call(wallet, "submit", order), /fetch failed/);
  assert.deepEqual(kindsOf(order.reference), ["submit opened", "fault answer-lost"]);
  assert.equal((await call(wallet, "submit", order)).order["state"], "OPEN");
});

test("a refused connection and a server error leave no order", async () => {
  const order = newOrder();
  await withFault({ kind: "refuse-connection", match: { verb: "submit" } });
  await withFault({ kind: "error-500", match: { verb: "submit" } });

  await assert.rejects(call(wallet, "submit", order), /fetch failed/);
  await assert.rejects(call(wallet, "submit", order), /unsigned/);
  const inquired = await call(wallet, "inquire", { reference: order.reference });
  assert.equal(inquired.result["resultCode"], "ORDER_NOT_EXIST");
  assert.deepEqual(kindsOf(order.reference), [
    "fault refuse-connection",
    "submit not-acted",
    "fault error-500",
    "submit not-acted",
  ]);
});

test("a late response arrives after its delay, and the order exists in the meantime", async () => {
  const order = newOrder();
  const { reference } = order;
  await withFault({ kind: "late-answer", delayMs: 400, match: { verb: "submit" } });
  const startedAt = performance.now();
  const late = call(wallet, "submit", order);
  await new Promise((resolve) => setTimeout(resolve, 150));

  assert.equal((await call(wallet, "inquire", { reference })).order["state"], "OPEN");
  assert.equal((await late).order["state"], "OPEN");
  assert.ok(performance.now() - startedAt >= 395);
});

test("garbage is either non-JSON with a valid signature, or JSON with an invalid one", async () => {
  await withFault({ kind: "garbage" });
  await assert.rejects(call(wallet, "submit", newOrder()), SyntaxError);
  await withFault({ kind: "garbage", wrong: "signature" });
  await assert.rejects(call(wallet, "submit", newOrder()), /unsigned/);
  assert.equal((await call(wallet, "submit", newOrder())).order["state"], "OPEN");
});

test("a wallet that is not idempotent opens a second order, records it in its journal, and both can be paid", async () => {
  const order = newOrder();
  const { paymentId, reference } = order;
  await withFault({ kind: "not-idempotent", match: { paymentId } });
  const first = await call(wallet, "submit", order);
  const second = await call(wallet, "submit", order);
  const third = await call(wallet, "submit", order);

  assert.notEqual(second.order["providerOrderId"], first.order["providerOrderId"]);
  assert.equal(third.order["providerOrderId"], second.order["providerOrderId"]);
  for (const status of [200, 200, 409])
    assert.equal((await control(wallet, `POST payments/${paymentId}/approve`)).status, status);
  assert.deepEqual(
    kindsOf(reference).filter((kind) => kind !== "callback"),
    ["submit opened", "fault not-idempotent", "submit opened-again", "submit repeated", "paid", "paid"],
  );
});

async function linesCome(lines: () => readonly string[], count: number): Promise<void> {
  const deadlineMs = Date.now() + 5_000;
  while (lines().length < count && Date.now() < deadlineMs) await wait(10);
}

test("a delayed cancel closes an order that the buyer has not approved, and releases a hold", async () => {
  const order = newOrder({ capture: "MANUAL" });
  const { reference, paymentId } = order;
  await call(wallet, "submit", order);
  await withFault({ kind: "late-arrival", delayMs: 200, match: { paymentId } });
  await assert.rejects(call(wallet, "cancel", { reference }), /fetch failed/);
  await control(wallet, `POST payments/${paymentId}/approve`);
  const lines = () => kindsOf(reference).filter((kind) => kind !== "callback");
  await linesCome(lines, 6);
  assert.deepEqual(lines(), [
    "submit opened",
    "fault late-arrival",
    "cancel not-acted",
    "authorized",
    "cancel closed",
    "closed",
  ]);
});

test("a cancel that arrives after its notAfter closes nothing, and a later cancel does", async () => {
  const order = newOrder();
  const { reference } = order;
  const past = { reference, notAfter: wireTime(Date.now() - 2_000) };
  assert.equal((await call(wallet, "cancel", past)).result["resultCode"], "MESSAGE_EXPIRED");
  assert.equal((await call(wallet, "submit", order)).order["state"], "OPEN");
  assert.equal((await call(wallet, "cancel", past)).result["resultCode"], "MESSAGE_EXPIRED");
  const inTime = { reference, notAfter: wireTime(Date.now() + 60_000) };
  assert.equal((await call(wallet, "cancel", inTime)).order["state"], "CLOSED");
  assert.equal((await call(wallet, "cancel", past)).order["state"], "CLOSED");
  const malformed = await call(wallet, "cancel", { reference, notAfter: 5 });
  assert.equal(malformed.result["resultMessage"], "notAfter is missing or malformed.");
});

for (const verb of ["capture", "refund"] as const) {
  const reference = `${verb}Reference`;
  const effect = verb === "capture" ? "captured" : "refunded";

  /** Creates an order that the buyer has approved, and a call that captures or refunds its full amount. */
  async function ready(name: string) {
    const order = newOrder(verb === "capture" ? { capture: "MANUAL" } : {});
    await call(wallet, "submit", order);
    await control(wallet, `POST payments/${order.paymentId}/approve`);
    const fields = { reference: order.reference, [reference]: name, amount: order["amount"] };
    const linesFrom = kindsOf(order.reference).length;
    return { order, fields, lines: () => kindsOf(order.reference).slice(linesFrom) };
  }

  test(`a lost response hides a ${verb} that was made, and the repeat creates no second one`, async () => {
    const { order, fields, lines } = await ready(`${verb}-lost`);
    await withFault({ kind: "answer-lost", match: { paymentId: order.paymentId, verb } });
    await assert.rejects(call(wallet, verb, fields), /fetch failed/);
    assert.equal((await call(wallet, verb, fields)).result["resultStatus"], "S");
    assert.deepEqual(lines(), [`${verb} done`, effect, "fault answer-lost", `${verb} repeated`]);
  });

  test(`a ${verb} that does not reach the wallet leaves no record`, async () => {
    const { fields, lines } = await ready(`${verb}-kept`);
    await withFault({ kind: "refuse-connection", match: { verb } });
    await withFault({ kind: "error-500", match: { verb } });
    await assert.rejects(call(wallet, verb, fields), /fetch failed/);
    await assert.rejects(call(wallet, verb, fields), /unsigned/);
    const notActed = `${verb} not-acted`;
    assert.deepEqual(lines(), ["fault refuse-connection", notActed, "fault error-500", notActed]);
  });

  test(`a delayed ${verb} takes effect after its repeat was rejected`, async () => {
    const { order, fields, lines } = await ready(`${verb}-late`);
    const match = { paymentId: order.paymentId, verb };
    await withFault({ kind: "late-arrival", delayMs: 200, match });
    await withFault({ kind: "refuse", resultCode: "RISK_REJECT", match });
    await assert.rejects(call(wallet, verb, fields), /fetch failed/);
    assert.equal((await call(wallet, verb, fields)).result["resultCode"], "RISK_REJECT");
    const refused = ["fault late-arrival", `${verb} not-acted`, "fault refuse", `${verb} refused`];
    assert.deepEqual(lines(), refused);
    await linesCome(lines, 6);
    assert.deepEqual(lines(), [...refused, `${verb} done`, effect]);
  });

  test(`a ${verb} that arrives after its notAfter is rejected, unless it is known`, async () => {
    const { fields, lines } = await ready(`${verb}-expired`);
    const past = { ...fields, notAfter: wireTime(Date.now() - 2_000) };
    assert.equal((await call(wallet, verb, past)).result["resultCode"], "MESSAGE_EXPIRED");
    assert.equal(
      (await call(wallet, verb, { ...fields, notAfter: "soon" })).result["resultCode"],
      "PARAM_ILLEGAL",
    );
    const response = await call(wallet, verb, { ...fields, notAfter: wireTime(Date.now() + 60_000) });
    assert.deepEqual(await call(wallet, verb, past), response);
    const outcomes = ["too-late", "malformed", "done"].map((outcome) => `${verb} ${outcome}`);
    assert.deepEqual(lines(), [...outcomes, effect, `${verb} repeated`]);
  });

  test(`a wallet that is not idempotent executes a ${verb} again, and its journal has both`, async () => {
    const { order, fields, lines } = await ready(`${verb}-again`);
    const first = await call(wallet, verb, fields);
    await withFault({ kind: "not-idempotent", match: { paymentId: order.paymentId, verb } });
    const second = await call(wallet, verb, fields);
    const third = await call(wallet, verb, fields);
    const idField = verb === "capture" ? "providerCaptureId" : "providerRefundId";
    assert.notEqual(second[verb][idField], first[verb][idField]);
    assert.deepEqual(third, second);
    assert.deepEqual(lines(), [
      `${verb} done`,
      effect,
      "fault not-idempotent",
      `${verb} done-again`,
      effect,
      `${verb} repeated`,
    ]);
  });

  test(`with inquiry-lag an inquiry does not find a ${verb} for some time`, async () => {
    const { order, fields } = await ready(`${verb}-lag`);
    await withFault({ kind: "inquiry-lag", delayMs: 300, match: { paymentId: order.paymentId, verb } });
    const response = await call(wallet, verb, fields);
    const inquire = () => call(wallet, `inquire-${verb}`, { [reference]: `${verb}-lag` });
    assert.equal((await inquire()).result["resultCode"], "ORDER_NOT_EXIST");
    await new Promise((resolve) => setTimeout(resolve, 320));
    assert.deepEqual(await inquire(), response);
  });

  test(`an inquiry after a ${verb} can get a fault like any call, for one payment only`, async () => {
    const [{ order, fields }, other] = [await ready(`${verb}-asked`), await ready(`${verb}-other`)];
    await call(wallet, verb, fields);
    await call(wallet, verb, other.fields);
    const match = { paymentId: order.paymentId, verb: `inquire-${verb}` };
    for (const fault of [{ kind: "error-500" }, { kind: "garbage" }, { kind: "answer-lost" }])
      await withFault({ ...fault, match });
    const inquire = (name: string) => call(wallet, `inquire-${verb}`, { [reference]: name });
    assert.equal((await inquire(`${verb}-other`)).result["resultStatus"], "S");
    await assert.rejects(inquire(`${verb}-asked`), /unsigned/);
    await assert.rejects(inquire(`${verb}-asked`), SyntaxError);
    await assert.rejects(inquire(`${verb}-asked`), /fetch failed/);
    assert.equal((await inquire(`${verb}-asked`)).result["resultStatus"], "S");
  });
}

test("with inquiry-lag an inquiry does not find the order for some time", async () => {
  const order = newOrder();
  const { reference, paymentId } = order;
  await withFault({ kind: "inquiry-lag", delayMs: 300, match: { paymentId } });
  await call(wallet, "submit", order);
  assert.equal((await call(wallet, "inquire", { reference })).result["resultCode"], "ORDER_NOT_EXIST");
  await new Promise((resolve) => setTimeout(resolve, 320));
  assert.equal((await call(wallet, "inquire", { reference })).order["state"], "OPEN");
});

test("a buyer who is faster than the cancel has paid", async () => {
  const order = newOrder();
  const { reference, paymentId } = order;
  await withFault({ kind: "pay-on-cancel", match: { paymentId } });
  await call(wallet, "submit", order);
  const cancelled = await call(wallet, "cancel", { reference });
  assert.equal(cancelled.order["state"], "PAID");
  assert.deepEqual(kindsOf(reference), ["submit opened", "fault pay-on-cancel", "cancel unchanged", "paid"]);
});

test("a buyer who is faster than the cancel of a manual order gets a hold, and the cancel releases it", async () => {
  const order = newOrder({ capture: "MANUAL" });
  const { reference, paymentId } = order;
  await withFault({ kind: "pay-on-cancel", match: { paymentId } });
  await call(wallet, "submit", order);
  assert.equal((await call(wallet, "cancel", { reference })).order["state"], "CLOSED");
  assert.deepEqual(kindsOf(reference), [
    "submit opened",
    "fault pay-on-cancel",
    "authorized",
    "cancel closed",
    "closed",
  ]);
});

test("an already held manual order can not be paid on its cancel", async () => {
  const order = newOrder({ capture: "MANUAL" });
  const { reference, paymentId } = order;
  await call(wallet, "submit", order);
  await control(wallet, `POST payments/${paymentId}/approve`);
  await withFault({ kind: "pay-on-cancel", match: { paymentId } });
  assert.equal((await call(wallet, "cancel", { reference })).order["state"], "CLOSED");
  assert.deepEqual(kindsOf(reference), ["submit opened", "authorized", "cancel closed", "closed"]);
});

test("a late success holds a closed manual order, the gateway gets a callback, and can release the hold", async () => {
  const order = newOrder({ capture: "MANUAL", callbackUrl: `${gateway.url}/late-hold` });
  const { reference, paymentId } = order;
  await call(wallet, "submit", order);
  await call(wallet, "cancel", { reference });
  await withFault({ kind: "late-success", match: { paymentId } });
  const approval = await control(wallet, `POST payments/${paymentId}/approve`);
  assert.equal(approval.json.order?.["state"], "AUTHORIZED");
  assert.deepEqual(await untilTwoStates(reference), new Set(["CLOSED", "AUTHORIZED"]));
  assert.equal((await call(wallet, "cancel", { reference })).order["state"], "CLOSED");
});

test("a wallet that is not idempotent can hold two manual orders of one payment", async () => {
  const order = newOrder({ capture: "MANUAL" });
  const { paymentId } = order;
  await withFault({ kind: "not-idempotent", match: { paymentId } });
  await call(wallet, "submit", order);
  await call(wallet, "submit", order);
  for (const status of [200, 200, 409])
    assert.equal((await control(wallet, `POST payments/${paymentId}/approve`)).status, status);
});

test("a late success pays a closed order, and the gateway gets a callback", async () => {
  const order = newOrder({ callbackUrl: `${gateway.url}/late` });
  const { reference, paymentId } = order;
  await call(wallet, "submit", order);
  await call(wallet, "cancel", { reference });
  assert.equal((await control(wallet, `POST payments/${paymentId}/approve`)).status, 409);
  await withFault({ kind: "late-success", match: { paymentId } });

  const paid = await control(wallet, `POST payments/${paymentId}/approve`);
  assert.equal(paid.json.order?.["state"], "PAID");
  assert.equal((await call(wallet, "inquire", { reference })).order["state"], "PAID");
  assert.deepEqual(await untilTwoStates(reference), new Set(["CLOSED", "PAID"]));
  const refund = { reference, refundReference: "late", amount: order["amount"] };
  assert.equal((await call(wallet, "refund", refund)).result["resultStatus"], "S");
});

test("a fault occurs as often as configured, only where it matches, and can be cancelled", async () => {
  const other = newOrder();
  await call(wallet, "submit", other);
  await withFault({ kind: "error-500", count: 2, match: { verb: "inquire", paymentId: other.paymentId } });
  const order = newOrder();
  assert.equal((await call(wallet, "submit", order)).order["state"], "OPEN");
  assert.equal((await call(wallet, "inquire", order)).order["state"], "OPEN");
  await assert.rejects(call(wallet, "inquire", { reference: other.reference }), /unsigned/);
  assert.partialDeepStrictEqual((await control(wallet, "GET faults")).json.faults, [
    { kind: "error-500", count: 1 },
  ]);
  await control(wallet, "DELETE faults");
  assert.equal((await call(wallet, "inquire", { reference: other.reference })).order["state"], "OPEN");
});
