import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { checkoutLinks } from "../../server/test/shop/test-checkout.ts";
import { asSuperuser } from "../../server/test/start/test-database.ts";
import { call, pathOf } from "../../server/test/start/test-gateway.ts";
import { payRequest, startTestStack } from "../../server/test/start/test-stack.ts";
import { bucketOf } from "../../server/src/core/bucket.ts";
import { newId } from "../../server/src/core/id.ts";

const pageCount = 5_000;
/** Interval at which the page's script polls while its stream is open. */
const pollIntervalMs = 300_000;
const measuredMs = 15_000;
const coreShareMax = 0.05;

const { database, merchant, variables, serve } = await startTestStack();
await asSuperuser(
  "update clients set rate_per_second = 100000, rate_burst = 100000",
  [],
  database.superuserUrl,
);
// Through a proxy, because a single address may not have so many connections.
const gateway = await serve({ isPublic: true, variables: { TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" } });
const port = Number(new URL(gateway.url).port);
const sockets: Socket[] = [];
after(() => sockets.forEach((socket) => socket.destroy()));

test(
  "five thousand open pages cost a twentieth of a core, and do not slow down payments",
  { timeout: 180_000 },
  async (t) => {
    const paths = await pathsOfPages();
    await paySequentially(300);
    const idle = await coreShare();
    const latencyAlone = await paySequentially(200);

    let changeCount = 0;
    for (let at = 0; at < paths.length; at += 50)
      await Promise.all(paths.slice(at, at + 50).map((path) => openStream(path, () => (changeCount += 1))));
    const polling = pollRoundRobin(paths);
    // Each page gets one event after it has connected.
    while (changeCount < pageCount) await delay(100);
    const shareOfAll = await coreShare();
    const latencyWithPages = await paySequentially(200);

    const [first = ""] = paths;
    const before = changeCount;
    const changedMs = performance.now();
    await asSuperuser(
      "update payments set sequence = sequence + 1 where payment_id = $1",
      [first.split(".").at(-2)],
      database.superuserUrl,
    );
    while (changeCount === before) await delay(5);
    const notifiedMs = Math.round(performance.now() - changedMs);
    clearInterval(polling);

    const share = shareOfAll - idle;
    t.diagnostic(
      `${pageCount} pages: ${(100 * share).toFixed(1)} % of a core; pay ${latencyAlone} ms alone, ${latencyWithPages} ms with them; a change was notified after ${notifiedMs} ms`,
    );
    assert.ok(share <= coreShareMax, `They cost ${(100 * share).toFixed(1)} % of a core.`);
    assert.ok(
      latencyWithPages <= 1.25 * latencyAlone + 1,
      `pay went from ${latencyAlone} to ${latencyWithPages} ms`,
    );
    assert.ok(notifiedMs < 4_000, `A change arrived after ${notifiedMs} ms.`);
  },
);

/** `pathsOfPages` returns the page links of new payments whose order is at the provider. */
async function pathsOfPages(): Promise<readonly string[]> {
  const bucket = bucketOf(merchant.clientId);
  const now = new Date();
  const ids = Array.from({ length: pageCount }, () =>
    newId("payment", bucket, now, (below) => randomInt(below)),
  );
  await asSuperuser(
    `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency, amount_minor,
       created_at, expires_at, connector, provider_reference, provider_accepted_at, provider_code)
     select $1, id, $2, id, 'CASHIER_PAYMENT', 'PROCESSING', 'PAYMENT_IN_PROCESS', 'EUR', 1250, now(), now() + interval '1 hour',
       'test-provider', id, now(), id from unnest($3::text[]) as given (id)`,
    [bucket, merchant.clientId, ids],
    database.superuserUrl,
  );
  await asSuperuser("analyze payments", [], database.superuserUrl);
  const paths: string[] = [];
  const linkOf = await checkoutLinks({ url: gateway.url, database, environment: "sandbox", variables });
  for (const id of ids) paths.push(new URL(linkOf(merchant.clientId, id)).pathname);
  return paths;
}

function openStream(path: string, onChange: () => void): Promise<void> {
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  sockets.push(socket);
  socket.write(`GET ${path}/changes HTTP/1.1\r\nhost: gateway.example\r\naccept: text/event-stream\r\n\r\n`);
  return new Promise((resolve, reject) => {
    socket.once("error", reject).on("data", (text: string) => {
      if (text.startsWith("HTTP/1.1 200")) resolve();
      // With status 204 the overloaded process rejects a stream. The page then polls, and connects again later.
      else if (text.startsWith("HTTP/1.1 204")) resolve(delay(500).then(() => openStream(path, onChange)));
      else if (text.startsWith("HTTP/1.1")) reject(new Error(text.slice(0, 200)));
      if (text.includes("event: change")) onChange();
    });
  });
}

/** Polls all pages evenly over one connection. */
function pollRoundRobin(paths: readonly string[]): NodeJS.Timeout {
  const socket = connect(port, "127.0.0.1").resume();
  sockets.push(socket);
  let next = 0;
  const poll = (): void => {
    socket.write(`GET ${paths[next % paths.length]}/status HTTP/1.1\r\nhost: gateway.example\r\n\r\n`);
    next += 1;
  };
  return setInterval(poll, pollIntervalMs / paths.length);
}

/** CPU time of the process, as a share of one core. */
async function coreShare(): Promise<number> {
  const beforeMs = cpuMs();
  await delay(measuredMs);
  return (cpuMs() - beforeMs) / measuredMs;
}

function cpuMs(): number {
  const [, rest = ""] = readFileSync(`/proc/${gateway.process.child.pid}/stat`, "utf8").split(") ");
  const fields = rest.split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Median latency of `pay` in sequence, in milliseconds. */
async function paySequentially(count: number): Promise<number> {
  const path = pathOf("sandbox", "payments/pay");
  const ms: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const startedMs = performance.now();
    const body = JSON.stringify(payRequest(`beside-${randomInt(2 ** 47)}`));
    const { json } = await call(gateway.url, merchant, { path, body });
    assert.equal(json.result["resultCode"], "PAYMENT_IN_PROCESS");
    ms.push(performance.now() - startedMs);
  }
  return Math.round(100 * (ms.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? 0)) / 100;
}
