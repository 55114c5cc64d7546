import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { after, test, type TestContext } from "node:test";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";
import { startServeProcess } from "../../test/start/serve-process.ts";
import { controlSecret, controlVariables, publicKeyText } from "../../test/start/test-universe.ts";

/** How long it takes to open a universe: one after the other, and many at once. */
const medianMsMax = 100;
const atOnce = 200;
const { variables } = await prepareTestGateway("sandbox");
const { url } = await startServeProcess({
  ...variables,
  ...controlVariables,
  TOLLGATE_DATABASE_CONNECTIONS_MAX: "16",
});
const body = JSON.stringify({ publicKey: await publicKeyText() });
/** An address may have 200 connections, and this one has others, too. */
const agent = new Agent({ keepAlive: true, maxSockets: 190 });
after(() => agent.destroy());

interface Answered {
  readonly clientId: string;
  readonly tookMs: number;
}

async function ask(method: "POST" | "DELETE", path: string, sent: string): Promise<Answered> {
  const startedMs = performance.now();
  const outgoing = request(`${url}/sandbox/universes${path}`, {
    agent,
    method,
    headers: { authorization: `Bearer ${controlSecret}`, "content-length": Buffer.byteLength(sent) },
  });
  outgoing.end(sent);
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const answer = await text(incoming);
  assert.ok((incoming.statusCode ?? 0) < 300, answer);
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
  const opened = await Promise.all(Array.from({ length: atOnce }, open));
  assert.equal(new Set(opened.map(({ clientId }) => clientId)).size, atOnce);
  tell(t, `${atOnce} in one burst`, opened);
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
