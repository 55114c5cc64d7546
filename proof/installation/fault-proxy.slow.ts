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

test("a proxy without a fault forwards all bytes", async () => {
  assert.equal(await answerTo(call(), "hello"), "old:hello");
});

test("a black hole forwards nothing, and forwards the delayed bytes when it ends", async () => {
  const socket = call();
  await answerTo(socket, "first");
  line.fail({ kind: "black-hole" });
  assert.equal(await answerTo(socket, "hello", 100), "nothing");
  const late = once(socket, "data");
  line.heal();
  assert.equal(String((await late)[0]), "old:hello");
});

test("a refusing proxy rejects new connections, and keeps the open ones", async () => {
  const socket = call();
  await answerTo(socket, "first");
  line.fail({ kind: "refuse" });
  assert.equal(await answerTo(call(), "hello"), "closed");
  assert.equal(await answerTo(socket, "hello"), "old:hello");
  line.heal();
});

test("a connection is cut after the given number of bytes", async () => {
  line.fail({ kind: "cut-after", bytes: 20 });
  const socket = call();
  assert.equal(await answerTo(socket, "hello"), "old:hello");
  assert.equal(await answerTo(socket, "hello again"), "closed");
  line.heal();
});

test("a slow proxy delays bytes and keeps their order", async () => {
  line.fail({ kind: "delay", delayMs: 50 });
  const socket = call();
  const startedAtMs = performance.now();
  assert.equal(await answerTo(socket, "hello"), "old:hello");
  assert(performance.now() - startedAtMs >= 100);
  line.heal();
});

test("a moved proxy cuts old connections, and never connects to the old target again", async () => {
  const socket = call();
  await answerTo(socket, "first");
  line.fence();
  assert.equal(await answerTo(socket, "hello"), "closed");
  assert.equal(await answerTo(call(), "hello"), "closed");
  line.moveTo(newPlace);
  assert.equal(await answerTo(call(), "hello"), "new:hello");
});
