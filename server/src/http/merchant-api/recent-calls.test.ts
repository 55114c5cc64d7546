import assert from "node:assert/strict";
import { createHash, sign } from "node:crypto";
import { after, test } from "node:test";
import {
  call,
  inquiryPath,
  newMerchant,
  pathOf,
  prepareTestGateway,
  send,
  signedHeaders,
} from "../../../test/start/test-gateway.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  requestConsole,
  resultCodeOf,
  consoleVariables,
  personToken,
} from "../../../test/start/test-console.ts";
import { requestsMax } from "../../merchants/recent-call-cache.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const [merchant, other, flooded] = [
  await newMerchant(database),
  await newMerchant(database, "Tea Lab"),
  await newMerchant(database, "Busy Lab"),
];
// The gateway of these tests trusts a proxy that reports the caller's address, so that each test has its own address
// and rate limit.
const proxied = { ...consoleVariables, TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" };
const { url, stop } = await serve(readSettings({ ...variables, ...proxied }));
after(stop);

const path = pathOf("sandbox", inquiryPath);
const canary = "canary-4f1d";

type Json = Readonly<Record<string, unknown>>;

async function view(name: string, clientId: string, body: object = {}): Promise<Json> {
  const answer = await requestConsole(url, `views/${name}`, {
    token: personToken({ clientIds: [clientId] }),
    body,
  });
  assert.equal(resultCodeOf(answer), "SUCCESS", answer.text);
  return answer.json;
}

async function listOf(clientId: string): Promise<readonly Json[]> {
  return (await view("recentCalls", clientId))["calls"] as readonly Json[];
}

async function shown(clientId: string, requestId: unknown): Promise<Json> {
  return (await view("recentCall", clientId, { requestId }))["call"] as Json;
}

/** A request in a merchant's name, whose signature covers other bytes than it sends. */
function attempt(clientId: string, body: string, address: string, signature?: string) {
  const time = String(Date.now());
  const text = `POST ${path}\n${clientId}.${time}.${body}\n`;
  const bytes = sign("sha256", Buffer.from(text), merchant.privateKey).toString("base64");
  return send(url, {
    path,
    body,
    headers: {
      "client-id": clientId,
      "request-time": time,
      signature: signature ?? `algorithm=RSA256,keyVersion=1,signature=${encodeURIComponent(bytes)}`,
      "x-forwarded-for": address,
    },
  });
}

test("a request is visible at once, with its signed text, length and hash", async () => {
  const body = '{"paymentRequestId":"order-1"}';
  const headers = signedHeaders(merchant, { path, body });
  const answer = await send(url, { path, body, headers });
  const [newest] = await listOf(merchant.clientId);
  assert.equal(newest?.["requestId"], answer.headers["request-id"]);
  const found = await shown(merchant.clientId, newest?.["requestId"]);
  const text = `${String(found["signedHead"])}${String(found["requestBody"])}`;
  assert.equal(text, `POST ${path}\n${merchant.clientId}.${headers["request-time"]}.${body}`);
  assert.equal(found["signedBytes"], text.length);
  assert.equal(found["signedSha256"], createHash("sha256").update(text).digest("hex"));
  assert.equal(found["isProven"], true);
  assert.equal(found["answerBody"], answer.text);
});

test("secrets are masked in the shown body and query", async () => {
  const body = JSON.stringify({ paymentRequestId: "order-2", accessToken: canary });
  await call(url, merchant, { path: `${path}?key=${canary}`, body });
  const [newest] = await listOf(merchant.clientId);
  const found = await shown(merchant.clientId, newest?.["requestId"]);
  assert.ok(String(found["signedHead"]).includes("?…"));
  assert.ok(!JSON.stringify(found).includes(canary), JSON.stringify(found));
});

test("an unauthenticated request is shown as such, with the signature diagnosis, and is not stored", async () => {
  const body = JSON.stringify({ paymentRequestId: "order-3", accessToken: canary });
  const answer = await attempt(merchant.clientId, body, "198.51.100.3");
  assert.equal(answer.json.result["resultCode"], "INVALID_SIGNATURE");
  const [newest] = await listOf(merchant.clientId);
  assert.equal(newest?.["isProven"], false);
  const found = await shown(merchant.clientId, newest?.["requestId"]);
  assert.match(String(found["verdict"]), /the body with a line feed at its end/);
  assert.equal(found["network"], "198.51.100.3");
  assert.equal(found["signedBytes"], `${String(found["signedHead"])}${body}`.length);
  assert.ok(!JSON.stringify(found).includes(canary));
  const rows = await asSuperuser(
    "select 1 from request_log where request_id = $1",
    [newest?.["requestId"]],
    database.superuserUrl,
  );
  assert.equal(rows.length, 0);
});

test("of a body with a card number neither content nor hash is kept", async () => {
  await attempt(merchant.clientId, '{"cardNo":"4111111111111111"}', "198.51.100.4");
  const [newest] = await listOf(merchant.clientId);
  const found = await shown(merchant.clientId, newest?.["requestId"]);
  assert.equal(found["isProven"], false);
  assert.deepEqual(
    [found["requestBody"], found["answerBody"], found["signedSha256"], found["verdict"]],
    ["", "", undefined, undefined],
  );
});

test("a merchant cannot see another merchant's requests by any client id", async () => {
  const [own] = await listOf(merchant.clientId);
  assert.deepEqual(await listOf(other.clientId), []);
  assert.equal(await shown(other.clientId, own?.["requestId"]), undefined);
});

test("a flood in a merchant's name is kept within the limit for unauthenticated clients, and evicts no genuine request", async () => {
  const { headers } = await call(url, flooded, { path, body: '{"paymentRequestId":"mine"}' });
  // The test sends fewer requests than the list holds, so that only the rate limit drops some.
  const attempts = requestsMax - 1;
  for (let round = 0; round < attempts; round += 1)
    await attempt(flooded.clientId, "{}", `203.0.113.${round}`, "algorithm=RSA256,keyVersion=1,signature=AA");
  const calls = await listOf(flooded.clientId);
  const unauthenticatedCount = calls.filter(({ isProven }) => isProven === false).length;
  assert.ok(unauthenticatedCount > 0 && unauthenticatedCount < attempts, String(unauthenticatedCount));
  assert.ok(calls.some(({ requestId }) => requestId === headers["request-id"]));
});

test("live keeps no recent requests", async () => {
  const live = await prepareTestGateway("live");
  const liveMerchant = await newMerchant(live.database);
  const serving = await serve(readSettings({ ...live.variables, ...consoleVariables }));
  after(() => serving.stop());
  await call(serving.url, liveMerchant, { path: pathOf("live", inquiryPath), body: "{}" });
  const token = personToken({ aud: "live", clientIds: [liveMerchant.clientId] });
  const answer = await requestConsole(serving.url, "views/recentCalls", { token });
  assert.deepEqual(answer.json["calls"], []);
});
