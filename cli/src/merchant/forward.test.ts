import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { freePort } from "../../../server/src/postgres/temporary-postgres.ts";
import { forward, type Forwarded } from "./forward.ts";

const event = {
  cursor: "1",
  kind: "notifyPayment",
  requestTime: "1794697099143",
  signature: "algorithm=RSA256,keyVersion=1,signature=abc",
  body: '{"note":"ü"}',
};

async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/notify?shop=1`;
}

function answering(status: number, body: string, headers = {}): Promise<string> {
  return receiver((message, response) => {
    message.resume().on("end", () => response.writeHead(status, headers).end(body));
  });
}

async function endOf(url: string): Promise<Omit<Forwarded, "ms">> {
  const { ms, ...end } = await forward(event, "SANDBOX_A", url);
  assert.ok(ms >= 0);
  return end;
}

const good = '{"result":{"resultStatus":"S"}}';

test("the receiver gets the same bytes, with the headers of a webhook", async () => {
  const got: string[] = [];
  const url = await receiver((message, response) => {
    const { url: path, headers } = message;
    got.push(
      path ?? "",
      String(headers["client-id"]),
      String(headers["request-time"]),
      String(headers["signature"]),
    );
    message
      .on("data", (chunk: Buffer) => got.push(chunk.toString("utf8")))
      .on("end", () => response.end(good));
  });
  assert.deepEqual(await endOf(url), { httpStatus: 200, isAcknowledged: true });
  assert.deepEqual(got, ["/notify?shop=1", "SANDBOX_A", event.requestTime, event.signature, event.body]);
});

test("a response that does not acknowledge is reported with the gateway's reason", async () => {
  assert.equal((await endOf(await answering(500, good))).failure, "500, but 200 is expected");
  assert.equal(
    (await endOf(await answering(302, "", { location: "/other" }))).failure,
    "302, but 200 is expected; no redirect is followed",
  );
  assert.equal(
    (await endOf(await answering(200, "OK"))).failure,
    '200, but the body is not {"result":{"resultStatus":"S"}}',
  );
});

test("an unreachable receiver, or one that closes the connection, is reported as such", async () => {
  const closed = await endOf(`http://127.0.0.1:${await freePort()}/notify`);
  assert.deepEqual(closed, { httpStatus: 0, isAcknowledged: false, failure: "no server listens there" });
  const url = await receiver((message) => message.socket.destroy());
  assert.equal((await endOf(url)).httpStatus, 0);
});
