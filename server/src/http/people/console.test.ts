import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { after, test } from "node:test";
import { Client } from "pg";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  call,
  inquiryPath,
  newMerchant,
  pathOf,
  prepareTestGateway,
  send,
} from "../../../test/start/test-gateway.ts";
import {
  accountsKeyId,
  requestConsole,
  resultCodeOf,
  consoleVariables,
  staffOrigin,
  personToken,
  portalOrigin,
  type ConsoleRequest,
} from "../../../test/start/test-console.ts";
import { serve } from "../../processes/serve.ts";
import { readSettings } from "../../settings/settings.ts";
import { staffRoutes } from "../../staff-console/staff-routes.ts";
import { signPersonToken } from "../../people/person-token.ts";

const { database, variables } = await prepareTestGateway("sandbox");
const [coffee, flowers] = [await newMerchant(database, "Coffee Lab"), await newMerchant(database, "Flowers")];

async function start(settings: Readonly<Record<string, string>>): Promise<string> {
  const serving = await serve(readSettings({ ...variables, ...settings }));
  after(() => serving.stop());
  return serving.url;
}

const url = await start(consoleVariables);
const clientIds = [coffee.clientId];
const requestCode = async (request: ConsoleRequest, path = "views/payments"): Promise<string> =>
  resultCodeOf(await requestConsole(url, path, request));

test("without accounts there is no console, and the sandbox says so in the usual format", async () => {
  const without = await start({});
  const answer = await requestConsole(without, "views/payments", { token: personToken({ clientIds }) });
  assert.equal(answer.status, 404);
  assert.equal(resultCodeOf(answer), "NO_INTERFACE_DEF");
  assert.equal(answer.headers["access-control-allow-origin"], undefined);
});

test("a person with a valid token sees the merchant's records, and the response is not cached", async () => {
  const answer = await requestConsole(url, "views/payments", { token: personToken({ clientIds }) });
  assert.equal(answer.status, 200);
  const { ageSeconds, ...others } = answer.json;
  assert.equal(typeof ageSeconds, "number");
  assert.deepEqual(others, {
    result: { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." },
    payments: [],
  });
  assert.equal(answer.headers["cache-control"], "no-store");
  assert.equal(answer.headers["access-control-allow-origin"], portalOrigin);
  assert.match(answer.headers["request-id"] ?? "", /^req_/);
});

const now = Math.floor(Date.now() / 1000);
const otherKey = generateKeyPairSync("ed25519").privateKey;
const wellFormed = {
  iss: "accounts",
  aud: "sandbox",
  sub: "per_1",
  organisation: "org_1",
  kind: "merchant",
  clientIds,
  role: "owner",
  iat: now,
  exp: now + 60,
  jti: "n-1",
} as const;
const refusedTokens: Readonly<Record<string, readonly [token: string | undefined, words: RegExp]>> = {
  "none at all": [undefined, /Send the token/],
  "of the other environment": [personToken({ clientIds, aud: "live" }), /another environment/],
  "that has expired": [personToken({ clientIds, iat: now - 100, exp: now - 40 }), /expired/],
  "that lives too long": [personToken({ clientIds, exp: now + 3_600 }), /longer than a minute/],
  "with another key's signature": [
    signPersonToken(wellFormed, { kid: accountsKeyId, privateKey: otherKey }),
    /signature is invalid/,
  ],
  "of an unknown key": [signPersonToken(wellFormed, { kid: "2025", privateKey: otherKey }), /key/],
  "that is none": ["let-me-in", /malformed/],
};

for (const [what, [token, words]] of Object.entries(refusedTokens)) {
  test(`a token ${what} is rejected with an explanation`, async () => {
    const answer = await requestConsole(url, "views/payments", { token });
    assert.equal(resultCodeOf(answer), "TOKEN_INVALID");
    assert.match(answer.json.result["resultMessage"] ?? "", words);
    assert.match(answer.json.result["resultHint"] ?? "", /new token/);
  });
}

test("a request with two tokens is rejected", async () => {
  const one = `Bearer ${personToken({ clientIds })}`;
  assert.equal(await requestCode({ headers: { authorization: [one, one] } }), "TOKEN_INVALID");
});

test("only the portal's origin is accepted: no other page, no form, and no request without an origin", async () => {
  const token = personToken({ clientIds });
  for (const origin of [
    undefined,
    "https://evil.example",
    "null",
    `${portalOrigin}.evil.example`,
    "http://portal.example",
  ]) {
    const answer = await requestConsole(url, "views/payments", { token, headers: { origin } });
    assert.equal(resultCodeOf(answer), "ORIGIN_NOT_ALLOWED", origin);
    assert.match(answer.json.result["resultHint"] ?? "", /TOLLGATE_CONSOLE_ORIGINS/, origin);
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
  }
  const form = { "content-type": "application/x-www-form-urlencoded" };
  assert.equal(await requestCode({ token, headers: form, body: "a=b" }), "MEDIA_TYPE_NOT_ACCEPTABLE");
  assert.equal(await requestCode({ token, method: "PUT" }), "METHOD_NOT_SUPPORTED");
});

test("a browser's preflight succeeds for the portal, and gives other origins nothing", async () => {
  const preflight = (origin: string): ReturnType<typeof send> =>
    send(url, { method: "OPTIONS", path: "/console/views/payments", body: "", headers: { origin } });
  const { status, headers } = await preflight(portalOrigin);
  assert.equal(status, 204);
  assert.equal(headers["access-control-allow-origin"], portalOrigin);
  assert.equal(headers["access-control-allow-headers"], "authorization, client-id, content-type");
  assert.equal(headers["access-control-allow-credentials"], undefined);
  const otherOriginPreflight = await preflight("https://evil.example");
  assert.equal(otherOriginPreflight.headers["access-control-allow-origin"], undefined);
  assert.equal(otherOriginPreflight.headers["access-control-allow-headers"], undefined);
});

test("a person with several merchants must name one, and may name only its own", async () => {
  const both = personToken({ clientIds: [coffee.clientId, flowers.clientId] });
  assert.equal(await requestCode({ token: both }), "PARAM_ILLEGAL");
  assert.equal(await requestCode({ token: both, headers: { "client-id": flowers.clientId } }), "SUCCESS");
  const one = personToken({ clientIds });
  assert.equal(
    await requestCode({ token: one, headers: { "client-id": flowers.clientId } }),
    "UNKNOWN_CLIENT",
  );
  assert.equal(
    await requestCode({ token: one, headers: { "client-id": "SANDBOX_NOBODY" } }),
    "UNKNOWN_CLIENT",
  );
});

test("staff are rejected, and staff paths are unknown here, also with a valid token", async () => {
  const token = personToken({ role: "staff-admin" });
  const headers = { "client-id": coffee.clientId, origin: portalOrigin };
  assert.equal(await requestCode({ token, headers }), "ORIGIN_NOT_ALLOWED");
  assert.equal(
    await requestCode({ token, headers: { ...headers, origin: staffOrigin } }),
    "ORIGIN_NOT_ALLOWED",
  );
  for (const { name } of staffRoutes)
    assert.equal(await requestCode({ token, headers }, `staff/${name}`), "NO_INTERFACE_DEF", name);
});

test("a token may be used for any number of views, but for only one act", async () => {
  const token = personToken({ clientIds });
  for (let times = 0; times < 3; times += 1) assert.equal(await requestCode({ token }), "SUCCESS");
  const refund = {
    request: { refundRequestId: "r-1", paymentId: "none", refundAmount: { currency: "EUR", value: "1" } },
  };
  assert.equal(await requestCode({ token, body: { request: {} } }, "acts/refund"), "PARAM_ILLEGAL");
  assert.equal(await requestCode({ token, body: refund }, "acts/refund"), "ORDER_NOT_EXIST");
  assert.equal(await requestCode({ token, body: refund }, "acts/refund"), "TOKEN_USED");
  assert.equal(await requestCode({ token }), "SUCCESS");
});

test("an unknown view or act, and an invalid body, get different rejections", async () => {
  const token = personToken({ clientIds });
  assert.equal(await requestCode({ token }, "views/secrets"), "NO_INTERFACE_DEF");
  assert.equal(await requestCode({ token }, "acts/pay"), "NO_INTERFACE_DEF");
  assert.equal(await requestCode({ token, body: "{" }), "PARAM_ILLEGAL");
  assert.equal(await requestCode({ token, body: { limit: 251 } }), "PARAM_ILLEGAL");
  assert.equal(
    await requestCode({ token, body: { createdFrom: "2026-02-31T00:00:00+00:00" } }),
    "PARAM_ILLEGAL",
  );
  const card = { reason: "The card was 4111 1111 1111 1111.", request: { paymentRequestId: "p-1" } };
  const refused = await requestConsole(url, "acts/cancel", { token, body: card });
  assert.equal(refused.json.result["resultField"], "reason");
  assert.match(refused.json.result["resultMessage"] ?? "", /Card data/);
});

test("people of a suspended merchant can still view everything, but change nothing", async () => {
  const { clientId } = await newMerchant(database, "Suspended");
  await asSuperuser(
    "update clients set status = 'SUSPENDED' where client_id = $1",
    [clientId],
    database.superuserUrl,
  );
  const token = personToken({ clientIds: [clientId] });
  assert.equal(await requestCode({ token }), "SUCCESS");
  const body = { request: { paymentRequestId: "p-1" } };
  assert.equal(await requestCode({ token, body }, "acts/cancel"), "INVALID_CLIENT_STATUS");
});

test("a person above the rate limit has to wait", async () => {
  const token = personToken({ clientIds });
  const codes = await Promise.all(Array.from({ length: 14 }, () => requestCode({ token })));
  assert.ok(codes.every((code) => code === "SUCCESS" || code === "REQUEST_TRAFFIC_EXCEED_LIMIT"));
  for (let times = 0; times < 200; times += 1) {
    const answer = await requestConsole(url, "views/keys", { token });
    if (resultCodeOf(answer) === "SUCCESS") continue;
    assert.equal(resultCodeOf(answer), "REQUEST_TRAFFIC_EXCEED_LIMIT");
    assert.ok(Number(answer.headers["retry-after"]) > 0);
    return;
  }
  assert.fail("No request was rate-limited.");
});

test("a console without the portal's origin, or with invalid keys, does not start", async () => {
  const { TOLLGATE_ACCOUNTS_KEYS_FILE } = consoleVariables;
  await assert.rejects(start({ TOLLGATE_ACCOUNTS_KEYS_FILE }), /TOLLGATE_CONSOLE_ORIGINS/);
  await assert.rejects(
    start({ ...consoleVariables, TOLLGATE_ACCOUNTS_KEYS_FILE: "/none" }),
    /ACCOUNTS_KEYS_FILE/,
  );
  await assert.rejects(
    start({ ...consoleVariables, TOLLGATE_CONSOLE_ORIGINS: "portal.example" }),
    /must be origins/,
  );
});

test("a slow list times out, and does not delay a merchant's system", async () => {
  const blocker = new Client({ connectionString: database.superuserUrl });
  await blocker.connect();
  try {
    await blocker.query("begin");
    await blocker.query("lock table refunds in access exclusive mode");
    const waiting = Array.from({ length: 12 }, () =>
      requestCode({ token: personToken({ clientIds }) }, "views/refunds"),
    );
    const path = pathOf("sandbox", inquiryPath);
    const startedMs = performance.now();
    const answer = await call(url, coffee, { path, body: '{"paymentRequestId":"none"}' });
    assert.equal(answer.json.result["resultCode"], "ORDER_NOT_EXIST");
    assert.ok(performance.now() - startedMs < 1_500);
    const codes = await Promise.all(waiting);
    assert.deepEqual([...new Set(codes)], ["VIEW_TOO_SLOW"]);
  } finally {
    await blocker.end();
  }
  assert.equal(await requestCode({ token: personToken({ clientIds }) }, "views/refunds"), "SUCCESS");
});

test("an act fails if its audit row cannot be written, and a rejection writes none", async () => {
  const rows = (text: string): Promise<readonly object[]> => asSuperuser(text, [], database.superuserUrl);
  const token = (): string => personToken({ clientIds });
  const cancel = { request: { paymentRequestId: "unheard-of" } };
  const columns = "actor_kind, actor, role, act, subject, about_client, reason, before, after";
  await rows("revoke insert on audit from tollgate_app");
  try {
    assert.equal(await requestCode({ token: token(), body: cancel }, "acts/cancel"), "UNKNOWN_EXCEPTION");
  } finally {
    await rows(`grant insert (${columns}) on audit to tollgate_app`);
  }
  assert.deepEqual(await rows("select from payments where payment_request_id = 'unheard-of'"), []);
  const unknown = { request: { paymentId: "none" } };
  assert.equal(await requestCode({ token: token(), body: unknown }, "acts/cancel"), "ORDER_NOT_EXIST");
  assert.deepEqual(await rows("select from audit where act = 'payments/cancel'"), []);
  assert.equal(await requestCode({ token: token(), body: cancel }, "acts/cancel"), "SUCCESS");
  assert.equal((await rows("select from audit where act = 'payments/cancel'")).length, 1);
});
