import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  assignPositions,
  eventBody,
  feedPath,
  openFeedStream,
  insertTestEvents,
  type FeedStream,
} from "../../../test/shop/test-feed.ts";
import { call, newMerchant, signedHeaders, startTestGateway } from "../../../test/start/test-gateway.ts";
import { eventually } from "../../../test/start/test-process.ts";
import { exchangeBytes, rawRequest } from "../../../test/http/raw-http.ts";
import { streamsPerClientMax } from "./event-stream-registry.ts";

const { url, database, variables } = await startTestGateway("sandbox");
const merchant = await newMerchant(database);
await insertTestEvents(database, merchant, ["first", "second", "third"]);
await assignPositions(database);

async function idsOf(feed: FeedStream, count: number): Promise<readonly string[]> {
  const events = await eventually(
    5_000,
    async () => feed.events,
    ({ length }) => length >= count,
  );
  return events.map(({ id }) => id);
}

test("a stream begins with earlier events, each signed like a webhook", async () => {
  const feed = await openFeedStream(url, merchant);
  assert.equal(feed.contentType, "text/event-stream");
  assert.deepEqual(await idsOf(feed, 3), ["1", "2", "3"]);
  assert.deepEqual(
    feed.events.map(({ name, body, isSigned }) => [name, body, isSigned]),
    ["first", "second", "third"].map((id) => ["notifyPayment", eventBody(id), true]),
  );
  assert.doesNotMatch(feed.text(), /[\r\u0085\u2028\u2029]/, "Some readers end a line there.");
  feed.destroy();
});

test("events that a client relays are signed for the address to which it relays them", async () => {
  for (const forwardUrl of ["http://127.0.0.1:3000/notify?shop=1", "https://shop.example"]) {
    const feed = await openFeedStream(url, merchant, { forwardUrl });
    assert.deepEqual(await idsOf(feed, 3), ["1", "2", "3"]);
    assert.ok(feed.events.every(({ isSigned }) => isSigned));
    feed.destroy();
  }
});

test("no event is signed for a path of the gateway, where a rejection could be replayed as an event", async () => {
  const body = JSON.stringify({
    follow: true,
    forwardUrl: "https://shop.example/ams/sandbox/api/v1/payments/pay",
  });
  const { json } = await call(url, merchant, { path: feedPath, body });
  assert.equal(json.result["resultCode"], "PARAM_ILLEGAL");
  assert.equal(json.result["resultField"], "forwardUrl");
});

test("later events are pushed soon after they happen", async () => {
  const feed = await openFeedStream(url, merchant, { cursor: "latest" });
  await insertTestEvents(database, merchant, ["fourth"]);
  await assignPositions(database);
  assert.deepEqual(await idsOf(feed, 1), ["4"]);
  feed.destroy();
});

test("a reconnecting client resumes after the last event that it received", async () => {
  const feed = await openFeedStream(url, merchant, { cursor: "2" });
  assert.deepEqual(await idsOf(feed, 2), ["3", "4"]);
  feed.destroy();
});

test("a cursor that never existed is rejected in a normal response, not a stream", async () => {
  const answer = await call(url, merchant, { path: feedPath, body: '{"follow":true,"cursor":"999"}' });
  assert.equal(answer.json.result["resultCode"], "PARAM_ILLEGAL");
  assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
});

test("unsigned headers neither start a stream nor move its position", async () => {
  for (const body of ['{"cursor":"3"}', '{"cursor":"3","follow":false}']) {
    const headers = { accept: "text/event-stream", "last-event-id": "0" };
    const { headers: answered, json } = await call(url, merchant, { path: feedPath, body, headers });
    assert.match(answered["content-type"] ?? "", /^application\/json/);
    assert.deepEqual(
      (json["events"] as { cursor: string }[]).map(({ cursor }) => cursor),
      ["4"],
    );
  }
});

test("a stream request is rejected if its request time is more than 30 seconds off", async () => {
  for (const [offsetSeconds, isOpened] of [
    [-40, false],
    [-20, true],
    [20, true],
    [40, false],
  ] as const) {
    const time = String(Date.now() + offsetSeconds * 1000);
    const sent = { path: feedPath, body: '{"follow":true,"cursor":"999"}', time };
    const { json } = await call(url, merchant, sent);
    const { resultField } = json.result;
    assert.equal(resultField, isOpened ? "cursor" : "request-time", `${offsetSeconds} seconds`);
  }
});

test("a client may hold only a limited number of streams open, and a closed one frees its place", async () => {
  const busyMerchant = await newMerchant(database, "Crowd");
  const feeds = await Promise.all(
    Array.from({ length: streamsPerClientMax }, () => openFeedStream(url, busyMerchant)),
  );
  const another = { path: feedPath, body: '{"follow":true}' };
  const { json, headers } = await call(url, busyMerchant, another);
  assert.equal(json.result["resultCode"], "REQUEST_TRAFFIC_EXCEED_LIMIT");
  assert.match(headers["retry-after"] ?? "", /^\d+$/);
  const others = await openFeedStream(url, merchant);
  assert.equal(others.contentType, "text/event-stream");
  others.destroy();

  feeds[0]?.destroy();
  const last = await eventually(
    5_000,
    () => openFeedStream(url, busyMerchant),
    ({ contentType }) => contentType === "text/event-stream",
  );
  for (const feed of [...feeds, last]) feed.destroy();
});

test("a suspended client receives no more events", async () => {
  const closed = await newMerchant(database, "Closed Lab");
  const feed = await openFeedStream(url, closed);
  await asSuperuser(
    "update clients set status = 'SUSPENDED' where client_id = $1",
    [closed.clientId],
    database.superuserUrl,
  );
  await delay(1_000);
  await insertTestEvents(database, closed, ["secret"]);
  await assignPositions(database);
  await feed.ended;
  assert.deepEqual(feed.events, []);
});

test("no other request is answered on the connection of a stream", async () => {
  const sent = { path: feedPath, body: '{"follow":true}' };
  const bytes = rawRequest(
    `POST ${feedPath} HTTP/1.1`,
    Object.entries({
      host: "gateway.example",
      "content-type": "application/json",
      "content-length": String(sent.body.length),
      ...signedHeaders(merchant, sent),
    }),
    sent.body,
  );
  const { closed } = await exchangeBytes(url, Buffer.concat([bytes, bytes]), {
    answerCount: 2,
    timeoutMs: 5_000,
  });
  assert.equal(closed, true);
});

test("a process that stops ends its streams at once, and each has one row in the request log", async () => {
  const leavingMerchant = await newMerchant(database, "Leaver");
  await insertTestEvents(database, leavingMerchant, ["one", "two"]);
  await assignPositions(database);
  const serving = await serve(readSettings(variables));
  const feed = await openFeedStream(serving.url, leavingMerchant);
  await idsOf(feed, 2);
  const stoppedAtMs = performance.now();
  await serving.stop();
  assert.ok(performance.now() - stoppedAtMs < 2_000, "It did not wait for the stream.");
  await feed.ended;

  const rows = await asSuperuser<{ result_code: string; answer_body: string }>(
    "select result_code, answer_body from request_log where client_id = $1",
    [leavingMerchant.clientId],
    database.superuserUrl,
  );
  assert.equal(rows.length, 1);
  assert.equal(rows[0]?.result_code, "SUCCESS");
  assert.partialDeepStrictEqual(JSON.parse(rows[0]?.answer_body ?? ""), { events: 2, lastEventId: "2" });
});
