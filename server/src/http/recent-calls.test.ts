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
} from "../../test/start/test-gateway.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { askConsole, codeOf, consoleVariables, personToken } from "../../test/start/test-people.ts";
import { callsMax } from "../merchants/recent-call-book.ts";
import { serve } from "../commands/serve.ts";
import { readSettings } from "../commands/settings.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const [merchant, other, flooded] = [
  await newMerchant(database),
  await newMerchant(database, "Tea Lab"),
  await newMerchant(database, "Busy Lab"),
];
// Behind a proxy that says who calls, so that each test has an address, and a budget, of its own.
const proxied = { ...consoleVariables, TOLLGATE_TRUSTED_PROXIES: "127.0.0.0/8" };
const { url, stop } = await serve(readSettings({ ...variables, ...proxied }));
after(stop);

const path = pathOf("sandbox", inquiryPath);
const canary = "canary-4f1d";

type Json = Readonly<Record<string, unknown>>;

async function view(name: string, clientId: string, body: object = {}): Promise<Json> {
  const answer = await askConsole(url, `views/${name}`, {
    token: personToken({ clientIds: [clientId] }),
    body,
  });
  assert.equal(codeOf(answer), "SUCCESS", answer.text);
  return answer.json;
}

async function listOf(clientId: string): Promise<readonly Json[]> {
  return (await view("recentCalls", clientId))["calls"] as readonly Json[];
}

async function shown(clientId: string, requestId: unknown): Promise<Json> {
  return (await view("recentCall", clientId, { requestId }))["call"] as Json;
}

/** An attempt in a merchant's name, by somebody who signs other bytes than it sends. */
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

test("a call is seen at once, with the text that was signed, its length and its hash", async () => {
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

test("secrets are struck out, in what is shown of a call and of its query", async () => {
  const body = JSON.stringify({ paymentRequestId: "order-2", accessToken: canary });
  await call(url, merchant, { path: `${path}?key=${canary}`, body });
  const [newest] = await listOf(merchant.clientId);
  const found = await shown(merchant.clientId, newest?.["requestId"]);
  assert.ok(String(found["signedHead"]).includes("?…"));
  assert.ok(!JSON.stringify(found).includes(canary), JSON.stringify(found));
});

test("an attempt that is not proven is shown as such, with the doctor's verdict, and leaves no row", async () => {
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

test("nobody sees another merchant's calls, whatever id it asks for", async () => {
  const [own] = await listOf(merchant.clientId);
  assert.deepEqual(await listOf(other.clientId), []);
  assert.equal(await shown(other.clientId, own?.["requestId"]), undefined);
});

test("a flood in a merchant's name is remembered within the strangers' budget, and drives out no call of its own", async () => {
  const { headers } = await call(url, flooded, { path, body: '{"paymentRequestId":"mine"}' });
  // Fewer than are kept, so that it is the budget which leaves some out.
  const attempts = callsMax - 1;
  for (let round = 0; round < attempts; round += 1)
    await attempt(flooded.clientId, "{}", `203.0.113.${round}`, "algorithm=RSA256,keyVersion=1,signature=AA");
  const calls = await listOf(flooded.clientId);
  const unproven = calls.filter(({ isProven }) => isProven === false).length;
  assert.ok(unproven > 0 && unproven < attempts, String(unproven));
  assert.ok(calls.some(({ requestId }) => requestId === headers["request-id"]));
});

test("live remembers nothing of it", async () => {
  const live = await prepareTestGateway("live");
  const liveMerchant = await newMerchant(live.database);
  const serving = await serve(readSettings({ ...live.variables, ...consoleVariables }));
  after(() => serving.stop());
  await call(serving.url, liveMerchant, { path: pathOf("live", inquiryPath), body: "{}" });
  const token = personToken({ aud: "live", clientIds: [liveMerchant.clientId] });
  const answer = await askConsole(serving.url, "views/recentCalls", { token });
  assert.deepEqual(answer.json["calls"], []);
});
