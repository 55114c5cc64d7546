import assert from "node:assert/strict";
import { test } from "node:test";
import { addConnector } from "../operators/providers/connector-settings.ts";
import { formatWireTime } from "../core/request-time.ts";
import { assertSuccess, resultOf, startAuthorizationStack } from "../../test/shop/test-authorization.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { eventually } from "../../test/start/test-process.ts";
import { providerSecretsOf, startPlainProvider } from "../../test/start/test-agreement-provider.ts";
import { isWebhookSigned } from "../../test/start/test-shop.ts";

const stack = await startAuthorizationStack(async ({ database, provider }) => {
  const connectorOptions = { partnerId: "tollgate", publicKeyFile: provider.publicKeyFile, simulator: true };
  for (const more of [
    { name: "gone", url: "http://127.0.0.1:9", paymentMethodTypes: ["GONE"] },
    { name: "plain", ...(await startPlainProvider()), paymentMethodTypes: ["PLAIN"] },
  ])
    await addConnector(database.ownerUrl, "sandbox", { ...connectorOptions, ...more });
});
const { first, shop, provider, database } = stack;

const path = (name: string): string => `authorizations/${name}`;
const query = async (accessToken: string): Promise<unknown> => {
  const { json } = await first.request(path("query"), { accessToken });
  return json["tokenStatusType"] ?? json.result["resultCode"];
};

/** Entries of the provider's journal about a consent. */
function linesOf(authState: string): readonly string[] {
  const lines = provider.effects();
  const openedLine = lines.find(
    ({ authorization }) => (authorization as { authState?: string })?.authState === authState,
  );
  return lines
    .filter(({ reference }) => reference !== undefined && reference === openedLine?.["reference"])
    .map(({ kind, outcome, state }) => [kind, outcome ?? state].filter(Boolean).join(" "));
}

test("the merchant gets a webhook when the buyer agrees, when the token is issued, and when the buyer cancels", async () => {
  const { json } = assertSuccess(await first.consult("happy", { authClientId: "secondary" }));
  assert.match(String(json["normalUrl"]), /\/authorize\//);
  assert.equal(json["authUrl"], json["normalUrl"]);
  const { authCode, redirectUrl } = await provider.authorization("happy", "agree");
  assert.equal(redirectUrl, `https://shop.example/linked?basket=7&authCode=${authCode}&authState=happy`);
  const created = await shop.waitForAuthorization({ authorizationNotifyType: "AUTHCODE_CREATED", authCode });
  const applied = assertSuccess(await first.apply(authCode));
  const { accessToken, userLoginId } = applied.json;
  assert.match(String(applied.json["accessTokenExpiryTime"]), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
  const token = await shop.waitForAuthorization({ authorizationNotifyType: "TOKEN_CREATED", accessToken });
  assert.equal(await query(String(accessToken)), "ACTIVE");
  await provider.authorization("happy", "cancel", { reason: "Too dear." });
  const canceled = await shop.waitForAuthorization({
    authorizationNotifyType: "TOKEN_CANCELED",
    accessToken,
  });

  const result = { resultCode: "SUCCESS", resultStatus: "S", resultMessage: "success." };
  const always = { authClientId: "secondary", result };
  const authState = "happy";
  assert.deepEqual(
    [created, token, canceled].map(({ json: told }) => told),
    [
      { authorizationNotifyType: "AUTHCODE_CREATED", authCode, authState, ...always, sequence: 2 },
      {
        authorizationNotifyType: "TOKEN_CREATED",
        accessToken,
        authState,
        userLoginId,
        ...always,
        sequence: 3,
      },
      { authorizationNotifyType: "TOKEN_CANCELED", accessToken, reason: "Too dear.", ...always, sequence: 4 },
    ],
  );
  for (const webhook of [created, token, canceled])
    assert.ok(isWebhookSigned(webhook, first.merchant.gatewayPublicKey));
  assert.equal(await query(String(accessToken)), "CANCELED");
  const events = await asSuperuser<{ line: string }>(
    `select e.sequence || ' ' || e.status as line from authorization_events as e
     join authorizations as a using (bucket, authorization_id) where a.auth_state = 'happy' order by e.sequence`,
    [],
    database.superuserUrl,
  );
  assert.deepEqual(
    events.map(({ line }) => line),
    ["1 ASKED", "2 AGREED", "3 ACTIVE", "4 CANCELED"],
  );
});

test("webhooks about codes and tokens are in the event feed, and a resend has the same bytes", async () => {
  const { accessToken } = await first.obtainTokens("resent");
  const token = { authorizationNotifyType: "TOKEN_CREATED", accessToken };
  const told = await shop.waitForAuthorization(token);
  interface Event {
    readonly notificationId: string;
    readonly body: string;
  }
  const event = await eventually(
    10_000,
    async () => {
      const { json } = assertSuccess(await first.request("tollgate/inquiryEvents", { limit: 500 }));
      return (json["events"] as readonly Event[]).find(({ body }) => body === told.text);
    },
    (found) => found !== undefined,
  );
  const { notificationId } = event ?? {};
  assertSuccess(await first.request("tollgate/resendNotifications", { notificationId }));
  const repeated = await eventually(
    10_000,
    async () => shop.all().filter(({ text }) => text === told.text),
    (all) => all.length === 2,
  );
  assert.ok(repeated.every((each) => isWebhookSigned(each, first.merchant.gatewayPublicKey)));
});

test("without its own URL a consent uses the merchant's default webhook URL", async () => {
  const linker = await stack.newConsentClient();
  const endpoints = [{ notificationKind: "notifyAuthorization", url: shop.notifyUrl }];
  const changed = await linker.request("tollgate/changeEndpoints", { notifyUrls: endpoints });
  assert.equal(resultOf(changed), "SUCCESS", changed.text);
  const { accessToken } = await linker.obtainTokens("configured", { authNotifyUrl: undefined });
  const told = await shop.waitForAuthorization({ authorizationNotifyType: "TOKEN_CREATED", accessToken });
  assert.ok(isWebhookSigned(told, linker.merchant.gatewayPublicKey));
});

test("both forms of the buyer's device are accepted, and a missing field is named", async () => {
  const older = { env: undefined, terminalType: "WAP", osType: "IOS", osVersion: "18.1" };
  assertSuccess(await first.consult("older-form", older));
  assertSuccess(await first.consult("phone", { env: { terminalType: "APP", osType: "ANDROID" } }));
  for (const [field, more] of [
    ["env", { env: undefined }],
    ["env.osType", { env: { terminalType: "APP" } }],
    ["osType", { env: undefined, terminalType: "WAP" }],
    ["scopes", { scopes: [] }],
    ["scopes", { scopes: ["EVERYTHING"] }],
    ["authRedirectUrl", { authRedirectUrl: `https://shop.example/${"x".repeat(1024)}` }],
    ["authState", { authState: "x".repeat(257) }],
  ] as const) {
    const { json } = await first.consult(`without-${field}`, more);
    assert.equal(json.result["resultCode"], "PARAM_ILLEGAL");
    assert.ok(json.result["resultField"]?.startsWith(field), `${json.result["resultField"]} for ${field}`);
  }
});

test("a repeated consult returns the same page, and other content is refused", async () => {
  const { json } = assertSuccess(await first.consult("twice"));
  const pages = await Promise.all(Array.from({ length: 10 }, () => first.consult("twice")));
  assert.ok(pages.every((page) => page.json["normalUrl"] === json["normalUrl"]));
  for (const more of [{ customerBelongsTo: "DANA" }, { scopes: ["USER_INFO"] }, { authClientId: "else" }])
    assert.equal(resultOf(await first.consult("twice", more)), "REPEAT_REQ_INCONSISTENT");
  assert.deepEqual(linesOf("twice"), ["authorize opened"]);
});

test("payment methods that are unknown, unreachable or without agreements are each refused with their own code", async () => {
  assert.equal(resultOf(await first.consult("nobody", { customerBelongsTo: "MPAY" })), "NO_PAY_OPTIONS");
  const plain = await first.consult("plain", { customerBelongsTo: "PLAIN" });
  assert.equal(resultOf(plain), "PAYMENT_METHOD_NOT_SUPPORTED", plain.text);
  const seen: string[] = [];
  for (let index = 0; index < 20 && seen.at(-1) !== "UNAVAILABLE_PAYMENT_METHOD"; index += 1)
    seen.push(resultOf(await first.consult(`gone-${index}`, { customerBelongsTo: "GONE" })));
  assert.deepEqual([...new Set(seen)], ["UNKNOWN_EXCEPTION", "UNAVAILABLE_PAYMENT_METHOD"]);
});

test("a declined consent is final, and the same authState is not sent again", async () => {
  assertSuccess(await first.consult("declined"));
  await provider.authorization("declined", "decline");
  await eventually(
    10_000,
    async () => resultOf(await first.consult("declined")),
    (code) => code === "AUTH_CANCELLED",
  );
  assertSuccess(await first.consult("declined-2"));
});

test("lost responses of the provider cause no second consent and no second agreement", async () => {
  await provider.fault({ kind: "answer-lost", match: { verb: "authorize" } });
  assert.equal(resultOf(await first.consult("lost")), "UNKNOWN_EXCEPTION");
  await eventually(
    10_000,
    async () => resultOf(await first.consult("lost")),
    (code) => code === "SUCCESS",
  );
  const { authCode } = await provider.authorization("lost", "agree");
  stack.secrets.add(authCode);
  await provider.fault({ kind: "answer-lost", match: { verb: "exchange-code" } });
  assert.equal(resultOf(await first.apply(authCode)), "AUTH_IN_PROCESS");
  const applied = await eventually(
    10_000,
    () => first.apply(authCode),
    (answer) => resultOf(answer) === "SUCCESS",
  );
  assert.equal(await query(String(applied.json["accessToken"])), "ACTIVE");
  assert.deepEqual(
    linesOf("lost").filter((line) => !/callback|fault/.test(line)),
    [
      "authorize opened",
      "authorize repeated",
      "authorization-changed AGREED",
      "exchange-code done",
      "authorization-changed ACTIVE",
      "exchange-code repeated",
    ],
  );
});

test("a code works before the provider's callback about it has arrived", async () => {
  assertSuccess(await first.consult("early"));
  await provider.fault({ kind: "callback-drop", count: 3, match: { verb: "callback" } });
  const { authCode } = await provider.authorization("early", "agree");
  stack.secrets.add(authCode);
  const { json } = assertSuccess(await first.apply(authCode));
  const token = { authorizationNotifyType: "TOKEN_CREATED", accessToken: json["accessToken"] };
  assert.equal((await shop.waitForAuthorization(token)).json["sequence"], 2);
});

test("if the provider's callback about a code is lost, an inquiry finds it, and the merchant gets the webhook", async () => {
  const linker = await stack.newConsentClient();
  assertSuccess(await linker.consult("unheard"));
  await provider.fault({ kind: "callback-drop", count: 5, match: { verb: "callback" } });
  const { authCode } = await provider.authorization("unheard", "agree");
  stack.secrets.add(authCode);
  await linker.advance(31);
  const told = await shop.waitForAuthorization({ authorizationNotifyType: "AUTHCODE_CREATED", authCode });
  assert.equal(told.json["sequence"], 2);
});

test("codes that are unknown, of another merchant, of another provider or in a wrong request are refused", async () => {
  const apply = path("applyToken");
  const code = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH" };
  const refreshing = { grantType: "REFRESH_TOKEN", customerBelongsTo: "GCASH" };
  assert.equal(await first.codeOf(apply, { ...code, authCode: "no-such-code" }), "INVALID_AUTHCODE");
  assert.equal(await first.codeOf(apply, code), "PARAM_ILLEGAL");
  assert.equal(await first.codeOf(apply, refreshing), "PARAM_ILLEGAL");
  assert.equal(await first.codeOf(apply, { ...code, grantType: "PASSWORD" }), "PARAM_ILLEGAL");
  assert.equal(
    await first.codeOf(apply, { ...code, customerBelongsTo: "MPAY", authCode: "x" }),
    "NO_PAY_OPTIONS",
  );
  assert.equal(await first.codeOf(apply, { ...refreshing, refreshToken: "none" }), "INVALID_REFRESH_TOKEN");

  const authCode = await first.obtainAuthCode("guarded");
  await shop.waitForAuthorization({ authorizationNotifyType: "AUTHCODE_CREATED", authCode });
  const other = await stack.newConsentClient();
  assert.equal(resultOf(await other.apply(authCode)), "INVALID_AUTHCODE");
  assert.equal(resultOf(await first.apply(authCode, { customerBelongsTo: "DANA" })), "INVALID_AUTHCODE");
  // The rejected requests have not used up the code.
  assertSuccess(await first.apply(authCode));
});

test("consents, codes and tokens expire on the merchant's clock", async () => {
  const linker = await stack.newConsentClient();
  assertSuccess(await linker.consult("slow-buyer"));
  const authCode = await linker.obtainAuthCode("slow-merchant");
  await shop.waitForAuthorization({ authorizationNotifyType: "AUTHCODE_CREATED", authCode });
  const tokens = await linker.obtainTokens("long-lived");
  await linker.advance(9 * 60);
  const repeated = assertSuccess(await linker.apply(tokens.authCode));
  assert.equal(repeated.json["accessToken"], tokens.accessToken);
  await linker.advance(2 * 60);
  assert.equal(resultOf(await linker.apply(authCode)), "AUTH_CODE_EXPIRED");
  assert.equal(resultOf(await linker.apply(tokens.authCode)), "INVALID_AUTHCODE");
  await linker.advance(20 * 60);
  assert.equal(resultOf(await linker.consult("slow-buyer")), "AUTH_EXPIRED");
  assert.equal(resultOf(await linker.consult("slow-merchant")), "AUTH_EXPIRED");

  await linker.advance(31 * 24 * 3600);
  const queried = await linker.request(path("query"), { accessToken: tokens.accessToken });
  assert.equal(queried.json["tokenStatusType"], "EXPIRED");
  assert.equal(queried.json["refreshToken"], tokens.refreshToken);
  assert.equal(resultOf(await linker.pay("expired", tokens.accessToken)), "EXPIRED_ACCESS_TOKEN");
  assert.equal(
    await linker.codeOf(path("revoke"), { accessToken: tokens.accessToken }),
    "INVALID_ACCESS_TOKEN",
  );
  const refreshed = assertSuccess(await linker.refresh(tokens.refreshToken));
  const { accessToken, refreshToken } = refreshed.json;
  assert.equal(resultOf(await linker.pay("refreshed", String(accessToken))), "SUCCESS");
  for (const _ of [1, 2]) await linker.advance(183 * 24 * 3600);
  assert.equal(resultOf(await linker.refresh(String(refreshToken))), "INVALID_REFRESH_TOKEN");
  assert.equal(resultOf(await linker.pay("too-late", String(accessToken))), "EXPIRED_ACCESS_TOKEN");
  // The provider was requested to revoke, because the tokens or the consent pages have expired.
  for (const authState of ["long-lived", "slow-buyer", "slow-merchant"])
    assert.ok(linesOf(authState).includes("revoke done"), authState);
});

test("a refresh token is valid once, and its pair replaces the previous pair when it is used", async () => {
  const previous = await first.obtainTokens("rotating");
  const pairs = await Promise.all(Array.from({ length: 10 }, () => first.refresh(previous.refreshToken)));
  const [fresh] = pairs;
  assert(fresh);
  assertSuccess(fresh);
  assert.ok(pairs.every((pair) => pair.json["accessToken"] === fresh.json["accessToken"]));
  assert.notEqual(fresh.json["accessToken"], previous.accessToken);
  // A merchant that lost the response to a refresh can still use the old pair.
  assert.equal(await query(previous.accessToken), "ACTIVE");
  assert.equal(
    resultOf(await first.refresh(previous.refreshToken, { customerBelongsTo: "DANA" })),
    "INVALID_REFRESH_TOKEN",
  );
  const newest = assertSuccess(await first.refresh(String(fresh.json["refreshToken"])));
  assert.equal(await query(previous.accessToken), "INVALID_ACCESS_TOKEN");
  assert.equal(resultOf(await first.refresh(previous.refreshToken)), "INVALID_REFRESH_TOKEN");
  assertSuccess(await first.pay("by-newest", String(newest.json["accessToken"])));
  assert.equal(await query(String(fresh.json["accessToken"])), "INVALID_ACCESS_TOKEN");
  assert.equal(resultOf(await first.refresh(String(fresh.json["refreshToken"]))), "INVALID_REFRESH_TOKEN");
  const other = await stack.newConsentClient();
  const theirs = await other.refresh(String(newest.json["refreshToken"]));
  assert.equal(resultOf(theirs), "INVALID_REFRESH_TOKEN");
});

test("a revoke invalidates both tokens once and reaches the provider, and the merchant gets no webhook", async () => {
  const { accessToken, refreshToken } = await first.obtainTokens("revoked");
  const other = await stack.newConsentClient();
  assert.equal(await other.codeOf(path("revoke"), { accessToken }), "INVALID_ACCESS_TOKEN");
  assert.equal(await other.codeOf(path("query"), { accessToken }), "INVALID_ACCESS_TOKEN");
  const codes = await Promise.all(
    Array.from({ length: 10 }, () => first.codeOf(path("revoke"), { accessToken })),
  );
  assert.deepEqual(codes.toSorted().slice(-2), ["INVALID_ACCESS_TOKEN", "SUCCESS"]);
  assert.equal(await query(accessToken), "REVOKED");
  assert.equal(resultOf(await first.refresh(refreshToken)), "INVALID_REFRESH_TOKEN");
  assert.equal(resultOf(await first.consult("revoked")), "AUTH_CANCELLED");
  assert.equal(linesOf("revoked").filter((line) => line === "revoke done").length, 1);
  await assert.rejects(provider.authorization("revoked", "cancel"), /REVOKED/);
  assert.ok(
    !shop
      .all()
      .some(
        ({ json }) =>
          json["authorizationNotifyType"] === "TOKEN_CANCELED" && json["accessToken"] === accessToken,
      ),
  );
  assert.equal(await query("no-such-token"), "INVALID_ACCESS_TOKEN");
});

test("a callback with an invalid signature is ignored", async () => {
  assertSuccess(await first.consult("forged"));
  const [row] = await asSuperuser<{ id: string; reference: string }>(
    "select authorization_id as id, reference from authorizations where auth_state = 'forged'",
    [],
    database.superuserUrl,
  );
  assert(row);
  const authorization = { reference: row.reference, state: "AGREED", authCode: "forged-code" };
  const body = JSON.stringify({ eventId: "forged-1", reference: row.reference, authorization });
  const gateway = stack.variables["TOLLGATE_PUBLIC_URL"] ?? "";
  const address = `${gateway}/providers/test-provider/callbacks/${first.merchant.clientId}/${row.id}`;
  const headers = {
    "client-id": "tollgate",
    "request-time": formatWireTime(Date.now()),
    signature: "algorithm=RSA256,keyVersion=1,signature=AAAA",
  };
  const response = await fetch(address, { method: "POST", body, headers });
  assert.match(await response.text(), /INVALID_SIGNATURE/);
});

test("no code and no token is in plain text in the database, the logs or the provider's journal", async () => {
  const tables = await asSuperuser<{ name: string }>(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    [],
    database.superuserUrl,
  );
  // The gateway writes the request log shortly after the responses, so the test waits.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const texts = [stack.processOutput(), JSON.stringify(provider.effects())];
  for (const { name } of tables) {
    const rows = await asSuperuser<{ line: string }>(
      `select t::text as line from ${name} as t`,
      [],
      database.superuserUrl,
    );
    texts.push(rows.map(({ line }) => line).join("\n"));
  }
  const all = texts.join("\n");
  assert.match(all, /authorizations\/applyToken/);
  for (const secret of providerSecretsOf(provider)) stack.secrets.add(secret);
  assert.ok(stack.secrets.size > 40, `${stack.secrets.size} secrets`);
  for (const secret of stack.secrets) {
    assert.ok(!all.includes(secret), "in the clear");
    assert.ok(!all.includes(Buffer.from(secret).toString("hex")), "as bytes");
  }
});
