import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as waitMs } from "node:timers/promises";
import { findFreePort } from "../postgres/temporary-postgres.ts";
import { newMerchant, prepareTestGateway } from "../../test/start/test-gateway.ts";
import {
  acknowledge,
  insertTestNotifications,
  startDeliveryWorker,
  startTestEndpoint,
} from "../../test/shop/test-notification.ts";

const queuedEach = 1_000;
const goodMerchants = 10;
const goodForMs = 15_000;
const goodEveryMs = 100;
const p99MsMax = 2_000;
const moreMemoryMbMax = 100;

const { database, variables } = await prepareTestGateway("sandbox");
const redirectedTo = await startTestEndpoint();
const megabyte = "x".repeat(1024 * 1024);

/** Endpoints that never acknowledge, each in a different way. */
const badEndpoints: Readonly<Record<string, string>> = {
  hangs: (await startTestEndpoint(() => undefined)).url,
  "drips a byte a second": (
    await startTestEndpoint((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" "), 1_000);
      response.on("close", () => clearInterval(drip));
    })
  ).url,
  "answers 500": (await startTestEndpoint((_request, response) => void response.writeHead(500).end())).url,
  redirects: (
    await startTestEndpoint(
      (_request, response) => void response.writeHead(308, { location: redirectedTo.url }).end(),
    )
  ).url,
  "sends a gigabyte": (
    await startTestEndpoint((_request, response) => {
      response.writeHead(200);
      let megabytesLeft = 1_024;
      const writeMore = (): void => {
        while (megabytesLeft > 0 && !response.destroyed) {
          megabytesLeft -= 1;
          if (!response.write(megabyte)) return void response.once("drain", writeMore);
        }
        response.end();
      };
      writeMore();
    })
  ).url,
  "closes early": await startClosingEndpoint(),
  refuses: `http://127.0.0.1:${await findFreePort()}/notify`,
  "is an internal address": "http://10.1.2.3/notify",
};

async function startClosingEndpoint(): Promise<string> {
  const server = createTcpServer((socket: Socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.destroy());
  }).listen(0, "127.0.0.1");
  after(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/notify`;
}

test("eight endpoints that never acknowledge, with a thousand webhooks each, do not delay the others", async (t) => {
  const deliveryWorker = await startDeliveryWorker(database, variables);
  const memoryBeforeMb = memoryMb(deliveryWorker.child.pid);
  for (const url of Object.values(badEndpoints)) {
    const { clientId } = await newMerchant(database);
    await insertTestNotifications(database, clientId, { count: queuedEach, url });
  }

  const latenessMs: number[] = [];
  const goodEndpoint = await startTestEndpoint((request, response, body) => {
    latenessMs.push(Date.now() - Date.parse((JSON.parse(body) as { madeAt: string }).madeAt));
    acknowledge(request, response);
  });
  const merchants = await Promise.all(Array.from({ length: goodMerchants }, () => newMerchant(database)));
  const endMs = Date.now() + goodForMs;
  let sentCount = 0;
  let memoryMostMb = 0;
  while (Date.now() < endMs) {
    const { clientId } = merchants[sentCount % merchants.length] ?? { clientId: "" };
    sentCount += (await insertTestNotifications(database, clientId, { count: 2, url: goodEndpoint.url }))
      .length;
    memoryMostMb = Math.max(memoryMostMb, memoryMb(deliveryWorker.child.pid));
    await waitMs(goodEveryMs);
  }
  await waitMs(p99MsMax);

  const sorted = latenessMs.toSorted((a, b) => a - b);
  const p99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? Infinity;
  const moreMb = memoryMostMb - memoryBeforeMb;
  t.diagnostic(
    `${sentCount} to good endpoints: median ${sorted[sorted.length >> 1]} ms, p99 ${p99Ms} ms, longest ${sorted.at(-1)} ms; ` +
      `memory ${memoryBeforeMb} MB before, at most ${memoryMostMb} MB`,
  );
  assert.equal(latenessMs.length, sentCount);
  assert.ok(p99Ms <= p99MsMax, `p99 was ${p99Ms} ms`);
  assert.ok(moreMb <= moreMemoryMbMax, `${moreMb} MB more`);
  assert.equal(redirectedTo.bodies.length, 0);
});

function memoryMb(pid: number | undefined): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
