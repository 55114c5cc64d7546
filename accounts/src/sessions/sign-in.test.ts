import assert from "node:assert/strict";
import { test } from "node:test";
import {
  registered,
  setUpPassword,
  startTestAccounts,
  stepUp,
  type TestPerson,
} from "../../test/test-accounts.ts";
import type { Answer, TestBrowser } from "../../test/test-browser.ts";

const accounts = await startTestAccounts();

interface Typed {
  readonly email?: string;
  readonly password?: string;
  readonly code?: string;
}

/** What a person types; a code that is given is not made, so that no time passes. */
async function signIn(browser: TestBrowser, person: TestPerson, other: Typed = {}): Promise<Answer> {
  const { email, password } = person;
  const code = other.code ?? person.code();
  return browser.post("/accounts/sign-in/password", { email, password, ...other, code });
}

test("address, password and code together sign in, and whatever is wrong is told alike", async () => {
  const person = await registered(accounts);
  const wrong = [
    { password: "another horse" },
    { code: "000000" },
    { email: "nobody@shop.example" },
    { email: "nobody@shop.example", code: "000000", password: "another horse" },
  ];
  const told = [];
  for (const other of wrong) told.push(await signIn(accounts.browser(), person, other));
  for (const { status, json, headers } of told) {
    assert.deepEqual([status, json["refusal"]], [401, "SIGN_IN_FAILED"]);
    assert.deepEqual(json, told[0]?.json);
    assert.equal(headers.get("set-cookie"), null);
  }
  const browser = accounts.browser();
  assert.equal((await signIn(browser, person)).status, 200);
  assert.equal((await browser.get("/accounts/me")).status, 200);
});

test("a code holds once", async () => {
  const person = await registered(accounts);
  const code = person.code();
  assert.equal((await signIn(accounts.browser(), person, { code })).status, 200);
  assert.equal((await signIn(accounts.browser(), person, { code })).status, 401);
});

test("of nine sign-ins with one code at once, one succeeds", async () => {
  const person = await registered(accounts);
  const code = person.code();
  const all = await Promise.all(
    Array.from({ length: 9 }, () => signIn(accounts.browser(), person, { code })),
  );
  assert.equal(all.filter(({ status }) => status === 200).length, 1);
});

test("an account takes ten wrong tries in a quarter of an hour, from however many addresses", async () => {
  const person = await registered(accounts);
  const guess = { password: "another horse", code: "000000" };
  const refusals = await Promise.all(
    Array.from({ length: 40 }, async () => (await signIn(accounts.browser(), person, guess)).json["refusal"]),
  );
  assert.equal(refusals.filter((refusal) => refusal === "SIGN_IN_FAILED").length, 10);
  assert.equal(refusals.filter((refusal) => refusal === "TRY_LATER").length, 30);
  assert.equal((await signIn(accounts.browser(), person)).json["refusal"], "TRY_LATER");

  accounts.pass(15 * 60_000 + 40_000);
  assert.equal((await signIn(accounts.browser(), person)).status, 200);
});

test("an address that nobody has is limited in the same way", async () => {
  const guess = { email: "nobody-else@shop.example", password: "another horse", code: "000000" };
  const refusals = [];
  for (let count = 0; count < 12; count += 1)
    refusals.push((await accounts.browser().post("/accounts/sign-in/password", guess)).json["refusal"]);
  assert.deepEqual(refusals.slice(9), ["SIGN_IN_FAILED", "TRY_LATER", "TRY_LATER"]);
});

const spray = async (browser: TestBrowser, count: number, batch: string): Promise<number> => {
  const refusals = await Promise.all(
    Array.from({ length: count }, async (_, each) => {
      const guess = { email: `${batch}-${each}@shop.example`, password: "another horse", code: "000000" };
      return (await browser.post("/accounts/sign-in/password", guess)).json["refusal"];
    }),
  );
  const looked = refusals.filter((refusal) => refusal === "SIGN_IN_FAILED").length;
  assert.equal(refusals.filter((refusal) => refusal === "TRY_LATER").length, count - looked);
  return looked;
};

test("one address that tries many accounts is stopped after a hundred in a quarter of an hour", async () => {
  const browser = accounts.browser();
  let looked = 0;
  for (const batch of ["a", "b", "c", "d"]) {
    looked += await spray(browser, 30, batch);
    accounts.pass(10_000);
  }
  assert.equal(looked, 100);
});

test("a flood from one address is refused before it reaches the database, and others are not held up", async () => {
  const person = await registered(accounts);
  const code = person.code();
  const beganAtMs = performance.now();
  const flooding = spray(accounts.browser(), 200, "flood");
  const answered = await signIn(accounts.browser(), person, { code });
  assert.equal(answered.status, 200);
  const looked = await flooding;
  // Forty at once, and ten more with each second that it took.
  const most = 41 + (performance.now() - beganAtMs) / 100;
  assert.ok(looked <= most && looked < 200, `${looked}, at most ${most}`);
});

test("a session that a stranger planted is not the one after the sign-in", async () => {
  const [attacker, victim] = [await registered(accounts), await registered(accounts)];
  const browser = accounts.browser();
  browser.useToken(attacker.browser.token());
  await signIn(browser, victim);
  assert.notEqual(browser.token(), attacker.browser.token());
  assert.equal((await attacker.browser.get("/accounts/me")).json["refusal"], "NOT_SIGNED_IN");
});

test("a step-up renews the token, and the old one opens nothing", async () => {
  const person = await registered(accounts);
  const before = person.browser.token();
  await stepUp(person);
  assert.notEqual(person.browser.token(), before);
  assert.equal((await person.browser.get("/accounts/me")).status, 200);
  const old = accounts.browser();
  old.useToken(before);
  assert.equal((await old.get("/accounts/me")).json["refusal"], "NOT_SIGNED_IN");
});

test("a step-up with a wrong code is none, and is counted", async () => {
  const person = await registered(accounts);
  const { password, browser } = person;
  const refusals = [];
  for (let count = 0; count < 11; count += 1)
    refusals.push(
      (await browser.post("/accounts/step-up/password", { password, code: "000000" })).json["refusal"],
    );
  assert.deepEqual(refusals.slice(9), ["SIGN_IN_FAILED", "TRY_LATER"]);
  assert.equal((await browser.get("/accounts/me")).json["steppedUpAt"], undefined);
});

test("a session ends after a quarter of an hour in which nothing was asked", async () => {
  const { browser } = await registered(accounts);
  for (const _ of [1, 2, 3]) {
    accounts.pass(14 * 60_000);
    assert.equal((await browser.get("/accounts/me")).status, 200);
  }
  accounts.pass(15 * 60_000);
  assert.equal((await browser.get("/accounts/me")).json["refusal"], "NOT_SIGNED_IN");
});

test("a session ends after eight hours, however busy it is and however often it is stepped up", async () => {
  const person = await registered(accounts);
  for (let minutes = 0; minutes < 8 * 60 - 10; minutes += 10) {
    accounts.pass(10 * 60_000);
    assert.equal((await person.browser.get("/accounts/me")).status, 200, `${minutes}`);
  }
  await stepUp(person);
  assert.equal((await person.browser.get("/accounts/me")).status, 200);
  accounts.pass(10 * 60_000);
  assert.equal((await person.browser.get("/accounts/me")).status, 401);
});

test("a person sees where it is signed in, ends one of them, and nobody else's", async () => {
  const person = await registered(accounts);
  const second = accounts.browser();
  await signIn(second, person);
  const { json } = await person.browser.get("/accounts/sessions");
  const sessions = json["sessions"] as { sessionId: string; isThis: boolean; browser: string }[];
  assert.equal(sessions.length, 2);
  assert.equal(sessions[0]?.browser, "test browser");
  const other = sessions.find(({ isThis }) => !isThis);

  const stranger = await registered(accounts);
  const denied = await stranger.browser.post("/accounts/sessions/end", { sessionId: other?.sessionId });
  assert.equal(denied.json["refusal"], "NOT_FOUND");
  assert.equal(
    (await person.browser.post("/accounts/sessions/end", { sessionId: other?.sessionId })).status,
    200,
  );
  assert.equal((await second.get("/accounts/me")).status, 401);
  assert.equal((await person.browser.get("/accounts/me")).status, 200);
});

test("signing out ends the session for its token, and not only in the browser", async () => {
  const { browser } = await registered(accounts);
  const token = browser.token();
  await browser.post("/accounts/sign-out", {});
  assert.equal(browser.token(), undefined);
  browser.useToken(token);
  assert.equal((await browser.get("/accounts/me")).status, 401);
});

test("a new password ends all other sessions", async () => {
  const person = await registered(accounts);
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
  const person = await registered(accounts);
  const { personId } = (await person.browser.get("/accounts/me")).json["person"] as { personId: string };
  await stepUp(person);
  await setUpPassword(accounts, person.browser);
  const changed = await accounts.smtp.letterTo(person.email);
  assert.match(changed.subject, /sign in to your account changed/);
  assert.match(
    changed.text,
    /password and the authenticator app .* were set[^]*from the network 10\.[^]*recover/,
  );

  await accounts.sql(
    `insert into passkeys (credential_id, person_id, public_key, counter, transports, name, created_at)
     values ($1, $1, '', 0, '{}', 'Laptop', now())`,
    [personId],
  );
  assert.equal(
    (await person.browser.post("/accounts/passkeys/remove", { credentialId: personId })).status,
    200,
  );
  assert.match((await accounts.smtp.letterTo(person.email)).text, /A passkey of your account was removed/);
});

test("a person who sets up the first credential by a link gets no notice of it", async () => {
  const { email } = await registered(accounts);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(accounts.smtp.delivered.filter(({ to }) => to === email).length, 1);
});
