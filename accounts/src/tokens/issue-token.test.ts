import assert from "node:assert/strict";
import { test } from "node:test";
import { isTokenProblem, readPersonToken } from "../../../server/src/people/person-token.ts";
import { givenMember, startTestAccounts } from "../../test/test-accounts.ts";
import { readTokenKey } from "./token-key.ts";

const accounts = await startTestAccounts();
const { kid } = await readTokenKey(accounts.variables["ACCOUNTS_TOKEN_KEY_FILE"] ?? "");
const keys = new Map([[kid, accounts.tokenPublicKey]]);
const readTokenAt = (
  text: unknown,
  audience: string,
  nowMs = accounts.now().getTime(),
): ReturnType<typeof readPersonToken> => readPersonToken(String(text), { audience, keys, nowMs });

test("a token contains person, organisation and role, for one environment, for one minute", async () => {
  const { browser, personId, organisationId } = await givenMember(accounts, {
    role: "developer",
    steppedUpAgoMs: 60_000,
  });
  const clients = [];
  for (const name of ["Web shop", "Till"])
    clients.push((await browser.post("/accounts/clients/sandbox", { name })).json["clientId"]);
  const { json } = await browser.post("/accounts/token", { environment: "sandbox" });
  const read = readTokenAt(json["token"], "sandbox");
  assert(!isTokenProblem(read), JSON.stringify(read));
  const { iat, exp, jti, stepUpAt = 0, ...claims } = read;
  assert.deepEqual(claims, {
    iss: accounts.url,
    aud: "sandbox",
    sub: personId,
    organisation: organisationId,
    kind: "merchant",
    clientIds: clients,
    role: "developer",
  });
  assert.equal(exp - iat, 60);
  assert.ok(Math.abs(iat - 60 - stepUpAt) <= 2);
  assert.match(jti, /^[0-9a-f-]{36}$/);

  assert.equal(readTokenAt(json["token"], "live"), "other audience");
  assert.equal(readTokenAt(json["token"], "sandbox", accounts.now().getTime() + 61_000), "expired");
  const next = await browser.post("/accounts/token", { environment: "sandbox" });
  const second = readTokenAt(next.json["token"], "sandbox");
  assert(!isTokenProblem(second) && second.jti !== jti);
});

test("live is available after a review, and by default only with a passkey", async () => {
  const { organisationId, browser } = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const withPassword = await givenMember(accounts, { role: "finance", organisationId, method: "password" });
  const live = { environment: "live" };
  assert.equal((await browser.post("/accounts/token", live)).json["refusal"], "LIVE_NOT_OPEN");
  assert.equal(
    (await browser.post("/accounts/clients/live", { name: "Shop" })).json["refusal"],
    "LIVE_NOT_OPEN",
  );

  await accounts.sql("update organisations set live_since = now() where organisation_id = $1", [
    organisationId,
  ]);

  const { json } = await browser.post("/accounts/clients/live", { name: "Shop" });
  assert.match(String(json["clientId"]), /^[0-9A-F]{24}$/);
  const read = readTokenAt((await browser.post("/accounts/token", live)).json["token"], "live");
  assert(!isTokenProblem(read));
  assert.deepEqual(read.clientIds, [json["clientId"]]);
  assert.equal((await withPassword.browser.post("/accounts/token", live)).json["refusal"], "PASSKEY_NEEDED");
  assert.equal((await withPassword.browser.post("/accounts/token", { environment: "sandbox" })).status, 200);
});

test("an operator's token carries no client", async () => {
  const { browser } = await givenMember(accounts, { role: "staff-operator" });
  for (const environment of ["sandbox", "live"]) {
    const read = readTokenAt(
      (await browser.post("/accounts/token", { environment })).json["token"],
      environment,
    );
    assert(!isTokenProblem(read), JSON.stringify(read));
    assert.deepEqual([read.kind, read.role, read.clientIds], ["staff", "staff-operator", []]);
  }
});

test("the developer role creates clients in the sandbox, and none in live", async () => {
  const { browser } = await givenMember(accounts, { role: "developer", steppedUpAgoMs: 0 });
  const { json } = await browser.post("/accounts/clients/sandbox", { name: "Shop" });
  assert.match(String(json["clientId"]), /^SANDBOX_[0-9A-F]{24}$/);
  assert.equal(
    (await browser.post("/accounts/clients/live", { name: "Shop" })).json["refusal"],
    "NOT_ALLOWED",
  );
});
