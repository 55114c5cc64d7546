import assert from "node:assert/strict";
import { test } from "node:test";
import type { Role } from "../../../server/src/people/role.ts";
import {
  givenMember,
  linkTokenIn,
  registerPerson,
  setUpPassword,
  startTestAccounts,
  type TestPerson,
} from "../../test/test-accounts.ts";
import type { Answer, TestBrowser } from "../../test/test-browser.ts";

const accounts = await startTestAccounts();
const hourMs = 3_600_000;
const refusalOf = ({ json }: Answer): unknown => json["refusal"];

type Member = Awaited<ReturnType<typeof givenMember>>;
const addressOf = ({ personId }: Member): string => `${personId.toLowerCase()}@shop.example`;
const member = (role: Role, organisationId?: string, joinedAgoMs?: number): Promise<Member> =>
  givenMember(accounts, {
    role,
    steppedUpAgoMs: 0,
    ...(organisationId !== undefined && { organisationId }),
    ...(joinedAgoMs !== undefined && { joinedAgoMs }),
  });
const owner = (organisationId: string): Promise<Member> => member("owner", organisationId);

interface LostPerson extends TestPerson {
  readonly personId: string;
  readonly organisationId: string;
}

/** `lostPerson` returns a person without authenticator app. One session is still open, which could be an attacker's. */
async function lostPerson(): Promise<LostPerson> {
  const person = await registerPerson(accounts);
  const { json } = await person.browser.get("/accounts/me");
  const { personId } = json["person"] as { personId: string };
  return { ...person, personId, organisationId: String(json["organisationId"]) };
}

/** `codeFor` returns the code in the email to the person. */
async function codeFor(email: string): Promise<string> {
  const { subject, text } = await accounts.smtp.emailTo(email);
  assert.match(subject, /recovery code/, text);
  return /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/m.exec(text)?.[0] ?? assert.fail(text);
}

const reason = "Called me, I know the voice.";
const vouch = ({ browser }: Member, personId: string): Promise<Answer> =>
  browser.post("/accounts/recoveries", { personId, reason });
const confirm = ({ browser }: Member, { json }: Answer): Promise<Answer> =>
  browser.post("/accounts/recoveries/confirm", { recoveryId: json["recoveryId"] });
const vouchAsOperator = ({ browser }: Member, email: string): Promise<Answer> =>
  browser.post("/accounts/recoveries/operator", { email, reason });
const confirmAsOperator = ({ browser }: Member, { json }: Answer): Promise<Answer> =>
  browser.post("/accounts/recoveries/operator/confirm", { recoveryId: json["recoveryId"] });
const cancel = (browser: TestBrowser, { json }: Answer): Promise<Answer> =>
  browser.post("/accounts/recoveries/cancel", { recoveryId: json["recoveryId"] });
const recover = (browser: TestBrowser, code: string): Promise<Answer> =>
  browser.post("/accounts/recover", { code });

test("two owners vouch, and the person gets the code by email and sets up a new sign-in method", async () => {
  const lost = await lostPerson();
  const [grace, kurt] = [await owner(lost.organisationId), await owner(lost.organisationId)];
  const vouchResponse = await vouch(grace, lost.personId);
  assert.deepEqual(Object.keys(vouchResponse.json), ["recoveryId"], "no code for the person who vouches");
  for (const address of [lost.email, addressOf(grace), addressOf(kurt)])
    assert.match((await accounts.smtp.emailTo(address)).text, /vouches for this person[^]*stop the recovery/);

  assert.equal(refusalOf(await confirm(grace, vouchResponse)), "ANOTHER_PERSON_NEEDED");
  const confirmed = await confirm(kurt, vouchResponse);
  assert.deepEqual([confirmed.status, confirmed.json], [200, {}]);
  const code = await codeFor(lost.email);
  const browser = accounts.browser();
  assert.equal(refusalOf(await recover(browser, "AAAA-AAAA-AAAA-AAAA")), "RECOVERY_REFUSED");
  assert.equal((await recover(browser, code.toLowerCase().replaceAll("-", " "))).status, 200);

  // The new session may use only the set-up routes, and the old credentials stay valid until the set-up is complete.
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
  assert.match((await accounts.smtp.emailTo(lost.email)).subject, /Account recovery completed/);
  assert.equal(refusalOf(await recover(accounts.browser(), code)), "RECOVERY_REFUSED");

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

test("two staff members vouch for a merchant's member, and the code is valid after one day", async () => {
  const lost = await lostPerson();
  const [olga, otto] = [await member("staff-operator"), await member("staff-operator")];
  const operatorVouch = await vouchAsOperator(olga, lost.email);
  assert.deepEqual(Object.keys(operatorVouch.json), ["recoveryId"]);
  assert.match((await accounts.smtp.emailTo(lost.email)).text, /The gateway operator .* vouches/);
  assert.equal(refusalOf(await vouchAsOperator(otto, lost.email)), "RECOVERY_UNDER_WAY");
  assert.equal(refusalOf(await confirmAsOperator(olga, operatorVouch)), "ANOTHER_PERSON_NEEDED");
  const confirmed = await confirmAsOperator(otto, operatorVouch);
  assert.deepEqual(Object.keys(confirmed.json), ["readyAt"]);
  const code = await codeFor(lost.email);

  const browser = accounts.browser();
  accounts.pass(24 * hourMs - 60_000);
  assert.equal(refusalOf(await recover(browser, code)), "RECOVERY_REFUSED");
  accounts.pass(2 * 60_000);
  assert.equal((await recover(browser, code)).status, 200);
  await setUpPassword(accounts, browser);
  assert.equal((await browser.get("/accounts/sessions")).status, 200);
});

test("a recovery is stopped by the link in the email, by the person, and by an owner, also during the set-up", async () => {
  const lost = await lostPerson();
  const friend = await owner(lost.organisationId);
  const [olga, otto] = [await member("staff-admin"), await member("staff-operator")];
  const first = await vouchAsOperator(olga, lost.email);
  assert.equal(first.status, 200);
  const token = linkTokenIn((await accounts.smtp.emailTo(addressOf(friend))).text);
  const byLink = (): Promise<Answer> =>
    accounts.browser().post("/accounts/recoveries/cancel-by-link", { token });
  assert.equal((await byLink()).status, 200);
  assert.equal(refusalOf(await byLink()), "LINK_INVALID");
  assert.match((await accounts.smtp.emailTo(addressOf(friend))).subject, /Account recovery stopped/);

  const second = await vouchAsOperator(olga, lost.email);
  const outsider = await member("owner");
  assert.equal(refusalOf(await cancel(outsider.browser, second)), "NOT_FOUND");
  assert.equal((await cancel(lost.browser, second)).status, 200);
  const third = await vouchAsOperator(olga, lost.email);
  for (let read = 0; read < 5; read += 1) await accounts.smtp.emailTo(lost.email);
  await confirmAsOperator(otto, third);
  const code = await codeFor(lost.email);
  accounts.pass(25 * hourMs);
  const thief = accounts.browser();
  assert.equal((await recover(thief, code)).status, 200);
  const started = await thief.post("/accounts/password/begin", { password: "a thief has this one" });
  assert.equal(started.status, 200);
  assert.equal((await cancel((await owner(lost.organisationId)).browser, third)).status, 200);
  assert.equal(
    refusalOf(await thief.post("/accounts/password/confirm", { code: "123456" })),
    "NOT_SIGNED_IN",
  );
  assert.equal(refusalOf(await recover(thief, code)), "RECOVERY_REFUSED");
});

test("staff are recovered by two other staff-admins, and another admin can stop it", async () => {
  await accounts.sql("delete from memberships where role like 'staff-%'");
  const [grace, kurt] = [await member("staff-admin"), await member("staff-admin")];
  const lost = await member("staff-support");
  const vouchResponse = await vouch(grace, lost.personId);
  assert.equal(vouchResponse.status, 200, JSON.stringify(vouchResponse.json));
  assert.equal((await cancel(kurt.browser, vouchResponse)).status, 200);
  for (let read = 0; read < 2; read += 1) await accounts.smtp.emailTo(addressOf(lost));
  const secondVouch = await vouch(kurt, lost.personId);
  assert.equal((await confirm(grace, secondVouch)).status, 200);
  await accounts.smtp.emailTo(addressOf(lost));
  const code = await codeFor(addressOf(lost));
  assert.equal(refusalOf(await recover(accounts.browser(), code)), "RECOVERY_REFUSED", "not at the portal");
  assert.equal((await recover(accounts.browser("operator"), code)).status, 200);

  const outsider = await member("owner");
  const shop = await givenMember(accounts, { role: "reader", organisationId: outsider.organisationId });
  const own = await vouch(await owner(outsider.organisationId), shop.personId);
  assert.equal(refusalOf(await cancel(kurt.browser, own)), "NOT_FOUND");
});

test("the routes of operator and merchants refuse the recovery of staff", async () => {
  await accounts.sql("delete from memberships where role like 'staff-%'");
  const admins = [await member("staff-admin"), await member("staff-admin"), await member("staff-admin")];
  const [first, second, lost] = admins as [Member, Member, Member];
  const operator = await member("staff-operator");
  for (const voucher of [operator, first])
    assert.equal(refusalOf(await vouchAsOperator(voucher, addressOf(lost))), "RECOVERY_BY_STAFF_ADMINS");
  assert.equal(refusalOf(await vouch(operator, lost.personId)), "NOT_ALLOWED");
  // A staff member who is also a member of a merchant.
  const shop = await member("owner");
  await accounts.sql("insert into memberships values ($1, $2, 'reader', now())", [
    shop.organisationId,
    lost.personId,
  ]);
  assert.equal(refusalOf(await vouch(shop, lost.personId)), "RECOVERY_BY_OPERATOR");
  const vouchResponse = await vouch(first, lost.personId);
  assert.equal((await confirm(second, vouchResponse)).status, 200);
  const insertRecovery = (values: string): Promise<unknown> =>
    accounts.sql(
      `insert into recoveries (recovery_id, person_id, organisation_id, asked_by, reason, cancel_hash, asked_at, expires_at)
       select 'rec_sql', $1, ${values}, $2, 'x', '', now(), now()`,
      [lost.personId, operator.personId],
    );
  await assert.rejects(insertRecovery("null"), /is staff/);
  await assert.rejects(
    insertRecovery("(select organisation_id from organisations where kind = 'staff')"),
    /is staff/,
  );
});

test("with fewer than two other staff-admins, only the command line can recover staff", async () => {
  await accounts.sql("delete from memberships where role like 'staff-%'");
  const [grace, lost] = [await member("staff-admin"), await member("staff-admin")];
  assert.equal(refusalOf(await vouch(grace, lost.personId)), "RECOVERY_BY_COMMAND");
});

test("a person who joined less than 24 hours ago does not vouch, as the first or as the second", async () => {
  const lost = await lostPerson();
  const { organisationId, personId } = lost;
  const newcomer = await member("owner", organisationId, hourMs);
  const [grace, kurt] = [await owner(organisationId), await owner(organisationId)];
  assert.equal(refusalOf(await vouch(newcomer, personId)), "APPROVER_TOO_NEW");
  const vouchResponse = await vouch(grace, personId);
  assert.equal(refusalOf(await confirm(newcomer, vouchResponse)), "APPROVER_TOO_NEW");
  const ended = await kurt.browser.post("/accounts/people/end", { personId: grace.personId });
  assert.equal(ended.status, 200);
  assert.equal(
    refusalOf(await confirm(kurt, vouchResponse)),
    "NOT_FOUND",
    "the recovery ends when the person who vouched is removed",
  );

  const staff = await member("staff-operator", undefined, hourMs);
  assert.equal(refusalOf(await vouchAsOperator(staff, lost.email)), "APPROVER_TOO_NEW");
});

test("an organisation vouches only for its own people, and admins do not vouch for owners", async () => {
  const lost = await lostPerson();
  const { organisationId, personId } = lost;
  const admin = await member("admin", organisationId);
  assert.equal(refusalOf(await vouch(admin, personId)), "NOT_ALLOWED");
  const friend = await owner(organisationId);
  assert.equal(refusalOf(await vouch(friend, friend.personId)), "ANOTHER_PERSON_NEEDED");
  const outsider = await member("owner");
  assert.equal(refusalOf(await vouch(outsider, personId)), "NOT_FOUND");

  // An attacker invites the person to the attacker's organisation, to get access to the person's other organisations.
  const second = await owner(organisationId);
  const vouchResponse = await vouch(friend, personId);
  assert.equal((await confirm(second, vouchResponse)).status, 200);
  await accounts.smtp.emailTo(lost.email);
  const code = await codeFor(lost.email);
  await accounts.sql("insert into memberships values ($1, $2, 'reader', now())", [
    outsider.organisationId,
    personId,
  ]);
  assert.equal(refusalOf(await recover(accounts.browser(), code)), "RECOVERY_REFUSED");
  await cancel(friend.browser, vouchResponse);
  assert.equal(refusalOf(await vouch(outsider, personId)), "RECOVERY_BY_OPERATOR");
  assert.equal(refusalOf(await vouch(friend, personId)), "RECOVERY_BY_OPERATOR");
});

test("email alone is not sufficient: neither a registration nor an invitation recovers an account", async () => {
  const lost = await lostPerson();
  const [grace, kurt] = [await owner(lost.organisationId), await owner(lost.organisationId)];
  await confirm(kurt, await vouch(grace, lost.personId));
  await accounts.smtp.emailTo(lost.email);
  await recover(accounts.browser(), await codeFor(lost.email));
  // During the set-up, an email to the same mailbox still grants no access.
  await accounts.browser().post("/accounts/register", { email: lost.email, name: "X", organisation: "X" });
  const sentEmail = await accounts.smtp.emailTo(lost.email);
  assert.match(sentEmail.subject, /have a Tollgate account/);
  assert.throws(() => linkTokenIn(sentEmail.text));
});
