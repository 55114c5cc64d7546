import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as waitMs } from "node:timers/promises";
import { startFaultProxy } from "./fault-proxy.ts";

/** An echo server that prefixes its name. */
async function startEcho(name: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => socket.write(`${name}:${chunk.toString("utf8")}`));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  return (server.address() as AddressInfo).port;
}

const oldPlace = await startEcho("old");
const newPlace = await startEcho("new");
const line = await startFaultProxy(oldPlace);
after(() => line.close());

function call(): Socket {
  const socket = connect(line.port, "127.0.0.1");
  after(() => socket.destroy());
  return socket.on("error", () => undefined);
}

/** The echo within a timeout, or how the connection ended. */
async function answerTo(socket: Socket, words: string, withinMs = 2_000): Promise<string> {
  socket.write(words);
  return Promise.race([
    once(socket, "data").then(
      ([chunk]) => String(chunk),
      () => "closed",
    ),
    new Promise<string>((resolve) => socket.once("close", () => resolve("closed"))),
    waitMs(withinMs).then(() => "nothing"),
  ]);
}

test("a whole line carries everything", async () => {
  assert.equal(await answerTo(call(), "hello"), "old:hello");
});

test("a black hole carries nothing, and gives it back when it is over", async () => {
  const socket = call();
  await answerTo(socket, "first");
  line.fail({ kind: "black-hole" });
  assert.equal(await answerTo(socket, "hello", 100), "nothing");
  const late = once(socket, "data");
  line.heal();
  assert.equal(String((await late)[0]), "old:hello");
});

test("a line that refuses lets nobody in, and leaves those alone who are", async () => {
  const socket = call();
  await answerTo(socket, "first");
  line.fail({ kind: "refuse" });
  assert.equal(await answerTo(call(), "hello"), "closed");
  assert.equal(await answerTo(socket, "hello"), "old:hello");
  line.heal();
});

test("a line is cut when so many bytes have passed", async () => {
  line.fail({ kind: "cut-after", bytes: 20 });
  const socket = call();
  assert.equal(await answerTo(socket, "hello"), "old:hello");
  assert.equal(await answerTo(socket, "hello again"), "closed");
  line.heal();
});

test("a slow line delays, and keeps the order", async () => {
  line.fail({ kind: "delay", delayMs: 50 });
  const socket = call();
  const startedAtMs = performance.now();
  assert.equal(await answerTo(socket, "hello"), "old:hello");
  assert(performance.now() - startedAtMs >= 100);
  line.heal();
});

test("a line that moved cuts old connections, and never leads to the old place again", async () => {
  const socket = call();
  await answerTo(socket, "first");
  line.fence();
  assert.equal(await answerTo(socket, "hello"), "closed");
  assert.equal(await answerTo(call(), "hello"), "closed");
  line.moveTo(newPlace);
  assert.equal(await answerTo(call(), "hello"), "new:hello");
});
