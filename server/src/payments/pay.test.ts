import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { bucketOf } from "../core/bucket.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
const { url } = await stack.serve({ isPublic: true });
await stack.work();

const call = (verb: string, body: object): ReturnType<typeof callPayments> =>
  callPayments(url, merchant, verb, body);
const status = async (paymentId: unknown): Promise<unknown> =>
  (await call("inquiryPayment", { paymentId })).json["paymentStatus"];

async function untilStatus(paymentId: unknown, expected: string): Promise<void> {
  await eventually(
    8_000,
    () => status(paymentId),
    (now) => now === expected,
  );
}

test("a payment is submitted to its provider, paid there, and reported to the merchant", async () => {
  const received: string[] = [];
  const shop = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => received.push(text));
    response.end(
      JSON.stringify({ result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success" } }),
    );
  }).listen(0, "127.0.0.1");
  await once(shop, "listening");
  after(() => shop.close());
  const { port } = shop.address() as AddressInfo;

  const paid = await call(
    "pay",
    payRequest("life-1", { paymentNotifyUrl: `http://127.0.0.1:${port}/notify?shop=1` }),
  );
  assert.equal(paid.json.result["resultCode"], "PAYMENT_IN_PROCESS");
  assert.match(String(paid.json["normalUrl"]), /\/checkout\//);
  const { paymentId } = paid.json;
  assert.equal((await provider.control(String(paymentId), "approve")).status, 200);

  await untilStatus(paymentId, "SUCCESS");
  await eventually(
    5_000,
    async () => received.length,
    (count) => count > 0,
  );
  const webhook = JSON.parse(received[0] ?? "") as Record<string, unknown>;
  assert.equal(webhook["notifyType"], "PAYMENT_RESULT");
  assert.equal(webhook["paymentId"], paymentId);
  assert.equal(webhook["sequence"], 2);
  const transfers = await asSuperuser<{ credit_account: string; amount_minor: string }>(
    "select credit_account, amount_minor from ledger_transfers where subject_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  assert.deepEqual(transfers, [
    { credit_account: `merchant payable ${merchant.clientId}`, amount_minor: "1250" },
  ]);
  const repeat = await call("pay", payRequest("life-1"));
  assert.equal(repeat.json.result["resultStatus"], "S");
  assert.equal(repeat.json["paymentId"], paymentId);
});

test("a payment of a buyer without money fails permanently", async () => {
  const { json } = await call("pay", payRequest("declined-1"));
  await provider.control(String(json["paymentId"]), "decline", { resultCode: "USER_BALANCE_NOT_ENOUGH" });
  await untilStatus(json["paymentId"], "FAIL");
  const repeat = await call("pay", payRequest("declined-1"));
  assert.equal(repeat.json.result["resultCode"], "USER_BALANCE_NOT_ENOUGH");
});

test("a payment stays pending until its provider has decided", async () => {
  const { json } = await call("pay", payRequest("pending-1"));
  await provider.control(String(json["paymentId"]), "pend");
  await untilStatus(json["paymentId"], "PENDING");
  await provider.control(String(json["paymentId"]), "approve");
  await untilStatus(json["paymentId"], "SUCCESS");
});

test("an expired payment fails only after its provider has closed the order", async () => {
  const soon = new Date(Date.now() + 1_500).toISOString().replace(/\.\d+Z/, "+00:00");
  const { json } = await call("pay", payRequest("expiry-1", { paymentExpiryTime: soon }));
  await untilStatus(json["paymentId"], "FAIL");
  const repeat = await call("pay", payRequest("expiry-1", { paymentExpiryTime: soon }));
  assert.equal(repeat.json.result["resultCode"], "ORDER_IS_CLOSED");
});

test("a cancel is confirmed by the provider, and a later pay finds the payment cancelled", async () => {
  const { json } = await call("pay", payRequest("cancel-1"));
  const cancelled = await call("cancel", { paymentId: json["paymentId"] });
  assert.equal(cancelled.json.result["resultStatus"], "S");
  assert.match(String(cancelled.json["cancelTime"]), /\+00:00$/);
  const again = await call("cancel", { paymentRequestId: "cancel-1" });
  assert.deepEqual(again.json, cancelled.json);
  assert.equal((await call("pay", payRequest("cancel-1"))).json.result["resultCode"], "ORDER_IS_CANCELED");
  assert.equal((await provider.control(String(json["paymentId"]), "approve")).status, 409);
});

test("a cancel of an unknown request id stores a tombstone without an amount", async () => {
  const cancelled = await call("cancel", { paymentRequestId: "never-1" });
  assert.equal(cancelled.json.result["resultStatus"], "S");
  const inquired = await call("inquiryPayment", { paymentRequestId: "never-1" });
  assert.equal(inquired.json["paymentStatus"], "CANCELLED");
  assert.equal(inquired.json["paymentAmount"], undefined);
  assert.equal((await call("pay", payRequest("never-1"))).json.result["resultCode"], "ORDER_IS_CANCELED");
});

test("a cancel that names no payment of the merchant, or two payments, is refused and writes nothing", async () => {
  const { json } = await call("pay", payRequest("cancel-2"));
  const unknown = await call("cancel", { paymentId: `${String(json["paymentId"]).slice(0, -1)}x` });
  assert.equal(unknown.json.result["resultCode"], "ORDER_NOT_EXIST");
  const both = await call("cancel", { paymentId: json["paymentId"], paymentRequestId: "cancel-1" });
  assert.equal(both.json.result["resultCode"], "PARAM_ILLEGAL");
  assert.equal((await call("cancel", {})).json.result["resultCode"], "PARAM_ILLEGAL");
  assert.equal(await status(json["paymentId"]), "PROCESSING");
});

test("a late success is reversed, and the merchant's result does not change", async () => {
  const { json } = await call("pay", payRequest("late-1"));
  const { paymentId } = json;
  assert.equal((await call("cancel", { paymentId })).json.result["resultStatus"], "S");
  await provider.fault({ kind: "late-success", match: { paymentId } });
  assert.equal((await provider.control(String(paymentId), "approve")).status, 200);
  const reversal = await eventually(
    8_000,
    () =>
      asSuperuser<{ status: string }>(
        "select status from reversals where payment_id = $1",
        [paymentId],
        database.superuserUrl,
      ),
    ([row]) => row?.status === "SUCCESS",
  );
  assert.equal(reversal.length, 1);
  assert.equal(await status(paymentId), "CANCELLED");
  const [suspense] = await asSuperuser<{ sum: string }>(
    `select sum(case when debit_account = 'suspense' then amount_minor else 0 end
       - case when credit_account = 'suspense' then amount_minor else 0 end) as sum
     from ledger_transfers where subject_id = $1`,
    [paymentId],
    database.superuserUrl,
  );
  assert.equal(suspense?.sum, "0");
});

test("pay, sessions and cancels share one namespace of payment request ids in the database", async () => {
  await call("pay", payRequest("namespace-1"));
  const bucket = bucketOf(merchant.clientId);
  const insert = `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status,
    result_code, created_at) values ($1, $2, $3, 'namespace-1', 'CASHIER_PAYMENT', 'CANCELLED', 'x', now())`;
  await assert.rejects(
    asSuperuser(insert, [bucket, "1".repeat(35), merchant.clientId], database.superuserUrl),
    /payments_request_once_for_ever/,
  );
});

/** A payment of EUR 12.50 with an `orderAmount`, and the warning that the sandbox should return. */
const orderAmounts: readonly (readonly [amount: object, warning: string | undefined])[] = [
  [{ currency: "EUR", value: "1250" }, undefined],
  [
    { currency: "USD", value: "1250" },
    "order.orderAmount is in USD and paymentAmount in EUR: the buyer pays paymentAmount, EUR 12.50.",
  ],
  [
    { currency: "EUR", value: "1000" },
    "order.orderAmount is EUR 10.00 and paymentAmount EUR 12.50: the buyer pays paymentAmount.",
  ],
];
const { order } = payRequest("") as { readonly order: object };

for (const [index, [orderAmount, warning]] of orderAmounts.entries()) {
  test(`an order of ${JSON.stringify(orderAmount)} gets ${warning ? "a" : "no"} warning`, async () => {
    const more = { order: { ...order, orderAmount } };
    const { json } = await call("pay", payRequest(`order-amount-${index}`, more));
    assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS");
    assert.deepEqual(json["warnings"], warning && [{ field: "order.orderAmount", warning }]);
  });
}

test("a repeat with another address or description gets a warning that the first value is kept", async () => {
  const first = { paymentNotifyUrl: "https://shop.example/one" };
  const other = {
    paymentNotifyUrl: "https://shop.example/two",
    order: { ...order, orderDescription: "Three coffees" },
  };
  for (const more of [first, first, {}]) {
    const { json } = await call("pay", payRequest("repeat-warned", more));
    assert.equal(json["warnings"], undefined);
  }
  const repeat = await call("pay", payRequest("repeat-warned", other));
  assert.equal(repeat.json.result["resultCode"], "PAYMENT_IN_PROCESS");
  const warning =
    "not changed: the value of the first request with this id is kept. Use a new request id to change it.";
  assert.deepEqual(repeat.json["warnings"], [
    { field: "paymentNotifyUrl", warning },
    { field: "order.orderDescription", warning },
  ]);
});
