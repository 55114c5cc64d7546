import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { operations } from "../../src/catalog/operations.ts";
import { serve } from "../../src/processes/serve.ts";
import { readSettings } from "../../src/settings/settings.ts";
import {
  askForPayment,
  atTheProvider,
  countAtTheProvider,
  declinedOnline,
  callPay,
  paidInStore,
  paidOnline,
  recordOnce,
} from "./payments.ts";
import { regionStatements } from "./regions.ts";
import { inBoth, proven, shown, type Statement } from "./statements.ts";
import {
  assertString,
  assertResult,
  callAs,
  inquire,
  inquireWith,
  inquireWithHeaders,
  isJsonObject,
  newPayment,
  patiently,
  recordOf,
  sendTo,
  unknownClientId,
  type PayingSide,
  type Side,
} from "./world.ts";
import { asSuperuser, type TestDatabase } from "../start/test-database.ts";
import { answerIsSigned, pathOf, signedHeaders } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest } from "../start/test-stack.ts";

/** Part 1 of docs/interface.md: what the service does. */
/** Runs Java, PHP and Python. */
const withLibraries = "clients.slow.ts";
const withBrowser = "../../../portal/test/first-payment.slow.ts";

export const serviceStatements: readonly Statement[] = [
  shown("1.1", "the service processes payments", async ({ sandbox }) => {
    const { paymentId, answer } = await askForPayment(sandbox);
    const amount = { currency: "EUR", value: "1250" };
    assert.deepEqual(answer.json["paymentAmount"], amount);
    assert.equal((await inquire(sandbox, { paymentId })).json["paymentStatus"], "PROCESSING");
    assert.equal(countAtTheProvider(sandbox, paymentId, "paid"), 0);
    await atTheProvider(sandbox, paymentId, "approve");
    const record = await recordOnce(sandbox, paymentId, "SUCCESS");
    assert.deepEqual(record["actualPaymentAmount"], amount);
    assert.equal(countAtTheProvider(sandbox, paymentId, "paid"), 1);
  }),
  shown("1.2", "merchants' systems reach it over HTTP", inBoth(speaksHttp)),
  shown("1.3", "every operation is called with POST", inBoth(takesPostOnly)),
  shown("1.4", "the body of a request is JSON", inBoth(takesJsonOnly)),
  shown(
    "1.5",
    "the body of a response is JSON",
    inBoth(async ({ answers }) => {
      for (const { answer } of answers) {
        assert.match(answer.headers["content-type"] ?? "", /^application\/json(;|$)/);
        assert.ok(isJsonObject(JSON.parse(answer.text)));
      }
    }),
  ),
  shown("1.6", "the path says which operation is called", inBoth(pathNamesTheOperation)),
  shown("1.7", "the headers of a request say who calls", inBoth(headersSayWhoCalls)),
  shown("1.8", "the headers of a request carry the signature", inBoth(headersCarryTheSignature)),
  shown("1.9", "the body of a request carries the parameters", inBoth(bodyCarriesTheParameters)),
  shown("1.10", "there are two payment scenarios", async ({ sandbox }) => {
    await buyerPaysOnline(sandbox);
    await paidInStore(sandbox, "OrderCode");
    const other = await callPay(sandbox, payRequest("no-scenario", { productCode: "OTHER_PAYMENT" }));
    assertResult(other, "PARAM_ILLEGAL");
  }),
  shown("1.11", "online payments are one scenario", ({ sandbox }) => buyerPaysOnline(sandbox)),
  shown("1.12", "in-store payments are the other scenario", async ({ sandbox }) => {
    await paidInStore(sandbox, "PaymentCode");
  }),
  shown("1.13", "in-store with a code that the consumer presents", async ({ sandbox }) => {
    const answer = await paidInStore(sandbox, "PaymentCode");
    assertString(answer.json["paymentTime"]);
  }),
  shown("1.14", "in-store with an order code", async ({ sandbox }) => {
    const answer = await paidInStore(sandbox, "OrderCode");
    assert.partialDeepStrictEqual(answer.json["orderCodeForm"], { codeDetails: [{ displayType: "TEXT" }] });
  }),
  shown("1.15", "in-store with an entry code", async ({ sandbox }) => {
    const answer = await paidInStore(sandbox, "EntryCode");
    assert.partialDeepStrictEqual(answer.json["redirectActionForm"], { method: "GET" });
  }),
  shown("1.16", "a final success is notified", async ({ sandbox }) => {
    const { paymentId, paymentRequestId } = await paidOnline(sandbox);
    const [told] = await sandbox.shop.waitForWebhooks(paymentId, 1);
    const result = { resultCode: "SUCCESS", resultStatus: "S" };
    assert.partialDeepStrictEqual(told?.json, { paymentId, paymentRequestId, result });
  }),
  shown("1.17", "a final failure is notified", async ({ sandbox }) => {
    const { paymentId, paymentRequestId } = await declinedOnline(sandbox);
    const [told] = await sandbox.shop.waitForWebhooks(paymentId, 1);
    const result = { resultCode: "USER_BALANCE_NOT_ENOUGH", resultStatus: "F" };
    assert.partialDeepStrictEqual(told?.json, { paymentId, paymentRequestId, result });
  }),
  shown("1.18", "there is a test environment, the sandbox", async ({ sandbox }) => {
    const { paymentId } = sandbox.paid;
    const answer = await inquire(
      sandbox,
      { paymentId },
      { path: "/ams/sandbox/api/v1/payments/inquiryPayment" },
    );
    assertResult(answer, "SUCCESS");
    assert.match(sandbox.merchant.clientId, /^SANDBOX_/);
  }),
  shown("1.19", "nothing done in the sandbox affects live data", async ({ sandbox, live }) => {
    const { paymentId } = live.paid;
    const told = await inquire(live, { paymentId });
    const before = await merchantData(live.gateway.database);

    const outsider = await newPayment(sandbox);
    await inquire(sandbox, outsider);
    for (const { path } of operations) await inquireWith(sandbox, "{}", { path: pathOf("sandbox", path) });
    assertResult(await inquire(live, outsider, { by: sandbox.merchant }), "UNKNOWN_CLIENT");

    assertResult(await inquire(live, outsider), "ORDER_NOT_EXIST");
    assert.equal((await inquire(live, { paymentId })).text, told.text);
    assert.deepEqual(await merchantData(live.gateway.database), before);
    const crossed = { ...sandbox.gateway.variables, TOLLGATE_DATABASE_URL: live.gateway.database.appUrl };
    await assert.rejects(serve(readSettings(crossed)), /The database is live, this process is sandbox/);
  }),
  shown("1.20", "a merchant needs a client ID before its first call", async ({ sandbox }) => {
    const without = await inquireWithHeaders(sandbox, {}, () => ({ "client-id": undefined }));
    assertResult(without, "PARAM_ILLEGAL");
    const invented = { ...sandbox.merchant, clientId: unknownClientId };
    assertResult(await inquire(sandbox, { paymentId: "1" }, { by: invented }), "UNKNOWN_CLIENT");
    assertResult(await inquire(sandbox, { paymentId: "1" }, { by: sandbox.newcomer }), "ORDER_NOT_EXIST");
  }),
  proven("1.21", "a client ID is obtained in the merchant portal", withBrowser),
  proven("1.22", "there is a client library for Java", withLibraries),
  proven("1.23", "there is a client library for PHP", withLibraries),
  proven("1.24", "there is a client library for Python", withLibraries),
  proven("1.25", "a client library assembles the request", withLibraries),
  proven("1.26", "a client library signs the request", withLibraries),
  proven("1.27", "a client library sends the request", withLibraries),
  proven("1.28", "a client library checks the signature on the result", withLibraries),

  shown("1.29", "online payments in the sandbox are at /ams/sandbox/api/", async ({ sandbox }) => {
    const { paymentId } = await newPayment(sandbox, { productCode: "CASHIER_PAYMENT" });
    const at = (path: string) => inquire(sandbox, { paymentId }, { path });
    assertResult(await at("/ams/sandbox/api/v1/payments/inquiryPayment"), "SUCCESS");
    assertResult(await at("/ams/api/v1/payments/inquiryPayment"), "ACCESS_DENIED");
  }),
  shown("1.30", "in-store payments in the sandbox are at /ams/api/", async ({ sandbox }) => {
    const path = "/ams/api/v1/payments/inquiryPayment";
    const { paymentId } = await newPayment(sandbox, { productCode: "IN_STORE_PAYMENT" });
    assertResult(await inquire(sandbox, { paymentId }, { path }), "SUCCESS");
    assertResult(await inquire(sandbox, { paymentId: "1" }, { path }), "ORDER_NOT_EXIST");
  }),
  shown("1.31", "online payments in production are at /ams/api/", async ({ live }) => {
    const { paymentId } = await newPayment(live, { productCode: "CASHIER_PAYMENT" });
    const at = (path: string) => inquire(live, { paymentId }, { path });
    assertResult(await at("/ams/api/v1/payments/inquiryPayment"), "SUCCESS");
    assertResult(await at("/ams/sandbox/api/v1/payments/inquiryPayment"), "NO_INTERFACE_DEF");
  }),
  shown("1.32", "in-store payments in production are at /ams/api/", async ({ live }) => {
    const { paymentId } = await newPayment(live, { productCode: "IN_STORE_PAYMENT" });
    const at = (path: string) => inquire(live, { paymentId }, { path });
    assertResult(await at("/ams/api/v1/payments/inquiryPayment"), "SUCCESS");
    assertResult(await at("/ams/sandbox/api/v1/payments/inquiryPayment"), "NO_INTERFACE_DEF");
  }),
  shown("1.33", "the path is the only difference between the two", async ({ sandbox, live }) => {
    const ids = { paymentId: "the id", paymentRequestId: "the request" };
    assert.deepEqual({ ...(await recordOf(sandbox)), ...ids }, { ...(await recordOf(live)), ...ids });
    assert.deepEqual(sandbox.answers.map(outline), live.answers.map(outline));
  }),
  shown("1.34", "the sandbox's path has one more segment after /ams/", async ({ sandbox, live }) => {
    const { paymentId } = sandbox.paid;
    const segments = live.path.split("/");
    const places = [2, 3, 4, 5, 6].map((index) => segments.toSpliced(index, 0, "sandbox").join("/"));
    const [right = "", ...wrong] = places;
    assertResult(await inquire(sandbox, { paymentId }, { path: right }), "SUCCESS");
    for (const path of [...wrong, right.replace("sandbox", "sandbox/sandbox")]) {
      assertResult(await inquire(sandbox, { paymentId }, { path }), "NO_INTERFACE_DEF");
    }
  }),
  shown("1.35", "to go live, a caller changes the address", async ({ sandbox, live }) => {
    const { paymentId } = live.paid;
    const stillAtTheSandbox = await inquire(sandbox, { paymentId }, { by: live.merchant });
    assertResult(stillAtTheSandbox, "UNKNOWN_CLIENT");
    assertResult(await inquire(live, { paymentId }, { path: sandbox.path }), "NO_INTERFACE_DEF");
    assertResult(await inquire(live, { paymentId }), "SUCCESS");
  }),
  shown("1.36", "to go live, a caller changes its other settings too", async ({ sandbox, live }) => {
    const { paymentId } = live.paid;
    const inTest = sandbox.merchant;
    assertResult(await inquire(live, { paymentId }, { by: inTest }), "UNKNOWN_CLIENT");
    const newIdOnly = { ...inTest, clientId: live.merchant.clientId };
    assertResult(await inquire(live, { paymentId }, { by: newIdOnly }), "INVALID_SIGNATURE");

    const answer = await inquire(live, { paymentId });
    assertResult(answer, "SUCCESS");
    assert.ok(answerIsSigned(answer, live.path, live.merchant.gatewayPublicKey));
    assert.ok(!answerIsSigned(answer, live.path, inTest.gatewayPublicKey));
  }),
  ...regionStatements,
];

async function speaksHttp(side: Side): Promise<void> {
  const received = await patiently(
    () => exchangeBytes(side),
    (text) => text,
  );
  assert.match(received, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(received, /\r\n\r\n\{"result":\{"resultCode":"SUCCESS"/);
}

/** `exchangeBytes` writes a request to a socket byte by byte as given, so that no library corrects it. */
async function exchangeBytes(side: Side): Promise<string> {
  const body = JSON.stringify(side.paid);
  const signed = signedHeaders(side.merchant, { path: side.path, body });
  const { hostname, port, host } = new URL(side.gateway.url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  socket.write(
    [
      `POST ${side.path} HTTP/1.1`,
      `Host: ${host}`,
      ...Object.entries(signed).map(([name, value]) => `${name}: ${value}`),
      "Content-Type: application/json; charset=UTF-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
  await once(socket, "close");
  return Buffer.concat(chunks).toString("utf8");
}

async function takesPostOnly(side: Side): Promise<void> {
  assert.ok(operations.length > 0);
  for (const operation of operations) {
    // The requests have no body, because most of these HTTP methods have none.
    const sent = { path: pathOf(side.environment, operation.path), body: "" };
    const posted = await callAs(side, side.merchant, sent);
    assert.notEqual(posted.json.result["resultCode"], "METHOD_NOT_SUPPORTED");
    for (const method of ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      assertResult(await callAs(side, side.merchant, { ...sent, method }), "METHOD_NOT_SUPPORTED");
    }
  }
}

async function takesJsonOnly(side: Side): Promise<void> {
  const { paymentId } = side.paid;
  assertResult(await inquireWith(side, JSON.stringify({ paymentId })), "SUCCESS");
  for (const body of [`paymentId=${paymentId}`, `<paymentId>${paymentId}</paymentId>`, `{paymentId:1}`, ""]) {
    assertResult(await inquireWith(side, body), "PARAM_ILLEGAL");
  }
}

async function pathNamesTheOperation(side: Side): Promise<void> {
  for (const { path } of operations) {
    const named = await inquireWith(side, "{}", { path: pathOf(side.environment, path) });
    assert.notEqual(named.json.result["resultCode"], "NO_INTERFACE_DEF");
    const misnamed = await inquireWith(side, "{}", { path: pathOf(side.environment, `${path}X`) });
    assertResult(misnamed, "NO_INTERFACE_DEF");
  }
}

async function headersSayWhoCalls(side: Side): Promise<void> {
  const { paymentId } = side.paid;
  const own = await inquire(side, { paymentId });
  const anothers = await inquire(side, { paymentId }, { by: side.other });
  assertResult(own, "SUCCESS");
  assertResult(anothers, "ORDER_NOT_EXIST");
  assert.equal(own.headers["client-id"], side.merchant.clientId);
  assert.equal(anothers.headers["client-id"], side.other.clientId);
}

async function headersCarryTheSignature(side: Side): Promise<void> {
  const { paymentId } = side.paid;
  const sent = { path: side.path, body: JSON.stringify({ paymentId }) };
  const signed = signedHeaders(side.merchant, sent);
  assertResult(await sendTo(side, { ...sent, headers: signed }), "SUCCESS");
  const body = JSON.stringify({ paymentId, signature: signed["signature"] });
  const elsewhere = { ...signed, signature: undefined };
  assertResult(await sendTo(side, { ...sent, body, headers: elsewhere }), "PARAM_ILLEGAL");
}

async function bodyCarriesTheParameters(side: Side): Promise<void> {
  const { paymentId } = side.paid;
  assertResult(await inquire(side, { paymentId }), "SUCCESS");
  const path = `${side.path}?paymentId=${paymentId}`;
  assertResult(await inquire(side, {}, { path }), "PARAM_ILLEGAL");
}

/**
 * `buyerPaysOnline` acts as a browser: it opens the address in the response, the checkout page, and then the provider's
 * page.
 */
async function buyerPaysOnline(side: PayingSide): Promise<void> {
  const { paymentId, answer } = await askForPayment(side, { productCode: "CASHIER_PAYMENT" });
  const { normalUrl } = answer.json;
  const page = await eventually(
    10_000,
    async () => (await fetch(String(normalUrl))).text(),
    (text) => text.includes("Pay with GCash"),
  );
  assert.match(page, /€/);
  const [, walletPage = ""] = /<a class="button" href="([^"]+)"/.exec(page) ?? [];
  assert.ok(walletPage.startsWith(side.provider.url), walletPage);
  const approved = await fetch(walletPage, {
    method: "POST",
    body: new URLSearchParams({ choice: "approve" }),
  });
  assert.equal(approved.status, 200);
  await recordOnce(side, paymentId, "SUCCESS");
  assert.match(await (await fetch(String(normalUrl))).text(), /href="https:\/\/shop\.example\/thanks"/);
}

/**
 * `outline` returns the parts of a response that must be equal in sandbox and live, without fields about the single
 * request and the sandbox's help texts.
 */
function outline({ code, answer }: Side["answers"][number]): object {
  const { resultCode, resultStatus } = answer.json.result;
  const headers = Object.keys(answer.headers).sort();
  return { code, status: answer.status, resultCode, resultStatus, fields: Object.keys(answer.json), headers };
}

/** Every row of every table with merchants' data, except what is written asynchronously: request log and key use. */
async function merchantData(database: TestDatabase): Promise<readonly object[]> {
  const tables = await asSuperuser<{ readonly name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'client_id'
       and table_name not like 'request_log%' and table_name <> 'key_uses'
     order by table_name`,
    [],
    database.superuserUrl,
  );
  assert.ok(tables.some(({ name }) => name === "payments"));
  const rows = tables.map(({ name }) => `select '${name}' as name, t::text as row from ${name} t`);
  return asSuperuser(`${rows.join(" union all ")} order by name, row`, [], database.superuserUrl);
}
