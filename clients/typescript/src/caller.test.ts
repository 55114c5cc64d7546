import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionError, NotFoundError, RateLimitError, TimeoutError } from "./errors.ts";
import type { LogEntry } from "./log.ts";
import { readRetryAfter, retryDelayMs } from "./retry.ts";
import { fakeClock, fakeGateway, testKeys, type Reply } from "./testing.ts";
import { Tollgate, type TollgateOptions } from "./tollgate.ts";

const [merchant, gateway] = await Promise.all([testKeys(), testKeys()]);
const result = (resultStatus: string, resultCode: string): object => ({
  result: { resultCode, resultStatus, resultMessage: "as scripted." },
});
const success: Reply = { body: result("S", "SUCCESS") };
const reset: Reply = { fault: "reset" };

function clientOf(
  replies: readonly Reply[],
  options: TollgateOptions = {},
): [Tollgate, ReturnType<typeof fakeGateway>, ReturnType<typeof fakeClock>] {
  const fake = fakeGateway(replies, gateway.privateKey);
  const clock = fakeClock();
  const client = new Tollgate({
    clientId: "5YTEST",
    privateKey: merchant.privateKey,
    gatewayPublicKeys: gateway.publicKey,
    baseUrl: "https://gateway.example",
    transport: fake.transport,
    clock,
    ...options,
  });
  return [client, fake, clock];
}

test("each attempt has the same body, a new time and a new signature", async () => {
  const [client, { requests }] = clientOf([reset, { body: {}, status: 503 }, success]);
  const answer = await client.payments.cancel({ paymentId: "1" });
  assert.equal(answer.attempts, 3);
  assert.equal(new Set(requests.map(({ body }) => Buffer.from(body).toString("hex"))).size, 1);
  for (const name of ["request-time", "signature"])
    assert.equal(new Set(requests.map(({ headers }) => headers[name])).size, 3, name);
});

test("retry delays grow from 0.5 s to 5 s with jitter, and are never zero", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 50].map((retries) => retryDelayMs(retries, undefined, () => 1)),
    [500, 1_000, 2_000, 4_000, 5_000, 5_000],
  );
  assert.equal(
    retryDelayMs(3, undefined, () => 0),
    50,
  );
});

test("Retry-After is respected up to one minute", () => {
  const never = (): number => 0;
  assert.equal(retryDelayMs(0, 7_000, never), 7_000);
  assert.equal(retryDelayMs(0, 60_000, never), 60_000);
  assert.equal(retryDelayMs(0, 60_001, never), undefined);
  assert.equal(readRetryAfter("7", 0), 7_000);
  assert.equal(readRetryAfter("Thu, 01 Jan 1970 00:00:09 GMT", 2_000), 7_000);
  assert.equal(readRetryAfter("Thu, 01 Jan 1970 00:00:09 GMT", 20_000), 0);
  assert.equal(readRetryAfter("soon", 0), undefined);
  assert.equal(readRetryAfter(undefined, 0), undefined);
});

test("an error has the operation, request id, trace id and attempts", async () => {
  const reply = { body: result("F", "ORDER_NOT_EXIST"), headers: { "request-id": "trace-1" } };
  const [client] = clientOf([reply]);
  await assert.rejects(client.payments.inquiryPayment({ paymentRequestId: "order-7" }), (error) => {
    assert.ok(error instanceof NotFoundError);
    const { operation, requestId, traceId, attempts, code, status, isSigned, advice, raw } = error;
    assert.deepEqual(
      { operation, requestId, traceId, attempts, code, status, isSigned, advice, raw },
      {
        operation: "payments/inquiryPayment",
        requestId: "order-7",
        traceId: "trace-1",
        attempts: 1,
        code: "ORDER_NOT_EXIST",
        status: "F",
        isSigned: true,
        advice: "Check the id, and that it belongs to this client id.",
        raw: reply.body,
      },
    );
    return true;
  });
});

test("a token is never used as a request id and never logged", async () => {
  const said: LogEntry[] = [];
  const [client] = clientOf([{ body: result("F", "INVALID_ACCESS_TOKEN") }], {
    logger: (entry) => said.push(entry),
  });
  const accessToken = "28288803001000000000";
  await assert.rejects(client.request("authorizations/revoke", { accessToken, note: "visible" }), (error) => {
    assert.ok(!JSON.stringify(error).includes(accessToken));
    return true;
  });
  assert.ok(!JSON.stringify(said).includes(accessToken));
  assert.match(JSON.stringify(said), /visible/);
});

test("a logger that throws does not make a call fail", async () => {
  const logger = (): never => {
    throw new Error("The disk is full.");
  };
  const [client] = clientOf([success], { logger });
  assert.ok((await client.payments.cancel({ paymentId: "1" })).isSuccess);
});

test("an aborted call rejects with the caller's reason and is not retried", async () => {
  const controller = new AbortController();
  const transport = (): Promise<never> => {
    controller.abort(new Error("The buyer left."));
    return Promise.reject(new Error("aborted"));
  };
  const [client] = clientOf([], { transport });
  const { signal } = controller;
  await assert.rejects(client.payments.cancel({ paymentId: "1" }, { signal }), /The buyer left/);
  const [untouched, { requests }] = clientOf([success]);
  await assert.rejects(untouched.payments.cancel({ paymentId: "1" }, { signal }), /The buyer left/);
  assert.equal(requests.length, 0);
});

test("an error inside the library is not reported as a connection error", async () => {
  const transport = async (): Promise<never> =>
    ({ status: 200, headers: undefined, body: undefined }) as never;
  const [client] = clientOf([], { transport });
  await assert.rejects(client.payments.cancel({ paymentId: "1" }), TypeError);
});

const status = (paymentStatus: string): Reply => ({ body: { ...result("S", "SUCCESS"), paymentStatus } });

test("waiting ends at the first final status, and continues after network errors", async () => {
  const [client, { requests }, { slept }] = clientOf(
    [status("PROCESSING"), reset, status("PENDING"), status("SUCCESS")],
    { maxRetries: 0 },
  );
  const answer = await client.payments.waitForFinal({ paymentId: "1" });
  assert.equal(answer.paymentStatus, "SUCCESS");
  assert.equal(requests.length, 4);
  assert.deepEqual(slept, [500, 750, 1_125]);
});

test("waiting that times out is an error, because the status is not final", async () => {
  const [client] = clientOf(Array.from({ length: 9 }, () => status("PROCESSING")));
  const waiting = client.payments.waitForFinal({ paymentId: "1" }, { timeoutMs: 3_000 });
  await assert.rejects(waiting, (error) => error instanceof TimeoutError && /PROCESSING/.test(error.message));
  const [other] = clientOf([{ body: result("F", "ORDER_NOT_EXIST") }]);
  await assert.rejects(other.payments.waitForFinal({ paymentId: "1" }), NotFoundError);
});

test("a lasting rate limit is an error, and a connection error has the number of attempts", async () => {
  const busy: Reply = { body: result("U", "REQUEST_TRAFFIC_EXCEED_LIMIT") };
  const [client] = clientOf([busy, busy, busy]);
  await assert.rejects(client.payments.cancel({ paymentId: "1" }), RateLimitError);
  const [lost] = clientOf([reset, reset], { maxRetries: 1 });
  await assert.rejects(
    lost.payments.cancel({ paymentId: "1" }),
    (error) => error instanceof ConnectionError && error.attempts === 2,
  );
});
