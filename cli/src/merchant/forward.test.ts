import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { findFreePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { forwardEvent, type ForwardResult } from "./forward.ts";

const event = {
  cursor: "1",
  kind: "notifyPayment",
  requestTime: "1794697099143",
  signature: "algorithm=RSA256,keyVersion=1,signature=abc",
  body: '{"note":"ü"}',
};

async function startReceiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/notify?shop=1`;
}

function startReceiverAnswering(status: number, body: string, headers = {}): Promise<string> {
  return startReceiver((message, response) => {
    message.resume().on("end", () => response.writeHead(status, headers).end(body));
  });
}

async function forwardTo(url: string): Promise<Omit<ForwardResult, "ms">> {
  const { ms, ...end } = await forwardEvent(event, "SANDBOX_A", url);
  assert.ok(ms >= 0);
  return end;
}

const acknowledgement = '{"result":{"resultStatus":"S"}}';

test("the receiver gets the same bytes, with the headers of a webhook", async () => {
  const received: string[] = [];
  const url = await startReceiver((message, response) => {
    const { url: path, headers } = message;
    received.push(
      path ?? "",
      String(headers["client-id"]),
      String(headers["request-time"]),
      String(headers["signature"]),
    );
    message
      .on("data", (chunk: Buffer) => received.push(chunk.toString("utf8")))
      .on("end", () => response.end(acknowledgement));
  });
  assert.deepEqual(await forwardTo(url), { httpStatus: 200, isAcknowledged: true });
  assert.deepEqual(received, ["/notify?shop=1", "SANDBOX_A", event.requestTime, event.signature, event.body]);
});

test("a response that does not acknowledge is reported with the gateway's reason", async () => {
  assert.equal(
    (await forwardTo(await startReceiverAnswering(500, acknowledgement))).failure,
    "500, but 200 is expected",
  );
  assert.equal(
    (await forwardTo(await startReceiverAnswering(302, "", { location: "/other" }))).failure,
    "302, but 200 is expected; no redirect is followed",
  );
  assert.equal(
    (await forwardTo(await startReceiverAnswering(200, "OK"))).failure,
    '200, but the body is not {"result":{"resultStatus":"S"}}',
  );
});

test("an unreachable receiver, or one that closes the connection, is reported as such", async () => {
  const closed = await forwardTo(`http://127.0.0.1:${await findFreePort()}/notify`);
  assert.deepEqual(closed, { httpStatus: 0, isAcknowledged: false, failure: "no server listens there" });
  const url = await startReceiver((message) => message.socket.destroy());
  assert.equal((await forwardTo(url)).httpStatus, 0);
});
