import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { asSuperuser } from "../../test/start/test-database.ts";
import { call, pathOf, type ReceivedAnswer, type TestMerchant } from "../../test/start/test-gateway.ts";
import { eventually } from "../../test/start/test-process.ts";
import { startTestShop } from "../../test/start/test-shop.ts";
import { callPayments, payRequest, startTestStack } from "../../test/start/test-stack.ts";
import {
  closeUniverse,
  controlSecret,
  controlVariables,
  openUniverse,
  rowCountsOf,
} from "../../test/start/test-universe.ts";
import { reconcile } from "../reconciliation/reconcile.workflow.ts";
import { importSettlementFile } from "../reconciliation/import-settlement-file.workflow.ts";

/** These tests make fifty concurrent test runs, against two `serve` processes, one worker and one provider. */
const runCount = 50;
const stack = await startTestStack();
const { database, provider } = stack;
const variables = { ...controlVariables, TOLLGATE_LOG_LEVEL: "trace" };
const served = [await stack.serve({ isPublic: true, variables }), await stack.serve({ variables })];
const urls = served.map(({ url }) => url);
await stack.work();
const shop = await startTestShop();
const folder = await mkdtemp(join(tmpdir(), "tollgate-universes-"));
after(() => rm(folder, { recursive: true, force: true }));

const logs = served.map(({ process }) => {
  const lines: string[] = [];
  process.child.stdout?.setEncoding("utf8").on("data", (text: string) => lines.push(text));
  return lines;
});

const urlOf = (nth: number): string => urls[nth % urls.length] ?? "";

/** Repeats requests that were rejected temporarily, like the client libraries. */
function retryTemporaryRejections(callPayment: () => Promise<ReceivedAnswer>): Promise<ReceivedAnswer> {
  const temporaryCodes = ["UNKNOWN_EXCEPTION", "REQUEST_TRAFFIC_EXCEED_LIMIT"];
  return eventually(
    30_000,
    callPayment,
    ({ json }) => !temporaryCodes.includes(json.result["resultCode"] ?? ""),
  );
}

function callTollgate(
  nth: number,
  universe: TestMerchant,
  verb: string,
  body: object,
): Promise<ReceivedAnswer> {
  const path = pathOf("sandbox", `tollgate/${verb}`);
  return retryTemporaryRejections(() => call(urlOf(nth), universe, { path, body: JSON.stringify(body) }));
}

interface TestRun {
  readonly nth: number;
  readonly universe: TestMerchant;
  readonly paymentId: string;
  readonly refundId: string;
  readonly aheadMs: number;
}

/** A test run. All runs use the same request ids, like copies of one test suite. */
async function runTests(nth: number): Promise<TestRun> {
  const universe = await openUniverse(urlOf(nth), { name: `Run ${nth}` });
  const ask = async (verb: string, body: object): Promise<ReceivedAnswer["json"]> =>
    (await retryTemporaryRejections(() => callPayments(urlOf(nth + 1), universe, verb, body))).json;
  const notify = { paymentNotifyUrl: `${shop.notifyUrl}&run=${nth}` };
  const paid = await ask("pay", payRequest("order-1", notify));
  assert.equal(paid.result["resultCode"], "PAYMENT_IN_PROCESS", JSON.stringify(paid));
  const paymentId = String(paid["paymentId"]);
  assert.equal((await provider.control(paymentId, "approve")).status, 200);
  const [webhook] = await shop.waitForWebhooks(paymentId, 1);
  assert.equal(webhook?.headers["client-id"], universe.clientId);
  assert.match(webhook?.path ?? "", new RegExp(`run=${nth}$`));

  const bySeconds = 3_600 * (nth + 1);
  const advanced = await callTollgate(nth, universe, "advanceClock", { turnRequestId: "later", bySeconds });
  assert.equal(advanced.json.result["resultCode"], "SUCCESS", advanced.text);
  const refundAmount = { currency: "EUR", value: String(100 + nth) };
  await ask("refund", { refundRequestId: "refund-1", paymentId, refundAmount });
  const refunded = await eventually(
    15_000,
    () => ask("inquiryRefund", { refundRequestId: "refund-1" }),
    (json) => json["refundStatus"] === "SUCCESS",
  );
  assert.deepEqual(refunded["refundAmount"], refundAmount);
  return { nth, universe, paymentId, refundId: String(refunded["refundId"]), aheadMs: bySeconds * 1000 };
}

/** Reads everything that the sandbox returns to a merchant: its clock, events, webhooks and payment. */
async function assertIsolated(
  { nth, universe, paymentId, refundId, aheadMs }: TestRun,
  others: readonly TestRun[],
): Promise<void> {
  const now = await callTollgate(nth, universe, "advanceClock", { turnRequestId: "now", bySeconds: 0 });
  const offMs = Date.parse(String(now.json["fromTime"])) - Date.now() - aheadMs;
  assert.ok(Math.abs(offMs) < 30_000, `Clock of run ${nth} is off by ${offMs} ms.`);

  const events = await eventually(
    10_000,
    () => callTollgate(nth, universe, "inquiryEvents", {}),
    ({ json }) => (json["events"] as readonly object[] | undefined)?.length === 2,
  );
  const notifications = await callTollgate(nth, universe, "inquiryNotifications", {});
  for (const { text } of [events, notifications]) {
    assert.ok(text.includes(paymentId) && text.includes(refundId), text);
    for (const other of others)
      assert.ok(
        !text.includes(other.paymentId) && !text.includes(other.refundId),
        `Run ${nth} sees data of run ${other.nth}.`,
      );
  }
  const [other] = others;
  assert(other);
  const foreign = await callPayments(urlOf(nth), universe, "inquiryPayment", { paymentId: other.paymentId });
  assert.equal(foreign.json.result["resultCode"], "ORDER_NOT_EXIST");
  const refundAmount = { currency: "EUR", value: "1" };
  const theft = { refundRequestId: "theft", paymentId: other.paymentId, refundAmount };
  const stolen = await callPayments(urlOf(nth), universe, "refund", theft);
  assert.equal(stolen.json.result["resultCode"], "ORDER_NOT_EXIST");
  const ownPayment = await callPayments(urlOf(nth), universe, "inquiryPayment", {
    paymentRequestId: "order-1",
  });
  assert.equal(ownPayment.json["paymentId"], paymentId);
}

let runs: readonly TestRun[] = [];

test(`${runCount} concurrent test runs pay, refund, advance their clocks, and see no data of each other`, async (t) => {
  const startedMs = performance.now();
  runs = await Promise.all(Array.from({ length: runCount }, (_, nth) => runTests(nth)));
  assert.equal(new Set(runs.flatMap(({ paymentId, refundId }) => [paymentId, refundId])).size, 2 * runCount);
  await Promise.all(
    runs.map((run) => assertIsolated(run, runs.filter((other) => other !== run).toReversed())),
  );
  t.diagnostic(`${runCount} runs in ${Math.round(performance.now() - startedMs)} ms`);
});

test("a closed test merchant gets no more webhooks, whatever its provider or a late job reports", async () => {
  const universe = await openUniverse(urlOf(0));
  const before = Date.now();
  const paid = await callPayments(
    urlOf(0),
    universe,
    "pay",
    payRequest("late-1", { paymentNotifyUrl: shop.notifyUrl }),
  );
  const paymentId = String(paid.json["paymentId"]);
  const page = String(paid.json["normalUrl"]).replace(/^https?:\/\/[^/]+/, urlOf(0));
  assert.equal((await fetch(page)).status, 200);
  await eventually(
    5_000,
    async () => provider.effects(),
    (effects) => effects.some((effect) => effect["paymentId"] === paymentId),
  );
  assert.equal((await closeUniverse(urlOf(0), universe)).status, 200);
  for (const url of urls) {
    const { json } = await callPayments(url, universe, "inquiryPayment", { paymentId });
    assert.equal(json.result["resultCode"], "INVALID_CLIENT_STATUS");
  }
  assert.equal((await fetch(page)).status, 404);
  assert.equal((await rowCountsOf(database, [universe.clientId]))["jobs"], undefined);

  // The buyer pays after the test merchant is closed. The gateway acknowledges the callback, so that the provider does
  // not repeat it without limit.
  assert.equal((await provider.control(paymentId, "approve")).status, 200);
  await eventually(
    5_000,
    async () => provider.effects(),
    (effects) => effects.some(({ kind, paymentId: of }) => kind === "callback" && of === paymentId),
  );
  // A request in progress may leave a job behind, which the worker deletes.
  await asSuperuser(
    `insert into jobs (bucket, subject_id, job, client_id, due_at, follows_merchant_clock)
     select bucket, $2, 'drive-payment', client_id, now(), true from clients where client_id = $1`,
    [universe.clientId, paymentId],
    database.superuserUrl,
  );
  const remainingRows = await eventually(
    5_000,
    () => rowCountsOf(database, [universe.clientId]),
    (rows) => rows["jobs"] === undefined,
  );
  assert.equal(remainingRows["ledger_transfers"], undefined);
  assert.equal(remainingRows["notifications"], undefined);
  await delay(500);
  assert.equal(shop.webhooksOf(paymentId).length, 0, `A webhook was sent after ${before}.`);
});

test("the worker closes a test merchant whose lifetime is over", async () => {
  const universe = await openUniverse(urlOf(0), { lifetimeSeconds: 1 });
  await eventually(
    10_000,
    () => callPayments(urlOf(1), universe, "inquiryPayment", { paymentId: "1" }),
    ({ json }) => json.result["resultCode"] === "INVALID_CLIENT_STATUS",
  );
});

const operator = { url: database.ownerUrl, environment: "sandbox" } as const;

async function importFile(name: string): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, await provider.settlement());
  await importSettlementFile(operator, { connector: "test-provider", file });
}

async function listBreaks(): Promise<readonly string[]> {
  const until = new Date(Date.now() + 24 * 3600 * 1000).toISOString();
  return (await reconcile(operator, { connector: undefined, until })).breaks.map(
    ({ kind, reference }) => `${kind} ${reference}`,
  );
}

async function runCommand(...words: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env["PATH"],
    ...stack.variables,
    TOLLGATE_OWNER_DATABASE_URL: database.ownerUrl,
  };
  const { stdout } = await promisify(execFile)(process.execPath, ["server/src/main.ts", ...words], { env });
  return stdout.trim();
}

test("after the sweep they have no rows left, and ledger and provider still agree", async () => {
  const { merchant } = stack;
  const paid = await callPayments(urlOf(0), merchant, "pay", payRequest("own-1"));
  await provider.control(String(paid.json["paymentId"]), "approve");
  await eventually(
    10_000,
    () => callPayments(urlOf(0), merchant, "inquiryPayment", { paymentRequestId: "own-1" }),
    ({ json }) => json["paymentStatus"] === "SUCCESS",
  );
  await importFile("before.csv");
  // The late payment of the closed test merchant is recorded only at the provider, and is no break.
  assert.deepEqual(await listBreaks(), []);

  await Promise.all(runs.map(({ nth, universe }) => closeUniverse(urlOf(nth), universe)));
  const ids = runs.map(({ universe }) => universe.clientId);
  const before = await rowCountsOf(database, ids);
  for (const table of [
    "payments",
    "refunds",
    "ledger_transfers",
    "balances",
    "notifications",
    "request_log",
    "clocks",
  ])
    assert.ok((before[table] ?? 0) >= runCount, `${table}: ${before[table]}`);
  assert.equal(await runCommand("universe", "sweep"), "Deleted the data of 0 isolated test merchants.");
  await asSuperuser(
    "update universes set closed_at = closed_at - interval '1 minute'",
    [],
    database.superuserUrl,
  );
  assert.equal(
    await runCommand("universe", "sweep"),
    `Deleted the data of ${runCount + 2} isolated test merchants.`,
  );
  assert.deepEqual(await rowCountsOf(database, ids), {});
  assert.deepEqual(await listBreaks(), []);
  await importFile("after.csv");
  assert.deepEqual(await listBreaks(), []);
  // After the sweep, the roll-up of balances finds no rows of the deleted test merchants.
  await delay(1_500);
  assert.deepEqual(await rowCountsOf(database, ids), {});
  assert.deepEqual(await listBreaks(), []);
  assert.match(await runCommand("balances", "rebuild"), /^\d+ ledger rows, 0 balances changed\.$/);
  const rows = await rowCountsOf(database, [merchant.clientId]);
  assert.equal(rows["payments"], 1);
});

test("the secret is in no log and in no table", async () => {
  await delay(500);
  for (const lines of logs) {
    assert.match(lines.join(""), /"universe":"opened"/);
    assert.ok(!lines.join("").includes(controlSecret));
  }
  for (const { process } of served) assert.ok(!process.stderr().includes(controlSecret));
  const rows = await asSuperuser<{ found: string }>(
    `select table_name as found from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
       and query_to_xml(format('select * from public.%I', table_name), true, true, '')::text like '%' || $1 || '%'`,
    [controlSecret],
    database.superuserUrl,
  );
  assert.deepEqual(rows, []);
});

test("the operator reads and sets the limits", async () => {
  assert.equal(
    await runCommand("universe", "limits"),
    "At most 500 open, 20000 including closed ones, 60 minutes each.",
  );
  assert.equal(
    await runCommand("universe", "limits", "--open", "0", "--minutes", "10"),
    "At most 0 open, 20000 including closed ones, 10 minutes each.",
  );
  await assert.rejects(openUniverse(urlOf(0)), /429/);
  await assert.rejects(runCommand("universe", "limits", "--open", "many"), /--open must be a whole number/);
});
