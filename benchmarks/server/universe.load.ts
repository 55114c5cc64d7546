import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { asSuperuser } from "../../server/test/start/test-database.ts";
import { prepareTestGateway } from "../../server/test/start/test-gateway.ts";
import { startBursts } from "../../server/test/start/start-bursts.ts";
import { startServeProcess } from "../../server/test/start/serve-process.ts";
import {
  closeUniverse,
  controlSecret,
  controlVariables,
  publicKeyText,
} from "../../server/test/start/test-universe.ts";

/** Time to open an isolated test merchant: many at once, and one after the other. */
const medianMsMax = 100;
/** Number of concurrent requests. The gateway allows 200 connections for each client address and rejects more. */
const concurrency = 200;
/** Number of bursts. The first bursts are slower, because the process compiles code just in time. */
const burstCount = 15;
const { database, variables } = await prepareTestGateway("sandbox");
await asSuperuser("update universe_limits set open_max = 5000", [], database.superuserUrl);
const { url } = await startServeProcess({
  ...variables,
  ...controlVariables,
  TOLLGATE_DATABASE_CONNECTIONS_MAX: "16",
});
const { port, hostname: host } = new URL(url);
const body = JSON.stringify({ publicKey: await publicKeyText() });
const request =
  `POST /sandbox/universes HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n` +
  `authorization: Bearer ${controlSecret}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
/** Sends each request on a new connection, like independent test runs. */
const callAtOnce = await startBursts({ host, port: Number(port), request });

interface OpenedMerchants {
  readonly clientIds: readonly string[];
  readonly tookMs: readonly number[];
  readonly callersMs: number;
}

async function openMerchants(count: number): Promise<OpenedMerchants> {
  const { answers, cpuMs } = await callAtOnce(count);
  const clientIds = answers.map(({ text }) => {
    const [head = "", answer = ""] = text.split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 201/, answer);
    return (JSON.parse(answer) as { readonly clientId: string }).clientId;
  });
  return { clientIds, tookMs: answers.map(({ tookMs }) => tookMs), callersMs: cpuMs };
}

function reportMedian(t: TestContext, what: string, tookMs: readonly number[], more = ""): number {
  const sorted = tookMs.map(Math.round).toSorted((one, other) => one - other);
  const median = sorted[sorted.length >> 1] ?? 0;
  t.diagnostic(`${what}: median ${median} ms, slowest ${sorted.at(-1)} ms${more}`);
  return median;
}

test(`${concurrency} isolated test merchants are opened in one burst`, async (t) => {
  for (let nth = 0; nth < 50; nth += 1) await openMerchants(1);
  const medians: number[] = [];
  for (let nth = 1; nth <= burstCount; nth += 1) {
    const { clientIds, tookMs, callersMs } = await openMerchants(concurrency);
    assert.equal(new Set(clientIds).size, concurrency);
    const callers = `; the callers took ${Math.round(callersMs)} ms of the same processors`;
    medians.push(reportMedian(t, `${concurrency} in burst ${nth} of the process`, tookMs, callers));
  }
  const median = reportMedian(t, "medians of all bursts", medians);
  assert.ok(median <= medianMsMax, `${median} ms`);
});

test(`while ${concurrency} isolated test merchants are open, another one opens quickly`, async (t) => {
  const alone: number[] = [];
  for (let nth = 0; nth < 100; nth += 1) alone.push(...(await openMerchants(1)).tookMs);
  assert.ok(reportMedian(t, "one after the other", alone) <= medianMsMax);
  const durationsTogether: number[] = [];
  for (let nth = 0; nth < 10; nth += 1) durationsTogether.push(...(await openMerchants(10)).tookMs);
  assert.ok(reportMedian(t, "ten at a time", durationsTogether) <= medianMsMax);
});

test("many isolated test merchants close as fast as one", async (t) => {
  const { clientIds } = await openMerchants(50);
  const closedMs = await Promise.all(
    clientIds.map(async (clientId) => {
      const startedMs = performance.now();
      assert.equal((await closeUniverse(url, { clientId })).status, 200);
      return performance.now() - startedMs;
    }),
  );
  reportMedian(t, "50 closed at once, 900 ms of waiting included", closedMs);
});
