import assert from "node:assert/strict";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { test } from "node:test";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";
import { waitForDatabase } from "./wait-for-database.ts";

test("a running database is not waited for", async () => {
  const { database } = await prepareTestGateway("sandbox");
  await waitForDatabase(database.ownerUrl, 1);
});

test("a database that starts late is waited for, and one that never starts is reported in the end", async () => {
  let isUp = false;
  const { database } = await prepareTestGateway("sandbox");
  const { hostname, port } = new URL(database.ownerUrl);
  // Until the database runs, this proxy closes connections at once, as a proxy without a server does.
  const proxy = createServer((caller) => {
    if (!isUp) return void caller.destroy();
    const inner = connect(Number(port), hostname);
    for (const [from, to] of [
      [caller, inner],
      [inner, caller],
    ] as const)
      from.on("error", () => to.destroy()).pipe(to);
  });
  const url = new URL(database.ownerUrl);
  url.port = String(await portOf(proxy));
  await assert.rejects(waitForDatabase(url.href, 1), /Connection terminated|ECONNRESET/);
  const waited = waitForDatabase(url.href, 30);
  isUp = true;
  await waited;
  proxy.close();
});

function portOf(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
