import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, test } from "node:test";
import { refundRequest } from "../../test/shop/test-refund.ts";
import {
  captureResponse,
  orderResponse,
  paidOrder,
  refundResponse,
  startScriptedProvider,
  startScriptedStack,
  type ProviderRequestFields,
  type ScriptedResponse,
} from "../../test/start/scripted-provider.ts";
import {
  consoleVariables,
  personToken,
  requestConsole,
  resultCodeOf,
} from "../../test/start/test-console.ts";
import { eventually } from "../../test/start/test-process.ts";
import { startTestShop } from "../../test/start/test-shop.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";

/**
 * These tests read what a merchant sees of a capture, a refund and a cancel that take time, of a refund that fails after
 * it succeeded, and of a hold that lapses. The provider reports every capture and refund as in progress at first.
 */
const stack = await startScriptedStack();
const { merchant } = stack;
const { clientId } = merchant;

type Json = Readonly<Record<string, unknown>>;

/** The first request for each capture and refund, by its reference. An inquiry has only the reference. */
const requests = new Map<string, ProviderRequestFields>();
/** The provider's present report of a capture or a refund, by its reference. */
const reports = new Map<string, object>();

const provider = await startScriptedProvider("slow-provider", ({ verb, fields }): ScriptedResponse => {
  const moneyReference = fields.captureReference ?? fields.refundReference;
  if (moneyReference === undefined) return orderResponse(fields.reference, "OPEN");
  if (!requests.has(moneyReference)) requests.set(moneyReference, fields);
  const request = requests.get(moneyReference) ?? fields;
  const respond = verb.endsWith("capture") ? captureResponse : refundResponse;
  return respond(request, reports.get(moneyReference) ?? { state: "PROCESSING" });
});
await stack.connect(provider);
const { url } = await stack.serve({ variables: consoleVariables });
await stack.work();
const shop = await startTestShop();

async function view(name: string, body: object): Promise<Json> {
  const token = personToken({ clientIds: [clientId] });
  const answer = await requestConsole(url, `views/${name}`, { token, body });
  assert.equal(resultCodeOf(answer), "SUCCESS", answer.text);
  return answer.json;
}

const listOf = (answer: Json, name: string): readonly Json[] => (answer[name] ?? []) as readonly Json[];

/** The lines of a payment's timeline about one kind of record: action and detail. */
async function timelineOf(id: string, kind: string): Promise<readonly string[]> {
  const timeline = listOf(await view("payment", { id }), "timeline") as readonly Readonly<
    Record<"kind" | "what" | "detail", string | undefined>
  >[];
  return timeline
    .filter((each) => each.kind === kind)
    .map(({ what = "", detail }) => (detail === undefined ? what : `${what}: ${detail}`));
}

async function transactionOf(id: string): Promise<Json> {
  const [transaction] = listOf(await view("payment", { id }), "transactions");
  return transaction ?? assert.fail("The payment has no transaction.");
}

interface TestOrder {
  readonly paymentId: string;
  readonly reference: string;
}

async function sendCallback({ paymentId, reference }: TestOrder, content: object): Promise<void> {
  const callback = { eventId: randomUUID(), reference, ...content };
  const answer = await provider.sendCallback(url, { clientId, subjectId: paymentId }, callback);
  assert.equal(resultCodeOf(answer), "SUCCESS", answer.text);
}

/** A payment that its buyer has approved: paid, or authorized. */
async function createApprovedOrder(paymentRequestId: string, isManual = false): Promise<TestOrder> {
  const manual = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
  const { json } = await callPayments(
    url,
    merchant,
    "pay",
    payRequest(paymentRequestId, isManual ? manual : {}),
  );
  const paymentId = String(json["paymentId"]);
  const submitted = await eventually(
    5_000,
    async () => provider.requests.find(({ fields }) => fields["paymentId"] === paymentId),
    (request) => request !== undefined,
  );
  const order = { paymentId, reference: submitted?.fields.reference ?? assert.fail("It was not submitted.") };
  await sendCallback(order, { order: paidOrder(order.reference, isManual ? "AUTHORIZED" : "PAID") });
  return order;
}

/** The provider's own reference of the only capture or refund of an order. */
async function moneyReferenceOf({ reference }: TestOrder): Promise<string> {
  const [found] = await eventually(
    5_000,
    async () => [...requests].find(([, request]) => request.reference === reference) ?? [],
    ([moneyReference]) => moneyReference !== undefined,
  );
  return found ?? assert.fail("The provider received no such request.");
}

/** Makes the provider report the end of an order's capture or refund, and send a callback about it. */
async function finishAtProvider(
  order: TestOrder,
  kind: "capture" | "refund",
  state: "DONE" | "FAILED",
): Promise<void> {
  const moneyReference = await moneyReferenceOf(order);
  const report = { state, ...(state === "FAILED" && { resultCode: "USER_STATUS_ABNORMAL" }) };
  reports.set(moneyReference, report);
  const { reference } = order;
  await sendCallback(order, { [kind]: { reference, [`${kind}Reference`]: moneyReference, ...report } });
}

const eur = (value: string): Json => ({ currency: "EUR", value });

describe("a refund that fails after it succeeded", () => {
  const inquire = (): Promise<Json> =>
    callPayments(url, merchant, "inquiryRefund", { refundRequestId: "returned" }).then(({ json }) => json);
  const waitForStatus = (refundStatus: string): Promise<Json> =>
    eventually(10_000, inquire, (found) => found["refundStatus"] === refundStatus);
  const seen: { order?: TestOrder; inProgress?: Json; succeeded?: Json; failed?: Json } = {};

  before(async () => {
    const order = await createApprovedOrder("paid-returned");
    const request = refundRequest("returned", order.paymentId, "1250", { refundNotifyUrl: shop.notifyUrl });
    const answer = await callPayments(url, merchant, "refund", request);
    assert.equal(resultCodeOf(answer), "REFUND_IN_PROCESS");
    seen.order = order;
    seen.inProgress = await transactionOf("returned");
    await finishAtProvider(order, "refund", "DONE");
    seen.succeeded = await waitForStatus("SUCCESS");
    await finishAtProvider(order, "refund", "FAILED");
    seen.failed = await waitForStatus("FAIL");
  });

  test("it is shown with the time of its request while it is in progress", () => {
    assert.equal(seen.inProgress?.["transactionStatus"], "PROCESSING");
    assert.match(String(seen.inProgress["createdTime"]), /^\d{4}-/);
    assert.equal(seen.inProgress["transactionTime"], undefined);
  });

  test("an inquiry returns the time of the failure instead of the time of the success", () => {
    assert.equal(seen.succeeded?.["refundReversalTime"], undefined);
    assert.ok(seen.succeeded?.["refundTime"]);
    assert.equal(seen.failed?.["refundTime"], undefined);
    assert.match(String(seen.failed?.["refundReversalTime"]), /^\d{4}-/);
  });

  test("the merchant gets a second webhook with a higher sequence", async () => {
    const webhooks = await shop.waitForWebhooks(seen.order?.paymentId ?? "", 2);
    assert.partialDeepStrictEqual(
      webhooks.map(({ json }) => json),
      [{ refundStatus: "SUCCESS" }, { refundStatus: "FAIL", result: { resultCode: "USER_STATUS_ABNORMAL" } }],
    );
    const [first, second] = webhooks.map(({ json }) => json);
    assert.equal(second?.["refundReversalTime"], seen.failed?.["refundReversalTime"]);
    assert.equal(second?.["refundTime"], undefined);
    assert.ok(Number(second?.["sequence"]) > Number(first?.["sequence"]));
  });

  test("an inquiry of the payment returns the failure with its time", async () => {
    const { paymentId } = seen.order ?? assert.fail();
    const { json } = await callPayments(url, merchant, "inquiryPayment", { paymentId });
    assert.partialDeepStrictEqual(listOf(json, "transactions"), [
      {
        transactionStatus: "FAIL",
        transactionResult: { resultCode: "USER_STATUS_ABNORMAL" },
        transactionTime: seen.failed?.["refundReversalTime"],
      },
    ]);
  });

  test("the portal shows both times", async () => {
    const [refund] = listOf(await view("refunds", { refundStatus: "FAIL" }), "refunds");
    assert.partialDeepStrictEqual(refund, {
      refundResultCode: "USER_STATUS_ABNORMAL",
      refundTime: seen.succeeded?.["refundTime"],
      refundReversalTime: seen.failed?.["refundReversalTime"],
    });
    assert.partialDeepStrictEqual(await transactionOf("returned"), {
      transactionStatus: "FAIL",
      transactionTime: seen.succeeded?.["refundTime"],
      transactionReversalTime: seen.failed?.["refundReversalTime"],
    });
  });

  test("the timeline has the success, the failure and both webhooks", async () => {
    const { order = assert.fail() } = seen;
    assert.deepEqual(await timelineOf("returned", "refund"), [
      "requested: returned",
      `accepted: by the payment provider as ${await moneyReferenceOf(order)}`,
      "SUCCESS: SUCCESS",
      "FAIL: USER_STATUS_ABNORMAL, failed after it had succeeded",
    ]);
    const webhooks = await timelineOf("returned", "notification");
    assert.equal(webhooks.filter((line) => line.startsWith("notifyRefund")).length, 2);
  });

  test("its amount can be refunded again", async () => {
    const options = await view("paymentOptions", { id: seen.order?.paymentId });
    assert.deepEqual(options["refund"], { left: eur("1250"), most: eur("1250"), inParts: true });
  });
});

test("a cancel whose money comes back is in the timeline with its success and its failure", async () => {
  const order = await createApprovedOrder("paid-cancelled");
  await callPayments(url, merchant, "cancel", { paymentId: order.paymentId });
  await finishAtProvider(order, "refund", "DONE");
  const lines = (): Promise<readonly string[]> => timelineOf("paid-cancelled", "reversal");
  await eventually(10_000, lines, (found) => found.includes("SUCCESS: SUCCESS"));
  await finishAtProvider(order, "refund", "FAILED");
  assert.deepEqual(await eventually(10_000, lines, (found) => found.length === 4), [
    "begun: CANCEL",
    `accepted: by the payment provider as ${await moneyReferenceOf(order)}`,
    "SUCCESS: SUCCESS",
    "FAIL: USER_STATUS_ABNORMAL, failed after it had succeeded",
  ]);
});

test("a capture that the provider accepted is in the timeline before its result", async () => {
  const order = await createApprovedOrder("held-captured", true);
  const { paymentId } = order;
  const captureAmount = eur("500");
  const request = { captureRequestId: "accepted", paymentId, captureAmount };
  assert.equal(resultCodeOf(await callPayments(url, merchant, "capture", request)), "CAPTURE_IN_PROCESS");
  await finishAtProvider(order, "capture", "DONE");
  const lines = await eventually(
    10_000,
    () => timelineOf("accepted", "capture"),
    (found) => found.length === 3,
  );
  assert.deepEqual(lines, [
    "requested: accepted",
    `accepted: by the payment provider as ${await moneyReferenceOf(order)}`,
    "SUCCESS: SUCCESS",
  ]);
});

test("a hold that expires at the provider is shown as lapsed, with its time", async () => {
  const order = await createApprovedOrder("held-lapsed", true);
  await sendCallback(order, { order: { ...paidOrder(order.reference, "AUTHORIZED"), state: "LAPSED" } });
  assert.ok((await timelineOf("held-lapsed", "payment")).includes("hold lapsed"));
  const { payment } = await view("payment", { id: "held-lapsed" });
  assert.partialDeepStrictEqual(payment, { displayStatus: "RELEASED" });
  assert.match(String((payment as Json)["authReleaseTime"]), /^\d{4}-/);
  const options = await view("paymentOptions", { id: order.paymentId });
  assert.deepEqual(options["capture"], { left: eur("1250"), whyNot: "AUTH_EXPIRED" });
});
