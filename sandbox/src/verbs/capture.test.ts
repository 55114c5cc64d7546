import assert from "node:assert/strict";
import { test } from "node:test";
import { call, control, effects, newOrder, startWallet } from "../testing/test-wallet.ts";

const wallet = await startWallet();

/** An order of 450 cents that is held for the shop. */
async function openHeldOrder(more: Readonly<Record<string, unknown>> = {}) {
  const order = newOrder({ capture: "MANUAL", ...more });
  await call(wallet, "submit", order);
  await control(wallet, `POST payments/${order.paymentId}/approve`);
  return order;
}

function capture(reference: string, captureReference: string, value: string, currency = "EUR") {
  return call(wallet, "capture", { reference, captureReference, amount: { currency, value } });
}

function kindsOf(reference: string): string[] {
  return effects(wallet)
    .filter((line) => "reference" in line && line.reference === reference)
    .map((line) => ("outcome" in line ? `${line.kind} ${line.outcome}` : line.kind));
}

for (const openPendingOrder of [false, true]) {
  test(`an order with manual capture is held after its approval${openPendingOrder ? ", pending or not" : ""}`, async () => {
    const order = newOrder({ capture: "MANUAL" });
    await call(wallet, "submit", order);
    if (openPendingOrder) await control(wallet, `POST payments/${order.paymentId}/pend`);
    const { json } = await control(wallet, `POST payments/${order.paymentId}/approve`);

    assert.equal(json.order?.["state"], "AUTHORIZED");
    assert.deepEqual(json.order?.["paidAmount"], { currency: "EUR", value: "450" });
    assert.match(String(json.order?.["paidTime"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    assert.deepEqual((await call(wallet, "inquire", { reference: order.reference })).order, json.order);
    assert.equal(kindsOf(order.reference).at(-1), "authorized");
  });
}

test("an order without a capture mode is captured automatically, and is equal to an order with this mode", async () => {
  const order = newOrder();
  await call(wallet, "submit", order);
  const same = await call(wallet, "submit", { ...order, capture: "AUTOMATIC" });
  const other = await call(wallet, "submit", { ...order, capture: "MANUAL" });
  const wrong = await call(wallet, "submit", newOrder({ capture: "SOMETIMES" }));

  assert.equal(same.result["resultStatus"], "S");
  assert.equal(other.result["resultCode"], "REPEAT_REQ_INCONSISTENT");
  assert.equal(wrong.result["resultMessage"], "capture is missing or malformed.");
  const { json } = await control(wallet, `POST payments/${order.paymentId}/approve`);
  assert.equal(json.order?.["state"], "PAID");
});

test("a held amount is captured in parts, up to its total, once for each capture reference", async () => {
  const { reference } = await openHeldOrder();
  const first = await capture(reference, "part-1", "300");
  const repeated = await capture(reference, "part-1", "300");
  const otherAmount = await capture(reference, "part-1", "150");
  const tooMuch = await capture(reference, "part-2", "151");
  const foreign = await capture(reference, "part-2", "150", "USD");
  const rest = await capture(reference, "part-2", "150");
  const more = await capture(reference, "part-3", "1");

  assert.equal(first.result["resultStatus"], "S");
  const { providerCaptureId, captureTime, ...reportedCapture } = first.capture;
  assert.match(String(providerCaptureId), /^wc_/);
  assert.match(String(captureTime), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  const amount = { currency: "EUR", value: "300" };
  assert.deepEqual(reportedCapture, { reference, captureReference: "part-1", state: "DONE", amount });
  assert.deepEqual(repeated, first);
  assert.deepEqual(await call(wallet, "inquire-capture", { captureReference: "part-1" }), first);
  assert.equal(otherAmount.result["resultCode"], "REPEAT_REQ_INCONSISTENT");
  assert.equal(tooMuch.result["resultCode"], "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT");
  assert.equal(foreign.result["resultCode"], "CURRENCY_NOT_SUPPORT");
  assert.equal(rest.result["resultStatus"], "S");
  assert.equal(more.result["resultCode"], "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT");
  assert.equal((await call(wallet, "inquire", { reference })).order["state"], "AUTHORIZED");
  assert.deepEqual(kindsOf(reference).slice(2), [
    "capture done",
    "captured",
    "capture repeated",
    "capture inconsistent",
    "capture refused",
    "capture refused",
    "capture done",
    "captured",
    "capture refused",
  ]);
});

test("the last capture releases the rest once, and later messages do not change this", async () => {
  const { reference } = await openHeldOrder();
  const last = {
    reference,
    captureReference: "last-1",
    amount: { currency: "EUR", value: "300" },
    isLast: true,
  };
  const first = await call(wallet, "capture", last);
  const repeated = await call(wallet, "capture", last);
  const more = await capture(reference, "last-2", "1");

  assert.equal(first.result["resultStatus"], "S");
  assert.deepEqual(repeated, first);
  assert.equal(more.result["resultCode"], "CAPTURE_AMOUNT_EXCEED_AUTH_LIMIT");
  const released = effects(wallet).flatMap((line) =>
    line.kind === "captured" && line.released ? [line.released] : [],
  );
  assert.deepEqual(released, [{ currency: "EUR", value: "150" }]);
  const wrong = await call(wallet, "capture", { ...last, captureReference: "last-3", isLast: "yes" });
  assert.equal(wrong.result["resultMessage"], "isLast is missing or malformed.");
});

test("a known capture reference with another order is rejected", async () => {
  const [first, second] = [await openHeldOrder(), await openHeldOrder()];
  await capture(first.reference, "shared", "100");
  const other = await capture(second.reference, "shared", "100");
  assert.equal(other.result["resultCode"], "REPEAT_REQ_INCONSISTENT");
  assert.ok(!kindsOf(second.reference).includes("captured"));
});

test("only a held amount can be captured", async () => {
  const open = newOrder({ capture: "MANUAL" });
  const paid = newOrder();
  for (const order of [open, paid]) await call(wallet, "submit", order);
  await control(wallet, `POST payments/${paid.paymentId}/approve`);
  for (const { reference } of [open, paid])
    assert.equal((await capture(reference, "early", "1")).result["resultCode"], "ORDER_STATUS_INVALID");
  assert.equal((await capture("never", "early", "1")).result["resultCode"], "ORDER_NOT_EXIST");
  const inquired = await call(wallet, "inquire-capture", { captureReference: "early" });
  assert.equal(inquired.result["resultCode"], "ORDER_NOT_EXIST");
});

for (const [field, fields] of [
  ["reference", { captureReference: "c", amount: { currency: "EUR", value: "1" } }],
  ["captureReference", { reference: "r", amount: { currency: "EUR", value: "1" } }],
  ["amount", { reference: "r", captureReference: "c", amount: { currency: "EUR", value: "0" } }],
] as const) {
  test(`a capture without a valid ${field} is rejected with the field's name`, async () => {
    const { result } = await call(wallet, "capture", fields);
    assert.equal(result["resultMessage"], `${field} is missing or malformed.`);
  });
}

test("a cancel releases a hold, and captures are rejected afterwards", async () => {
  const { reference } = await openHeldOrder();
  const cancelled = await call(wallet, "cancel", { reference });
  const late = await capture(reference, "too-late", "1");

  assert.equal(cancelled.order["state"], "CLOSED");
  assert.equal(cancelled.order["paidAmount"], undefined);
  assert.equal(late.result["resultCode"], "ORDER_STATUS_INVALID");
  assert.deepEqual(kindsOf(reference).slice(1), ["authorized", "cancel closed", "closed", "capture refused"]);
});

test("a hold that expires at the wallet is closed; a partly captured hold stays", async () => {
  const [idle, used] = [await openHeldOrder(), await openHeldOrder()];
  await capture(used.reference, "used", "1");
  const lapsed = await control(wallet, `POST payments/${idle.paymentId}/expire`);
  const expiry = await control(wallet, `POST payments/${used.paymentId}/expire`);
  const cancelled = await call(wallet, "cancel", { reference: used.reference });

  assert.equal(lapsed.json.order?.["state"], "CLOSED");
  assert.equal(expiry.status, 409);
  assert.equal(cancelled.result["resultStatus"], "S");
  assert.equal(cancelled.order["state"], "AUTHORIZED");
  assert.equal(kindsOf(used.reference).at(-1), "cancel unchanged");
});

test("of a held order only the captured amount can be refunded", async () => {
  const { reference } = await openHeldOrder();
  const refund = (refundReference: string, value: string) =>
    call(wallet, "refund", { reference, refundReference, amount: { currency: "EUR", value } });
  const early = await refund("held-early", "1");
  await capture(reference, "held-part", "300");
  const tooMuch = await refund("held-a", "301");
  const all = await refund("held-a", "300");
  await capture(reference, "held-rest", "150");
  const rest = await refund("held-b", "150");

  assert.equal(early.result["resultCode"], "REFUND_AMOUNT_EXCEED");
  assert.equal(tooMuch.result["resultCode"], "REFUND_AMOUNT_EXCEED");
  assert.equal(all.refund["state"], "DONE");
  assert.equal(rest.refund["state"], "DONE");
});

test("a hundred concurrent captures never take more than the held amount", async () => {
  const { reference } = await openHeldOrder();
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, index) => capture(reference, `rush-${index}`, "10")),
  );
  assert.equal(responses.filter(({ result }) => result["resultStatus"] === "S").length, 45);
  assert.equal(kindsOf(reference).filter((kind) => kind === "captured").length, 45);
});
