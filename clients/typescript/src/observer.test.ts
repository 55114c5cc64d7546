import assert from "node:assert/strict";
import { test } from "node:test";
import { ConfigurationError, NotFoundError } from "./errors.ts";
import { environmentLogger } from "./log.ts";
import type { ObservedCall, ObservedEnd, Observer } from "./observer.ts";
import { fakeClock, fakeGateway, testKeys, type Reply } from "./testing.ts";
import { Tollgate } from "./tollgate.ts";

const [merchant, gateway] = await Promise.all([testKeys(), testKeys()]);

function result(resultCode: string, resultStatus: string): Reply {
  return {
    body: { result: { resultCode, resultStatus, resultMessage: "" } },
    headers: { "request-id": "t-1" },
  };
}

function shop(replies: readonly Reply[], observer: Observer): Tollgate {
  return new Tollgate({
    clientId: "5YTEST",
    privateKey: merchant.privateKey,
    gatewayPublicKeys: gateway.publicKey,
    baseUrl: "https://gateway.example",
    transport: fakeGateway(replies, gateway.privateKey).transport,
    clock: fakeClock(),
    observer,
  });
}

test("an observer receives the start and the end of a call, with its attempts", async () => {
  const begun: ObservedCall[] = [];
  const ended: ObservedEnd[] = [];
  const client = shop(
    [{ fault: "reset" }, result("SUCCESS", "S"), result("ORDER_NOT_EXIST", "F")],
    (call) => {
      begun.push(call);
      return (end) => ended.push(end);
    },
  );
  await client.payments.inquiryPayment({ paymentRequestId: "o-1" });
  await assert.rejects(client.payments.inquiryPayment({ paymentRequestId: "o-2" }), NotFoundError);
  const operation = "payments/inquiryPayment";
  const baseUrl = "https://gateway.example";
  assert.deepEqual(begun, [
    { operation, requestId: "o-1", baseUrl },
    { operation, requestId: "o-2", baseUrl },
  ]);
  assert.deepEqual(
    ended.map(({ outcome, attempts, traceId, error }) => [
      outcome,
      attempts,
      traceId,
      error instanceof Error,
    ]),
    [
      ["SUCCESS", 2, "t-1", false],
      ["ORDER_NOT_EXIST", 1, "t-1", true],
    ],
  );
  assert.ok((ended[0]?.durationMs ?? 0) > 0, "The pause between the attempts counts.");
});

test("an observer that throws does not make a payment fail", async () => {
  const fail = (): never => {
    throw new Error("The collector is away.");
  };
  for (const observer of [fail, () => fail])
    assert.ok(
      (await shop([result("SUCCESS", "S")], observer).payments.inquiryPayment({ paymentId: "1" })).isSuccess,
    );
});

test("TOLLGATE_LOG writes log entries of its level to standard error", () => {
  const linesAt = (level: string | undefined): string[] => {
    const lines: string[] = [];
    const log = environmentLogger(
      (line) => lines.push(line),
      () => level,
    );
    const call = { operation: "payments/pay", requestId: "o-1", attempt: 1 };
    log({ event: "request", ...call, body: { paymentId: "1" } });
    log({ event: "response", ...call, traceId: "t-1", durationMs: 31, outcome: "SUCCESS" });
    log({ event: "retry", ...call, delayMs: 50, outcome: "TimeoutError" });
    log({ event: "warning", message: "Look." });
    return lines.map((line) => line.split(" ")[1] ?? "");
  };
  assert.deepEqual(linesAt(undefined), []);
  assert.deepEqual(linesAt("debug"), ["request", "response", "retry", "warning"]);
  assert.deepEqual(linesAt("info"), ["response", "retry", "warning"]);
  assert.deepEqual(linesAt("warn"), ["retry", "warning"]);
  assert.throws(() => linesAt("loud"), ConfigurationError);
});

test("a custom fetch is used for requests and for streams", async () => {
  const asked: string[] = [];
  const client = new Tollgate({
    clientId: "5YTEST",
    privateKey: merchant.privateKey,
    gatewayPublicKeys: gateway.publicKey,
    baseUrl: "https://gateway.example",
    maxRetries: 0,
    fetch: async (url, { method, redirect }) => {
      asked.push(`${method} ${url} ${redirect}`);
      return new Response("no", { status: 500 });
    },
  });
  await assert.rejects(client.payments.inquiryPayment({ paymentId: "1" }), /HTTP 500/);
  assert.deepEqual(asked, ["POST https://gateway.example/ams/api/v1/payments/inquiryPayment manual"]);
});
