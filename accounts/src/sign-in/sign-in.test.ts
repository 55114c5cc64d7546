import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256 } from "../../../server/src/core/digest.ts";
import {
  registerPerson,
  setUpPassword,
  startTestAccounts,
  stepUp,
  type TestPerson,
} from "../../test/test-accounts.ts";
import type { Answer, TestBrowser } from "../../test/test-browser.ts";

const accounts = await startTestAccounts();

interface TypedCredentials {
  readonly email?: string;
  readonly password?: string;
  readonly code?: string;
}

/** `signIn` uses the person's password and code. If a code is given, the clock does not advance to create one. */
async function signIn(
  browser: TestBrowser,
  person: TestPerson,
  other: TypedCredentials = {},
): Promise<Answer> {
  const { email, password } = person;
  const code = other.code ?? person.code();
  return browser.post("/accounts/sign-in/password", { email, password, ...other, code });
}

test("address, password and code together sign in, and every wrong one gets the same refusal", async () => {
  const person = await registerPerson(accounts);
  const wrong = [
    { password: "another horse" },
    { code: "000000" },
    { email: "nobody@shop.example" },
    { email: "nobody@shop.example", code: "000000", password: "another horse" },
  ];
  const refusedAnswers = [];
  for (const other of wrong) refusedAnswers.push(await signIn(accounts.browser(), person, other));
  for (const { status, json, headers } of refusedAnswers) {
    assert.deepEqual([status, json["refusal"]], [401, "SIGN_IN_FAILED"]);
    assert.deepEqual(json, refusedAnswers[0]?.json);
    assert.equal(headers.get("set-cookie"), null);
  }
  const browser = accounts.browser();
  assert.equal((await signIn(browser, person)).status, 200);
  const account = await browser.get("/accounts/me");
  assert.equal(account.status, 200);
  const { personId } = account.json["person"] as { personId: string };
  const auditRows = await accounts.sql<{ act: string }>(
    "select act from audit where subject = $1 and act like 'sign-in%' order by seq",
    [personId],
  );
  assert.deepEqual(
    auditRows.map(({ act }) => act),
    ["sign-in.refuse", "sign-in.refuse", "sign-in"],
  );
});

test("a code is valid once (replay)", async () => {
  const person = await registerPerson(accounts);
  const code = person.code();
  assert.equal((await signIn(accounts.browser(), person, { code })).status, 200);
  assert.equal((await signIn(accounts.browser(), person, { code })).status, 401);
});

test("of nine concurrent sign-ins with one code, one succeeds", async () => {
  const person = await registerPerson(accounts);
  const code = person.code();
  const all = await Promise.all(
    Array.from({ length: 9 }, () => signIn(accounts.browser(), person, { code })),
  );
  assert.equal(all.filter(({ status }) => status === 200).length, 1);
});

const wrong = { password: "another horse", code: "000000" };

/** `refusalsOf` returns the responses to a number of wrong attempts in a row. */
async function refusalsOf(count: number, attempt: () => Promise<Answer>): Promise<readonly unknown[]> {
  const refusals = [];
  for (let tried = 0; tried < count; tried += 1) refusals.push((await attempt()).json["refusal"]);
  return refusals;
}

test("an account accepts ten wrong attempts in 15 minutes from one network, and other networks are not locked out", async () => {
  const person = await registerPerson(accounts);
  const outsider = accounts.browser();
  const refusals = await Promise.all(
    Array.from({ length: 15 }, async () => (await signIn(outsider, person, wrong)).json["refusal"]),
  );
  assert.equal(refusals.filter((refusal) => refusal === "SIGN_IN_FAILED").length, 10);
  assert.equal(refusals.filter((refusal) => refusal === "TRY_LATER").length, 5);
  assert.equal((await signIn(outsider, person)).json["refusal"], "TRY_LATER");
  assert.equal((await signIn(accounts.browser(), person)).status, 200);

  accounts.pass(15 * 60_000 + 40_000);
  assert.equal((await signIn(outsider, person)).status, 200);
});

/** `storeWrongAttempts` stores this many wrong attempts of an account from other networks. */
async function storeWrongAttempts(key: string, count: number): Promise<void> {
  await accounts.sql(
    "insert into tries (key, tried_at) select $1, array_agg($2::timestamptz - at * interval '1 ms') from generate_series(1, $3::int) at on conflict (key) do update set tried_at = excluded.tried_at",
    [sha256(key), accounts.now(), count],
  );
}

test("an account accepts a hundred wrong attempts in 15 minutes from all networks together", async () => {
  const person = await registerPerson(accounts);
  await storeWrongAttempts(`account ${person.email}`, 98);
  const refusals = await refusalsOf(4, () => signIn(accounts.browser(), person, wrong));
  assert.deepEqual(refusals, ["SIGN_IN_FAILED", "SIGN_IN_FAILED", "TRY_LATER", "TRY_LATER"]);
  assert.equal((await signIn(accounts.browser(), person)).json["refusal"], "TRY_LATER");
});

test("a known device has ten attempts of its own, even if the account has none left", async () => {
  const person = await registerPerson(accounts);
  const knownBrowser = accounts.browser();
  const { headers } = await signIn(knownBrowser, person);
  const cookie = headers.getSetCookie().find((each) => each.includes("-device="));
  assert.match(cookie ?? "", /; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=7776000$/);
  await knownBrowser.post("/accounts/sign-out", {});
  const device = knownBrowser.device();
  assert.ok(device);

  await storeWrongAttempts(`account ${person.email}`, 100);
  assert.equal((await signIn(accounts.browser(), person)).json["refusal"], "TRY_LATER");
  knownBrowser.move();
  assert.equal((await signIn(knownBrowser, person)).status, 200);
  assert.notEqual(knownBrowser.device(), device, "each sign-in renews it");
  const old = accounts.browser();
  old.useDevice(device);
  assert.equal((await signIn(old, person)).json["refusal"], "TRY_LATER");

  const refusals = await refusalsOf(12, () => signIn(knownBrowser, person, wrong));
  assert.deepEqual(refusals.slice(9), ["SIGN_IN_FAILED", "TRY_LATER", "TRY_LATER"]);
});

test("a known device has no attempts for another person, and none after 90 days", async () => {
  const [person, other] = [await registerPerson(accounts), await registerPerson(accounts)];
  const knownBrowser = accounts.browser();
  await signIn(knownBrowser, other);
  await storeWrongAttempts(`account ${person.email}`, 100);
  assert.equal((await signIn(knownBrowser, person)).json["refusal"], "TRY_LATER");

  accounts.pass(90 * 24 * 3_600_000);
  await storeWrongAttempts(`account ${other.email}`, 100);
  assert.equal((await signIn(knownBrowser, other)).json["refusal"], "TRY_LATER");
});

test("a new password removes all other known devices", async () => {
  const person = await registerPerson(accounts);
  const second = accounts.browser();
  await signIn(second, person);
  await stepUp(person);
  const renewed = { ...person, ...(await setUpPassword(accounts, person.browser)) };
  await storeWrongAttempts(`account ${person.email}`, 100);
  assert.equal((await signIn(second, renewed)).json["refusal"], "TRY_LATER");
  assert.equal((await signIn(person.browser, renewed)).status, 200);
});

test("an address without an account is limited in the same way", async () => {
  const guess = { email: "nobody-else@shop.example", ...wrong };
  const browser = accounts.browser();
  const refusals = await refusalsOf(12, () => browser.post("/accounts/sign-in/password", guess));
  assert.deepEqual(refusals.slice(9), ["SIGN_IN_FAILED", "TRY_LATER", "TRY_LATER"]);
});

const sprayPasswords = async (browser: TestBrowser, count: number, batch: string): Promise<number> => {
  const refusals = await Promise.all(
    Array.from({ length: count }, async (_, each) => {
      const guess = { email: `${batch}-${each}@shop.example`, password: "another horse", code: "000000" };
      return (await browser.post("/accounts/sign-in/password", guess)).json["refusal"];
    }),
  );
  const verifiedCount = refusals.filter((refusal) => refusal === "SIGN_IN_FAILED").length;
  assert.equal(refusals.filter((refusal) => refusal === "TRY_LATER").length, count - verifiedCount);
  return verifiedCount;
};

test("one network address can make a hundred attempts at many accounts in 15 minutes", async () => {
  const browser = accounts.browser();
  let verifiedCount = 0;
  for (const batch of ["a", "b", "c", "d"]) {
    verifiedCount += await sprayPasswords(browser, 30, batch);
    accounts.pass(10_000);
  }
  assert.equal(verifiedCount, 100);
});

test("a flood from one network address is rejected before the database, and other clients are not delayed", async () => {
  const person = await registerPerson(accounts);
  const code = person.code();
  const beganAtMs = performance.now();
  const flooding = sprayPasswords(accounts.browser(), 200, "flood");
  const signInResponse = await signIn(accounts.browser(), person, { code });
  assert.equal(signInResponse.status, 200);
  const verifiedCount = await flooding;
  // The rate limit admits a burst of forty requests, and ten more for each second that has passed.
  const verifiedMax = 41 + (performance.now() - beganAtMs) / 100;
  assert.ok(verifiedCount <= verifiedMax && verifiedCount < 200, `${verifiedCount}, at most ${verifiedMax}`);
});

test("a session that an attacker injected is not used after the sign-in (session fixation)", async () => {
  const [attacker, victim] = [await registerPerson(accounts), await registerPerson(accounts)];
  const browser = accounts.browser();
  browser.useToken(attacker.browser.token());
  await signIn(browser, victim);
  assert.notEqual(browser.token(), attacker.browser.token());
  assert.equal((await attacker.browser.get("/accounts/me")).json["refusal"], "NOT_SIGNED_IN");
});

test("re-authentication rotates the session token, and the old one becomes invalid", async () => {
  const person = await registerPerson(accounts);
  const before = person.browser.token();
  await stepUp(person);
  assert.notEqual(person.browser.token(), before);
  assert.equal((await person.browser.get("/accounts/me")).status, 200);
  const old = accounts.browser();
  old.useToken(before);
  assert.equal((await old.get("/accounts/me")).json["refusal"], "NOT_SIGNED_IN");
});

test("re-authentication with a wrong code fails, and is counted only for its session", async () => {
  const person = await registerPerson(accounts);
  const { password, browser } = person;
  const second = accounts.browser();
  await signIn(second, person);
  const refusals = await refusalsOf(11, () =>
    browser.post("/accounts/step-up/password", { password, code: "000000" }),
  );
  assert.deepEqual(refusals.slice(9), ["SIGN_IN_FAILED", "TRY_LATER"]);
  assert.equal((await browser.get("/accounts/me")).json["steppedUpAt"], undefined);
  assert.equal(
    (await second.post("/accounts/step-up/password", { password, code: person.code() })).status,
    200,
  );
});

test("an attacker's wrong attempts do not block re-authentication or a new password of a signed-in person", async () => {
  const person = await registerPerson(accounts);
  await storeWrongAttempts(`account ${person.email}`, 100);
  assert.equal((await signIn(accounts.browser(), person)).json["refusal"], "TRY_LATER");
  await stepUp(person);
  assert.ok((await person.browser.get("/accounts/me")).json["steppedUpAt"]);
  const before = person.browser.token();
  await setUpPassword(accounts, person.browser);
  assert.notEqual(person.browser.token(), before);
});

test("a session expires after 15 minutes without a request", async () => {
  const { browser } = await registerPerson(accounts);
  for (const _ of [1, 2, 3]) {
    accounts.pass(14 * 60_000);
    assert.equal((await browser.get("/accounts/me")).status, 200);
  }
  accounts.pass(15 * 60_000);
  assert.equal((await browser.get("/accounts/me")).json["refusal"], "NOT_SIGNED_IN");
});

test("a session expires after eight hours, despite activity and re-authentication", async () => {
  const person = await registerPerson(accounts);
  for (let minutes = 0; minutes < 8 * 60 - 10; minutes += 10) {
    accounts.pass(10 * 60_000);
    assert.equal((await person.browser.get("/accounts/me")).status, 200, `${minutes}`);
  }
  await stepUp(person);
  assert.equal((await person.browser.get("/accounts/me")).status, 200);
  accounts.pass(10 * 60_000);
  assert.equal((await person.browser.get("/accounts/me")).status, 401);
});

test("a person sees and ends own sessions, and no sessions of others", async () => {
  const person = await registerPerson(accounts);
  const second = accounts.browser();
  await signIn(second, person);
  const { json } = await person.browser.get("/accounts/sessions");
  const sessions = json["sessions"] as { sessionId: string; isThis: boolean; browser: string }[];
  assert.equal(sessions.length, 2);
  assert.equal(sessions[0]?.browser, "test browser");
  const other = sessions.find(({ isThis }) => !isThis);

  const outsider = await registerPerson(accounts);
  const denied = await outsider.browser.post("/accounts/sessions/end", { sessionId: other?.sessionId });
  assert.equal(denied.json["refusal"], "NOT_FOUND");
  assert.equal(
    (await person.browser.post("/accounts/sessions/end", { sessionId: other?.sessionId })).status,
    200,
  );
  assert.equal((await second.get("/accounts/me")).status, 401);
  assert.equal((await person.browser.get("/accounts/me")).status, 200);
});

test("signing out invalidates the session token on the server", async () => {
  const { browser } = await registerPerson(accounts);
  const token = browser.token();
  await browser.post("/accounts/sign-out", {});
  assert.equal(browser.token(), undefined);
  browser.useToken(token);
  assert.equal((await browser.get("/accounts/me")).status, 401);
});

test("a new password ends all other sessions", async () => {
  const person = await registerPerson(accounts);
  const second = accounts.browser();
  await signIn(second, person);
  const begin = { password: "a longer horse than before" };
  assert.equal(
    (await person.browser.post("/accounts/password/begin", begin)).json["refusal"],
    "STEP_UP_NEEDED",
  );
  await stepUp(person);

  await setUpPassword(accounts, person.browser);
  assert.equal((await second.get("/accounts/me")).status, 401);
  assert.equal((await person.browser.get("/accounts/me")).status, 200);
  assert.equal((await signIn(accounts.browser(), person)).status, 401);
});

test("a person gets an email when password and authenticator app change, and when a passkey is removed", async () => {
  const person = await registerPerson(accounts);
  const { personId } = (await person.browser.get("/accounts/me")).json["person"] as { personId: string };
  await stepUp(person);
  await setUpPassword(accounts, person.browser);
  const changed = await accounts.smtp.emailTo(person.email);
  assert.match(changed.subject, /sign-in methods of your Tollgate account changed/);
  assert.match(changed.text, /password and the authenticator app .* were set[^]*Network: 10\.[^]*recover/);

  await accounts.sql(
    `insert into passkeys (credential_id, person_id, public_key, counter, transports, name, created_at)
     values ($1, $1, '', 0, '{}', 'Laptop', now())`,
    [personId],
  );
  assert.equal(
    (await person.browser.post("/accounts/passkeys/remove", { credentialId: personId })).status,
    200,
  );
  assert.match((await accounts.smtp.emailTo(person.email)).text, /A passkey of your account was removed/);
});

test("a person who sets up the first credential with a link gets no notice", async () => {
  const { email } = await registerPerson(accounts);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(accounts.smtp.delivered.filter(({ to }) => to === email).length, 1);
});
