import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { parseResponses, exchangeBytes, openSocket, rawRequest } from "../../../test/http/raw-http.ts";
import { checkoutUrlOf } from "../../../test/shop/test-checkout.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  call,
  inquiryPath,
  newMerchant,
  pathOf,
  prepareTestGateway,
  send,
  signedHeaders,
  type ReceivedAnswer,
} from "../../../test/start/test-gateway.ts";
import { insertTestPayment } from "../../../test/shop/test-payment.ts";
import { signedFailures } from "./answer-arrival.ts";
import { linkRate } from "../pages/serve-checkout.ts";
import { lookupsWaitingMax } from "../../merchants/client-directory.ts";
import { unansweredBeforeAuthenticationMax, connectionsPerNetworkMax } from "../limits/connections.ts";
import { stallMaxMs, unauthenticatedPerNetworkMax } from "../limits/overload-guard.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const merchant = await newMerchant(database);
const payments = [
  await insertTestPayment(database, merchant.clientId),
  await insertTestPayment(database, merchant.clientId),
];
const body = JSON.stringify({ paymentId: payments[0]?.paymentId });
const path = pathOf("sandbox", inquiryPath);
// `direct` is a process that callers reach directly; the other process is behind a proxy that reports the callers'
// addresses.
const direct = await serve(readSettings(variables));
const proxied = await serve(readSettings({ ...variables, TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" }));
after(() => Promise.all([direct.stop(), proxied.stop()]));

const codeOf = ({ json }: ReceivedAnswer): string | undefined => json.result["resultCode"];
const isSigned = ({ headers }: ReceivedAnswer): boolean => "signature" in headers;

/** Sends a request with this client id and a well-formed but invalid signature. */
async function sendUnauthenticated(url: string, clientId: string, address = "198.51.100.1", keyVersion = 1) {
  const headers = { ...signedHeaders({ ...merchant, clientId }, { path, body, keyVersion }) };
  return send(url, { path, body, headers: { ...headers, "x-forwarded-for": address } });
}

async function inquireAsMerchant(url: string): Promise<string | undefined> {
  return codeOf(await call(url, merchant, { path, body }));
}

/** Runs `work` while look-ups of clients fail in the database. */
async function withoutClients(work: () => Promise<void>): Promise<void> {
  await asSuperuser("revoke select on clients from tollgate_app", [], database.superuserUrl);
  try {
    await work();
  } finally {
    await asSuperuser("grant select on clients to tollgate_app", [], database.superuserUrl);
  }
}

test("an unknown client or key version is cached for a second", async () => {
  const { url } = direct;
  assert.equal(codeOf(await sendUnauthenticated(url, "SANDBOX_NOBODY")), "UNKNOWN_CLIENT");
  assert.equal(codeOf(await sendUnauthenticated(url, merchant.clientId, undefined, 8)), "KEY_NOT_FOUND");
  await withoutClients(async () => {
    assert.equal(codeOf(await sendUnauthenticated(url, "SANDBOX_NOBODY")), "UNKNOWN_CLIENT");
    assert.equal(codeOf(await sendUnauthenticated(url, merchant.clientId, undefined, 9)), "KEY_NOT_FOUND");
    assert.equal(codeOf(await sendUnauthenticated(url, "SANDBOX_SOMEBODY_ELSE")), "UNKNOWN_EXCEPTION");
    await delay(1_000);
    assert.equal(codeOf(await sendUnauthenticated(url, "SANDBOX_NOBODY")), "UNKNOWN_EXCEPTION");
  });
});

test("callers with unknown client ids wait in their own bulkhead, and their number is limited", async () => {
  const { url } = proxied;
  const holder = new Client({ connectionString: database.superuserUrl });
  await holder.connect();
  await holder.query("begin; lock table clients in access exclusive mode");
  const waiting: Promise<ReceivedAnswer>[] = [];
  const from = (address: string, count: number): Promise<ReceivedAnswer>[] =>
    Array.from({ length: count }, (_, index) =>
      sendUnauthenticated(url, `SANDBOX_${address.replaceAll(".", "_")}_${index}`, address),
    );
  waiting.push(...from("198.51.100.1", unauthenticatedPerNetworkMax + 10));
  const retryLaterAnswers = await firstAnswers(waiting, 10);
  assert.deepEqual(new Set(retryLaterAnswers.map(codeOf)), new Set(["REQUEST_TRAFFIC_EXCEED_LIMIT"]));
  assert.deepEqual(new Set(retryLaterAnswers.map(({ headers }) => headers["retry-after"])), new Set(["1"]));
  const others = from("198.51.100.2", lookupsWaitingMax - unauthenticatedPerNetworkMax + 5);
  assert.equal((await firstAnswers(others, 5)).filter(isSigned).length, 0);

  await holder.query("rollback");
  await holder.end();
  const codes = (await Promise.all([...waiting, ...others])).map(codeOf);
  assert.equal(codes.filter((code) => code === "UNKNOWN_CLIENT").length, lookupsWaitingMax);
});

/** Returns the first responses, which arrive while the other requests wait. */
async function firstAnswers(
  all: readonly Promise<ReceivedAnswer>[],
  count: number,
): Promise<ReceivedAnswer[]> {
  const answers: ReceivedAnswer[] = [];
  for (const each of all) void each.then((answer) => answers.push(answer));
  while (answers.length < count) await delay(5);
  await delay(50);
  assert.equal(answers.length, count);
  return [...answers];
}

test("callbacks and requests with invalid signatures from one address share its signing limit; another address has its own", async () => {
  const { url } = proxied;
  const sendForged = (address: string): Promise<ReceivedAnswer> =>
    send(url, {
      path: "/providers/nobody/callbacks/a/b",
      body: "{}",
      headers: { "x-forwarded-for": address },
    });
  const startedAtMs = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      index % 2 === 0
        ? sendForged("2001:db8::1")
        : sendUnauthenticated(url, "SANDBOX_NOBODY", `2001:db8::${index}`),
    ),
  );
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const { burst, ratePerSecond } = signedFailures;
  const signed = answers.filter(isSigned).length;
  assert.ok(signed >= burst && signed <= burst + Math.ceil(seconds * ratePerSecond), `${signed} signed`);
  assert.deepEqual(new Set(answers.map(codeOf)), new Set(["UNKNOWN_CLIENT"]));
  assert.ok(isSigned(await sendForged("2001:db8:0:1::1")));
});

test("an unknown connector is looked up once a second", async () => {
  const { url } = direct;
  const sendForged = (): Promise<ReceivedAnswer> =>
    send(url, { path: "/providers/nobody/callbacks/a/b", body: "{}" });
  await delay(1_000);
  assert.equal(codeOf(await sendForged()), "UNKNOWN_CLIENT");
  await asSuperuser("revoke select on connectors from tollgate_app", [], database.superuserUrl);
  const concurrentAnswer = await sendForged();
  await asSuperuser("grant select on connectors to tollgate_app", [], database.superuserUrl);
  assert.equal(codeOf(concurrentAnswer), "UNKNOWN_CLIENT");
});

test("a body in tiny chunks is rejected before its end, and its connection is closed", async () => {
  const tinyChunks = rawRequest(
    `POST ${pathOf("sandbox", "payments/supplyDefenseDocument")} HTTP/1.1`,
    [
      ["host", "gateway.example"],
      ["transfer-encoding", "chunked"],
      ...Object.entries(signedHeaders(merchant, { path, body })),
    ],
    "1\r\nx\r\n".repeat(100),
  );
  const { answers, closed } = await exchangeBytes(proxied.url, tinyChunks, { answerCount: 2 });
  assert.equal(answers[0]?.json.result["resultMessage"], "The body comes in too many small pieces.");
  assert.ok(closed);
});

test("excess pipelining closes the unauthenticated connections of that network and limits its new ones", async () => {
  const from = "127.0.0.9";
  const [other, unrelatedSocket] = [await openSocket(direct.url, from), await openSocket(direct.url)];
  const pipeliningSocket = await openSocket(direct.url, from);
  const healthRequest = rawRequest("GET /livez HTTP/1.1", [["host", "a"]]).toString();
  const ends = Promise.all(
    [other, pipeliningSocket].map((socket) => new Promise((end) => socket.once("close", end))),
  );
  for (const socket of [other, pipeliningSocket, unrelatedSocket]) socket.resume();
  pipeliningSocket.write(healthRequest.repeat(unansweredBeforeAuthenticationMax + 1));
  await ends;
  const reconnections = await Promise.all(Array.from({ length: 10 }, () => openSocket(direct.url, from)));
  await delay(100);
  const left = reconnections.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded);
  assert.ok(left.length >= 1 && left.length <= 3, `${left.length} connections`);
  assert.ok(
    !unrelatedSocket.destroyed && !unrelatedSocket.readableEnded,
    "Another client lost its connection.",
  );
  for (const socket of [...reconnections, unrelatedSocket]) socket.destroy();
});

test("filling the body memory closes the unauthenticated connections of that network; others' bodies are read", async () => {
  const from = "127.0.0.10";
  const document = pathOf("sandbox", "payments/supplyDefenseDocument");
  const sent = { path: document, body: "x".repeat(1_400_000) };
  const head = rawRequest(`POST ${document} HTTP/1.1`, [
    ["host", "gateway.example"],
    ["content-length", String(sent.body.length + 1)],
    ...Object.entries(signedHeaders(merchant, sent)),
  ]);
  const [slow, ...crowd] = [
    await openSocket(direct.url),
    ...(await Promise.all(Array.from({ length: 20 }, () => openSocket(direct.url, from)))),
  ];
  slow.write(head);
  const ends = crowd.map((socket) => new Promise((end) => socket.on("error", end).once("close", end)));
  for (const socket of crowd) socket.resume().write(Buffer.concat([head, Buffer.from(sent.body)]));
  // One connection of the crowd gets "no room" and stays open.
  await Promise.race(ends);
  while (crowd.filter(({ destroyed }) => !destroyed).length > 1) await delay(10);
  const again = await Promise.all(Array.from({ length: 10 }, () => openSocket(direct.url, from)));
  await delay(100);
  const left = again.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded);
  assert.ok(left.length >= 1 && left.length <= 3, `${left.length} connections`);
  slow.write(`${sent.body}x`);
  const [responseBytes] = (await once(slow, "data")) as [Buffer];
  assert.equal(parseResponses(responseBytes).answers[0]?.json.result["resultCode"], "INVALID_SIGNATURE");
  for (const socket of [...crowd, ...again, slow]) socket.destroy();
});

test("pipelined requests up to the limit are answered in order", async () => {
  const healthRequest = rawRequest("GET /livez HTTP/1.1", [["host", "a"]]).toString();
  const socket = await openSocket(direct.url, "127.0.0.8");
  let heard = "";
  socket.on("data", (bytes: Buffer) => (heard += bytes.toString("latin1")));
  socket.write(healthRequest.repeat(unansweredBeforeAuthenticationMax));
  while (heard.split("HTTP/1.1 200 ").length - 1 < unansweredBeforeAuthenticationMax) await delay(5);
  socket.destroy();
});

test("a large body is not accepted for an unknown client id", async () => {
  const document = pathOf("sandbox", "payments/supplyDefenseDocument");
  const sent = { path: document, body: "x".repeat(300_000) };
  const inName = (clientId: string, keyVersion: number): string =>
    rawRequest(`POST ${document} HTTP/1.1`, [
      ["host", "gateway.example"],
      ["content-length", String(sent.body.length)],
      ...Object.entries(signedHeaders({ ...merchant, clientId }, { ...sent, keyVersion })),
    ]).toString();
  const answered = async (head: string): Promise<string | undefined> =>
    (await exchangeBytes(direct.url, Buffer.from(head))).answers[0]?.json.result["resultCode"];
  // The client sends no byte of the body, and the gateway does not wait for it.
  assert.equal(await answered(inName("SANDBOX_STRANGER", 1)), "UNKNOWN_CLIENT");
  assert.equal(await answered(inName(merchant.clientId, 7)), "KEY_NOT_FOUND");
});

test("an address with too many connections loses its unauthenticated ones", async () => {
  const headers = {
    host: "a",
    "content-length": String(body.length),
    ...signedHeaders(merchant, { path, body }),
  };
  const inquiry = rawRequest(`POST ${path} HTTP/1.1`, Object.entries(headers), body);
  const keptOpen = await openSocket(direct.url);
  const inquire = async (): Promise<string | undefined> => {
    const answer = new Promise<Buffer>((resolve) => keptOpen.once("data", resolve));
    keptOpen.write(inquiry);
    return parseResponses(await answer).answers[0]?.json.result["resultCode"];
  };
  assert.equal(await inquire(), "SUCCESS");
  const sockets: Socket[] = [];
  for (let count = 0; count < connectionsPerNetworkMax; count += 1)
    sockets.push(await openSocket(direct.url));
  await delay(100);
  assert.ok(sockets[0]?.destroyed || sockets[0]?.readableEnded, "The oldest is still open.");
  assert.ok(!sockets.at(-1)?.destroyed && !sockets.at(-1)?.readableEnded, "The newest is not open.");
  assert.equal(await inquire(), "SUCCESS");
  for (const socket of [...sockets, keptOpen]) socket.destroy();
  const throughProxy: Socket[] = [];
  for (let count = 0; count <= connectionsPerNetworkMax; count += 1)
    throughProxy.push(await openSocket(proxied.url));
  await delay(100);
  assert.ok(throughProxy.every(({ destroyed, readableEnded }) => !destroyed && !readableEnded));
  for (const socket of throughProxy) socket.destroy();
});

test("a checkout page has its own rate limit, independent of its address", async () => {
  const gateway = { ...direct, database, variables, environment: "sandbox" as const };
  const [one = "", other = ""] = await Promise.all(
    payments.map(({ paymentId }) => checkoutUrlOf(gateway, merchant.clientId, paymentId)),
  );
  const status = async (link: string): Promise<number> => (await fetch(`${link}/status`)).status;
  const statuses = await Promise.all(Array.from({ length: linkRate.burst + 20 }, () => status(one)));
  assert.ok(statuses.filter((each) => each === 200).length >= linkRate.burst);
  assert.ok(statuses.includes(503));
  assert.equal(await status(other), 200);
  assert.equal(await inquireAsMerchant(direct.url), "SUCCESS");
});

test("the reference page is the same compressed and plain, and is refused under overload", async () => {
  const plain = await fetch(`${direct.url}/docs`, { headers: { "accept-encoding": "identity" } });
  const compressed = await fetch(`${direct.url}/docs`, { headers: { "accept-encoding": "gzip" } });
  assert.equal(compressed.headers.get("content-encoding"), "gzip");
  assert.equal(await plain.text(), await compressed.text());

  const socket = await openSocket(direct.url);
  const received = new Promise<Buffer>((resolve) => socket.once("data", resolve));
  socket.write(rawRequest("GET /docs HTTP/1.1", [["host", "a"]]));
  // The gateway runs in the test's process, so blocking the event loop overloads the gateway.
  const untilMs = performance.now() + stallMaxMs + 150;
  while (performance.now() < untilMs);
  assert.match((await received).toString("latin1"), /^HTTP\/1\.1 503 .*\r\nretry-after: 5\r\n/s);
  socket.destroy();
});
