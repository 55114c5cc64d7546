import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, type ReceivedAnswer } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { startTestShop } from "../../test/start/test-shop.ts";
import { startTestStack, inStorePayRequest } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
const shop = await startTestShop();
const { url } = await stack.serve({ isPublic: true });
await stack.work();

/** Sends an in-store request. In the sandbox, in-store requests use the path without `/sandbox`. */
function callPaymentsOf(verb: string, request: object): Promise<ReceivedAnswer> {
  return call(url, merchant, { path: `/ams/api/v1/payments/${verb}`, body: JSON.stringify(request) });
}

let count = 0;

async function pay(
  scenario: Parameters<typeof inStorePayRequest>[1],
  more: object = {},
): Promise<{
  readonly request: object;
  readonly answer: ReceivedAnswer;
  readonly id: string;
  readonly paymentId: string;
}> {
  count += 1;
  const id = `till-${count}`;
  const request = inStorePayRequest(id, scenario, { paymentNotifyUrl: shop.notifyUrl, ...more });
  const answer = await callPaymentsOf("pay", request);
  const { paymentId = "" } = answer.json as { readonly paymentId?: string };
  return { request, answer, id, paymentId };
}

const codeOf = ({ json }: ReceivedAnswer): string => json.result["resultCode"] ?? "";
const by = (paymentCode: string): object => ({
  paymentMethod: { paymentMethodType: "CONNECT_WALLET", paymentMethodId: paymentCode },
});

async function untilStatus(id: string, status: string): Promise<ReceivedAnswer> {
  return eventually(
    10_000,
    () => callPaymentsOf("inquiryPayment", { paymentRequestId: id }),
    ({ json }) => json["paymentStatus"] === status,
  );
}

/** Number of times that the provider collected money for a payment. */
function charges(paymentId: string): number {
  return provider.effects().filter((effect) => effect["kind"] === "paid" && effect["paymentId"] === paymentId)
    .length;
}

test("an order code is issued with S, and the payment is paid after the buyer has scanned it", async () => {
  const { answer, id, paymentId, request } = await pay("OrderCode");
  assert.equal(codeOf(answer), "SUCCESS", answer.text);
  const form = answer.json["orderCodeForm"] as {
    readonly expireTime: string;
    readonly codeDetails: readonly { displayType: string; codeValue: string }[];
  };
  assert.equal(form.codeDetails[0]?.displayType, "TEXT");
  assert.ok(form.codeDetails[0].codeValue.startsWith(provider.url));
  const lifetimeMs = Date.parse(form.expireTime) - Date.parse(String(answer.json["paymentCreateTime"]));
  assert.equal(lifetimeMs, 180_000);
  assert.equal((await untilStatus(id, "PROCESSING")).json["paymentStatus"], "PROCESSING");
  assert.deepEqual((await callPaymentsOf("pay", request)).json, answer.json);

  await provider.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  const [webhook] = await shop.waitForWebhooks(paymentId, 1);
  assert.equal(webhook?.json["notifyType"], "PAYMENT_RESULT");
});

test("an entry code returns the page to which the buyer is sent", async () => {
  const { answer, id, paymentId } = await pay("EntryCode");
  assert.equal(codeOf(answer), "SUCCESS", answer.text);
  const { redirectUrl } = answer.json["redirectActionForm"] as { redirectUrl: string };
  const page = await fetch(redirectUrl, { method: "POST", body: new URLSearchParams({ choice: "approve" }) });
  assert.equal(page.status, 200);
  await untilStatus(id, "SUCCESS");
  assert.equal(charges(paymentId), 1);
});

test("a buyer's payment code is paid immediately, and is deleted from the database", async () => {
  const paymentCode = await provider.paymentCode();
  const { answer, paymentId, request } = await pay("PaymentCode", by(paymentCode));
  assert.equal(codeOf(answer), "SUCCESS", answer.text);
  assert.ok(answer.json["paymentTime"]);
  assert.equal(answer.json["normalUrl"], undefined);
  assert.deepEqual((await callPaymentsOf("pay", request)).json, answer.json);
  assert.equal(charges(paymentId), 1);
  const rows = await asSuperuser<{ row: string; sealed_code: Buffer | null }>(
    "select payments::text as row, sealed_code from payments where payment_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  assert.equal(rows[0]?.sealed_code, null);
  assert.ok(!rows[0]?.row.includes(paymentCode));
  const logged = await asSuperuser<{ found: number }>(
    "select count(*)::int as found from request_log where request_body like '%' || $1 || '%'",
    [paymentCode],
    database.superuserUrl,
  );
  assert.equal(logged[0]?.found, 0);
});

test("a used, unknown, malformed or expired code is refused, each with its own result code", async () => {
  const paymentCode = await provider.paymentCode();
  assert.equal(codeOf((await pay("PaymentCode", by(paymentCode))).answer), "SUCCESS");
  assert.equal(codeOf((await pay("PaymentCode", by(paymentCode))).answer), "INVALID_CODE");
  assert.equal(codeOf((await pay("PaymentCode", by("281006020000000000125733"))).answer), "INVALID_CODE");
  assert.equal(codeOf((await pay("PaymentCode", by("12345"))).answer), "INVALID_CODE");
  const short = await provider.paymentCode({ lifetimeSeconds: 1 });
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  assert.equal(codeOf((await pay("PaymentCode", by(short))).answer), "EXPIRED_CODE");
  const poor = await provider.paymentCode({ declines: "USER_BALANCE_NOT_ENOUGH" });
  assert.equal(codeOf((await pay("PaymentCode", by(poor))).answer), "USER_BALANCE_NOT_ENOUGH");
});

test("if the buyer has to confirm, pay returns U until the buyer has answered", async () => {
  const paymentCode = await provider.paymentCode({ asks: true });
  const { answer, id, paymentId } = await pay("PaymentCode", by(paymentCode));
  assert.equal(codeOf(answer), "PAYMENT_IN_PROCESS", answer.text);
  await provider.control(paymentId, "approve");
  await untilStatus(id, "SUCCESS");
  assert.equal(charges(paymentId), 1);
});

test("if the provider's response to a charge is lost, an inquiry finds the payment, and it is charged once", async () => {
  const paymentCode = await provider.paymentCode();
  await provider.fault({ kind: "answer-lost", match: { verb: "submit" }, count: 1 });
  const { answer, id, paymentId } = await pay("PaymentCode", by(paymentCode));
  assert.ok(["PAYMENT_IN_PROCESS", "SUCCESS"].includes(codeOf(answer)), answer.text);
  await untilStatus(id, "SUCCESS");
  assert.equal(charges(paymentId), 1);
});

test("a cancel stops a waiting payment, and a pay that arrives after the cancel", async () => {
  const waiting = await pay("OrderCode");
  const cancelled = await callPaymentsOf("cancel", { paymentRequestId: waiting.id });
  assert.equal(codeOf(cancelled), "SUCCESS", cancelled.text);
  assert.equal((await provider.control(waiting.paymentId, "approve")).status, 409);

  assert.equal(codeOf(await callPaymentsOf("cancel", { paymentRequestId: "never-came" })), "SUCCESS");
  const late = await callPaymentsOf(
    "pay",
    inStorePayRequest("never-came", "PaymentCode", by(await provider.paymentCode())),
  );
  assert.equal(codeOf(late), "ORDER_IS_CANCELED");
});

test("a store gets webhooks about payments only, and none about its refunds", async () => {
  const { paymentId } = await pay("PaymentCode", by(await provider.paymentCode()));
  const refundAmount = { currency: "EUR", value: "500" };
  const refundNotifyUrl = shop.notifyUrl;
  const refund = await callPaymentsOf("refund", {
    refundRequestId: "till-refund",
    paymentId,
    refundAmount,
    refundNotifyUrl,
  });
  assert.equal(codeOf(refund), "SUCCESS", refund.text);
  const kinds = await asSuperuser<{ kind: string }>(
    "select distinct kind from notifications where client_id = $1",
    [merchant.clientId],
    database.superuserUrl,
  );
  assert.deepEqual(kinds, [{ kind: "notifyPayment" }]);
});

for (const [field, more] of [
  ["paymentFactor.inStorePaymentScenario", { paymentFactor: {} }],
  ["paymentNotifyUrl", { paymentNotifyUrl: undefined }],
  ["paymentMethod.paymentMethodId", {}],
  ["order.merchant.merchantName", { order: orderWithout("merchant") }],
  ["order.env.storeTerminalId", { ...by("281006020000000000125733"), order: orderWithout("env") }],
] as const) {
  test(`an in-store pay without ${field} is refused`, async () => {
    const { answer } = await pay("PaymentCode", more);
    assert.equal(codeOf(answer), "PARAM_ILLEGAL", answer.text);
    assert.ok(answer.text.includes(field), answer.text);
  });
}

function orderWithout(part: "merchant" | "env"): object {
  const { order } = inStorePayRequest("", "PaymentCode") as { order: Readonly<Record<string, unknown>> };
  const { [part]: _, ...rest } = order;
  return rest;
}
