import assert from "node:assert/strict";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { test } from "node:test";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";
import { untilAnswers } from "./until-answers.ts";

test("a database that answers is not waited for", async () => {
  const { database } = await prepareTestGateway("sandbox");
  await untilAnswers(database.ownerUrl, 1);
});

test("a database that comes up late is waited for, and one that does not is told of in the end", async () => {
  let isUp = false;
  const { database } = await prepareTestGateway("sandbox");
  const { hostname, port } = new URL(database.ownerUrl);
  // Until it is up, whoever connects is hung up on, as by a proxy without a server.
  const door = createServer((caller) => {
    if (!isUp) return void caller.destroy();
    const inner = connect(Number(port), hostname);
    for (const [from, to] of [
      [caller, inner],
      [inner, caller],
    ] as const)
      from.on("error", () => to.destroy()).pipe(to);
  });
  const url = new URL(database.ownerUrl);
  url.port = String(await portOf(door));
  await assert.rejects(untilAnswers(url.href, 1), /Connection terminated|ECONNRESET/);
  const waited = untilAnswers(url.href, 30);
  isUp = true;
  await waited;
  door.close();
});

function portOf(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
