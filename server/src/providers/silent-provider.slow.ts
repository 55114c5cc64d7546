import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { after, test } from "node:test";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { startSilentProxy } from "../../test/start/silent-proxy.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
const proxy = await startSilentProxy(provider.url);
await addConnector(database.ownerUrl, "sandbox", {
  name: "silent",
  url: proxy.url,
  partnerId: "tollgate",
  publicKeyFile: provider.publicKeyFile,
  paymentMethodTypes: ["DANA"],
  simulator: true,
});
const served = await stack.serve({ isPublic: true });
await stack.work();
const silentShopUrl = await startSilentShop();

/** A merchant's endpoint that accepts webhooks and never responds. */
async function startSilentShop(): Promise<string> {
  const server = createServer((socket) => void socket.on("error", () => undefined).resume());
  server.listen(0, "127.0.0.1");
  after(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const toSilent = { paymentMethod: { paymentMethodType: "DANA" } };

async function codeOfPay(paymentRequestId: string, otherFields: object = {}): Promise<string> {
  const { json } = await callPayments(served.url, merchant, "pay", payRequest(paymentRequestId, otherFields));
  return json.result["resultCode"] ?? "";
}

/** Latency from `pay` until the buyer has paid, in milliseconds. The merchant's endpoint hangs. */
async function payToTheEnd(paymentRequestId: string): Promise<number> {
  const startedAtMs = performance.now();
  const body = payRequest(paymentRequestId, { paymentNotifyUrl: silentShopUrl });
  // An overloaded process may reject a request, or respond before the provider has the order, so the test retries.
  const { json } = await eventually(
    10_000,
    () => callPayments(served.url, merchant, "pay", body),
    (response) => response.json["paymentId"] !== undefined,
  );
  await eventually(
    10_000,
    () => provider.control(String(json["paymentId"]), "approve"),
    ({ status }) => status === 200,
  );
  return performance.now() - startedAtMs;
}

/** Open-loop load: starts one request every `gapMs`, whether or not earlier ones have ended, until `stop`. */
async function everyGap<Value>(gapMs: number, start: (index: number) => Promise<Value>, stop: () => boolean) {
  const started: Promise<Value>[] = [];
  while (!stop()) {
    started.push(start(started.length));
    await new Promise((resolve) => setTimeout(resolve, gapMs));
  }
  return Promise.all(started);
}

async function countOf(where: string): Promise<number> {
  const [row] = await asSuperuser<{ count: number }>(
    `select count(*)::int as count from payments where ${where}`,
    [],
    database.superuserUrl,
  );
  return row?.count ?? 0;
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
const isUnavailable = (code: string): boolean => code === "UNAVAILABLE_PAYMENT_METHOD";
const waiting = "connector = 'silent' and provider_accepted_at is null";

test(
  "a provider that stops responding is detected within five seconds, and payments of other providers are " +
    "not delayed",
  async (t) => {
    let beforeCount = 0;
    const before = await everyGap(
      100,
      (index) => payToTheEnd(`before-${index}`),
      () => (beforeCount += 1) > 30,
    );

    proxy.stopResponding();
    const silentAtMs = performance.now();
    let openedAfterMs: number | undefined;
    const isOver = (): boolean => openedAfterMs !== undefined || performance.now() - silentAtMs > 8_000;
    const [during] = await Promise.all([
      everyGap(100, (index) => payToTheEnd(`during-${index}`), isOver),
      everyGap(
        20,
        async (index) => {
          const code = await codeOfPay(`silent-${index}`, toSilent);
          if (isUnavailable(code)) openedAfterMs ??= performance.now() - silentAtMs;
        },
        isOver,
      ),
    ]);

    t.diagnostic(`opened after ${openedAfterMs?.toFixed(0)} ms`);
    t.diagnostic(
      `other providers: median ${median(before).toFixed(0)} ms before, ${median(during).toFixed(0)} ms during`,
    );
    t.diagnostic(
      `other providers: slowest ${Math.max(...before).toFixed(0)} ms before, ${Math.max(...during).toFixed(0)} during`,
    );
    assert.ok(openedAfterMs !== undefined && openedAfterMs <= 5_000, `opened after ${openedAfterMs} ms`);
    // The difference would be seconds if payments of other providers waited behind hanging requests. The tolerance
    // allows for machines that run other tests.
    assert.ok(median(during) <= median(before) * 2 + 250, "payments of other providers are delayed");
    // The bulkheads of two processes have 64 slots each, for nearly 200 payments.
    assert.ok(proxy.waitingMax() <= 128, `${proxy.waitingMax()} requests waited at the same time`);
  },
);

test(
  "while the provider is silent, a new payment is refused and writes nothing, and a repeat gets its stored " +
    "result",
  async () => {
    assert.equal(await codeOfPay("refused", toSilent), "UNAVAILABLE_PAYMENT_METHOD");
    assert.equal(await countOf("payment_request_id = 'refused'"), 0);
    assert.equal(await codeOfPay("silent-0", toSilent), "PAYMENT_IN_PROCESS");
    assert.ok((await countOf(waiting)) > 20);
  },
);

test(
  "after the provider responds again, it is detected, and all waiting payments complete, even with silent " +
    "merchants",
  async (t) => {
    // After this wait every request in flight has timed out. Only the circuit breaker holds back the payments that
    // still wait.
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    // The test sends more webhooks to silent endpoints than a worker has slots.
    let untoldCount = 0;
    await everyGap(
      15,
      (index) => payToTheEnd(`untold-${index}`),
      () => (untoldCount += 1) > 140,
    );
    assert.equal(await codeOfPay("refused", toSilent), "UNAVAILABLE_PAYMENT_METHOD");
    proxy.resumeResponding();
    const answersAtMs = performance.now();
    await eventually(
      20_000,
      () => codeOfPay("refused", toSilent),
      (code) => !isUnavailable(code),
    );
    const closedAfterMs = performance.now() - answersAtMs;
    await eventually(
      20_000,
      () => countOf(waiting),
      (count) => count === 0,
    );
    const doneAfterMs = performance.now() - answersAtMs;
    t.diagnostic(`closed after ${closedAfterMs.toFixed(0)} ms, all done after ${doneAfterMs.toFixed(0)} ms`);
    // The limit is five seconds between two probes, and tolerance for a busy machine.
    assert.ok(closedAfterMs <= 10_000, `closed after ${closedAfterMs} ms`);
    assert.equal(await codeOfPay("refused", toSilent), "PAYMENT_IN_PROCESS");
  },
);
