import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { after, test } from "node:test";
import { connect, ConnectionFailed } from "./connection.ts";

const received: Buffer[] = [];
const sockets: Socket[] = [];
const server = createServer((socket) => sockets.push(socket.on("data", (bytes) => received.push(bytes))));
server.listen(0, "127.0.0.1");
await once(server, "listening");
after(() => {
  sockets.forEach((socket) => socket.destroy());
  server.close();
});

test("If a forbidden address gets past the other checks, no byte is sent to it", async () => {
  const { port } = server.address() as AddressInfo;
  const forbiddenDestination = {
    isSecure: true,
    host: "shop.example",
    port,
    authority: "",
    path: "/",
    addresses: ["127.0.0.1"],
  };
  const rules = { allowsLoopback: false, proxy: undefined, resolveName: async () => [] };
  const startedMs = performance.now();
  const times = {
    dnsMs: undefined,
    connectMs: undefined,
    tlsMs: undefined,
    firstByteMs: undefined,
    totalMs: 0,
  };
  const progress = { ...times, startedMs };
  const connecting = connect(forbiddenDestination, rules, progress, () => assert.fail("TLS was begun."));
  await assert.rejects(connecting, new ConnectionFailed("blocked", "The peer is 127.0.0.1: loopback"));
  assert.notEqual(progress.connectMs, undefined);
  assert.deepEqual(received, []);
});
