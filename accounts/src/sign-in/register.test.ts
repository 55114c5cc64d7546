import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fromBase32,
  givenMember,
  linkTokenIn,
  registerPerson,
  setUpPassword,
  startTestAccounts,
} from "../../test/test-accounts.ts";
import { stepAt, totpAt } from "../credentials/totp.ts";

const accounts = await startTestAccounts();
const ada = (email: string): object => ({ email, name: "Ada Byron", organisation: "Ada's Engines" });

test("the person who opens the link becomes the owner of a new organisation after setting up a sign-in method", async () => {
  const browser = accounts.browser();
  const email = "ada@engines.example";
  const registration = await browser.post("/accounts/register", ada("Ada@Engines.example"));
  assert.deepEqual([registration.status, registration.json], [200, {}]);
  assert.equal(browser.token(), undefined);

  const confirmationEmail = await accounts.smtp.emailTo(email);
  assert.match(confirmationEmail.subject, /Confirm your email address/);
  const opened = await browser.post("/accounts/verify-email", { token: linkTokenIn(confirmationEmail.text) });
  assert.equal(opened.status, 200);
  assert.match(
    opened.headers.get("set-cookie") ?? "",
    /; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=28800$/,
  );
  assert.equal((await browser.get("/accounts/sessions")).json["refusal"], "SET_UP_FIRST");

  const byLink = browser.token();
  await setUpPassword(accounts, browser);
  assert.notEqual(browser.token(), byLink);
  const { json } = await browser.get("/accounts/me");
  assert.equal(json["method"], "password");
  const [organisation] = json["organisations"] as { name: string; role: string; isLive: boolean }[];
  assert.deepEqual(
    [organisation?.name, organisation?.role, organisation?.isLive],
    ["Ada's Engines", "owner", false],
  );
});

test("a link is valid once", async () => {
  const email = "once@engines.example";
  await accounts.browser().post("/accounts/register", ada(email));
  const token = linkTokenIn((await accounts.smtp.emailTo(email)).text);
  const tries = await Promise.all(
    Array.from({ length: 5 }, () => accounts.browser().post("/accounts/verify-email", { token })),
  );
  assert.equal(tries.filter(({ status }) => status === 200).length, 1);
  assert.equal(tries.filter(({ json }) => json["refusal"] === "LINK_INVALID").length, 4);
});

test("a link expires after one day", async () => {
  const email = "late@engines.example";
  await accounts.browser().post("/accounts/register", ada(email));
  const token = linkTokenIn((await accounts.smtp.emailTo(email)).text);
  accounts.pass(24 * 3_600_000 + 1_000);
  const { json } = await accounts.browser().post("/accounts/verify-email", { token });
  assert.equal(json["refusal"], "LINK_INVALID");
});

test("the response does not reveal known addresses, and their owner gets an email", async () => {
  const { email } = await registerPerson(accounts);
  const repeatedRegistration = await accounts.browser().post("/accounts/register", ada(email));
  const unknown = await accounts.browser().post("/accounts/register", ada("new@engines.example"));
  assert.deepEqual([repeatedRegistration.status, repeatedRegistration.json], [unknown.status, unknown.json]);
  assert.deepEqual([...repeatedRegistration.headers.keys()], [...unknown.headers.keys()]);
  assert.match((await accounts.smtp.emailTo(email)).subject, /already/);
});

test("an older link does not grant access to an account with a credential", async () => {
  const email = "twice@engines.example";
  const browser = accounts.browser();
  for (const _ of [1, 2]) await browser.post("/accounts/register", ada(email));
  const [first, second] = [
    linkTokenIn((await accounts.smtp.emailTo(email)).text),
    linkTokenIn((await accounts.smtp.emailTo(email)).text),
  ];
  await browser.post("/accounts/verify-email", { token: first });
  await setUpPassword(accounts, browser);
  const { json } = await accounts.browser().post("/accounts/verify-email", { token: second });
  assert.equal(json["refusal"], "LINK_INVALID");
});

test("a session by link can add no credential after the person was set up by another link", async () => {
  const email = "race@engines.example";
  const [victim, other] = [accounts.browser(), accounts.browser()];
  for (const browser of [victim, other]) {
    await browser.post("/accounts/register", ada(email));
    await browser.post("/accounts/verify-email", {
      token: linkTokenIn((await accounts.smtp.emailTo(email)).text),
    });
  }
  await setUpPassword(accounts, victim);
  assert.equal((await other.get("/accounts/me")).json["refusal"], "NOT_SIGNED_IN");
});

test("email is not an authentication factor for a person who signs in with OIDC", async () => {
  const { personId } = await givenMember(accounts, { role: "owner" });
  const email = `${personId.toLowerCase()}@shop.example`;
  const [early, late] = [accounts.browser(), accounts.browser()];
  await early.post("/accounts/register", ada(email));
  const unopened = linkTokenIn((await accounts.smtp.emailTo(email)).text);
  await late.post("/accounts/register", ada(email));
  await late.post("/accounts/verify-email", {
    token: linkTokenIn((await accounts.smtp.emailTo(email)).text),
  });
  await accounts.sql(
    "insert into oidc_identities (issuer, subject, person_id, linked_at) values ('https://id.example', $1, $1, now())",
    [personId],
  );

  const opened = await early.post("/accounts/verify-email", { token: unopened });
  assert.equal(opened.json["refusal"], "LINK_INVALID");
  const { json } = await late.post("/accounts/password/begin", { password: "correct horse battery" });
  const code = totpAt(fromBase32(String(json["secret"])), stepAt(accounts.now()));
  const confirmed = await late.post("/accounts/password/confirm", { code });
  assert.equal(confirmed.json["refusal"], "SIGN_IN_FIRST");
  await accounts.browser().post("/accounts/register", ada(email));
  assert.match((await accounts.smtp.emailTo(email)).subject, /already/);

  const another = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  await another.browser.post("/accounts/invitations", { email, role: "reader" });
  const invitation = linkTokenIn((await accounts.smtp.emailTo(email)).text);
  const accepted = await accounts
    .browser()
    .post("/accounts/invitations/accept", { token: invitation, name: "Ada" });
  assert.equal(accepted.json["refusal"], "SIGN_IN_FIRST");
});

test("a mailbox gets at most three emails in 15 minutes", async () => {
  const email = "flooded@engines.example";
  for (const _ of [1, 2, 3, 4, 5]) {
    const { status } = await accounts.browser().post("/accounts/register", ada(email));
    assert.equal(status, 200);
  }
  for (const _ of [1, 2, 3]) await accounts.smtp.emailTo(email);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(accounts.smtp.delivered.filter(({ to }) => to === email).length, 3);
});

test("one network address can make twenty registrations in 15 minutes", async () => {
  const browser = accounts.browser();
  const statuses: number[] = [];
  for (let count = 0; count < 22; count += 1)
    statuses.push((await browser.post("/accounts/register", ada(`many-${count}@engines.example`))).status);
  assert.deepEqual(statuses.slice(18), [200, 200, 429, 429]);
});

test("plus signs in an address do not raise the limit of emails to one mailbox", async () => {
  for (const tag of ["", "+a", "+b", "+c", "+d+e"])
    await accounts.browser().post("/accounts/register", ada(`tagged${tag}@engines.example`));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const delivered = accounts.smtp.delivered.filter(({ to }) => to.startsWith("tagged"));
  assert.equal(delivered.length, 3);
});

test("an address that is not exactly one address after NFKC is rejected and gets no email", async () => {
  const browser = accounts.browser();
  const wrong = {
    empty: "",
    "no domain": "ada@",
    "no @": "ada",
    "no top-level domain": "ada@x",
    "a space": "a b@shop.example",
    "a header": "ada@shop.example\r\nBcc: x@y.example",
    "angle brackets": "<ada@shop.example>",
    "full-width comma and @": "a\uFF20evil.example\uFF0Cvictim@corp.example",
    "full-width angle brackets": "x\uFF1Cvictim\uFF20corp.example\uFF1E@evil.example",
    "small comma and @": "a\uFE6Bevil.example\uFE50victim@corp.example",
    "full-width commas": "a\uFF0Cb\uFF0Cc@corp.example",
    "full-width semicolon": "a\uFF1Bb@corp.example",
    "next line (U+0085)": "a\u0085b@corp.example",
    "line separator": "a\u2028b@corp.example",
    "a bidirectional control": "a\u202Eb@corp.example",
    "zero-width space": "a\u200Bb@corp.example",
    "a comment": "a(b)c@corp.example",
    "longer than 64 before the @ after NFKC": `${"\uFDFA".repeat(5)}@corp.example`,
  };
  for (const [what, email] of Object.entries(wrong))
    assert.equal((await browser.post("/accounts/register", ada(email))).status, 400, what);
  const owner = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  const invited = await owner.browser.post("/accounts/invitations", {
    email: wrong["full-width comma and @"],
    role: "reader",
  });
  assert.equal(invited.status, 400);
  assert.deepEqual(
    accounts.smtp.delivered.filter(({ to }) => /corp\.example/.test(to)),
    [],
  );
  await assert.rejects(
    accounts.sql(
      "insert into people (person_id, email, name, created_at) values ('per_00000000000000000000', $1, 'N', now())",
      ["a@evil.example,victim@corp.example"],
    ),
    /people_address_is_one_address/,
  );
});

test("an address in another Unicode form is the same address", async () => {
  await accounts.browser().post("/accounts/register", ada("\uFF41da2@engines.example"));
  assert.equal((await accounts.smtp.emailTo("ada2@engines.example")).to, "ada2@engines.example");
});

test("names with a web address or control characters are rejected", async () => {
  const browser = accounts.browser();
  const wrong = [
    "Ada\r\nBcc: x@y.example",
    "Tollgate security: open https://evil.example/unlock",
    "Open www.evil.example",
    "Open WWW.evil.example",
    "Open \uFF48ttps\uFF1A\uFF0F\uFF0Fevil.example",
    "Open \uFF57ww\uFF0Eevil.example",
    "Ada \u202Eelpmaxe.live",
    "Ada \u2066x\u2069",
    "Ada\u200F",
    "Ada\u2028Byron",
    "Ada\u0085Byron",
  ];
  for (const name of wrong) {
    const person = await browser.post("/accounts/register", { ...ada("ok@engines.example"), name });
    assert.equal(person.status, 400, JSON.stringify(name));
  }
  const organisation = "https://evil.example/pay";
  const { status } = await browser.post("/accounts/register", { ...ada("ok@engines.example"), organisation });
  assert.equal(status, 400);
  // Persian uses the zero-width non-joiner, and companies are named after their domain.
  for (const name of [
    "Booking.com GmbH",
    "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645",
    "O'Neill & Söhne",
  ])
    assert.equal(
      (await accounts.browser().post("/accounts/register", { ...ada("fine@engines.example"), name })).status,
      200,
      name,
    );
});
