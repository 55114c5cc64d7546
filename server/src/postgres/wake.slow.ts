import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { test } from "node:test";
import { setTimeout as waitMs } from "node:timers/promises";
import { listenForWakes } from "./wake.ts";

test("a worker reconnects once a second while its database is down", async () => {
  let knocks = 0;
  const proxy = createServer((socket) => {
    knocks += 1;
    socket.on("error", () => undefined);
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  const stop = listenForWakes(`postgres://worker@127.0.0.1:${port}/tollgate`, () => undefined);
  await waitMs(4_500);
  await stop();
  proxy.close();
  assert(knocks >= 2 && knocks <= 5, `It knocked ${knocks} times.`);
});
