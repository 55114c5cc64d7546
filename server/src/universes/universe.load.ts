import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test, type TestContext } from "node:test";
import { asSuperuser } from "../../test/start/test-database.ts";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";
import { startServeProcess } from "../../test/start/serve-process.ts";
import { controlSecret, controlVariables, publicKeyText } from "../../test/start/test-universe.ts";

/** How long it takes to open a universe: one after the other, and many at once. */
const medianMsMax = 100;
/** Two hundred new connections are more than one process takes in that time. */
const burstMedianMsMax = 250;
/** An address may have 200 connections: one more would be refused. */
const atOnce = 200;
const { database, variables } = await prepareTestGateway("sandbox");
await asSuperuser("update universe_limits set open_max = 2000", [], database.superuserUrl);
const { url } = await startServeProcess({
  ...variables,
  ...controlVariables,
  TOLLGATE_DATABASE_CONNECTIONS_MAX: "16",
});
const { port, hostname } = new URL(url);
const body = JSON.stringify({ publicKey: await publicKeyText() });
interface Answered {
  readonly clientId: string;
  readonly tookMs: number;
}

/**
 * A connection of its own for each, as for test runs that know nothing of each other. Bytes and no HTTP client: in one
 * process, two hundred clients of Node's would wait for each other and not for the gateway.
 */
async function ask(method: "POST" | "DELETE", path: string, sent: string): Promise<Answered> {
  const startedMs = performance.now();
  const socket = connect(Number(port), hostname);
  socket.write(
    `${method} /sandbox/universes${path} HTTP/1.1\r\nhost: ${hostname}\r\nconnection: close\r\n` +
      `authorization: Bearer ${controlSecret}\r\ncontent-length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`,
  );
  const [head = "", answer = ""] = (await text(socket)).split("\r\n\r\n");
  assert.match(head, /^HTTP\/1\.1 20/, answer);
  const { clientId } = JSON.parse(answer) as Pick<Answered, "clientId">;
  return { clientId, tookMs: performance.now() - startedMs };
}

const open = (): Promise<Answered> => ask("POST", "", body);

function tell(t: TestContext, what: string, answers: readonly Answered[]): number {
  const sorted = answers.map(({ tookMs }) => Math.round(tookMs)).toSorted((one, other) => one - other);
  const median = sorted[sorted.length >> 1] ?? 0;
  t.diagnostic(`${what}: median ${median} ms, slowest ${sorted.at(-1)} ms`);
  return median;
}

test(`${atOnce} universes are opened in one burst`, async (t) => {
  for (let nth = 0; nth < 50; nth += 1) await open();
  for (const which of ["first", "second", "third", "fourth"]) {
    const opened = await Promise.all(Array.from({ length: atOnce }, open));
    assert.equal(new Set(opened.map(({ clientId }) => clientId)).size, atOnce);
    assert.ok(tell(t, `${atOnce} in the ${which} burst of the process`, opened) <= burstMedianMsMax);
  }
});

test(`while ${atOnce} are open, the next is there in a moment`, async (t) => {
  const alone: Answered[] = [];
  for (let nth = 0; nth < 100; nth += 1) alone.push(await open());
  assert.ok(tell(t, "one after the other", alone) <= medianMsMax);
  const together: Answered[] = [];
  for (let nth = 0; nth < 10; nth += 1)
    together.push(...(await Promise.all(Array.from({ length: 10 }, open))));
  assert.ok(tell(t, "ten at a time", together) <= medianMsMax);
});

test("many are closed as soon as one", async (t) => {
  const opened = await Promise.all(Array.from({ length: 50 }, open));
  const closed = await Promise.all(opened.map(({ clientId }) => ask("DELETE", `/${clientId}`, "")));
  tell(t, "50 closed at once, 900 ms of waiting included", closed);
});
