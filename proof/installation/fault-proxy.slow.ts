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

const oldPort = await startEcho("old");
const newPort = await startEcho("new");
const proxy = await startFaultProxy(oldPort);
after(() => proxy.close());

function openConnection(): Socket {
  const socket = connect(proxy.port, "127.0.0.1");
  after(() => socket.destroy());
  return socket.on("error", () => undefined);
}

/** The echo within a timeout, or how the connection ended. */
async function exchange(socket: Socket, message: string, withinMs = 2_000): Promise<string> {
  socket.write(message);
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
  assert.equal(await exchange(openConnection(), "hello"), "old:hello");
});

test("a black hole forwards nothing, and forwards the delayed bytes when it ends", async () => {
  const socket = openConnection();
  await exchange(socket, "first");
  proxy.fail({ kind: "black-hole" });
  assert.equal(await exchange(socket, "hello", 100), "nothing");
  const delayed = once(socket, "data");
  proxy.heal();
  assert.equal(String((await delayed)[0]), "old:hello");
});

test("a refusing proxy rejects new connections, and keeps the open ones", async () => {
  const socket = openConnection();
  await exchange(socket, "first");
  proxy.fail({ kind: "refuse" });
  assert.equal(await exchange(openConnection(), "hello"), "closed");
  assert.equal(await exchange(socket, "hello"), "old:hello");
  proxy.heal();
});

test("a connection is cut after the given number of bytes", async () => {
  proxy.fail({ kind: "cut-after", bytes: 20 });
  const socket = openConnection();
  assert.equal(await exchange(socket, "hello"), "old:hello");
  assert.equal(await exchange(socket, "hello again"), "closed");
  proxy.heal();
});

test("a slow proxy delays bytes and keeps their order", async () => {
  proxy.fail({ kind: "delay", delayMs: 50 });
  const socket = openConnection();
  const startedAtMs = performance.now();
  assert.equal(await exchange(socket, "hello"), "old:hello");
  assert(performance.now() - startedAtMs >= 100);
  proxy.heal();
});

test("a moved proxy cuts old connections, and never connects to the old target again", async () => {
  const socket = openConnection();
  await exchange(socket, "first");
  proxy.fence();
  assert.equal(await exchange(socket, "hello"), "closed");
  assert.equal(await exchange(openConnection(), "hello"), "closed");
  proxy.moveTo(newPort);
  assert.equal(await exchange(openConnection(), "hello"), "new:hello");
});
