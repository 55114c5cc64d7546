import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import {
  openConnectionPool,
  sendOnTime,
  type TimedResponse,
  type ScheduledRequest,
  type ConnectionPool,
} from "./open-loop.ts";

async function newPoolTo(answer: RequestListener, connections: number): Promise<ConnectionPool> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const line = openConnectionPool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections);
  after(() => {
    line.close();
    server.close().closeAllConnections();
  });
  return line;
}

const bytes = Buffer.from("GET / HTTP/1.1\r\nhost: a\r\n\r\n");

function requestsEvery(
  ms: number,
  count: number,
  onResponse: (answer: TimedResponse) => void,
): readonly ScheduledRequest[] {
  return Array.from({ length: count }, (_, index) => ({ atMs: index * ms, bytes, onResponse }));
}

test("latency counts from the scheduled time, not from the send time, so waiting behind a slow response is included", async () => {
  let count = 0;
  const line = await newPoolTo((_request, response) => {
    count += 1;
    setTimeout(() => response.end("yes"), count === 1 ? 400 : 0);
  }, 1);
  const tookMs: number[] = [];
  const dues = requestsEvery(10, 10, ({ body, tookMs: took }) => {
    assert.equal(body, "yes");
    tookMs.push(took);
  });
  const sent = await sendOnTime(line, dues, 100);
  assert.deepEqual([sent.unsent, sent.unanswered, tookMs.length], [0, 0, 10]);
  // Each request was due 10 ms after the previous one, and all waited for the first one, so the wait counts as latency.
  assert.ok(
    tookMs.slice(1, 9).every((took) => took > 250),
    String(tookMs),
  );
});

test("a queue that grows too long stops the load, and unsent requests are counted", async () => {
  const line = await newPoolTo((_request, response) => void setTimeout(() => response.end(), 100), 1);
  const sent = await sendOnTime(
    line,
    requestsEvery(1, 1_000, () => undefined),
    20,
  );
  assert.ok(sent.unsent > 900, String(sent.unsent));
});

test("a broken connection fails its request, and the next request opens a new connection", async () => {
  let count = 0;
  const line = await newPoolTo((_request, response) => {
    count += 1;
    if (count === 1) response.destroy();
    else response.setHeader("connection", "close").end("yes");
  }, 1);
  const statuses: number[] = [];
  const dues = requestsEvery(5, 4, ({ status }) => void statuses.push(status));
  await sendOnTime(line, dues, 100);
  assert.deepEqual(statuses, [0, 200, 200, 200]);
});
