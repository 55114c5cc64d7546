import assert from "node:assert/strict";
import { operations } from "../../src/catalog/operations.ts";
import {
  requestPayment,
  actAtProvider,
  callCancel,
  callPay,
  countProviderEffects,
  countRows,
  waitForStatus,
} from "./payment-actions.ts";
import { inBothEnvironments, checked, type Statement } from "./statement.ts";
import {
  assertResult,
  assertString,
  inquire,
  inquireWith,
  isJsonObject,
  newPayment,
  sendTo,
  unknownPaymentId,
  type PayingEnvironment,
  type TestEnvironment,
} from "./test-environments.ts";
import { pathOf, signedHeaders } from "../start/test-gateway.ts";

/** Part 4 of docs/interface.md: endpoints. */
export const endpointStatements: readonly Statement[] = [
  checked(
    "4.1",
    "the method of every endpoint is POST",
    inBothEnvironments(async (side) => {
      for (const operation of operations) {
        const path = pathOf(side.environment, operation.path);
        assertResult(await inquireWith(side, "", { path, method: "GET" }), "METHOD_NOT_SUPPORTED");
        const posted = await inquireWith(side, "", { path, method: "POST" });
        assert.notEqual(posted.json.result["resultCode"], "METHOD_NOT_SUPPORTED");
      }
    }),
  ),
  checked("4.2", "the path is /ams/api/<version>/<area>/<operation>", async ({ live }) => {
    const { paymentId } = live.paidPayment;
    const at = (path: string) => inquire(live, { paymentId }, { path });
    assertResult(await at("/ams/api/v1/payments/inquiryPayment"), "SUCCESS");
    for (const path of malformedPaths) assertResult(await at(path), "NO_INTERFACE_DEF");
    for (const { path } of operations) assert.match(path, /^[a-z]+\/[A-Za-z/]+$/);
  }),
  checked("4.3", "online in the sandbox it begins with /ams/sandbox/api/", async ({ sandbox }) => {
    for (const { path } of operations) {
      const answer = await inquireWith(sandbox, "{}", { path: `/ams/sandbox/api/v1/${path}` });
      assert.notEqual(answer.json.result["resultCode"], "NO_INTERFACE_DEF");
    }
    const { paymentId } = sandbox.paidPayment;
    const plain = "/ams/api/v1/payments/inquiryPayment";
    assertResult(await inquire(sandbox, { paymentId }, { path: plain }), "ACCESS_DENIED");
  }),
  checked("4.4", "every request carries the headers of part 5", inBothEnvironments(checkHeadersRequired)),
  checked("4.5", "Content-Type is application/json; charset=UTF-8", inBothEnvironments(checkContentType)),
  checked("4.6", "Accept is application/json, text/plain, */*", inBothEnvironments(checkAcceptHeader)),
  checked("4.7", "the body of the request is a JSON object", inBothEnvironments(checkBodyIsObject)),
  checked(
    "4.8",
    "the response is a JSON object",
    inBothEnvironments(async ({ answers }) => {
      for (const { answer } of answers) assert.ok(isJsonObject(JSON.parse(answer.text)), answer.text);
    }),
  ),
  checked("4.9", "the service supports idempotency", ({ sandbox }) => checkRepeatsAreOnePayment(sandbox)),
  checked("4.10", "a request may be retried several times", inBothEnvironments(checkRetriesAccepted)),
  checked("4.11", "however often retried, the action is performed once", async ({ sandbox }) => {
    await checkPaidOnce(sandbox);
    await checkCancelledOnce(sandbox);
  }),

  checked(
    "4.12",
    "the payment inquiry is called with POST",
    inBothEnvironments(async (side) => {
      const { paymentId } = side.paidPayment;
      assertResult(await inquire(side, { paymentId }, { method: "POST" }), "SUCCESS");
      assertResult(await inquire(side, { paymentId }, { method: "PUT" }), "METHOD_NOT_SUPPORTED");
    }),
  ),
  checked("4.13", "its path is /ams/api/v1/payments/inquiryPayment", async ({ live }) => {
    const { paymentId } = live.paidPayment;
    const at = (path: string) => inquire(live, { paymentId }, { path });
    assertResult(await at("/ams/api/v1/payments/inquiryPayment"), "SUCCESS");
    assertResult(await at("/ams/api/v1/payments/inquirePayment"), "NO_INTERFACE_DEF");
    assertResult(await at("/ams/api/v1/payments/inquirypayment"), "NO_INTERFACE_DEF");
  }),
  checked(
    "4.14",
    "its request is an object with the field paymentId",
    inBothEnvironments(async (side) => {
      const { paymentId } = side.paidPayment;
      assertResult(await inquire(side, { paymentId }), "SUCCESS");
      assertResult(await inquire(side, {}), "PARAM_ILLEGAL");
      assertResult(await inquire(side, { id: paymentId }), "PARAM_ILLEGAL");
    }),
  ),
  checked("4.15", "paymentId in the request is a string", async ({ sandbox }) => {
    for (const paymentId of [42, true, ["42"], { id: "42" }]) {
      const { json } = await inquire(sandbox, { paymentId });
      assert.partialDeepStrictEqual(json.result, { resultCode: "PARAM_ILLEGAL", resultField: "paymentId" });
    }
    assertResult(await inquire(sandbox, { paymentId: "42" }), "ORDER_NOT_EXIST");
  }),
  checked(
    "4.16",
    "paymentId names the payment to look up",
    inBothEnvironments(async (side) => {
      const [first, second] = [await newPayment(side), await newPayment(side)];
      const { json } = await inquire(side, { paymentId: second.paymentId });
      assert.equal(json["paymentRequestId"], second.paymentRequestId);
      assert.notEqual(json["paymentRequestId"], first.paymentRequestId);
      assertResult(await inquire(side, { paymentId: unknownPaymentId }), "ORDER_NOT_EXIST");
    }),
  ),
  checked("4.17", "its response is the payment record of part 2", inBothEnvironments(checkRecordReturned)),
  checked(
    "4.18",
    "its response includes result",
    inBothEnvironments(async (side) => {
      const { paymentId } = side.paidPayment;
      const { json } = await inquire(side, { paymentId });
      assert.ok(isJsonObject(json.result));
      assertString(json.result["resultStatus"]);
    }),
  ),
];

/** Malformed paths: without version, area or operation, with parts in a wrong order, or with too many parts. */
const malformedPaths = [
  "/ams/api/payments/inquiryPayment",
  "/ams/api/v1/inquiryPayment",
  "/ams/api/v1/payments",
  "/ams/api/v1/payments/",
  "/ams/v1/payments/inquiryPayment",
  "/ams/api/payments/v1/inquiryPayment",
  "/ams/api/v1/payments/inquiryPayment/again",
  "/ams/api/v1/refunds/inquiryPayment",
];

async function checkHeadersRequired(side: TestEnvironment): Promise<void> {
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

async function checkContentType(side: TestEnvironment): Promise<void> {
  const { paymentId } = side.paidPayment;
  const inquireWithType = (type: string) =>
    inquire(side, { paymentId }, { headers: { "content-type": type } });
  const answer = await inquireWithType("application/json; charset=UTF-8");
  assertResult(answer, "SUCCESS");
  assert.equal(answer.headers["content-type"], "application/json; charset=UTF-8");
  for (const other of ["text/plain", "application/xml", "application/json; charset=ISO-8859-1"]) {
    assertResult(await inquireWithType(other), "MEDIA_TYPE_NOT_ACCEPTABLE");
  }
}

async function checkAcceptHeader(side: TestEnvironment): Promise<void> {
  const { paymentId } = side.paidPayment;
  const accept = "application/json, text/plain, */*";
  const answer = await inquire(side, { paymentId }, { headers: { accept } });
  assertResult(answer, "SUCCESS");
  const [type = ""] = answer.headers["content-type"]?.split(";") ?? [];
  assert.ok(accept.split(", ").includes(type));
}

async function checkBodyIsObject(side: TestEnvironment): Promise<void> {
  const { paymentId } = side.paidPayment;
  assertResult(await inquireWith(side, JSON.stringify({ paymentId })), "SUCCESS");
  for (const body of [[{ paymentId }], paymentId, 42, true, null]) {
    assertResult(await inquireWith(side, JSON.stringify(body)), "PARAM_ILLEGAL");
  }
}

/** Checks that a client without a response can send the same bytes with the same signature again. */
async function checkRetriesAccepted(side: TestEnvironment): Promise<void> {
  const { paymentId } = side.paidPayment;
  const sent = { path: side.path, body: JSON.stringify({ paymentId }) };
  const headers = signedHeaders(side.merchant, sent);
  const first = await sendTo(side, { ...sent, headers });
  assertResult(first, "SUCCESS");
  for (let retry = 0; retry < 4; retry += 1) {
    const again = await sendTo(side, { ...sent, headers });
    assert.equal(again.text, first.text);
  }
}

async function checkRepeatsAreOnePayment(side: PayingEnvironment): Promise<void> {
  const { request, answer, paymentId } = await requestPayment(side);
  const [again, another] = [await callPay(side, request), await requestPayment(side)];
  assert.equal(again.text, answer.text);
  assert.notEqual(another.paymentId, paymentId);
  const changed = await callPay(side, { ...request, paymentAmount: { currency: "EUR", value: "1" } });
  const refusal = { resultCode: "REPEAT_REQ_INCONSISTENT", resultField: "paymentAmount.value" };
  assert.partialDeepStrictEqual(changed.json.result, refusal);

  await actAtProvider(side, paymentId, "approve");
  const record = await waitForStatus(side, paymentId, "SUCCESS");
  assert.deepEqual(record["paymentAmount"], { currency: "EUR", value: "1250" });
  const afterwards = await callPay(side, request);
  assertResult(afterwards, "SUCCESS");
  assert.equal(afterwards.json["paymentId"], paymentId);
}

/** Checks that the same `pay` request, sent many times before and after the buyer pays, makes one payment. */
async function checkPaidOnce(side: PayingEnvironment): Promise<void> {
  const { request, paymentId } = await requestPayment(side);
  const sent = { path: pathOf("sandbox", "payments/pay"), body: JSON.stringify(request) };
  const headers = signedHeaders(side.merchant, sent);
  const retry = async (): Promise<void> => {
    const { json } = await sendTo(side, { ...sent, headers });
    assert.equal(json["paymentId"], paymentId);
  };
  await Promise.all(Array.from({ length: 8 }, retry));
  await actAtProvider(side, paymentId, "approve");
  await waitForStatus(side, paymentId, "SUCCESS");
  await Promise.all(Array.from({ length: 8 }, retry));
  await side.shop.waitForWebhooks(paymentId, 1);

  for (const kind of ["submit", "paid"]) assert.equal(countProviderEffects(side, paymentId, kind), 1, kind);
  assert.equal(await countRows(side, "ledger_transfers", paymentId), 1);
  assert.equal(await countRows(side, "notifications", paymentId), 1);
  assert.equal(side.shop.webhooksOf(paymentId).length, 1);
}

async function checkCancelledOnce(side: PayingEnvironment): Promise<void> {
  const { paymentId } = await requestPayment(side);
  const first = await callCancel(side, { paymentId });
  assertResult(first, "SUCCESS");
  for (let retry = 0; retry < 4; retry += 1) {
    assert.equal((await callCancel(side, { paymentId })).text, first.text);
  }
  assert.equal(countProviderEffects(side, paymentId, "closed"), 1);
  assert.equal(countProviderEffects(side, paymentId, "paid"), 0);
}

async function checkRecordReturned(side: TestEnvironment): Promise<void> {
  const { paymentId, paymentRequestId } = side.paidPayment;
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
