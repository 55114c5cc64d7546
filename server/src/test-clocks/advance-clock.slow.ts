import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import {
  call,
  newMerchant,
  pathOf,
  type ReceivedAnswer,
  type TestMerchant,
} from "../../test/start/test-gateway.ts";
import { insertTestNotifications, startTestEndpoint } from "../../test/shop/test-notification.ts";
import { eventually } from "../../test/start/test-process.ts";
import { payRequest, startTestStack } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { database } = stack;
const { url } = await stack.serve({ isPublic: true });
await stack.work();

let advanceCount = 0;

async function advance(
  merchant: TestMerchant,
  target: { readonly bySeconds?: number; readonly toTime?: string },
): Promise<ReceivedAnswer> {
  advanceCount += 1;
  const body = JSON.stringify({ turnRequestId: `turn-${advanceCount}`, ...target });
  return call(url, merchant, { path: pathOf("sandbox", "tollgate/advanceClock"), body });
}

test("the whole retry schedule of a webhook takes a moment, and every attempt happens at its exact second", async (t) => {
  const merchant = await newMerchant(database);
  const ages: number[] = [];
  const endpoint = await startTestEndpoint((request, response) => {
    ages.push(Date.now() - Date.parse(String(request.headers["request-time"])));
    response.writeHead(500).end();
  });
  const [id = ""] = await insertTestNotifications(database, merchant.clientId, { url: endpoint.url });
  const startedMs = performance.now();
  const answer = await advance(merchant, { bySeconds: 25 * 3600 });
  const tookMs = performance.now() - startedMs;
  t.diagnostic(`25 hours in ${Math.round(tookMs)} ms`);

  assert.equal(answer.json.result["resultCode"], "SUCCESS");
  assert.ok(tookMs < 5_000, `It took ${tookMs} ms.`);
  const fired = answer.json["fired"] as readonly { time: string; id: string }[];
  assert.equal(endpoint.bodies.length, 8);
  // Replay protection: receivers refuse messages older than five minutes, so signatures have the time of the real
  // clock.
  assert.ok(ages.every((age) => Math.abs(age) < 5_000));
  const [row] = await asSuperuser<{ status: string; attempts: number }>(
    "select status, attempts from notifications where notification_id = $1",
    [id],
    database.superuserUrl,
  );
  assert.deepEqual(row, { status: "EXHAUSTED", attempts: 8 });
  const attempts = await asSuperuser<{ at: Date }>(
    "select at from notification_attempts where notification_id = $1 order by attempt",
    [id],
    database.superuserUrl,
  );
  // Attempt times are on the merchant's test clock, like all times that the merchant sees.
  assert.equal(attempts.length, 8);
  for (const [index, { time }] of fired.entries())
    assert.ok(
      Math.abs((attempts[index + 1]?.at.getTime() ?? 0) - Date.parse(time)) < 2_000,
      `attempt ${index + 2}`,
    );
  const gaps = fired
    .map(({ time }) => Date.parse(time) / 1000)
    .map((second, index, all) => second - (all[index - 1] ?? second))
    .slice(1);
  // Backoff runs from the end of an attempt to the next, and an attempt takes less than a second.
  const planned = [600, 600, 3_600, 7_200, 21_600, 54_000];
  assert.equal(gaps.length, planned.length);
  for (const [index, gap] of gaps.entries())
    assert.ok(gap - (planned[index] ?? 0) >= 0 && gap - (planned[index] ?? 0) <= 1, String(gaps));
});

async function callOperation(path: string, request: object): Promise<ReceivedAnswer> {
  return call(url, stack.merchant, { path: pathOf("sandbox", path), body: JSON.stringify(request) });
}

test("an unpaid payment expires when the merchant advances its clock", async () => {
  const paid = await callOperation("payments/pay", payRequest("clock-expiry"));
  const { paymentId } = paid.json as { paymentId?: string };
  assert.ok(paymentId);
  const answer = await advance(stack.merchant, { bySeconds: 20 * 60 });
  assert.equal(answer.json.result["resultCode"], "SUCCESS", answer.text);
  const found = await callOperation("payments/inquiryPayment", { paymentId });
  assert.equal(found.json["paymentStatus"], "FAIL");
});

test("an expiry in real time, as a point of sale computes it, is valid on a clock that is ahead", async () => {
  const inThreeMinutes = new Date(Date.now() + 180_000).toISOString().replace(/\.\d+Z$/, "+00:00");
  const request = payRequest("clock-real-expiry", { paymentExpiryTime: inThreeMinutes });
  const { json, text } = await callOperation("payments/pay", request);
  assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS", text);
  const past = payRequest("clock-past-expiry", { paymentExpiryTime: "2026-01-01T00:00:00+00:00" });
  assert.equal((await callOperation("payments/pay", past)).json.result["resultCode"], "PARAM_ILLEGAL");
});

test("a hold is released after seven days, and a later capture is refused", async () => {
  const hold = { paymentFactor: { isAuthorization: true, captureMode: "MANUAL" } };
  const held = await callOperation("payments/pay", payRequest("clock-hold", hold));
  const { paymentId = "" } = held.json as { paymentId?: string };
  await stack.provider.control(paymentId, "approve");
  const paid = await eventually(
    10_000,
    () => callOperation("payments/inquiryPayment", { paymentId }),
    ({ json }) => json["paymentStatus"] === "SUCCESS",
  );
  const now = Date.parse(String(paid.json["paymentTime"]));
  // Minutes have passed on the merchant's test clock, and none on the provider's clock.
  assert.ok(now > Date.now() + 15 * 60_000);
  const answer = await advance(stack.merchant, { bySeconds: 8 * 24 * 3600 });
  assert.ok(JSON.stringify(answer.json["fired"]).includes("Release the authorization hold."), answer.text);
  const captureAmount = { currency: "EUR", value: "100" };
  const late = await callOperation("payments/capture", {
    captureRequestId: "clock-late",
    paymentId,
    captureAmount,
  });
  assert.equal(late.json.result["resultStatus"], "F");
});

test("a repeated turn is made once, and a different turn with its id is refused", async () => {
  const merchant = await newMerchant(database);
  const body = { turnRequestId: "once", bySeconds: 60 };
  const path = pathOf("sandbox", "tollgate/advanceClock");
  const first = await call(url, merchant, { path, body: JSON.stringify(body) });
  const again = await call(url, merchant, { path, body: JSON.stringify(body) });
  assert.deepEqual(again.json, first.json);
  const other = await call(url, merchant, { path, body: JSON.stringify({ ...body, bySeconds: 61 }) });
  assert.equal(other.json.result["resultCode"], "REPEAT_REQ_INCONSISTENT");
  for (const target of [
    {},
    { bySeconds: 1, toTime: "2030-01-01T00:00:00+00:00" },
    { toTime: "2020-01-01T00:00:00+00:00" },
  ])
    assert.equal((await advance(merchant, target)).json.result["resultCode"], "PARAM_ILLEGAL");
});
