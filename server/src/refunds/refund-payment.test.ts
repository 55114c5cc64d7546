import assert from "node:assert/strict";
import { test } from "node:test";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, newMerchant, pathOf, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import {
  refundUntilFinal,
  refundRequest,
  resultOf,
  createPaidEuroPayment,
} from "../../test/shop/test-refund.ts";
import { isWebhookSigned, startTestShop } from "../../test/start/test-shop.ts";
import { callPayments, startTestStack } from "../../test/start/test-stack.ts";

// The provider of these tests offers RSA only; the providers of other test files sign with Ed25519.
const stack = await startTestStack({ algorithm: "RSA256" });
const { merchant, provider, database } = stack;
const flowers = await newMerchant(database, "Flower Shop");
await rows("update clients set fee_basis_points = 290 where client_id = $1", flowers.clientId);
await addConnector(database.ownerUrl, "sandbox", {
  name: "refunds-once",
  url: provider.url,
  partnerId: "tollgate",
  publicKeyFile: provider.publicKeyFile,
  paymentMethodTypes: ["KAKAOPAY"],
  simulator: true,
  terms: { refunds: "ONCE", refundWindowDays: 30 },
});
const shop = await startTestShop();
const [gateway, otherGateway] = [await stack.serve({ isPublic: true }), await stack.serve()];
await stack.work();
const till = { url: gateway.url, merchant, provider };
const flowerTill = { url: gateway.url, merchant: flowers, provider };

function rows<Row extends object>(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
  return asSuperuser<Row>(text, values, database.superuserUrl);
}

/** Amounts that the provider has returned for a payment, in minor units. */
function givenBack(paymentId: string): readonly bigint[] {
  return provider
    .effects()
    .filter((effect) => effect["kind"] === "refunded" && effect["paymentId"] === paymentId)
    .map(({ amount }) => BigInt((amount as { value: string }).value));
}

async function countersOf(paymentId: string): Promise<object | undefined> {
  const [found] = await rows<object>(
    `select refunded_minor::int as refunded,
       (select coalesce(sum(open_refunds_minor), 0)::int from reserves where client_id = payments.client_id) as open
     from payments where payment_id = $1`,
    paymentId,
  );
  return found;
}

test("a partial refund reaches the buyer, the ledger and the merchant", async () => {
  const paymentId = await createPaidEuroPayment(till, "1250");
  const optionalFields = {
    refundNotifyUrl: shop.notifyUrl,
    metadata: "cold coffee",
    referenceRefundId: "r-1",
  };
  const response = await callPayments(
    gateway.url,
    merchant,
    "refund",
    refundRequest("part", paymentId, "350", optionalFields),
  );
  const { result, refundId, refundTime, ...echoed } = response.json;
  assert.equal(result["resultCode"], "SUCCESS", response.text);
  const refundAmount = { currency: "EUR", value: "350" };
  assert.deepEqual(echoed, { refundRequestId: "part", paymentId, refundAmount });
  assert.match(String(refundTime), /^\d{4}-.*\+00:00$/);
  assert.deepEqual(givenBack(paymentId), [350n]);

  const status = {
    refundId,
    refundRequestId: "part",
    refundAmount,
    refundStatus: "SUCCESS",
    refundTime,
    metadata: "cold coffee",
  };
  for (const key of [{ refundId }, { refundRequestId: "part" }, { refundId, refundRequestId: "other" }]) {
    const { result: called, ...found } = (
      await callPayments(otherGateway.url, merchant, "inquiryRefund", key)
    ).json;
    assert.equal(called["resultCode"], "SUCCESS");
    assert.deepEqual(found, status);
  }

  const [webhook] = await shop.waitForWebhooks(paymentId, 1);
  assert.ok(webhook && isWebhookSigned(webhook, merchant.gatewayPublicKey));
  const { result: success, ...body } = webhook.json;
  assert.deepEqual(success, {
    resultCode: "SUCCESS",
    resultStatus: "S",
    resultMessage: result["resultMessage"],
  });
  assert.deepEqual(body, { notifyType: "REFUND_RESULT", ...status, paymentId, sequence: 3 });

  assert.deepEqual(await countersOf(paymentId), { refunded: 350, open: 0 });
  assert.deepEqual(
    await rows(
      `select effect, debit_account, credit_account, amount_minor::int as minor from ledger_transfers
       where subject_id = $1`,
      refundId,
    ),
    [
      {
        effect: "refund",
        debit_account: `merchant payable ${merchant.clientId}`,
        credit_account: "provider receivable test-provider",
        minor: 350,
      },
    ],
  );
  assert.deepEqual(
    await rows(
      "select sequence, status from payment_events where payment_id = $1 order by sequence desc limit 1",
      paymentId,
    ),
    [{ sequence: 3, status: "SUCCESS" }],
  );
});

test("a repeat returns the same refund; other content under its id is refused, and the error names the field", async () => {
  const paymentId = await createPaidEuroPayment(till, "1000");
  const another = await createPaidEuroPayment(till, "1000");
  const request = refundRequest("repeat", paymentId, "1000");
  const first = await callPayments(gateway.url, merchant, "refund", request);
  // Idempotency: the payment is fully refunded, so the gateway would refuse a new request, but this request is a
  // repeated one.
  const repeatResponse = await callPayments(otherGateway.url, merchant, "refund", {
    ...request,
    metadata: "other words",
  });
  assert.equal(resultOf(first), "SUCCESS");
  assert.deepEqual(repeatResponse.json, first.json);

  const changes = [
    ["paymentId", refundRequest("repeat", another, "1000")],
    ["refundAmount.value", refundRequest("repeat", paymentId, "999")],
    [
      "refundAmount.currency",
      { ...refundRequest("repeat", paymentId, "1"), refundAmount: { currency: "USD", value: "1000" } },
    ],
  ] as const;
  for (const [field, changed] of changes) {
    const { json } = await callPayments(gateway.url, merchant, "refund", changed);
    assert.equal(json.result["resultCode"], "REPEAT_REQ_INCONSISTENT");
    assert.equal(json.result["resultField"], field);
  }
  assert.deepEqual([givenBack(paymentId), givenBack(another)], [[1000n], []]);
});

test("one new id for two payments at the same time: one refund is made, and the other is refused as different", async () => {
  const [firstPayment, secondPayment] = [
    await createPaidEuroPayment(till, "500"),
    await createPaidEuroPayment(till, "500"),
  ];
  for (let round = 0; round < 5; round += 1) {
    const answers = await Promise.all(
      [firstPayment, secondPayment].map((paymentId, index) =>
        refundUntilFinal(
          { url: (index ? gateway : otherGateway).url, merchant },
          refundRequest(`duel-${round}`, paymentId, "100"),
        ),
      ),
    );
    assert.deepEqual(answers.map(resultOf).sort(), ["REPEAT_REQ_INCONSISTENT", "SUCCESS"]);
  }
  assert.equal(givenBack(firstPayment).length + givenBack(secondPayment).length, 5);
});

test("payments and refunds of other merchants are reported as unknown", async () => {
  const paymentId = await createPaidEuroPayment(till, "1250");
  const foreign = await callPayments(gateway.url, flowers, "refund", refundRequest("theft", paymentId, "1"));
  const unknownPaymentResponse = await callPayments(
    gateway.url,
    flowers,
    "refund",
    refundRequest("theft", `${paymentId.slice(0, -1)}x`, "1"),
  );
  assert.equal(resultOf(foreign), "ORDER_NOT_EXIST");
  assert.equal(foreign.text, unknownPaymentResponse.text);

  const mine = await callPayments(gateway.url, merchant, "refund", refundRequest("mine", paymentId, "1"));
  const { refundId } = mine.json;
  const otherMerchantResponse = await callPayments(gateway.url, flowers, "inquiryRefund", { refundId });
  const unknown = await callPayments(gateway.url, flowers, "inquiryRefund", { refundRequestId: "never" });
  assert.equal(resultOf(otherMerchantResponse), "ORDER_NOT_EXIST");
  assert.equal(otherMerchantResponse.text, unknown.text);
  assert.equal(resultOf(await callPayments(gateway.url, flowers, "inquiryRefund", {})), "PARAM_ILLEGAL");
});

test("in the sandbox, refunds of online payments are not on the path without /sandbox", async () => {
  const paymentId = await createPaidEuroPayment(till, "1250");
  const plainly = (verb: string, body: object): Promise<ReceivedAnswer> =>
    call(gateway.url, merchant, { path: pathOf("live", `payments/${verb}`), body: JSON.stringify(body) });
  const request = refundRequest("plain", paymentId, "1");
  assert.equal(resultOf(await plainly("refund", request)), "ACCESS_DENIED");
  assert.equal(resultOf(await refundUntilFinal(till, request)), "SUCCESS");
  assert.equal(resultOf(await plainly("refund", request)), "ACCESS_DENIED");
  assert.equal(resultOf(await plainly("inquiryRefund", { refundRequestId: "plain" })), "ACCESS_DENIED");
});

test("a refund that the payment or the provider's terms forbid is refused, and writes nothing", async () => {
  const open = await callPayments(gateway.url, merchant, "cancel", { paymentRequestId: "never-paid" });
  const paymentId = await createPaidEuroPayment(till, "1250");
  const once = await createPaidEuroPayment(till, "1250", "KAKAOPAY");
  const old = await createPaidEuroPayment(till, "1250", "KAKAOPAY");
  await rows("update payments set paid_at = paid_at - interval '31 days' where payment_id = $1", old);
  await refundUntilFinal(till, refundRequest("first", once, "1"));
  const count = "select count(*)::int as refunds from refunds";
  const before = await rows(count);

  const dollars = { refundAmount: { currency: "USD", value: "1" } };
  const nobodys = { refundAmount: { currency: "XQQ", value: "1" } };
  const table = [
    ["ORDER_IS_CANCELED", refundRequest("refused", String(open.json["paymentId"]), "1")],
    ["CURRENCY_NOT_SUPPORT", { ...refundRequest("refused", paymentId, "1"), ...dollars }],
    ["CURRENCY_NOT_SUPPORT", { ...refundRequest("refused", paymentId, "1"), ...nobodys }],
    ["REFUND_AMOUNT_EXCEED", refundRequest("refused", paymentId, "1251")],
    ["REFUND_WINDOW_EXCEED", refundRequest("refused", old, "1")],
    ["MULTIPLE_REFUNDS_NOT_SUPPORTED", refundRequest("refused", once, "1")],
    ["PARAM_ILLEGAL", refundRequest("refused", paymentId, "0")],
  ] as const;
  for (const [code, request] of table) {
    const response = await callPayments(gateway.url, merchant, "refund", request);
    assert.equal(resultOf(response), code, response.text);
    assert.equal(response.json["refundId"], undefined);
  }
  assert.deepEqual(await rows(count), before);
  // A refused refund does not use up the request id.
  const right = await refundUntilFinal(till, refundRequest("refused", paymentId, "1250"));
  assert.equal(resultOf(right), "SUCCESS");
});

test("a refund is refused if the merchant's balance does not cover it, because the fee was deducted", async () => {
  const first = await createPaidEuroPayment(flowerTill, "1000");
  const all = await callPayments(gateway.url, flowers, "refund", refundRequest("all", first, "1000"));
  assert.equal(resultOf(all), "MERCHANT_BALANCE_NOT_ENOUGH");
  const rest = await refundUntilFinal(flowerTill, refundRequest("rest", first, "971"));
  assert.equal(resultOf(rest), "SUCCESS");
  const cent = await callPayments(gateway.url, flowers, "refund", refundRequest("cent", first, "1"));
  assert.equal(resultOf(cent), "MERCHANT_BALANCE_NOT_ENOUGH");

  // Concurrent refunds of two payments use one balance: the balance of 19.42 covers 19 of 20 refunds of 1.00.
  const pair = [
    await createPaidEuroPayment(flowerTill, "1000"),
    await createPaidEuroPayment(flowerTill, "1000"),
  ];
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      refundUntilFinal(
        { url: (index % 3 ? gateway : otherGateway).url, merchant: flowers },
        refundRequest(`flower-${index}`, pair[index % 2] ?? "", "100"),
      ),
    ),
  );
  const refused = answers.map(resultOf).filter((code) => code !== "SUCCESS");
  assert.deepEqual(refused, ["MERCHANT_BALANCE_NOT_ENOUGH"]);
});

test("100 concurrent refunds of three times the paid amount, over two processes: those that fit are made", async () => {
  const paymentId = await createPaidEuroPayment(till, "10000");
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      refundUntilFinal(
        { url: (index % 2 ? gateway : otherGateway).url, merchant },
        refundRequest(`race-${index}`, paymentId, "300"),
      ),
    ),
  );
  const codes = answers.map(resultOf);
  assert.equal(codes.filter((code) => code === "SUCCESS").length, 33);
  assert.equal(codes.filter((code) => code === "REFUND_AMOUNT_EXCEED").length, 67);
  assert.deepEqual(
    givenBack(paymentId),
    Array.from({ length: 33 }, () => 300n),
  );
  assert.deepEqual(await countersOf(paymentId), { refunded: 9900, open: 0 });
  const order = provider.effects().find(({ kind, paymentId: paid }) => kind === "paid" && paid === paymentId);
  const calls = provider
    .effects()
    .filter(({ kind, reference }) => kind === "refund" && reference === order?.["reference"]);
  assert.equal(calls.filter(({ outcome }) => outcome === "done").length, 33);
  assert.equal(calls.filter(({ outcome }) => outcome === "refused").length, 0);
});

test("the merchant's balance, summed up by the worker, equals the ledger", async () => {
  const [left] = await rows<{ minor: number }>(
    "select (sum(captured_minor) - sum(refunded_minor))::int as minor from payments where client_id = $1",
    merchant.clientId,
  );
  await eventually(
    5_000,
    () =>
      rows<{ minor: number }>(
        "select -amount_minor::int as minor from balances where account = $1",
        `merchant payable ${merchant.clientId}`,
      ),
    ([balance]) => balance?.minor === left?.minor,
  );
  const deadlocks = "select deadlocks::int from pg_stat_database where datname = current_database()";
  assert.deepEqual(await rows(deadlocks), [{ deadlocks: 0 }]);
});

test("a repeated refund with another address gets a warning that the first one is kept", async () => {
  const paymentId = await createPaidEuroPayment(till, "1250");
  const requestRefund = (refundNotifyUrl: string): Promise<ReceivedAnswer> =>
    callPayments(
      gateway.url,
      merchant,
      "refund",
      refundRequest("kept", paymentId, "100", { refundNotifyUrl }),
    );
  assert.equal((await requestRefund("https://shop.example/one")).json["warnings"], undefined);
  const warning =
    "not changed: the value of the first request with this id is kept. Use a new request id to change it.";
  const { json } = await requestRefund("https://shop.example/two");
  assert.deepEqual(json["warnings"], [{ field: "refundNotifyUrl", warning }]);
});
