import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { operations } from "../../src/catalog/operations.ts";
import { serve } from "../../src/processes/serve.ts";
import { readSettings } from "../../src/settings/settings.ts";
import {
  requestPayment,
  actAtProvider,
  countProviderEffects,
  declineOnline,
  callPay,
  payInStore,
  payOnline,
  waitForStatus,
} from "./payment-actions.ts";
import { regionStatements } from "./regions.ts";
import { inBothEnvironments, provenElsewhere, checked, type Statement } from "./statement.ts";
import {
  assertString,
  assertResult,
  callAs,
  inquire,
  inquireWith,
  inquireWithHeaders,
  isJsonObject,
  newPayment,
  retryWhileThrottled,
  inquireNewPayment,
  sendTo,
  unknownClientId,
  type PayingEnvironment,
  type TestEnvironment,
} from "./test-environments.ts";
import { asSuperuser, type TestDatabase } from "../start/test-database.ts";
import { isResponseSigned, pathOf, signedHeaders } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import { payRequest } from "../start/test-stack.ts";

/** Part 1 of docs/interface.md: what the service does. */
/** Runs Java, PHP and Python. */
const withLibraries = "clients.slow.ts";
const withBrowser = "../../../portal/test/first-payment.slow.ts";

export const serviceStatements: readonly Statement[] = [
  checked("1.1", "the service processes payments", async ({ sandbox }) => {
    const { paymentId, answer } = await requestPayment(sandbox);
    const amount = { currency: "EUR", value: "1250" };
    assert.deepEqual(answer.json["paymentAmount"], amount);
    assert.equal((await inquire(sandbox, { paymentId })).json["paymentStatus"], "PROCESSING");
    assert.equal(countProviderEffects(sandbox, paymentId, "paid"), 0);
    await actAtProvider(sandbox, paymentId, "approve");
    const record = await waitForStatus(sandbox, paymentId, "SUCCESS");
    assert.deepEqual(record["actualPaymentAmount"], amount);
    assert.equal(countProviderEffects(sandbox, paymentId, "paid"), 1);
  }),
  checked("1.2", "merchants' systems reach it over HTTP", inBothEnvironments(checkHttp)),
  checked("1.3", "every operation is called with POST", inBothEnvironments(checkOnlyPost)),
  checked("1.4", "the body of a request is JSON", inBothEnvironments(checkOnlyJson)),
  checked(
    "1.5",
    "the body of a response is JSON",
    inBothEnvironments(async ({ answers }) => {
      for (const { answer } of answers) {
        assert.match(answer.headers["content-type"] ?? "", /^application\/json(;|$)/);
        assert.ok(isJsonObject(JSON.parse(answer.text)));
      }
    }),
  ),
  checked("1.6", "the path says which operation is called", inBothEnvironments(checkPathNamesOperation)),
  checked("1.7", "the headers of a request say who calls", inBothEnvironments(checkClientIdHeader)),
  checked("1.8", "the headers of a request carry the signature", inBothEnvironments(checkSignatureInHeaders)),
  checked("1.9", "the body of a request carries the parameters", inBothEnvironments(checkParametersInBody)),
  checked("1.10", "there are two payment scenarios", async ({ sandbox }) => {
    await payOnlineAsBrowser(sandbox);
    await payInStore(sandbox, "OrderCode");
    const other = await callPay(sandbox, payRequest("no-scenario", { productCode: "OTHER_PAYMENT" }));
    assertResult(other, "PARAM_ILLEGAL");
  }),
  checked("1.11", "online payments are one scenario", ({ sandbox }) => payOnlineAsBrowser(sandbox)),
  checked("1.12", "in-store payments are the other scenario", async ({ sandbox }) => {
    await payInStore(sandbox, "PaymentCode");
  }),
  checked("1.13", "in-store with a code that the consumer presents", async ({ sandbox }) => {
    const answer = await payInStore(sandbox, "PaymentCode");
    assertString(answer.json["paymentTime"]);
  }),
  checked("1.14", "in-store with an order code", async ({ sandbox }) => {
    const answer = await payInStore(sandbox, "OrderCode");
    assert.partialDeepStrictEqual(answer.json["orderCodeForm"], { codeDetails: [{ displayType: "TEXT" }] });
  }),
  checked("1.15", "in-store with an entry code", async ({ sandbox }) => {
    const answer = await payInStore(sandbox, "EntryCode");
    assert.partialDeepStrictEqual(answer.json["redirectActionForm"], { method: "GET" });
  }),
  checked("1.16", "a final success is notified", async ({ sandbox }) => {
    const { paymentId, paymentRequestId } = await payOnline(sandbox);
    const [webhook] = await sandbox.shop.waitForWebhooks(paymentId, 1);
    const result = { resultCode: "SUCCESS", resultStatus: "S" };
    assert.partialDeepStrictEqual(webhook?.json, { paymentId, paymentRequestId, result });
  }),
  checked("1.17", "a final failure is notified", async ({ sandbox }) => {
    const { paymentId, paymentRequestId } = await declineOnline(sandbox);
    const [webhook] = await sandbox.shop.waitForWebhooks(paymentId, 1);
    const result = { resultCode: "USER_BALANCE_NOT_ENOUGH", resultStatus: "F" };
    assert.partialDeepStrictEqual(webhook?.json, { paymentId, paymentRequestId, result });
  }),
  checked("1.18", "there is a test environment, the sandbox", async ({ sandbox }) => {
    const { paymentId } = sandbox.paidPayment;
    const answer = await inquire(
      sandbox,
      { paymentId },
      { path: "/ams/sandbox/api/v1/payments/inquiryPayment" },
    );
    assertResult(answer, "SUCCESS");
    assert.match(sandbox.merchant.clientId, /^SANDBOX_/);
  }),
  checked("1.19", "nothing done in the sandbox affects live data", async ({ sandbox, live }) => {
    const { paymentId } = live.paidPayment;
    const liveRecord = await inquire(live, { paymentId });
    const before = await merchantData(live.gateway.database);

    const sandboxPayment = await newPayment(sandbox);
    await inquire(sandbox, sandboxPayment);
    for (const { path } of operations) await inquireWith(sandbox, "{}", { path: pathOf("sandbox", path) });
    assertResult(await inquire(live, sandboxPayment, { by: sandbox.merchant }), "UNKNOWN_CLIENT");

    assertResult(await inquire(live, sandboxPayment), "ORDER_NOT_EXIST");
    assert.equal((await inquire(live, { paymentId })).text, liveRecord.text);
    assert.deepEqual(await merchantData(live.gateway.database), before);
    const crossed = { ...sandbox.gateway.variables, TOLLGATE_DATABASE_URL: live.gateway.database.appUrl };
    await assert.rejects(serve(readSettings(crossed)), /The database is live, this process is sandbox/);
  }),
  checked("1.20", "a merchant needs a client ID before its first call", async ({ sandbox }) => {
    const without = await inquireWithHeaders(sandbox, {}, () => ({ "client-id": undefined }));
    assertResult(without, "PARAM_ILLEGAL");
    const invented = { ...sandbox.merchant, clientId: unknownClientId };
    assertResult(await inquire(sandbox, { paymentId: "1" }, { by: invented }), "UNKNOWN_CLIENT");
    assertResult(await inquire(sandbox, { paymentId: "1" }, { by: sandbox.newcomer }), "ORDER_NOT_EXIST");
  }),
  provenElsewhere("1.21", "a client ID is obtained in the merchant portal", withBrowser),
  provenElsewhere("1.22", "there is a client library for Java", withLibraries),
  provenElsewhere("1.23", "there is a client library for PHP", withLibraries),
  provenElsewhere("1.24", "there is a client library for Python", withLibraries),
  provenElsewhere("1.25", "a client library assembles the request", withLibraries),
  provenElsewhere("1.26", "a client library signs the request", withLibraries),
  provenElsewhere("1.27", "a client library sends the request", withLibraries),
  provenElsewhere("1.28", "a client library checks the signature on the result", withLibraries),

  checked("1.29", "online payments in the sandbox are at /ams/sandbox/api/", async ({ sandbox }) => {
    const { paymentId } = await newPayment(sandbox, { productCode: "CASHIER_PAYMENT" });
    const at = (path: string) => inquire(sandbox, { paymentId }, { path });
    assertResult(await at("/ams/sandbox/api/v1/payments/inquiryPayment"), "SUCCESS");
    assertResult(await at("/ams/api/v1/payments/inquiryPayment"), "ACCESS_DENIED");
  }),
  checked("1.30", "in-store payments in the sandbox are at /ams/api/", async ({ sandbox }) => {
    const path = "/ams/api/v1/payments/inquiryPayment";
    const { paymentId } = await newPayment(sandbox, { productCode: "IN_STORE_PAYMENT" });
    assertResult(await inquire(sandbox, { paymentId }, { path }), "SUCCESS");
    assertResult(await inquire(sandbox, { paymentId: "1" }, { path }), "ORDER_NOT_EXIST");
  }),
  checked("1.31", "online payments in production are at /ams/api/", async ({ live }) => {
    const { paymentId } = await newPayment(live, { productCode: "CASHIER_PAYMENT" });
    const at = (path: string) => inquire(live, { paymentId }, { path });
    assertResult(await at("/ams/api/v1/payments/inquiryPayment"), "SUCCESS");
    assertResult(await at("/ams/sandbox/api/v1/payments/inquiryPayment"), "NO_INTERFACE_DEF");
  }),
  checked("1.32", "in-store payments in production are at /ams/api/", async ({ live }) => {
    const { paymentId } = await newPayment(live, { productCode: "IN_STORE_PAYMENT" });
    const at = (path: string) => inquire(live, { paymentId }, { path });
    assertResult(await at("/ams/api/v1/payments/inquiryPayment"), "SUCCESS");
    assertResult(await at("/ams/sandbox/api/v1/payments/inquiryPayment"), "NO_INTERFACE_DEF");
  }),
  checked("1.33", "the path is the only difference between the two", async ({ sandbox, live }) => {
    const ids = { paymentId: "the id", paymentRequestId: "the request" };
    assert.deepEqual(
      { ...(await inquireNewPayment(sandbox)), ...ids },
      { ...(await inquireNewPayment(live)), ...ids },
    );
    assert.deepEqual(sandbox.answers.map(comparableParts), live.answers.map(comparableParts));
  }),
  checked("1.34", "the sandbox's path has one more segment after /ams/", async ({ sandbox, live }) => {
    const { paymentId } = sandbox.paidPayment;
    const segments = live.path.split("/");
    const places = [2, 3, 4, 5, 6].map((index) => segments.toSpliced(index, 0, "sandbox").join("/"));
    const [right = "", ...wrong] = places;
    assertResult(await inquire(sandbox, { paymentId }, { path: right }), "SUCCESS");
    for (const path of [...wrong, right.replace("sandbox", "sandbox/sandbox")]) {
      assertResult(await inquire(sandbox, { paymentId }, { path }), "NO_INTERFACE_DEF");
    }
  }),
  checked("1.35", "to go live, a caller changes the address", async ({ sandbox, live }) => {
    const { paymentId } = live.paidPayment;
    const stillAtTheSandbox = await inquire(sandbox, { paymentId }, { by: live.merchant });
    assertResult(stillAtTheSandbox, "UNKNOWN_CLIENT");
    assertResult(await inquire(live, { paymentId }, { path: sandbox.path }), "NO_INTERFACE_DEF");
    assertResult(await inquire(live, { paymentId }), "SUCCESS");
  }),
  checked("1.36", "to go live, a caller changes its other settings too", async ({ sandbox, live }) => {
    const { paymentId } = live.paidPayment;
    const inTest = sandbox.merchant;
    assertResult(await inquire(live, { paymentId }, { by: inTest }), "UNKNOWN_CLIENT");
    const newIdOnly = { ...inTest, clientId: live.merchant.clientId };
    assertResult(await inquire(live, { paymentId }, { by: newIdOnly }), "INVALID_SIGNATURE");

    const answer = await inquire(live, { paymentId });
    assertResult(answer, "SUCCESS");
    assert.ok(isResponseSigned(answer, live.path, live.merchant.gatewayPublicKey));
    assert.ok(!isResponseSigned(answer, live.path, inTest.gatewayPublicKey));
  }),
  ...regionStatements,
];

async function checkHttp(side: TestEnvironment): Promise<void> {
  const received = await retryWhileThrottled(
    () => exchangeBytes(side),
    (text) => text,
  );
  assert.match(received, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(received, /\r\n\r\n\{"result":\{"resultCode":"SUCCESS"/);
}

/** `exchangeBytes` writes a request to a socket byte by byte as given, so that no library corrects it. */
async function exchangeBytes(side: TestEnvironment): Promise<string> {
  const body = JSON.stringify(side.paidPayment);
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

async function checkOnlyPost(side: TestEnvironment): Promise<void> {
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

async function checkOnlyJson(side: TestEnvironment): Promise<void> {
  const { paymentId } = side.paidPayment;
  assertResult(await inquireWith(side, JSON.stringify({ paymentId })), "SUCCESS");
  for (const body of [`paymentId=${paymentId}`, `<paymentId>${paymentId}</paymentId>`, `{paymentId:1}`, ""]) {
    assertResult(await inquireWith(side, body), "PARAM_ILLEGAL");
  }
}

async function checkPathNamesOperation(side: TestEnvironment): Promise<void> {
  for (const { path } of operations) {
    const named = await inquireWith(side, "{}", { path: pathOf(side.environment, path) });
    assert.notEqual(named.json.result["resultCode"], "NO_INTERFACE_DEF");
    const misnamed = await inquireWith(side, "{}", { path: pathOf(side.environment, `${path}X`) });
    assertResult(misnamed, "NO_INTERFACE_DEF");
  }
}

async function checkClientIdHeader(side: TestEnvironment): Promise<void> {
  const { paymentId } = side.paidPayment;
  const asMerchant = await inquire(side, { paymentId });
  const asOtherMerchant = await inquire(side, { paymentId }, { by: side.otherMerchant });
  assertResult(asMerchant, "SUCCESS");
  assertResult(asOtherMerchant, "ORDER_NOT_EXIST");
  assert.equal(asMerchant.headers["client-id"], side.merchant.clientId);
  assert.equal(asOtherMerchant.headers["client-id"], side.otherMerchant.clientId);
}

async function checkSignatureInHeaders(side: TestEnvironment): Promise<void> {
  const { paymentId } = side.paidPayment;
  const sent = { path: side.path, body: JSON.stringify({ paymentId }) };
  const signed = signedHeaders(side.merchant, sent);
  assertResult(await sendTo(side, { ...sent, headers: signed }), "SUCCESS");
  const body = JSON.stringify({ paymentId, signature: signed["signature"] });
  const headersWithoutSignature = { ...signed, signature: undefined };
  assertResult(await sendTo(side, { ...sent, body, headers: headersWithoutSignature }), "PARAM_ILLEGAL");
}

async function checkParametersInBody(side: TestEnvironment): Promise<void> {
  const { paymentId } = side.paidPayment;
  assertResult(await inquire(side, { paymentId }), "SUCCESS");
  const path = `${side.path}?paymentId=${paymentId}`;
  assertResult(await inquire(side, {}, { path }), "PARAM_ILLEGAL");
}

/**
 * `payOnlineAsBrowser` acts as a browser: it opens the address in the response, the checkout page, and then the provider's
 * page.
 */
async function payOnlineAsBrowser(side: PayingEnvironment): Promise<void> {
  const { paymentId, answer } = await requestPayment(side, { productCode: "CASHIER_PAYMENT" });
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
  await waitForStatus(side, paymentId, "SUCCESS");
  assert.match(await (await fetch(String(normalUrl))).text(), /href="https:\/\/shop\.example\/thanks"/);
}

/**
 * `comparableParts` returns the parts of a response that must be equal in sandbox and live, without fields about the single
 * request and the sandbox's help texts.
 */
function comparableParts({ code, answer }: TestEnvironment["answers"][number]): object {
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
