import assert from "node:assert/strict";
import { createHash, randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { bucketOf } from "../../core/bucket.ts";
import { openDatabase, type Database } from "../../postgres/database.ts";
import { findFreePort } from "../../postgres/temporary-postgres.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  call,
  inquiryPath,
  newKeyPair,
  newMerchant,
  pathOf,
  startTestGateway,
  type ReceivedAnswer,
  type SentRequest,
  type TestMerchant,
} from "../../../test/start/test-gateway.ts";
import { openRequestLog } from "./request-log-writer.ts";
import type { LoggedRequest } from "../../merchants/request-log.sql.ts";

const gateway = await startTestGateway("sandbox");
const largeBytesPerDay = 1e9;
const path = pathOf("sandbox", inquiryPath);
const payPath = pathOf("sandbox", "payments/pay");

interface Row {
  readonly request_body: string;
  readonly request_sha256: Buffer;
  readonly answer_body: string;
  readonly result_code: string;
  readonly [column: string]: unknown;
}

async function rowsOf(clientId: string): Promise<readonly Row[]> {
  const { superuserUrl } = gateway.database;
  return asSuperuser<Row>(
    "select * from request_log where client_id = $1 order by at",
    [clientId],
    superuserUrl,
  );
}

/** Polls the request log of a merchant until it has `count` rows. */
async function written(clientId: string, count: number): Promise<readonly Row[]> {
  for (let tries = 0; tries < 100; tries += 1) {
    const rows = await rowsOf(clientId);
    if (rows.length >= count) return rows;
    await delay(50);
  }
  return assert.fail(`${count} calls were not written down.`);
}

async function only(clientId: string): Promise<Row> {
  const [row, another] = await written(clientId, 1);
  assert.ok(row && !another);
  return row;
}

/** Sends a request, and retries if the gateway sheds it, because the machine may be busy. */
async function sendAs(merchant: TestMerchant, sent: SentRequest): Promise<ReceivedAnswer> {
  for (;;) {
    const answer = await call(gateway.url, merchant, sent);
    const isShed =
      answer.json.result["resultCode"] === "REQUEST_TRAFFIC_EXCEED_LIMIT" && !answer.headers["signature"];
    if (!isShed) return answer;
    await delay(100);
  }
}

/** Everything in a row, in each encoding that could hide a value. */
function loggedText(row: Row): string {
  const bytes = [row.request_sha256.toString("hex"), row.request_sha256.toString("latin1")];
  return JSON.stringify([row, ...bytes]);
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

test("of an authenticated request the log has operation, result and the hash of the exact bytes", async () => {
  const merchant = await newMerchant(gateway.database);
  const body = '{ "paymentId" : "20261115093000123000701000042999999",\n\t"extra": [1, null] }';
  const answer = await sendAs(merchant, { path, body });

  const row = await only(merchant.clientId);
  assert.partialDeepStrictEqual(row, {
    bucket: bucketOf(merchant.clientId),
    client_id: merchant.clientId,
    key_version: merchant.keyVersion,
    path,
    result_code: "ORDER_NOT_EXIST",
    answer_body: answer.text,
    request_id: answer.headers["request-id"],
  });
  assert.deepEqual(row.request_sha256, sha256(body));
  assert.deepEqual(JSON.parse(row.request_body), {
    paymentId: "20261115093000123000701000042999999",
    extra: "(a list of 2)",
  });
  assert.ok(Number(row["duration_us"]) > 0);
});

const code = "281006020000000000125733";
const method = { paymentMethodType: "GCASH", paymentMethodId: code };
for (const [what, paymentMethod, kept] of [
  ["in its place", method, { paymentMethodType: "GCASH", paymentMethodId: "***" }],
  ["in a list by mistake", [method], "(a list of 1)"],
  ["in a text by mistake", `GCASH ${code}`, "(30 characters)"],
  [
    "under another name",
    { ...method, PaymentMethodID: code },
    { paymentMethodType: "GCASH", paymentMethodId: "***", PaymentMethodID: "(24 characters)" },
  ],
] as const) {
  test(`a payment code is masked in the request log: ${what}`, async () => {
    const merchant = await newMerchant(gateway.database);
    const body = JSON.stringify({ paymentRequestId: "order-1", paymentMethod });
    await sendAs(merchant, { path: payPath, body });

    const row = await only(merchant.clientId);
    assert.deepEqual(JSON.parse(row.request_body), { paymentRequestId: "order-1", paymentMethod: kept });
    assert.deepEqual(row.request_sha256, sha256(body));
    assert.ok(!loggedText(row).includes(code));
  });
}

test("a request is found by the hash of the id that it names, for any id", async () => {
  const merchant = await newMerchant(gateway.database);
  const ids = ["order-1", "order_2-b", "a\u0000b", "x".repeat(9_000)];
  for (const paymentRequestId of ids)
    await sendAs(merchant, { path: payPath, body: JSON.stringify({ paymentRequestId }) });
  await sendAs(merchant, { path: payPath, body: "{}" });
  const rows = await written(merchant.clientId, ids.length + 1);
  // PostgreSQL's hash of each valid record id must equal the gateway's hash.
  const hashes = await asSuperuser<{ hash: number }>(
    "select request_record_hash(id) as hash from unnest($1::text[]) as given (id)",
    [ids.slice(0, 2)],
    gateway.database.superuserUrl,
  );
  const found = rows.map((row) => row["record_hash"]);
  assert.deepEqual(
    found.slice(0, 2),
    hashes.map(({ hash }) => hash),
  );
  assert.equal(found.at(-1), null);
});

test("card data is not logged, not even as a hash", async () => {
  const merchant = await newMerchant(gateway.database);
  const [number, verification] = ["4111111111111111", "737"];
  for (const body of [
    JSON.stringify({ paymentMethod: { paymentMethodMetaData: { cardNo: number, cvv: verification } } }),
    JSON.stringify({ paymentId: "1", note: `please charge ${number}` }),
    `{ "cardNo": "${number}", broken`,
  ]) {
    const answer = await sendAs(merchant, { path, body });
    assert.equal(answer.json.result["resultCode"], "PARAM_ILLEGAL");
  }
  const rows = await written(merchant.clientId, 3);
  for (const row of rows) {
    assert.equal(row.request_body, "");
    assert.equal(row.request_sha256.length, 0);
    // The test searches for all digits of the card number: the random id of a request may contain four of them.
    assert.doesNotMatch(loggedText(row), /41111111/);
  }
});

test("an unauthenticated request is not logged", async () => {
  const merchant = await newMerchant(gateway.database);
  const { privateKey } = await newKeyPair("otherKey");
  const otherKey: TestMerchant = { ...merchant, privateKey };
  const forged = await sendAs(otherKey, { path, body: '{"paymentId":"forged"}' });
  assert.equal(forged.json.result["resultCode"], "INVALID_SIGNATURE");
  const unknown = { ...otherKey, clientId: "SANDBOX_UNKNOWN" };
  await sendAs(unknown, { path, body: '{"paymentId":"forged"}' });
  await sendAs(merchant, { path, body: '{"paymentId":"forged"}', keyVersion: 9 });

  await sendAs(merchant, { path, body: '{"paymentId":"genuine"}' });
  const row = await only(merchant.clientId);
  assert.equal(row.request_body, '{"paymentId":"genuine"}');
  assert.deepEqual(await rowsOf("SANDBOX_UNKNOWN"), []);
});

test("a flood is answered but not logged", async () => {
  const merchant = await newMerchant(gateway.database);
  await asSuperuser(
    "update clients set rate_per_second = 1, rate_burst = 1 where client_id = $1",
    [merchant.clientId],
    gateway.database.superuserUrl,
  );
  const flood = [1, 2, 3, 4].map(() => sendAs(merchant, { path, body: '{"paymentId":"1"}' }));
  const codes = (await Promise.all(flood)).map(({ json }) => json.result["resultCode"]);
  assert.equal(codes.filter((given) => given === "REQUEST_TRAFFIC_EXCEED_LIMIT").length, 3);
  await delay(600);
  assert.equal((await rowsOf(merchant.clientId)).length, 1);
});

function open(url: string): Database {
  const database = openDatabase({ url, applicationName: "log", connectionsMax: 2, onFault: () => undefined });
  after(() => database.close());
  return database;
}

function failed(cause: unknown): void {
  assert.fail(String(cause));
}

function anyRequest(given: Partial<LoggedRequest> = {}): LoggedRequest {
  const clientId = given.clientId ?? "SANDBOX_COFFEE";
  return {
    bucket: bucketOf(clientId),
    at: new Date(),
    requestId: `req_${randomUUID()}`,
    clientId,
    keyVersion: 1,
    path,
    resultCode: "SUCCESS",
    durationUs: 900,
    requestSha256: sha256(""),
    requestBody: "{}",
    answerBody: "{}",
    ...given,
  };
}

test("requests are written in batches, each once, however often a flush is requested", async () => {
  const log = openRequestLog(open(gateway.database.appUrl), failed, largeBytesPerDay);
  const merchants = ["SANDBOX_BATCH_1", "SANDBOX_BATCH_2", "SANDBOX_BATCH_3"] as const;
  for (let number = 0; number < 1_200; number += 1)
    log.add(anyRequest({ clientId: merchants[number % 3] ?? "" }));
  await Promise.all([log.flush(), log.flush(), log.flush()]);
  await log.flush();

  const [counted] = await asSuperuser(
    `select count(*)::int as rows, count(distinct xmin::text)::int as transactions,
       count(distinct client_id)::int as merchants
     from request_log where client_id like 'SANDBOX\\_BATCH\\_%'`,
    [],
    gateway.database.superuserUrl,
  );
  assert.deepEqual(counted, { rows: 1_200, transactions: 3, merchants: 3 });
  assert.equal(log.droppedCount(), 0);
});

test("a stopping process also waits for a batch that is being written", async () => {
  const log = openRequestLog(open(gateway.database.appUrl), failed, largeBytesPerDay);
  for (let number = 0; number < 3; number += 1) log.add(anyRequest({ clientId: "SANDBOX_LEAVING" }));
  const underWay = log.flush();
  await log.flush();
  assert.equal((await rowsOf("SANDBOX_LEAVING")).length, 3);
  await underWay;
});

test("while the database is down a limited number of requests is queued, and the rest is counted", async () => {
  const faults: unknown[] = [];
  const unreachableDatabase = open(`postgres://nobody@127.0.0.1:${await findFreePort()}/nowhere`);
  const log = openRequestLog(unreachableDatabase, (cause) => faults.push(cause), largeBytesPerDay);
  for (let number = 0; number < 20_003; number += 1) log.add(anyRequest());
  assert.equal(log.droppedCount(), 3);

  await log.flush();
  assert.equal(log.droppedCount(), 20_003);
  assert.equal(faults.length, 40);
  log.add(anyRequest());
  assert.equal(log.droppedCount(), 20_003);
});

test("a body is truncated after 16 KiB, at a character boundary, and the row says so", async () => {
  const log = openRequestLog(open(gateway.database.appUrl), failed, largeBytesPerDay);
  for (const [clientId, text] of [
    ["SANDBOX_CUT_1", "x".repeat(20_000)],
    ["SANDBOX_CUT_2", "咖".repeat(10_000)],
    ["SANDBOX_CUT_3", "😀".repeat(10_000)],
    ["SANDBOX_CUT_4", "x".repeat(16_384)],
  ] as const) {
    log.add(anyRequest({ clientId, requestBody: text, answerBody: text }));
    await log.flush();
    const [row] = await rowsOf(clientId);
    for (const body of [row?.request_body ?? "", row?.answer_body ?? ""]) {
      assert.ok(Buffer.byteLength(body) <= 16_384);
      const [shown = "", mark] = body.split("… (cut: ");
      assert.ok(text.startsWith(shown) && shown.isWellFormed());
      assert.ok(Buffer.byteLength(shown) > 16_300);
      assert.equal(mark, clientId === "SANDBOX_CUT_4" ? undefined : `${Buffer.byteLength(text)} bytes)`);
    }
  }
});

test("a merchant over its daily quota gets rows without bodies until midnight", async () => {
  const log = openRequestLog(open(gateway.database.appUrl), failed, 10_000);
  const at = (text: string): Pick<LoggedRequest, "at"> => ({ at: new Date(text) });
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const today = new Date().toISOString().slice(0, 10);
  const body = "x".repeat(1_000);
  const add = (clientId: string, when: string): void =>
    log.add(anyRequest({ clientId, requestBody: body, answerBody: body, ...at(when) }));
  for (let each = 0; each < 7; each += 1) add("SANDBOX_LARGE", `${today}T10:00:0${each}Z`);
  add("SANDBOX_SMALL", `${today}T10:00:00Z`);
  add("SANDBOX_LARGE", `${tomorrow}T00:00:00Z`);
  await log.flush();

  const kept = (await rowsOf("SANDBOX_LARGE")).map(({ request_body }) => request_body === body);
  assert.deepEqual(kept, [true, true, true, true, true, false, false, true]);
  const [without] = (await rowsOf("SANDBOX_LARGE")).slice(5);
  assert.match(`${without?.request_body} ${without?.answer_body}`, /^\(left out: .*\) \(left out: .*\)$/);
  assert.equal((await rowsOf("SANDBOX_SMALL"))[0]?.request_body, body);
});

test("large bodies count by their length", async () => {
  const away = open(`postgres://nobody@127.0.0.1:${await findFreePort()}/nowhere`);
  const log = openRequestLog(away, () => undefined, largeBytesPerDay);
  const large = anyRequest({ requestBody: " ".repeat(16_000), answerBody: " ".repeat(16_000) });
  for (let number = 0; number < 1_002; number += 1) log.add(large);
  assert.equal(log.droppedCount(), 2);
  log.add(anyRequest());
  assert.equal(log.droppedCount(), 3);

  // Flushed entries no longer count towards the limit of the queue.
  await log.flush();
  assert.equal(log.droppedCount(), 1_003);
  for (let number = 0; number < 4; number += 1) log.add(large);
  assert.equal(log.droppedCount(), 1_003);
});
