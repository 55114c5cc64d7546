import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openSocket } from "../../../test/http/raw-http.ts";
import { watchForTinyChunks } from "./tiny-chunk-guard.ts";
import { openBodyReader, type BodyReader } from "./body-reader.ts";

const bytesMax = 100_000;

/** A server that reports the length of a body, or why it was not read. */
async function startReading(bodies: BodyReader): Promise<string> {
  const server = createServer((request, response) => {
    watchForTinyChunks(request, () => undefined);
    const sender = String(request.headers["x-sender"] ?? "one");
    void bodies.read(request, sender, bytesMax).then(
      (body) => response.end(typeof body === "string" ? body : `${body.length} bytes`),
      () => undefined,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const chunkedHead = "POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n";
const chunksOf = (count: number, text: string): string =>
  `${text.length.toString(16)}\r\n${text}\r\n`.repeat(count);

async function outcomeOf(socket: Socket): Promise<string> {
  const [answer] = (await once(socket, "data")) as [Buffer];
  return answer.toString("latin1").split("\r\n\r\n")[1] ?? "";
}

async function sendAll(url: string, bytes: string): Promise<string> {
  const socket = await openSocket(url);
  socket.write(bytes);
  const outcome = await outcomeOf(socket);
  socket.destroy();
  return outcome;
}

test("a body in tiny chunks is rejected, and one in normal chunks is read", async () => {
  const url = await startReading(openBodyReader());
  assert.equal(await sendAll(url, `${chunkedHead}${chunksOf(64, "x")}0\r\n\r\n`), "64 bytes");
  assert.equal(await sendAll(url, `${chunkedHead}${chunksOf(66, "x")}0\r\n\r\n`), "in tiny chunks");
  assert.equal(await sendAll(url, `${chunkedHead}${chunksOf(300, "x".repeat(256))}0\r\n\r\n`), "76800 bytes");
  assert.equal(
    await sendAll(url, `${chunkedHead}${chunksOf(300, "x".repeat(128))}0\r\n\r\n`),
    "in tiny chunks",
  );
  assert.equal(await sendAll(url, `${chunkedHead}${chunksOf(11, "x".repeat(10_000))}`), "too long");
});

test("when all bodies exceed the memory budget, the oldest body is evicted", async () => {
  const url = await startReading(openBodyReader(150_000));
  const half = `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 80000\r\n\r\n${"x".repeat(60_000)}`;
  const [first, second] = [await openSocket(url), await openSocket(url)];
  first.write(half);
  await delay(50);
  second.write(half);
  await delay(50);
  const whole = sendAll(
    url,
    `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 70000\r\n\r\n${"x".repeat(70_000)}`,
  );

  assert.equal(await outcomeOf(first), "no room");
  assert.equal(await whole, "70000 bytes");
  second.write("x".repeat(20_000));
  assert.equal(await outcomeOf(second), "80000 bytes");
  // The bodies that the reader evicted no longer use the memory budget.
  const again = `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 99000\r\n\r\n${"x".repeat(99_000)}`;
  assert.equal(await sendAll(url, again), "99000 bytes");
  for (const socket of [first, second]) socket.destroy();
});

test("a body of the sender that uses most memory is evicted, however old other senders' bodies are", async () => {
  const url = await startReading(openBodyReader(150_000));
  const half = (sender: string, count: number): string =>
    `POST / HTTP/1.1\r\nhost: a\r\nx-sender: ${sender}\r\ncontent-length: ${count + 20_000}\r\n\r\n${"x".repeat(count)}`;
  const [slow, largeBody, secondLargeBody] = [
    await openSocket(url),
    await openSocket(url),
    await openSocket(url),
  ];
  slow.write(half("slow", 20_000));
  await delay(50);
  largeBody.write(half("crowding", 60_000));
  await delay(50);
  secondLargeBody.write(half("crowding", 75_000));

  assert.equal(await outcomeOf(largeBody), "no room");
  slow.write("x".repeat(20_000));
  assert.equal(await outcomeOf(slow), "40000 bytes");
  for (const socket of [slow, largeBody, secondLargeBody]) socket.destroy();
});
