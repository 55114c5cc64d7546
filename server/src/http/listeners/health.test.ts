import assert from "node:assert/strict";
import { get } from "node:http";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { waitForLine } from "../../../test/start/test-process.ts";
import { callPayments, payRequest, startTestStack } from "../../../test/start/test-stack.ts";
import { metrics, type Metric } from "../../telemetry/metric.ts";
import { version } from "../../core/version.ts";

const stack = await startTestStack();
const { merchant, provider, database } = stack;
const onAnyPort = { TOLLGATE_METRICS_PORT: "0" };
const { url, process: serving } = await stack.serve({ isPublic: true, variables: onAnyPort });
const working = await stack.work(onAnyPort);
const metricsOf = async (running: typeof working): Promise<string> =>
  /metrics at (http:\S+)\/metrics/.exec(await waitForLine(running, /metrics at/))?.[1] ?? "";
const [serveUrl, workUrl] = [await metricsOf(serving), await metricsOf(working)];

async function fetchHealth(address: string): Promise<{ readonly status: number; readonly json: object }> {
  const answer = await fetch(address);
  return { status: answer.status, json: (await answer.json()) as object };
}

async function until(description: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAtMs = performance.now() + 30_000;
  while (!(await isSo())) {
    assert(performance.now() < giveUpAtMs, `Not within 30 s: ${description}.`);
    await delay(100);
  }
}

async function pay(name: string): Promise<string> {
  const { json } = await callPayments(url, merchant, "pay", payRequest(name));
  return String(json["paymentId"]);
}

async function approve(paymentId: string): Promise<void> {
  await until("the provider has the order", async () => {
    const { status } = await provider.control(paymentId, "approve");
    return status === 200;
  });
}

test("serve and work report release and readiness on the operators' port", async () => {
  const release = { version, commit: "unknown" };
  for (const address of [url, serveUrl, workUrl]) {
    await until("it is ready", async () => (await fetchHealth(`${address}/readyz`)).status === 200);
    const { json } = await fetchHealth(`${address}/readyz`);
    assert.partialDeepStrictEqual(json, { ready: true, failing: [], draining: false, ...release });
    assert.match(JSON.stringify(json), /"migration":"\d{4}_\w+"/);
  }
  for (const address of [serveUrl, workUrl])
    assert.partialDeepStrictEqual((await fetchHealth(`${address}/livez`)).json, { alive: true, ...release });
  assert.deepEqual((await fetchHealth(`${url}/livez`)).json, { alive: true });
});

test("the merchants' port has no metrics, and the operators' port only documented ones", async () => {
  assert.equal((await fetch(`${url}/metrics`)).status, 404);
  await approve(await pay("counted"));
  const known = new Set(Object.values<Metric>(metrics).map(({ name }) => name));
  for (const address of [serveUrl, workUrl]) {
    const text = await (await fetch(`${address}/metrics`)).text();
    for (const [, name = ""] of text.matchAll(/^# TYPE (\S+)/gm)) assert(known.has(name), name);
    assert.match(text, /^tollgate_ready 1$/m);
    assert(text.split("\n").length < 2_000);
    assert(!text.includes(merchant.clientId));
  }
  await until("the callback is counted", async () => {
    const text = await (await fetch(`${serveUrl}/metrics`)).text();
    return /^tollgate_callbacks_total\{connector="test-provider",code="SUCCESS",status="S"\} [1-9]/m.test(
      text,
    );
  });
  const text = await (await fetch(`${serveUrl}/metrics`)).text();
  assert.match(
    text,
    /^tollgate_requests_total\{operation="payments\/pay",code="PAYMENT_IN_PROCESS",status="U"\} 1$/m,
  );
  assert.match(
    text,
    /^tollgate_provider_calls_total\{connector="test-provider",call="submit",outcome="answered"\} 1$/m,
  );
});

test("serve and work are unready while payments cannot be settled, and recover by themselves", async () => {
  const asOwner = (text: string): Promise<unknown> => asSuperuser(text, [], database.superuserUrl);
  const [before] = await asSuperuser<{ text: string }>(
    "select pg_get_functiondef('payment_follows_its_lifecycle()'::regprocedure) as text",
    [],
    database.superuserUrl,
  );
  const payments = await Promise.all(["a", "b", "c"].map((name) => pay(`broken-${name}`)));
  // The fault injection of this test breaks only the writes that settle payments.
  await until("the provider has accepted all three", async () => (await countOfAccepted(payments)) === 3);
  await asOwner(`create or replace function payment_follows_its_lifecycle() returns trigger language plpgsql
    as $$ begin raise exception 'could not load library'; end $$`);
  await Promise.all(payments.map(approve));
  const broken = { ready: false, databaseAnswers: true };
  await until("serve is not ready", async () => (await fetchHealth(`${url}/readyz`)).status === 503);
  assert.partialDeepStrictEqual((await fetchHealth(`${url}/readyz`)).json, {
    ...broken,
    failing: ["callbacks"],
  });
  await pollNow(payments);
  await until("work is not ready", async () => (await fetchHealth(`${workUrl}/readyz`)).status === 503);
  assert.partialDeepStrictEqual((await fetchHealth(`${workUrl}/readyz`)).json, {
    ...broken,
    failing: ["drive-payment"],
  });
  const text = await (await fetch(`${serveUrl}/metrics`)).text();
  assert.match(text, /^tollgate_ready 0$/m);
  assert.match(text, /^tollgate_failing\{what="callbacks"\} 1$/m);

  await asOwner(before?.text ?? "");
  await pollNow(payments);
  for (const address of [url, serveUrl, workUrl])
    await until("it is ready again", async () => (await fetchHealth(`${address}/readyz`)).status === 200);
});

/** Makes jobs due and releases their leases, so that a worker takes them at its next poll. */
async function pollNow(paymentIds: readonly string[]): Promise<void> {
  const text = "update jobs set due_at = clock_timestamp() where subject_id = any($1)";
  await asSuperuser(text, [paymentIds], database.superuserUrl);
}

async function countOfAccepted(paymentIds: readonly string[]): Promise<number> {
  const [row] = await asSuperuser<{ count: number }>(
    "select count(*)::int as count from payments where payment_id = any($1) and provider_accepted_at is not null",
    [paymentIds],
    database.superuserUrl,
  );
  return row?.count ?? 0;
}

test("metrics on loopback refuse a Host header that is not this machine's (DNS rebinding)", async () => {
  const { port } = new URL(serveUrl);
  const statusFor = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      get({ host: "127.0.0.1", port, path: "/metrics", headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).on("error", reject);
    });
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, "127.0.0.1", `[::1]:${port}`])
    assert.equal(await statusFor(host), 200, host);
  for (const host of [`rebound.example:${port}`, "192.168.1.5", "localhost.example", "127.0.0.1.example"])
    assert.equal(await statusFor(host), 421, host);
});
