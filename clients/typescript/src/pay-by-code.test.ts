import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigurationError } from "./errors.ts";
import type { PayRequest } from "./generated/models.ts";
import type { ByCodeOptions, TillState } from "./pay-by-code.ts";
import { fakeClock, fakeGateway, testKeys, type Reply } from "./testing.ts";
import { Tollgate, type TollgateOptions } from "./tollgate.ts";

// Tests of payments at a point of sale that are specific to TypeScript. clients/conformance/by-code.json
// tests the steps after each response in all languages.
const [merchant, gateway] = await Promise.all([testKeys(), testKeys()]);
const reply = (resultStatus: string, resultCode: string, more: object = {}): Reply => ({
  body: { result: { resultCode, resultStatus, resultMessage: "as scripted." }, ...more },
});
const reset: Reply = { fault: "reset" };
const pending = reply("U", "PAYMENT_IN_PROCESS", { paymentId: "p-1" });
const cancelled = reply("S", "SUCCESS", { paymentId: "p-1", cancelTime: "2026-11-15T09:31:00+00:00" });
const status = (paymentStatus: string, more: object = {}): Reply =>
  reply("S", "SUCCESS", { paymentStatus, ...more });

function tillOf(
  replies: readonly Reply[],
  options: TollgateOptions = {},
): [Tollgate["payments"], () => string[], ReturnType<typeof fakeClock>] {
  const fake = fakeGateway(replies, gateway.privateKey);
  const clock = fakeClock();
  const { payments } = new Tollgate({
    clientId: "5YTEST",
    privateKey: merchant.privateKey,
    gatewayPublicKeys: gateway.publicKey,
    baseUrl: "https://gateway.example",
    transport: fake.transport,
    clock,
    ...options,
  });
  const calls = (): string[] => fake.requests.map(({ url }) => url.slice(url.lastIndexOf("/") + 1));
  return [payments, calls, clock];
}

function scanned(inStorePaymentScenario = "PaymentCode"): PayRequest {
  const amount = { currency: "EUR", value: "1250" };
  return {
    productCode: "IN_STORE_PAYMENT",
    paymentRequestId: "till-1-77",
    paymentFactor: { inStorePaymentScenario },
    order: { referenceOrderId: "77", orderDescription: "Two coffees", orderAmount: amount },
    paymentAmount: amount,
    paymentMethod: { paymentMethodType: "CONNECT_WALLET", paymentMethodId: "281000028312907745120953" },
  };
}

test("an abort during a pause cancels the payment at once", async () => {
  const enough = new AbortController();
  const clock = fakeClock();
  const [payments, calls] = tillOf([pending, cancelled, status("CANCELLED")], {
    clock: {
      ...clock,
      async sleep(_ms, signal) {
        enough.abort(new Error("The buyer left."));
        signal?.throwIfAborted();
      },
    },
  });
  const result = await payments.payByCode(scanned(), { signal: enough.signal });
  assert.equal(result.outcome, "cancelled");
  assert.deepEqual(calls(), ["pay", "cancel", "inquiryPayment"]);
});

test("an abort during the request cancels the payment", async () => {
  const enough = new AbortController();
  const fake = fakeGateway([cancelled, status("CANCELLED", { paymentTime: "x" })], gateway.privateKey);
  let isFirst = true;
  const [payments] = tillOf([], {
    transport(request) {
      if (!isFirst) return fake.transport(request);
      isFirst = false;
      enough.abort(new Error("The buyer left."));
      return Promise.reject(new Error("aborted"));
    },
  });
  const result = await payments.payByCode(scanned(), { signal: enough.signal });
  assert.partialDeepStrictEqual(result, { outcome: "cancelled", moneyBack: true });
});

test("an error in between is the cause of an unknown result, which has the id", async () => {
  const [payments] = tillOf([], {
    transport: async () => ({ status: 200, headers: undefined, body: undefined }) as never,
  });
  const result = await payments.payByCode(scanned());
  assert.partialDeepStrictEqual(result, { outcome: "unknown", paymentRequestId: "till-1-77" });
  assert.ok(result.outcome === "unknown" && result.cause instanceof TypeError);
  assert.match(result.advice, /finishByCode/);
});

test("a display that throws does not make a payment fail", async () => {
  const heard: TillState[] = [];
  const onState = (state: TillState): never => {
    heard.push(state);
    throw new Error("The display is dark.");
  };
  const [payments] = tillOf([reset, status("SUCCESS")]);
  assert.equal((await payments.payByCode(scanned(), { onState })).outcome, "paid");
  assert.deepEqual(heard, ["asking", "checking"]);
});

test("a request for another kind of code is not sent, because S has another meaning there", async () => {
  const [payments, calls] = tillOf([]);
  const wrong = [
    payments.payByCode(scanned("OrderCode")),
    payments.showOrderCode(scanned("EntryCode")),
    payments.openEntryCode(scanned("PaymentCode")),
    payments.payByCode({ ...scanned(), paymentFactor: undefined }),
    payments.payByCode({ ...scanned(), paymentRequestId: "" }),
    payments.payByCode(scanned(), { inquireAfterSeconds: [-1] }),
    payments.payByCode(scanned(), { timeoutMs: 0 }),
    payments.finishByCode(""),
    payments.finishByCode({ paymentRequestId: "1", paymentId: "1", endsAt: "soon" }),
  ];
  for (const each of wrong) await assert.rejects(each, ConfigurationError);
  assert.deepEqual(calls(), []);
});

test("an expired code is inquired once more and then cancelled", async () => {
  const codeDetails = [
    { codeValueType: "QRCODE", displayType: "TEXT", codeValue: "https://wallet.example/1" },
  ];
  const orderCodeForm = { expireTime: "2020-01-01T00:00:20+00:00", paymentMethodType: "GCASH", codeDetails };
  const shown = reply("S", "SUCCESS", { paymentCreateTime: "2020-01-01T00:00:00+00:00", orderCodeForm });
  const asked = Array.from({ length: 6 }, () => status("PROCESSING"));
  const [payments, calls, clock] = tillOf([shown, ...asked, cancelled, status("CANCELLED")]);
  const open = await payments.showOrderCode(scanned("OrderCode"));
  assert.ok(open.outcome === "open");
  assert.equal(open.endsAt, "2026-01-01T00:00:20+00:00");
  const result = await payments.finishByCode(open);
  assert.equal(result.outcome, "cancelled");
  assert.deepEqual(clock.slept, [2_000, 3_000, 3_000, 5_000, 5_000, 2_000]);
  assert.deepEqual(calls(), ["pay", ...asked.map(() => "inquiryPayment"), "cancel", "inquiryPayment"]);
});

test("a code without an expiry is valid for three minutes, or as long as requested", async () => {
  const redirectActionForm = { method: "GET", redirectUrl: "https://wallet.example/p", actionFormType: "x" };
  const opened = reply("S", "SUCCESS", { redirectActionForm });
  const [payments] = tillOf([opened, opened]);
  const usual = await payments.openEntryCode(scanned("EntryCode"));
  const asked = { ...scanned("EntryCode"), paymentExpiryTime: "2026-01-01T00:10:00+00:00" };
  const longer = await payments.openEntryCode(asked);
  assert.partialDeepStrictEqual(usual, { outcome: "open", endsAt: "2026-01-01T00:03:00+00:00" });
  assert.partialDeepStrictEqual(longer, { outcome: "open", endsAt: "2026-01-01T00:10:00+00:00" });
});

test("without pauses there is no inquiry, and the payment is cancelled", async () => {
  const options: ByCodeOptions = { inquireAfterSeconds: [], cancelAfterSeconds: [] };
  const [payments, calls, clock] = tillOf([reset, reset]);
  const result = await payments.payByCode(scanned(), options);
  assert.deepEqual([result.outcome, result.paymentId], ["unknown", undefined]);
  assert.deepEqual([calls(), clock.slept], [["pay", "cancel"], []]);
});
