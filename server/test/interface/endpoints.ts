import assert from "node:assert/strict";
import { operations } from "../../src/catalog/operations.ts";
import {
  askForPayment,
  atTheProvider,
  callCancel,
  callPay,
  countAtTheProvider,
  countRows,
  recordOnce,
} from "./payments.ts";
import { inBoth, shown, type Statement } from "./statements.ts";
import {
  assertResult,
  assertString,
  inquire,
  inquireWith,
  isJsonObject,
  newPayment,
  sendTo,
  unknownPaymentId,
  type PayingSide,
  type Side,
} from "./world.ts";
import { pathOf, signedHeaders } from "../start/test-gateway.ts";

/** Part 4 of docs/interface.md: endpoints. */
export const endpointStatements: readonly Statement[] = [
  shown(
    "4.1",
    "the method of every endpoint is POST",
    inBoth(async (side) => {
      for (const operation of operations) {
        const path = pathOf(side.environment, operation.path);
        assertResult(await inquireWith(side, "", { path, method: "GET" }), "METHOD_NOT_SUPPORTED");
        const posted = await inquireWith(side, "", { path, method: "POST" });
        assert.notEqual(posted.json.result["resultCode"], "METHOD_NOT_SUPPORTED");
      }
    }),
  ),
  shown("4.2", "the path is /ams/api/<version>/<area>/<operation>", async ({ live }) => {
    const { paymentId } = live.paid;
    const at = (path: string) => inquire(live, { paymentId }, { path });
    assertResult(await at("/ams/api/v1/payments/inquiryPayment"), "SUCCESS");
    for (const path of otherForms) assertResult(await at(path), "NO_INTERFACE_DEF");
    for (const { path } of operations) assert.match(path, /^[a-z]+\/[A-Za-z/]+$/);
  }),
  shown("4.3", "online in the sandbox it begins with /ams/sandbox/api/", async ({ sandbox }) => {
    for (const { path } of operations) {
      const answer = await inquireWith(sandbox, "{}", { path: `/ams/sandbox/api/v1/${path}` });
      assert.notEqual(answer.json.result["resultCode"], "NO_INTERFACE_DEF");
    }
    const { paymentId } = sandbox.paid;
    const plain = "/ams/api/v1/payments/inquiryPayment";
    assertResult(await inquire(sandbox, { paymentId }, { path: plain }), "ACCESS_DENIED");
  }),
  shown("4.4", "every request carries the headers of part 5", inBoth(demandsTheHeaders)),
  shown("4.5", "Content-Type is application/json; charset=UTF-8", inBoth(contentTypeIsJson)),
  shown("4.6", "Accept is application/json, text/plain, */*", inBoth(acceptsTheAccept)),
  shown("4.7", "the body of the request is a JSON object", inBoth(bodyIsAnObject)),
  shown(
    "4.8",
    "the response is a JSON object",
    inBoth(async ({ answers }) => {
      for (const { answer } of answers) assert.ok(isJsonObject(JSON.parse(answer.text)), answer.text);
    }),
  ),
  shown("4.9", "the service supports idempotency", ({ sandbox }) => repeatsAreTheSamePayment(sandbox)),
  shown("4.10", "a request may be retried several times", inBoth(takesRetries)),
  shown("4.11", "however often retried, the action is performed once", async ({ sandbox }) => {
    await paysOnce(sandbox);
    await cancelsOnce(sandbox);
  }),

  shown(
    "4.12",
    "the payment inquiry is called with POST",
    inBoth(async (side) => {
      const { paymentId } = side.paid;
      assertResult(await inquire(side, { paymentId }, { method: "POST" }), "SUCCESS");
      assertResult(await inquire(side, { paymentId }, { method: "PUT" }), "METHOD_NOT_SUPPORTED");
    }),
  ),
  shown("4.13", "its path is /ams/api/v1/payments/inquiryPayment", async ({ live }) => {
    const { paymentId } = live.paid;
    const at = (path: string) => inquire(live, { paymentId }, { path });
    assertResult(await at("/ams/api/v1/payments/inquiryPayment"), "SUCCESS");
    assertResult(await at("/ams/api/v1/payments/inquirePayment"), "NO_INTERFACE_DEF");
    assertResult(await at("/ams/api/v1/payments/inquirypayment"), "NO_INTERFACE_DEF");
  }),
  shown(
    "4.14",
    "its request is an object with the field paymentId",
    inBoth(async (side) => {
      const { paymentId } = side.paid;
      assertResult(await inquire(side, { paymentId }), "SUCCESS");
      assertResult(await inquire(side, {}), "PARAM_ILLEGAL");
      assertResult(await inquire(side, { id: paymentId }), "PARAM_ILLEGAL");
    }),
  ),
  shown("4.15", "paymentId in the request is a string", async ({ sandbox }) => {
    for (const paymentId of [42, true, ["42"], { id: "42" }]) {
      const { json } = await inquire(sandbox, { paymentId });
      assert.partialDeepStrictEqual(json.result, { resultCode: "PARAM_ILLEGAL", resultField: "paymentId" });
    }
    assertResult(await inquire(sandbox, { paymentId: "42" }), "ORDER_NOT_EXIST");
  }),
  shown(
    "4.16",
    "paymentId names the payment to look up",
    inBoth(async (side) => {
      const [first, second] = [await newPayment(side), await newPayment(side)];
      const { json } = await inquire(side, { paymentId: second.paymentId });
      assert.equal(json["paymentRequestId"], second.paymentRequestId);
      assert.notEqual(json["paymentRequestId"], first.paymentRequestId);
      assertResult(await inquire(side, { paymentId: unknownPaymentId }), "ORDER_NOT_EXIST");
    }),
  ),
  shown("4.17", "its response is the payment record of part 2", inBoth(answersWithTheRecord)),
  shown(
    "4.18",
    "its response includes result",
    inBoth(async (side) => {
      const { paymentId } = side.paid;
      const { json } = await inquire(side, { paymentId });
      assert.ok(isJsonObject(json.result));
      assertString(json.result["resultStatus"]);
    }),
  ),
];

/** Malformed paths: without version, area or operation, with parts in a wrong order, or with too many parts. */
const otherForms = [
  "/ams/api/payments/inquiryPayment",
  "/ams/api/v1/inquiryPayment",
  "/ams/api/v1/payments",
  "/ams/api/v1/payments/",
  "/ams/v1/payments/inquiryPayment",
  "/ams/api/payments/v1/inquiryPayment",
  "/ams/api/v1/payments/inquiryPayment/again",
  "/ams/api/v1/refunds/inquiryPayment",
];

async function demandsTheHeaders(side: Side): Promise<void> {
  for (const operation of operations) {
    const sent = { path: pathOf(side.environment, operation.path), body: "{}" };
    const signed = signedHeaders(side.merchant, sent);
    assert.deepEqual(Object.keys(signed), ["client-id", "request-time", "signature"]);
    for (const name of Object.keys(signed)) {
      const answer = await sendTo(side, { ...sent, headers: { ...signed, [name]: undefined } });
      assertResult(answer, "PARAM_ILLEGAL");
      assert.match(answer.json.result["resultMessage"] ?? "", new RegExp(`header ${name} is missing`));
    }
  }
}

async function contentTypeIsJson(side: Side): Promise<void> {
  const { paymentId } = side.paid;
  const typed = (type: string) => inquire(side, { paymentId }, { headers: { "content-type": type } });
  const answer = await typed("application/json; charset=UTF-8");
  assertResult(answer, "SUCCESS");
  assert.equal(answer.headers["content-type"], "application/json; charset=UTF-8");
  for (const other of ["text/plain", "application/xml", "application/json; charset=ISO-8859-1"]) {
    assertResult(await typed(other), "MEDIA_TYPE_NOT_ACCEPTABLE");
  }
}

async function acceptsTheAccept(side: Side): Promise<void> {
  const { paymentId } = side.paid;
  const accept = "application/json, text/plain, */*";
  const answer = await inquire(side, { paymentId }, { headers: { accept } });
  assertResult(answer, "SUCCESS");
  const [type = ""] = answer.headers["content-type"]?.split(";") ?? [];
  assert.ok(accept.split(", ").includes(type));
}

async function bodyIsAnObject(side: Side): Promise<void> {
  const { paymentId } = side.paid;
  assertResult(await inquireWith(side, JSON.stringify({ paymentId })), "SUCCESS");
  for (const body of [[{ paymentId }], paymentId, 42, true, null]) {
    assertResult(await inquireWith(side, JSON.stringify(body)), "PARAM_ILLEGAL");
  }
}

/** Checks that a client without a response can send the same bytes with the same signature again. */
async function takesRetries(side: Side): Promise<void> {
  const { paymentId } = side.paid;
  const sent = { path: side.path, body: JSON.stringify({ paymentId }) };
  const headers = signedHeaders(side.merchant, sent);
  const first = await sendTo(side, { ...sent, headers });
  assertResult(first, "SUCCESS");
  for (let retry = 0; retry < 4; retry += 1) {
    const again = await sendTo(side, { ...sent, headers });
    assert.equal(again.text, first.text);
  }
}

async function repeatsAreTheSamePayment(side: PayingSide): Promise<void> {
  const { request, answer, paymentId } = await askForPayment(side);
  const [again, another] = [await callPay(side, request), await askForPayment(side)];
  assert.equal(again.text, answer.text);
  assert.notEqual(another.paymentId, paymentId);
  const changed = await callPay(side, { ...request, paymentAmount: { currency: "EUR", value: "1" } });
  const refusal = { resultCode: "REPEAT_REQ_INCONSISTENT", resultField: "paymentAmount.value" };
  assert.partialDeepStrictEqual(changed.json.result, refusal);

  await atTheProvider(side, paymentId, "approve");
  const record = await recordOnce(side, paymentId, "SUCCESS");
  assert.deepEqual(record["paymentAmount"], { currency: "EUR", value: "1250" });
  const afterwards = await callPay(side, request);
  assertResult(afterwards, "SUCCESS");
  assert.equal(afterwards.json["paymentId"], paymentId);
}

/** Checks that the same `pay` request, sent many times before and after the buyer pays, makes one payment. */
async function paysOnce(side: PayingSide): Promise<void> {
  const { request, paymentId } = await askForPayment(side);
  const sent = { path: pathOf("sandbox", "payments/pay"), body: JSON.stringify(request) };
  const headers = signedHeaders(side.merchant, sent);
  const retry = async (): Promise<void> => {
    const { json } = await sendTo(side, { ...sent, headers });
    assert.equal(json["paymentId"], paymentId);
  };
  await Promise.all(Array.from({ length: 8 }, retry));
  await atTheProvider(side, paymentId, "approve");
  await recordOnce(side, paymentId, "SUCCESS");
  await Promise.all(Array.from({ length: 8 }, retry));
  await side.shop.waitForWebhooks(paymentId, 1);

  for (const kind of ["submit", "paid"]) assert.equal(countAtTheProvider(side, paymentId, kind), 1, kind);
  assert.equal(await countRows(side, "ledger_transfers", paymentId), 1);
  assert.equal(await countRows(side, "notifications", paymentId), 1);
  assert.equal(side.shop.toldOf(paymentId).length, 1);
}

async function cancelsOnce(side: PayingSide): Promise<void> {
  const { paymentId } = await askForPayment(side);
  const first = await callCancel(side, { paymentId });
  assertResult(first, "SUCCESS");
  for (let retry = 0; retry < 4; retry += 1) {
    assert.equal((await callCancel(side, { paymentId })).text, first.text);
  }
  assert.equal(countAtTheProvider(side, paymentId, "closed"), 1);
  assert.equal(countAtTheProvider(side, paymentId, "paid"), 0);
}

async function answersWithTheRecord(side: Side): Promise<void> {
  const { paymentId, paymentRequestId } = side.paid;
  const { json } = await inquire(side, { paymentId });
  assert.partialDeepStrictEqual(json, {
    paymentId,
    paymentRequestId,
    paymentAmount: { currency: "EUR", value: "10000" },
    actualPaymentAmount: { currency: "EUR", value: "9500" },
    paymentStatus: "SUCCESS",
    paymentResultCode: "SUCCESS",
    paymentResultMessage: "success.",
    paymentTime: "2026-03-01T12:34:56+00:00",
    result: { resultCode: "SUCCESS", resultMessage: "success.", resultStatus: "S" },
  });
}
