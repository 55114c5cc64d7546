import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { formatWireTime } from "../core/request-time.ts";
import {
  failureResponse,
  orderResponse,
  paidOrder,
  refundResponse,
  startScriptedProvider,
  startScriptedStack,
  type ProviderRequest,
  type ScriptedProvider,
  type ScriptedResponse,
} from "../../test/start/scripted-provider.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";

/**
 * These tests check that a provider's facts drive retries: no message is sent after the idempotency window, and no
 * inquiry that the provider does not answer.
 */
const stack = await startScriptedStack();
const { merchant, database } = stack;
const windowMs = 2_000;

/** The provider does not answer the calls in `resets`, whose outcome is then unknown. */
const resets = new Set<string>();
/** References of orders that exist, so that an unknown order stays unknown. */
const openOrders = new Set<string>();
const script = ({ verb, fields }: ProviderRequest): ScriptedResponse => {
  const { reference } = fields;
  if (resets.has(`${reference} ${verb}`) || resets.has(`* ${verb} ${String(fields["description"])}`))
    return "reset";
  if (verb === "submit") {
    openOrders.add(reference);
    return orderResponse(reference, "OPEN");
  }
  if (verb === "inquire" && openOrders.has(reference)) return orderResponse(reference, "OPEN");
  if (verb === "cancel") return orderResponse(reference, "CLOSED");
  if (verb === "refund") return refundResponse(fields, { state: "PROCESSING", refundTime: undefined });
  return failureResponse("ORDER_NOT_EXIST");
};
const forgetful = await startScriptedProvider("forgetful", script);
const faithful = await startScriptedProvider("faithful", script);
const mute = await startScriptedProvider("mute", script);
const facts = { quietSeconds: 1 };
await stack.connect(forgetful, {
  methods: ["GCASH"],
  facts: { ...facts, idempotencyWindowSeconds: windowMs / 1000 },
});
await stack.connect(faithful, { methods: ["MAYA"], facts: { ...facts, holdSeconds: 7_200 } });
await stack.connect(mute, { methods: ["DANA"], facts: { ...facts, queries: [] } });
const { url } = await stack.serve();
await stack.work();

const manual = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
const amount = { currency: "EUR", value: "1250" };

async function pay(requestId: string, paymentMethodType: string, more: object = {}): Promise<string> {
  const request = payRequest(requestId, { paymentMethod: { paymentMethodType }, ...more });
  const { json } = await callPayments(url, merchant, "pay", request);
  return String(json["paymentId"]);
}

async function referenceOf(paymentId: string): Promise<string> {
  const [row] = await asSuperuser<{ reference: string }>(
    "select provider_reference as reference from payments where payment_id = $1",
    [paymentId],
    database.superuserUrl,
  );
  return row?.reference ?? assert.fail("There is no such payment.");
}

async function report(provider: ScriptedProvider, paymentId: string, content: object): Promise<void> {
  const reference = await referenceOf(paymentId);
  const about = { clientId: merchant.clientId, subjectId: paymentId };
  const answer = await provider.sendCallback(url, about, {
    eventId: crypto.randomUUID(),
    reference,
    ...content,
  });
  assert.equal(answer.json.result["resultStatus"], "S", answer.text);
}

/** A payment that its buyer has approved, and its order's reference. */
async function approve(
  requestId: string,
  provider: ScriptedProvider,
  method: string,
  {
    more = {},
    state = "PAID",
    hold = {},
  }: { more?: object; state?: "PAID" | "AUTHORIZED"; hold?: object } = {},
): Promise<{ readonly paymentId: string; readonly reference: string }> {
  const paymentId = await pay(requestId, method, more);
  const reference = await referenceOf(paymentId);
  await report(provider, paymentId, { order: { ...paidOrder(reference, state), ...hold } });
  return { paymentId, reference };
}

function inquire(paymentId: string): Promise<Readonly<Record<string, unknown>>> {
  return callPayments(url, merchant, "inquiryPayment", { paymentId }).then(({ json }) => json);
}

function requestsOf(provider: ScriptedProvider, verb: string, reference: string): readonly ProviderRequest[] {
  return provider.requests.filter(
    ({ verb: received, fields }) => received === verb && fields.reference === reference,
  );
}

/** The time between the first and the last message of a kind. */
function spanMs(requests: readonly ProviderRequest[]): number {
  return (requests.at(-1)?.atMs ?? 0) - (requests[0]?.atMs ?? 0);
}

function refundOf(refundRequestId: string): Promise<Readonly<Record<string, unknown>>> {
  return callPayments(url, merchant, "inquiryRefund", { refundRequestId }).then(({ json }) => json);
}

/** A retry comes at most 3 s after the first message, because the gaps are 1, 2 and 5 s. */
const laterRetryMs = 3_000;

describe("facts of providers", { concurrency: true }, () => {
  test("a refund without a response is not sent after the window, and fails once the provider does not know it", async () => {
    const { paymentId, reference } = await approve("window-refund", forgetful, "GCASH");
    resets.add(`${reference} refund`);
    const body = { refundRequestId: "window-refund", paymentId, refundAmount: amount };
    await callPayments(url, merchant, "refund", body);
    const refund = await eventually(
      30_000,
      () => refundOf("window-refund"),
      ({ refundStatus }) => refundStatus === "FAIL",
    );
    assert.equal(refund["refundStatus"], "FAIL");
    const sent = requestsOf(forgetful, "refund", reference);
    assert.ok(sent.length > 0 && spanMs(sent) < laterRetryMs, `${sent.length} in ${spanMs(sent)} ms`);
    assert.ok(forgetful.requests.some(({ verb }) => verb === "inquire-refund"));
  });

  test("a capture without a response is not sent after the window", async () => {
    const { paymentId, reference } = await approve("window-capture", forgetful, "GCASH", {
      more: manual,
      state: "AUTHORIZED",
    });
    resets.add(`${reference} capture`);
    const body = { captureRequestId: "window-capture", paymentId, captureAmount: amount };
    await callPayments(url, merchant, "capture", body);
    await eventually(
      30_000,
      async () => forgetful.requests,
      (requests) => requests.some(({ verb }) => verb === "inquire-capture"),
    );
    const count = requestsOf(forgetful, "capture", reference).length;
    await wait(6_000);
    const sent = requestsOf(forgetful, "capture", reference);
    assert.equal(sent.length, count);
    assert.ok(spanMs(sent) < laterRetryMs);
  });

  test("an order without a response is not submitted after the window, and is closed", async () => {
    resets.add("* submit lost");
    const order = { referenceOrderId: "lost", orderDescription: "lost", orderAmount: amount };
    const paymentId = await pay("window-submit", "GCASH", { order });
    const reference = await referenceOf(paymentId);
    const payment = await eventually(
      30_000,
      () => inquire(paymentId),
      ({ paymentStatus }) => paymentStatus === "FAIL",
    );
    assert.equal(payment["paymentResultCode"], "ORDER_IS_CLOSED");
    const sent = requestsOf(forgetful, "submit", reference);
    assert.ok(spanMs(sent) < laterRetryMs);
    const [first] = sent;
    for (const { fields } of sent)
      assert.ok(
        Date.parse(String(fields["notAfter"])) <= Date.now() &&
          Date.parse(String(first?.fields["notAfter"])) > 0,
      );
  });

  test("a provider without a window gets the refund until it answers", async () => {
    const { paymentId, reference } = await approve("no-window", faithful, "MAYA");
    resets.add(`${reference} refund`);
    await callPayments(url, merchant, "refund", {
      refundRequestId: "no-window",
      paymentId,
      refundAmount: amount,
    });
    await eventually(
      40_000,
      async () => requestsOf(faithful, "refund", reference),
      (requests) => spanMs(requests) >= laterRetryMs,
    );
  });

  test("without inquiries, the callback about a refund decides, and nothing is inquired", async () => {
    const { paymentId, reference } = await approve("no-queries", mute, "DANA");
    await callPayments(url, merchant, "refund", { refundRequestId: "mute", paymentId, refundAmount: amount });
    const [sent] = await eventually(
      15_000,
      async () => requestsOf(mute, "refund", reference),
      ({ length }) => length > 0,
    );
    const { refundReference = "" } = sent?.fields ?? {};
    const refund = { reference, refundReference, providerRefundId: "x", state: "DONE", amount };
    await report(mute, paymentId, { refund: { ...refund, refundTime: formatWireTime(Date.now()) } });
    assert.equal((await refundOf("mute"))["refundStatus"], "SUCCESS");
    await report(mute, paymentId, { refund: { ...refund, state: "FAILED" } });
    assert.equal((await refundOf("mute"))["refundStatus"], "FAIL");
    assert.deepEqual(
      mute.requests.filter(({ verb }) => verb.startsWith("inquire")),
      [],
    );
  });

  test("a hold ends when the connector's facts say, or when the order says", async () => {
    const holdOf = async (paymentId: string): Promise<number> => {
      const { paymentTime, authExpiryTime } = await inquire(paymentId);
      return (Date.parse(String(authExpiryTime)) - Date.parse(String(paymentTime))) / 1000;
    };
    const held = { more: manual, state: "AUTHORIZED" } as const;
    const stated = await approve("hold-of-facts", faithful, "MAYA", held);
    assert.equal(await holdOf(stated.paymentId), 7_200);
    const hold = { holdExpiryTime: formatWireTime(Date.now() + 3_600_000 * 24 * 20) };
    const reported = await approve("hold-of-order", faithful, "MAYA", { ...held, hold });
    const { authExpiryTime } = await inquire(reported.paymentId);
    assert.equal(Date.parse(String(authExpiryTime)), Date.parse(hold.holdExpiryTime));
  });
});
