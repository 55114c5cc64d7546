import assert from "node:assert/strict";
import { test } from "node:test";
import {
  givenMember,
  linkIn,
  registered,
  setUpPassword,
  startTestAccounts,
  type TestPerson,
} from "../../test/test-accounts.ts";
import type { Answer, TestBrowser } from "../../test/test-browser.ts";

const accounts = await startTestAccounts();
const hourMs = 3_600_000;
const refusalOf = ({ json }: Answer): unknown => json["refusal"];
const codeOf = ({ json }: Answer): string => String(json["code"]);

type Member = Awaited<ReturnType<typeof givenMember>>;
const addressOf = ({ personId }: Member): string => `${personId.toLowerCase()}@shop.example`;
const owner = (organisationId: string): Promise<Member> =>
  givenMember(accounts, { role: "owner", organisationId, steppedUpAgoMs: 0 });

interface Lost extends TestPerson {
  readonly personId: string;
  readonly organisationId: string;
}

/** Somebody whose authenticator app is gone. It is still signed in on one machine, which a thief could be as well. */
async function lostPerson(): Promise<Lost> {
  const person = await registered(accounts);
  const { json } = await person.browser.get("/accounts/me");
  const { personId } = json["person"] as { personId: string };
  return { ...person, personId, organisationId: String(json["organisationId"]) };
}

const vouch = ({ browser }: Member, personId: string): Promise<Answer> =>
  browser.post("/accounts/recoveries", { personId, reason: "Called me, I know the voice." });
const confirm = ({ browser }: Member, recoveryId: unknown): Promise<Answer> =>
  browser.post("/accounts/recoveries/confirm", { recoveryId });
const recover = (browser: TestBrowser, ...codes: string[]): Promise<Answer> =>
  browser.post("/accounts/recover", { codes });

test("two owners vouch, each with a code of their own, and the person sets up a new way to sign in", async () => {
  const lost = await lostPerson();
  const [grace, kurt] = [await owner(lost.organisationId), await owner(lost.organisationId)];
  const asked = await vouch(grace, lost.personId);
  assert.match(codeOf(asked), /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  for (const address of [lost.email, addressOf(grace), addressOf(kurt)])
    assert.match((await accounts.smtp.letterTo(address)).text, /vouches for them[^]*stop it here/);

  const browser = accounts.browser();
  assert.equal(refusalOf(await recover(browser, codeOf(asked))), "RECOVERY_REFUSED");
  assert.equal(refusalOf(await confirm(grace, asked.json["recoveryId"])), "ANOTHER_PERSON_NEEDED");
  const confirmed = await confirm(kurt, asked.json["recoveryId"]);
  assert.equal(confirmed.status, 200);
  for (const codes of [[codeOf(asked)], [codeOf(confirmed)], [codeOf(confirmed), codeOf(confirmed)]])
    assert.equal(refusalOf(await recover(browser, ...codes)), "RECOVERY_REFUSED");
  const typed = codeOf(confirmed).toLowerCase().replaceAll("-", " ");
  assert.equal((await recover(browser, typed, codeOf(asked))).status, 200);

  // Nothing but the set-up is open, and what was there before holds until it is done.
  assert.equal(refusalOf(await browser.get("/accounts/sessions")), "SET_UP_FIRST");
  assert.equal((await lost.browser.get("/accounts/sessions")).status, 200);
  const { email, password } = lost;
  const fresh = await setUpPassword(accounts, browser);
  assert.equal((await browser.get("/accounts/sessions")).status, 200);
  assert.equal(refusalOf(await lost.browser.get("/accounts/sessions")), "NOT_SIGNED_IN");
  const old = await accounts
    .browser()
    .post("/accounts/sign-in/password", { email, password, code: lost.code() });
  assert.equal(refusalOf(old), "SIGN_IN_FAILED");
  const now = { email, password: fresh.password, code: fresh.code() };
  assert.equal((await accounts.browser().post("/accounts/sign-in/password", now)).status, 200);
  assert.match((await accounts.smtp.letterTo(lost.email)).subject, /has a new way to sign in/);
  assert.equal(
    refusalOf(await recover(accounts.browser(), codeOf(asked), codeOf(confirmed))),
    "RECOVERY_REFUSED",
  );

  const { json } = await (await owner(lost.organisationId)).browser.get("/accounts/audit");
  const acts = (json["entries"] as { act: string }[])
    .map(({ act }) => act)
    .filter((act) => act.startsWith("rec"));
  assert.deepEqual(acts.toReversed(), [
    "recovery.ask",
    "recovery.confirm",
    "recovery.begin",
    "recovery.finish",
  ]);
});

test("the operator vouches alone, and everybody has a day to stop it", async () => {
  const lost = await lostPerson();
  const operator = await givenMember(accounts, { role: "staff-operator", steppedUpAgoMs: 0 });
  const request = { email: lost.email, reason: "Passport seen, called back." };
  const begun = await operator.browser.post("/accounts/recoveries/operator", request);
  assert.equal(begun.status, 200);
  assert.match((await accounts.smtp.letterTo(lost.email)).text, /Your provider .* vouches/);
  const again = await operator.browser.post("/accounts/recoveries/operator", request);
  assert.equal(refusalOf(again), "RECOVERY_UNDER_WAY");

  const browser = accounts.browser();
  accounts.pass(24 * hourMs - 60_000);
  assert.equal(refusalOf(await recover(browser, codeOf(begun))), "RECOVERY_REFUSED");
  accounts.pass(2 * 60_000);
  assert.equal((await recover(browser, codeOf(begun))).status, 200);
  await setUpPassword(accounts, browser);
  assert.equal((await browser.get("/accounts/sessions")).status, 200);
});

test("whoever got the letter stops it, also while the person sets up", async () => {
  const lost = await lostPerson();
  const friend = await owner(lost.organisationId);
  const operator = await givenMember(accounts, { role: "staff-admin", steppedUpAgoMs: 0 });
  const begin = (): Promise<Answer> =>
    operator.browser.post("/accounts/recoveries/operator", { email: lost.email, reason: "Says so." });
  const first = await begin();
  const token = linkIn((await accounts.smtp.letterTo(addressOf(friend))).text);
  const byLink = (): Promise<Answer> =>
    accounts.browser().post("/accounts/recoveries/cancel-by-link", { token });
  assert.equal((await byLink()).status, 200);
  assert.equal(refusalOf(await byLink()), "LINK_INVALID");
  assert.match((await accounts.smtp.letterTo(addressOf(friend))).subject, /does not get a new way/);

  // The person itself, by its session; and an owner after the day has passed, while a thief is at the page.
  const second = await begin();
  const cancel = (browser: TestBrowser, { json }: Answer): Promise<Answer> =>
    browser.post("/accounts/recoveries/cancel", { recoveryId: json["recoveryId"] });
  const stranger = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  assert.equal(refusalOf(await cancel(stranger.browser, second)), "NOT_FOUND");
  assert.equal((await cancel(lost.browser, second)).status, 200);
  const third = await begin();
  accounts.pass(25 * hourMs);
  const thief = accounts.browser();
  assert.equal((await recover(thief, codeOf(third))).status, 200);
  const started = await thief.post("/accounts/password/begin", { password: "a thief has this one" });
  assert.equal(started.status, 200);
  assert.equal((await cancel((await owner(lost.organisationId)).browser, third)).status, 200);
  assert.equal(
    refusalOf(await thief.post("/accounts/password/confirm", { code: "123456" })),
    "NOT_SIGNED_IN",
  );
  for (const answer of [first, second, third])
    assert.equal(refusalOf(await recover(thief, codeOf(answer))), "RECOVERY_REFUSED");
});

test("staff help a colleague back in as merchants' people do, and another admin stops it", async () => {
  const admin = (): Promise<Member> => givenMember(accounts, { role: "staff-admin", steppedUpAgoMs: 0 });
  const [grace, kurt] = [await admin(), await admin()];
  const lost = await givenMember(accounts, { role: "staff-support" });
  const asked = await vouch(grace, lost.personId);
  assert.equal(asked.status, 200, JSON.stringify(asked.json));
  const stopped = await kurt.browser.post("/accounts/recoveries/cancel", {
    recoveryId: asked.json["recoveryId"],
  });
  assert.equal(stopped.status, 200, JSON.stringify(stopped.json));
  const stranger = await givenMember(accounts, { role: "owner" });
  const shop = await givenMember(accounts, { role: "reader", organisationId: stranger.organisationId });
  const own = await vouch(await owner(stranger.organisationId), shop.personId);
  const foreign = { recoveryId: own.json["recoveryId"] };
  assert.equal(refusalOf(await kurt.browser.post("/accounts/recoveries/cancel", foreign)), "NOT_FOUND");
});

test("an organisation speaks for its own people alone, and admins not for owners", async () => {
  const lost = await lostPerson();
  const { organisationId, personId } = lost;
  const admin = await givenMember(accounts, { role: "admin", organisationId, steppedUpAgoMs: 0 });
  assert.equal(refusalOf(await vouch(admin, personId)), "NOT_ALLOWED");
  const friend = await owner(organisationId);
  assert.equal(refusalOf(await vouch(friend, friend.personId)), "ANOTHER_PERSON_NEEDED");
  const stranger = await givenMember(accounts, { role: "owner", steppedUpAgoMs: 0 });
  assert.equal(refusalOf(await vouch(stranger, personId)), "NOT_FOUND");

  // Somebody lures a person into an organisation of their own, to get at what it sees elsewhere.
  await accounts.sql("insert into memberships values ($1, $2, 'reader', now())", [
    stranger.organisationId,
    personId,
  ]);
  assert.equal(refusalOf(await vouch(stranger, personId)), "RECOVERY_BY_OPERATOR");
  assert.equal(refusalOf(await vouch(friend, personId)), "RECOVERY_BY_OPERATOR");
});

test("e-mail opens nothing: neither a registration nor an invitation is a way back", async () => {
  const lost = await lostPerson();
  const [grace, kurt] = [await owner(lost.organisationId), await owner(lost.organisationId)];
  const asked = await vouch(grace, lost.personId);
  const confirmed = await confirm(kurt, asked.json["recoveryId"]);
  await accounts.smtp.letterTo(lost.email);
  await recover(accounts.browser(), codeOf(asked), codeOf(confirmed));
  // In the middle of it, a letter to the same mailbox still leads nowhere.
  await accounts.browser().post("/accounts/register", { email: lost.email, name: "X", organisation: "X" });
  const letter = await accounts.smtp.letterTo(lost.email);
  assert.match(letter.subject, /have an account/);
  assert.throws(() => linkIn(letter.text));
});
