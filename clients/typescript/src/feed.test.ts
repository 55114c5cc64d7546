import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { ResultError, SignatureVerificationError } from "./errors.ts";
import type { FeedEvent, InquiryEventsRequest } from "./generated/models.ts";
import { privateKeyOf } from "./key.ts";
import type { LogEntry } from "./log.ts";
import type { ToldEvent } from "./notification.ts";
import { signedText, writeSignatureHeader } from "./signature.ts";
import { fakeClock, fakeGateway, testKeys, verifyRequest, type Reply } from "./testing.ts";
import { Tollgate, type TollgateOptions } from "./tollgate.ts";
import { toWireTime } from "./wire-time.ts";

const [merchant, gateway, otherKey] = await Promise.all([testKeys(), testKeys(), testKeys()]);
const result = { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." };
const options: TollgateOptions = {
  clientId: "5YTEST",
  privateKey: merchant.privateKey,
  gatewayPublicKeys: gateway.publicKey,
  baseUrl: "https://gateway.example",
};

/** The webhook body for the fourth change of the payment `p-<number>`. */
function bodyOf(number: number): string {
  const told = { notifyType: "PAYMENT_RESULT", result, paymentId: `p-${number}`, paymentRequestId: "o-1" };
  return JSON.stringify({ ...told, paymentCreateTime: "2026-11-15T09:30:00+00:00", sequence: 4 });
}

function eventOf(number: number): FeedEvent {
  return {
    cursor: String(number),
    notificationId: `n-${number}`,
    kind: "notifyPayment",
    subjectId: `p-${number}`,
    sequence: 4,
    createdTime: "2026-11-15T09:30:04+00:00",
    body: bodyOf(number),
  };
}

function page(numbers: readonly number[], nextCursor: string, hasMore = false): Reply {
  return { body: { result, events: numbers.map(eventOf), nextCursor, hasMore } };
}

function shop(...replies: Reply[]) {
  const clock = fakeClock();
  const fake = fakeGateway(replies, gateway.privateKey);
  const client = new Tollgate({ ...options, transport: fake.transport, clock });
  const asked = (): Promise<unknown[]> =>
    Promise.all(fake.requests.map((request) => verifyRequest(request, merchant.publicKey)));
  return { client, clock, asked };
}

test("the feed is read page by page from the cursor, with typed events for applyOnce", async () => {
  const { client, asked } = shop(page([8, 9], "9", true), page([10], "10"));
  const heard: ToldEvent[] = [];
  for await (const event of client.tollgate.events({ from: "7", pageSize: 2 })) heard.push(event);
  assert.deepEqual(await asked(), [
    { cursor: "7", limit: 2 },
    { cursor: "9", limit: 2 },
  ]);
  assert.deepEqual(
    heard.map(({ cursor, subject, sequence, notificationId }) => [cursor, subject, sequence, notificationId]),
    [8, 9, 10].map((each) => [String(each), `notifyPayment p-${each}`, 4, `n-${each}`]),
  );
  const [first] = heard;
  assert.equal(first?.kind === "notifyPayment" ? first.body.paymentRequestId : "", "o-1");
});

test("a rejection ends the loop, and leaving the loop stops polling", async () => {
  const refused = { resultCode: "PARAM_ILLEGAL", resultStatus: "F", resultMessage: "no such cursor." };
  const { client, asked } = shop(page([1], "1", true), { body: { result: refused } });
  await assert.rejects(async () => {
    for await (const event of client.tollgate.events()) assert.equal(event.cursor, "1");
  }, ResultError);
  const left = shop(page([1, 2], "2", true));
  for await (const event of left.client.tollgate.events()) if (event.cursor === "2") break;
  assert.deepEqual([(await asked()).length, (await left.asked()).length], [2, 1]);
});

test("without a stream, following polls every second, with backoff while the gateway does not respond", async () => {
  const stop = new AbortController();
  const reset = { fault: "reset" } as const;
  const faults = [reset, reset, reset];
  const { client, clock, asked } = shop(page([1], "1"), page([], "1"), ...faults, ...faults, page([2], "2"));
  const heard: string[] = [];
  for await (const event of client.tollgate.events({ follow: true, signal: stop.signal })) {
    heard.push(event.cursor);
    if (event.cursor === "2") stop.abort();
  }
  assert.deepEqual(heard, ["1", "2"]);
  assert.equal((await asked()).length, 9);
  assert.deepEqual(
    clock.slept.filter((ms) => ms % 1_000 === 0),
    [1_000, 1_000, 2_000, 4_000],
  );
});

test("webhooks are listed page by page", async () => {
  const sent = (id: string) => ({ notificationId: id, attempts: [] });
  const { client, asked } = shop(
    { body: { result, notifications: [sent("n-1"), sent("n-2")], hasMore: true } },
    { body: { result, notifications: [sent("n-3")], hasMore: false } },
  );
  const ids: string[] = [];
  for await (const each of client.tollgate.notifications({ subjectId: "p-1" })) ids.push(each.notificationId);
  assert.deepEqual(ids, ["n-1", "n-2", "n-3"]);
  assert.deepEqual(await asked(), [{ subjectId: "p-1" }, { subjectId: "p-1", after: "n-2" }]);
});

interface Scripted {
  readonly url: string;
  readonly asked: InquiryEventsRequest[];
}

/** A gateway whose feed has the events up to `last` in pages, and then streams events from the script. */
async function streaming(
  context: TestContext,
  last: (asked: readonly InquiryEventsRequest[]) => number,
  stream: (write: (number: number, key?: string) => Promise<void>, response: ServerResponse) => Promise<void>,
): Promise<Scripted> {
  const asked: InquiryEventsRequest[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    void (async () => {
      const body = (await json(request)) as InquiryEventsRequest;
      asked.push(body);
      if (body.follow !== true) {
        const from = Number(body.cursor ?? 0);
        const numbers = Array.from({ length: last(asked) }, (_, index) => index + 1).filter((n) => n > from);
        const whole = {
          result,
          events: numbers.map(eventOf),
          nextCursor: String(last(asked)),
          hasMore: false,
        };
        const text = JSON.stringify(whole);
        const { requestTime, signature } = await signed(path, text, gateway.privateKey);
        response.writeHead(200, { "response-time": requestTime, signature, "client-id": "5YTEST" }).end(text);
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" }).write("retry: 1000\n\n:\n\n");
      await stream(async (number, key = gateway.privateKey) => {
        const text = bodyOf(number);
        const data = JSON.stringify({ ...(await signed(path, text, key)), body: text });
        response.write(`id: ${number}\nevent: notifyPayment\ndata: ${data}\n\n`);
      }, response);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function signed(path: string, body: string, key: string) {
  const requestTime = toWireTime(Date.now());
  const text = signedText({
    method: "POST",
    path,
    clientId: "5YTEST",
    time: requestTime,
    body: Buffer.from(body),
  });
  return { requestTime, signature: writeSignatureHeader(1, await privateKeyOf(key).sign(text)) };
}

test("new events arrive by the stream, and after a disconnect reading continues after the last event", async (context) => {
  let streams = 0;
  let broken = (): unknown => undefined;
  const { url, asked } = await streaming(
    context,
    () => (streams === 0 ? 2 : 4),
    async (write, response) => {
      streams += 1;
      if (streams > 1) return write(5);
      broken = () => response.destroy();
      await write(3);
    },
  );
  const said: LogEntry[] = [];
  const clock = { now: () => Date.now(), sleep: async () => undefined };
  const client = new Tollgate({ ...options, baseUrl: url, clock, logger: (entry) => said.push(entry) });
  const heard: string[] = [];
  for await (const event of client.tollgate.events({ follow: true })) {
    heard.push(`${event.cursor} ${event.subject}`);
    if (event.cursor === "3") broken();
    if (event.cursor === "5") break;
  }
  assert.deepEqual(
    heard,
    [1, 2, 3, 4, 5].map((each) => `${each} notifyPayment p-${each}`),
  );
  assert.deepEqual(
    asked.map(({ cursor, follow }) => [cursor, follow]),
    [
      [undefined, undefined],
      ["2", true],
      ["3", undefined],
      ["4", true],
    ],
  );
  assert.match(JSON.stringify(said), /Reading the feed failed; it continues after 3/);
});

test("a stream event with an invalid signature ends the loop", async (context) => {
  const { url } = await streaming(
    context,
    () => 0,
    (write) => write(1, otherKey.privateKey),
  );
  const client = new Tollgate({ ...options, baseUrl: url });
  await assert.rejects(
    async () => {
      for await (const event of client.tollgate.events({ follow: true })) assert.fail(event.cursor);
    },
    (error) => error instanceof SignatureVerificationError && error.reason === "MISMATCH",
  );
});

test("aborting the signal leaves an idle stream", async (context) => {
  const stop = new AbortController();
  const { url } = await streaming(
    context,
    () => 0,
    async () => stop.abort(),
  );
  const client = new Tollgate({ ...options, baseUrl: url });
  for await (const event of client.tollgate.events({ follow: true, signal: stop.signal }))
    assert.fail(event.cursor);
});
