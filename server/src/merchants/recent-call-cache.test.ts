import assert from "node:assert/strict";
import { test } from "node:test";
import { requestsMax, openRecentCallCache } from "./recent-call-cache.ts";
import type { RecentCall } from "../core/recent-call.ts";

function callAt(ms: number, overrides: Partial<RecentCall> = {}): RecentCall {
  return {
    at: new Date(ms),
    requestId: `req_${ms}`,
    path: "/ams/sandbox/api/v1/payments/pay",
    keyVersion: 1,
    resultCode: "SUCCESS",
    durationUs: 1,
    isProven: true,
    network: "198.51.100.1",
    signedHead: "",
    signedBytes: 0,
    signedSha256: undefined,
    requestBody: "",
    answerBody: "",
    verdict: undefined,
    ...overrides,
  };
}

test("the newest requests of each kind are kept, the newest first", () => {
  const cache = openRecentCallCache();
  for (let ms = 0; ms < 3 * requestsMax; ms += 1) cache.add("A", callAt(ms, { isProven: ms % 2 === 0 }));
  const calls = cache.list("A");
  assert.equal(calls.length, 2 * requestsMax);
  assert.equal(calls[0]?.requestId, `req_${3 * requestsMax - 1}`);
  assert.equal(calls.filter(({ isProven }) => isProven).length, requestsMax);
});

test("memory is bounded: the clients with the oldest requests are dropped, however long the bodies are", () => {
  const cache = openRecentCallCache();
  const requestBody = "x".repeat(16_000);
  cache.add("never again", callAt(0, { requestBody }));
  for (let client = 0; client < 1_200; client += 1) cache.add(`C${client}`, callAt(client, { requestBody }));
  assert.equal(cache.list("never again").length, 0);
  assert.equal(cache.list("C1199").length, 1);
});

test("unauthenticated requests in the names of many clients displace no authenticated request", () => {
  const cache = openRecentCallCache();
  cache.add("A", callAt(0));
  for (let client = 0; client < 5_000; client += 1) cache.add(`C${client}`, callAt(1, { isProven: false }));
  assert.equal(cache.list("A").length, 1);
});
