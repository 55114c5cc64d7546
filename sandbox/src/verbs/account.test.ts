import assert from "node:assert/strict";
import { test } from "node:test";
import { call, control, effects, newOrder, startWallet } from "../testing/test-wallet.ts";

/** Orders of two accounts of one wallet. Each account finds only its own orders, as at a provider with separate accounts. */
const wallet = await startWallet();
const amount = { currency: "EUR", value: "100" };
const own = { account: "acct_own" };
const otherOwners = [{ account: "acct_other" }, {}];

async function openOrder(more: object = {}) {
  const order = newOrder({ ...own, registrationId: "wg_1", ...more });
  await call(wallet, "submit", order);
  return order;
}

async function openPaidOrder() {
  const order = await openOrder();
  await control(wallet, `POST payments/${order.paymentId}/approve`);
  return order;
}

async function openHeldOrder() {
  const order = await openOrder({ capture: "MANUAL" });
  await control(wallet, `POST payments/${order.paymentId}/approve`);
  return order;
}

const resultOf = async (verb: string, fields: object): Promise<unknown> =>
  (await call(wallet, verb, fields)).result["resultCode"];

test("the journal has the merchant, the account and the registration of an order", async () => {
  const { reference } = await openOrder();
  const submit = effects(wallet).find((line) => line.kind === "submit" && line.reference === reference);
  assert.partialDeepStrictEqual(submit, {
    order: { merchantId: "merchant-1", account: "acct_own", registrationId: "wg_1" },
  });
});

test("a capture, a refund and a cancel for another account are rejected, and move no money", async () => {
  const [paid, held] = [await openPaidOrder(), await openHeldOrder()];
  for (const other of otherOwners) {
    const refund = { reference: paid.reference, refundReference: "r-other", amount, ...other };
    const capture = { reference: held.reference, captureReference: "c-other", amount, ...other };
    assert.equal(await resultOf("refund", refund), "ORDER_NOT_EXIST");
    assert.equal(await resultOf("capture", capture), "ORDER_NOT_EXIST");
    assert.equal(await resultOf("cancel", { reference: held.reference, ...other }), "ORDER_NOT_EXIST");
  }
  assert.ok(!effects(wallet).some((line) => line.kind === "refunded" || line.kind === "captured"));
  const { order } = await call(wallet, "inquire", { reference: held.reference, ...own });
  assert.equal(order["state"], "AUTHORIZED");
});

test("a capture and a refund of the same account succeed, and only this account finds them", async () => {
  const [paid, held] = [await openPaidOrder(), await openHeldOrder()];
  const refund = { reference: paid.reference, refundReference: "r-own", amount, ...own };
  const capture = { reference: held.reference, captureReference: "c-own", amount, ...own };
  assert.equal(await resultOf("refund", refund), "SUCCESS");
  assert.equal(await resultOf("capture", capture), "SUCCESS");
  const inquiries = [
    ["inquire", { reference: paid.reference }],
    ["inquire-refund", { refundReference: "r-own" }],
    ["inquire-capture", { captureReference: "c-own" }],
  ] as const;
  for (const [verb, fields] of inquiries) {
    assert.equal(await resultOf(verb, { ...fields, ...own }), "SUCCESS", verb);
    for (const other of otherOwners)
      assert.equal(await resultOf(verb, { ...fields, ...other }), "ORDER_NOT_EXIST", verb);
  }
});

test("a repeated submit for another account is inconsistent", async () => {
  const order = await openOrder();
  assert.equal(await resultOf("submit", { ...order, account: "acct_other" }), "REPEAT_REQ_INCONSISTENT");
});
