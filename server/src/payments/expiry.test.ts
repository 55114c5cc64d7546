import assert from "node:assert/strict";
import { test } from "node:test";
import {
  orderResponse,
  paidOrder,
  startScriptedStack,
  startScriptedProvider,
  successResponse,
  failureResponse,
} from "../../test/start/scripted-provider.ts";
import { call, pathOf } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest } from "../../test/start/test-stack.ts";

const stack = await startScriptedStack();
const { merchant } = stack;
/** State of each order at the provider. All of its callbacks are lost. */
const stateOf = new Map<string, string>();
const provider = await startScriptedProvider("quiet", ({ verb, fields: { reference, paymentId } }) => {
  if (verb === "submit") {
    references.set(String(paymentId), reference);
    return orderResponse(reference, "OPEN");
  }
  const state = stateOf.get(reference);
  if (state === "NOT_FOUND")
    return verb === "cancel" ? closed(reference) : failureResponse("ORDER_NOT_EXIST");
  if (state === "AUTHORIZED" && verb === "inquire")
    return successResponse({ order: paidOrder(reference, "AUTHORIZED") });
  return verb === "cancel" ? closed(reference) : orderResponse(reference, state ?? "OPEN");
});
const references = new Map<string, string>();
await stack.connect(provider);
const { url } = await stack.serve();
await stack.work();

/** The provider's response to a cancel: it has closed the order, or released its hold. */
function closed(reference: string): object {
  stateOf.set(reference, "CLOSED");
  return orderResponse(reference, "CLOSED");
}

/** `newPaymentInState` creates a payment that reaches this state at the provider without a callback. */
async function newPaymentInState(state: string, more: object = {}): Promise<string> {
  const { json } = await callPayments(url, merchant, "pay", payRequest(`is-${state}`, more));
  const paymentId = String(json["paymentId"]);
  await eventually(
    5_000,
    async () => references.has(paymentId),
    (isThere) => isThere,
  );
  stateOf.set(references.get(paymentId) ?? "", state);
  return paymentId;
}

async function statusOf(paymentId: string): Promise<unknown> {
  return (await callPayments(url, merchant, "inquiryPayment", { paymentId })).json["paymentStatus"];
}

async function advance(bySeconds: number): Promise<void> {
  const path = pathOf("sandbox", "tollgate/advanceClock");
  const body = JSON.stringify({ turnRequestId: `by-${bySeconds}`, bySeconds });
  await eventually(
    20_000,
    () => call(url, merchant, { path, body }),
    ({ json }) => json.result["resultStatus"] === "S",
  );
}

function cancelsOf(paymentId: string): number {
  const reference = references.get(paymentId);
  return provider.requests.filter(({ verb, fields }) => verb === "cancel" && fields.reference === reference)
    .length;
}

test("at the expiry the provider is queried, and an order that its buyer has approved or begun is not closed", async () => {
  const hold = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
  const authorizedId = await newPaymentInState("AUTHORIZED", hold);
  const pending = await newPaymentInState("PENDING");
  const open = await newPaymentInState("OPEN");
  const unknown = await newPaymentInState("NOT_FOUND");
  await advance(13 * 60);
  // The callback was lost, so a poll finds the buyer's approval. The last poll is at the expiry.
  await advance(20 * 60);
  assert.deepEqual(await Promise.all([authorizedId, pending, open, unknown].map(statusOf)), [
    "SUCCESS",
    "PENDING",
    "FAIL",
    "FAIL",
  ]);
  assert.deepEqual([authorizedId, pending, open, unknown].map(cancelsOf), [0, 0, 1, 1]);

  // Only the provider can decide a pending order, so polling continues.
  const before = provider.requests.length;
  await advance(3_600);
  assert.ok(provider.requests.length > before);
  stateOf.set(references.get(pending) ?? "", "DECLINED");
  await advance(1_800);
  assert.equal(await statusOf(pending), "FAIL");
  assert.equal(cancelsOf(pending), 0);
});

test("an approval just before the expiry counts, even if the provider's callback was lost", async () => {
  const hold = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
  const { json } = await callPayments(url, merchant, "pay", payRequest("last-moment", hold));
  const paymentId = String(json["paymentId"]);
  await advance(13 * 60 + 59);
  assert.equal(await statusOf(paymentId), "PROCESSING");
  stateOf.set(references.get(paymentId) ?? "", "AUTHORIZED");
  await advance(2);
  assert.equal(await statusOf(paymentId), "SUCCESS");
  assert.equal(cancelsOf(paymentId), 0);
});
