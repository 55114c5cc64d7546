import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, test } from "node:test";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { exchangeBytes, rawRequest } from "../../../test/http/raw-http.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  isResponseSigned,
  call,
  inquiryPath,
  newMerchant,
  pathOf,
  prepareTestGateway,
  send,
  signedHeaders,
  type ReceivedAnswer,
  type SentRequest,
  type TestMerchant,
} from "../../../test/start/test-gateway.ts";
import { insertTestPayment } from "../../../test/shop/test-payment.ts";
import { signedFailures } from "./answer-arrival.ts";

// Generating keys takes a while, so it happens before the server starts.
const sandbox = await prepareTestGateway("sandbox");
const live = await prepareTestGateway("live");
const merchant = await newMerchant(sandbox.database, "Coffee Lab");
const modest = await newMerchant(sandbox.database, "Corner Shop");
const strict = await newMerchant(sandbox.database, "Strict Lab");
const attacker = { ...(await newMerchant(sandbox.database, "Forger")), clientId: merchant.clientId };
const liveMerchant = await newMerchant(live.database, "Coffee Lab");
await change(modest, "rate_per_second = 1, rate_burst = 2");
await change(strict, "time_tolerance_seconds = 30");
const { paymentId } = await insertTestPayment(sandbox.database, merchant.clientId);
const { paymentId: livePaymentId } = await insertTestPayment(live.database, liveMerchant.clientId);
const { url, stop } = await serve(readSettings(sandbox.variables));
after(stop);
const { url: liveUrl, stop: stopLive } = await serve(readSettings(live.variables));
after(stopLive);

const path = pathOf("sandbox", inquiryPath);
const body = JSON.stringify({ paymentId });

test("a client that keeps failing gets at most twenty signed responses per second", async () => {
  const startedAtMs = performance.now();
  const answers = await flood(attacker, 60);
  const seconds = (performance.now() - startedAtMs) / 1000;

  const [signed = [], bare = []] = [true, false].map((is) =>
    answers.filter(({ headers }) => "signature" in headers === is),
  );
  assert.ok(signed.length >= signedFailures.burst);
  assert.ok(signed.length <= signedFailures.burst + Math.ceil(seconds * signedFailures.ratePerSecond));
  assert.ok(signed.every((answer) => isResponseSigned(answer, path, merchant.gatewayPublicKey)));
  assert.ok(bare.length > 0);
  for (const { headers, json } of bare) {
    assert.deepEqual([json.result["resultCode"], json.result["resultStatus"]], ["INVALID_SIGNATURE", "F"]);
    for (const name of ["signature", "response-time", "client-id"]) assert.equal(headers[name], undefined);
  }
});

test("meanwhile the merchant at the same address gets full responses", async () => {
  await flood(attacker, 60);
  const validAnswer = await call(url, merchant, { path, body });
  const malformedAnswer = await call(url, merchant, { path, body: "{" });

  assert.deepEqual([codeOf(validAnswer), codeOf(malformedAnswer)], ["SUCCESS", "PARAM_ILLEGAL"]);
  assert.ok(isResponseSigned(validAnswer, path, merchant.gatewayPublicKey));
  assert.ok(isResponseSigned(malformedAnswer, path, merchant.gatewayPublicKey));
});

test("an unauthenticated client cannot use up a merchant's rate limit", async () => {
  const forged = await flood({ ...attacker, clientId: modest.clientId }, 30);
  const own = [];
  for (let count = 0; count < 3; count += 1) own.push(await call(url, modest, { path, body }));

  assert.deepEqual([...new Set(forged.map(codeOf))], ["INVALID_SIGNATURE"]);
  assert.deepEqual(own.map(codeOf), ["ORDER_NOT_EXIST", "ORDER_NOT_EXIST", "REQUEST_TRAFFIC_EXCEED_LIMIT"]);
  assert.equal(own[2]?.json.result["resultStatus"], "U");
  assert.equal(own[2]?.headers["retry-after"], "1");
  const otherMerchantAnswer = await call(url, merchant, { path, body });
  assert.equal(codeOf(otherMerchantAnswer), "SUCCESS");
});

test("a merchant above its rate limit is rejected, first with signed responses and then with unsigned ones", async () => {
  const retryLaterAnswers = (await flood(modest, 60)).filter(
    (answer) => codeOf(answer) === "REQUEST_TRAFFIC_EXCEED_LIMIT",
  );
  const signed = retryLaterAnswers.filter((answer) =>
    isResponseSigned(answer, path, modest.gatewayPublicKey),
  );
  const unsigned = retryLaterAnswers.filter(({ headers }) => headers["signature"] === undefined);

  assert.ok(signed.length > 0 && unsigned.length > 0, `${signed.length} signed, ${unsigned.length} bare`);
  assert.equal(signed.length + unsigned.length, retryLaterAnswers.length);
  for (const { headers, json } of unsigned)
    assert.deepEqual([json.result["resultStatus"], headers["retry-after"]], ["U", "1"]);
});

interface Refused {
  readonly code: string;
  readonly field?: string;
  readonly sent: Partial<SentRequest>;
}

const refused: readonly Refused[] = [
  { code: "METHOD_NOT_SUPPORTED", sent: { method: "PUT" } },
  { code: "PARAM_ILLEGAL", field: "signature", sent: { headers: { signature: "none" } } },
  { code: "UNKNOWN_CLIENT", sent: { headers: { "client-id": "SANDBOX_STRANGER" } } },
  { code: "KEY_NOT_FOUND", field: "signature", sent: { keyVersion: 7 } },
  { code: "INVALID_SIGNATURE", field: "signature", sent: { headers: { "request-time": "0" } } },
  { code: "PARAM_ILLEGAL", field: "request-time", sent: { time: "0" } },
  { code: "PARAM_ILLEGAL", field: "paymentId", sent: { body: '{"paymentId":""}' } },
  { code: "PARAM_ILLEGAL", field: "a.cvv", sent: { body: '{"a":{"cvv":"123"}}' } },
  { code: "ORDER_NOT_EXIST", sent: { body: '{"paymentId":"1"}' } },
];

for (const { code, field, sent } of refused) {
  test(`the sandbox explains ${code}${field ? ` of ${field}` : ""}`, async () => {
    const { result } = (await call(url, merchant, { path, body, ...sent })).json;

    const { resultCode, resultField, resultHint = "", docUrl = "" } = result;
    assert.deepEqual([resultCode, resultField], [code, field]);
    assert.match(resultHint, /^[A-Z].{10,}\.$/);
    assert.match(docUrl, new RegExp(`^http://.+#${code}$`));
  });

  test(`live reveals no more than necessary about ${code}${field ? ` of ${field}` : ""}`, async () => {
    const usual = { path: pathOf("live", inquiryPath), body: JSON.stringify({ paymentId: livePaymentId }) };
    const { json } = await call(liveUrl, liveMerchant, { ...usual, ...sent });

    assert.deepEqual(Object.keys(json), ["result"]);
    assert.deepEqual(Object.keys(json.result), ["resultCode", "resultStatus", "resultMessage"]);
    assert.equal(json.result["resultCode"], code);
  });
}

test("a wrong signature is explained with the hash of the verified text", async () => {
  const time = String(Date.now());
  const { result } = (await call(url, attacker, { path, body, time })).json;

  const text = `POST ${path}\n${merchant.clientId}.${time}.${body}`;
  assert.match(
    result["resultHint"] ?? "",
    new RegExp(`We verified ${text.length} bytes.*${sha256(text)}\\.$`),
  );
});

const minute = 60_000;
const clocks = [
  {
    offMs: -11 * minute,
    says: /^The request time is 66[01] seconds behind our clock; up to 600 seconds are/,
  },
  {
    offMs: 11 * minute,
    says: /^The request time is (659|660) seconds ahead of our clock; up to 600 seconds/,
  },
];

for (const { offMs, says } of clocks) {
  test(`a clock that is ${offMs / minute} minutes off is rejected with the difference, also in live`, async () => {
    const time = String(Date.now() + offMs);
    const inSandbox = await call(url, merchant, { path, body, time });
    const inLive = await call(liveUrl, liveMerchant, { path: pathOf("live", inquiryPath), body, time });

    for (const { json } of [inSandbox, inLive]) {
      assert.equal(json.result["resultCode"], "PARAM_ILLEGAL");
      assert.match(json.result["resultMessage"] ?? "", says);
    }
  });
}

test("a clock that is nine minutes off is accepted", async () => {
  for (const offMs of [-9 * minute, 9 * minute]) {
    const answer = await call(url, merchant, { path, body, time: String(Date.now() + offMs) });
    assert.equal(codeOf(answer), "SUCCESS");
  }
});

test("a merchant's own clock tolerance applies", async () => {
  const late = await call(url, strict, { path, body, time: String(Date.now() - minute) });
  assert.match(late.json.result["resultMessage"] ?? "", /up to 30 seconds are allowed/);
});

test("live rejects sandbox paths and sandbox clients", async () => {
  const onSandboxPath = await call(liveUrl, liveMerchant, { path, body });
  const ofSandboxClient = await call(liveUrl, merchant, { path: pathOf("live", inquiryPath), body });

  assert.equal(codeOf(onSandboxPath), "NO_INTERFACE_DEF");
  assert.equal(codeOf(ofSandboxClient), "UNKNOWN_CLIENT");
});

test("response headers have the exact spelling that published libraries search for", async () => {
  const success = await call(url, merchant, { path, body });
  const refusal = await send(liveUrl, { path, body, headers: { "client-id": "STRANGER" } });

  for (const { status, headers, rawHeaders } of [success, refusal]) {
    const names = rawHeaders.filter((_, index) => index % 2 === 0);
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "application/json; charset=UTF-8");
    assert.match(headers["response-time"] ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    assert.match(
      headers["signature"] ?? "",
      /^algorithm=RSA256,keyVersion=1,signature=(?:[\w.~-]|%[0-9A-F]{2})+$/,
    );
    for (const name of ["client-id", "response-time", "signature"]) assert.ok(names.includes(name), name);
    const others = rawHeaders.join("\n").replaceAll(/^(?:response-time|signature)$|^algorithm=.*$/gm, "");
    assert.doesNotMatch(others, /signature|response-time/i);
  }
});

/** Many concurrent requests over one connection, each signed by `from`. */
async function flood(from: TestMerchant, count: number): Promise<readonly ReceivedAnswer[]> {
  const { hostname: host } = new URL(url);
  const headers = { host, "content-length": String(body.length), ...signedHeaders(from, { path, body }) };
  const bytes = rawRequest(`POST ${path} HTTP/1.1`, Object.entries(headers), body);
  const sent = Buffer.concat(Array.from({ length: count }, () => bytes));
  return (await exchangeBytes(url, sent, { answerCount: count })).answers;
}

async function change({ clientId }: TestMerchant, set: string): Promise<void> {
  const { superuserUrl } = sandbox.database;
  await asSuperuser(`update clients set ${set} where client_id = $1`, [clientId], superuserUrl);
}

function codeOf({ json }: ReceivedAnswer): string | undefined {
  return json.result["resultCode"];
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
