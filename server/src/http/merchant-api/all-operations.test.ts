import assert from "node:assert/strict";
import { test } from "node:test";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  call,
  newMerchant,
  pathOf,
  startTestGateway,
  type TestMerchant,
} from "../../../test/start/test-gateway.ts";
import { bytesPerRateToken, clientRateFactor } from "./admit.ts";
import { newRateLimiter } from "../../resilience/limits.ts";

const { url, database } = await startTestGateway("sandbox");
/** Requests for each operation. Each operation alone admits a burst of two. The responses do not matter. */
const operations = [
  "payments/inquiryPayment",
  "payments/inquiryRefund",
  "payments/cancel",
  "payments/consult",
  "payments/capture",
  "tollgate/inquiryEvents",
  "tollgate/inquiryKeyUse",
  "tollgate/inquiryOpenRecords",
];

async function slowMerchant(): Promise<TestMerchant> {
  const merchant = await newMerchant(database);
  await asSuperuser(
    "update clients set rate_per_second = 1, rate_burst = 2 where client_id = $1",
    [merchant.clientId],
    database.superuserUrl,
  );
  return merchant;
}

async function isAdmitted(merchant: TestMerchant, operation: string, body = "{}"): Promise<boolean> {
  const { json } = await call(url, merchant, { path: pathOf("sandbox", operation), body });
  return json.result["resultCode"] !== "REQUEST_TRAFFIC_EXCEED_LIMIT";
}

test("a client that calls many operations has one rate limit over all of them", async () => {
  const merchant = await slowMerchant();
  const startedAtMs = performance.now();
  const calls = operations.flatMap((operation) => [
    isAdmitted(merchant, operation),
    isAdmitted(merchant, operation),
  ]);
  const admitted = (await Promise.all(calls)).filter(Boolean).length;
  const seconds = Math.ceil((performance.now() - startedAtMs) / 1000);
  const burst = 2 * clientRateFactor;
  assert.ok(
    admitted >= burst && admitted <= burst + seconds * clientRateFactor && admitted < calls.length,
    `${admitted}`,
  );
});

test("a large body takes tokens of the rate limit by its length", async () => {
  const merchant = await slowMerchant();
  const large = JSON.stringify({ paymentId: "1", note: "x".repeat(bytesPerRateToken * 9) });
  assert.equal(await isAdmitted(merchant, "payments/inquiryPayment", large), true);
  assert.equal(await isAdmitted(merchant, "payments/inquiryRefund", large), false);
});

test("a request that costs more than a full token bucket takes a full one", () => {
  let nowMs = 0;
  const limiter = newRateLimiter(() => nowMs);
  const rate = { ratePerSecond: 1, burst: 10 };
  assert.equal(limiter.take("a", rate, 400), 0);
  assert.equal(limiter.take("a", rate, 400), 10);
  nowMs = 4_000;
  assert.equal(limiter.take("a", rate, 4), 0);
  assert.equal(limiter.take("a", rate), 1);
});
