import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBase32, givenMember } from "../../accounts/test/test-accounts.ts";
import { stepAt, totpAt } from "../../accounts/src/credentials/totp.ts";
import { addDevice, linkTo, newVisitor, registerWithPasskey, startTestPortal } from "./test-portal.ts";
import { cutButtons, glanceAt, lookAt } from "./look-at.ts";

const portal = await startTestPortal();

test("from a registration to an invited colleague, with passkeys alone", async () => {
  const ada = await newVisitor(portal);
  const { page } = ada;
  await registerWithPasskey(portal, ada, {
    name: "Ada Byron",
    email: "ada@coffee.example",
    organisation: "Coffee Lab",
  });

  // A second passkey needs a step-up, which the first one answers. The same device gives no second one.
  await page.getByRole("link", { name: "Security" }).first().click();
  await page.getByRole("button", { name: "Add another" }).click();
  await page.getByLabel("Name of the passkey").fill("Office key");
  const add = page.getByRole("dialog").getByRole("button", { name: "Add a passkey" });
  await add.click();
  await page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await page.getByRole("alert").getByText("holds a passkey of yours already").waitFor();
  // Both devices would be asked at once, and the one that answers first decides: the first one stays silent.
  await ada.device.letTouch(false);
  await addDevice(ada.page, "usb");
  await add.click();
  await page.getByText("Office key").waitFor();
  await ada.device.letTouch(true);

  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("heading", { name: "You are alone here" }).waitFor();
  await page.getByRole("button", { name: "Invite somebody" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("E-mail").fill("grace@coffee.example");
  await dialog.getByLabel("Support").check();
  await dialog.getByRole("button", { name: "Send the invitation" }).click();
  await page.getByRole("heading", { name: "Invited" }).waitFor();

  const grace = await newVisitor(portal);
  await grace.page.goto(await linkTo(portal, "grace@coffee.example"));
  await grace.page.getByLabel("Your name").fill("Grace Hopper");
  await grace.page.getByRole("button", { name: "Accept the invitation" }).click();
  await grace.page.getByRole("button", { name: "Add a passkey" }).click();
  await grace.page.getByRole("button", { name: "Choose the organisation" }).getByText("Support").waitFor();

  // Support may not see people: the place is not offered, and the server refuses the page.
  assert.equal(await grace.page.getByRole("link", { name: "People" }).count(), 0);
  await grace.page.goto(`${portal.url}/people`);
  await grace.page.getByRole("alert").getByText("Your role does not allow this.").waitFor();

  await page.reload();
  await page.getByText("grace@coffee.example").waitFor();
  assert.equal(await page.getByRole("heading", { name: "Invited" }).count(), 0);

  // The audit shows what it can, and says what is missing: the sandbox's gateway does not run here.
  await portal.accounts.sql(
    `insert into clients (client_id, environment, organisation_id, name, given_at)
     select 'SANDBOX_0123456789ABCDEF01234567', 'sandbox', organisation_id, 'Shop', now() from organisations
     where name = 'Coffee Lab'`,
  );
  await page.getByRole("link", { name: "Audit" }).click();
  await page.getByRole("listitem").filter({ hasText: "Invited somebody" }).getByText("Ada Byron").waitFor();
  await page.getByRole("alert").getByText("Sandbox could not be asked").waitFor();
  await glanceAt(page, "audit-incomplete");

  await page.getByRole("button", { name: /^You: Ada/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("heading", { name: "Hello, Coffee Lab" }).waitFor();
  // There is no gateway in this file, and what is refused is said in the console as well.
  const others = [...ada.complaints, ...grace.complaints].filter(
    (text) => !/ERR_CONNECTION_REFUSED|status of 40[13]|does not allow this/.test(text),
  );
  assert.deepEqual(others, []);
  for (const { asked } of [ada, grace])
    assert.deepEqual(
      [...asked].filter((origin) => ![portal.url, portal.gatewayUrl, "null"].includes(origin)),
      [],
    );
});

test("with a password and an authenticator app, and back to the page that was asked for", async () => {
  const { page } = await newVisitor(portal);
  const email = "kurt@logic.example";
  await page.goto(`${portal.url}/register`);
  await page.getByLabel("Your name").fill("Kurt");
  await page.getByLabel("E-mail at work").fill(email);
  await page.getByLabel("Organisation").fill("Logic");
  await page.getByRole("button", { name: "Send me a link" }).click();
  await page.getByRole("heading", { name: "Check your mail" }).waitFor();
  await page.goto(await linkTo(portal, email));
  await page.getByRole("button", { name: "Confirm my address" }).click();
  const byPassword = page.getByRole("button", { name: "Use a password and an authenticator app" });
  await byPassword.waitFor();
  assert.deepEqual(await page.evaluate(cutButtons), []);
  await byPassword.click();
  await page.getByLabel("Choose a password").fill("password");
  await page.getByRole("button", { name: /^Next/ }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Choose a password").fill("seven unlikely green staplers");
  await page.getByRole("button", { name: /^Next/ }).click();
  const secret = fromBase32((await page.locator("code").textContent()) ?? "");
  const code = (): string => totpAt(secret, stepAt(portal.accounts.now()));
  await page.getByLabel("Code").fill(code());
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.getByRole("heading", { name: "Hello, Logic" }).waitFor();

  portal.accounts.pass(16 * 60_000);
  await page.goto(`${portal.url}/security`);
  await page.getByText("Sign in to go on to the page you asked for.").waitFor();
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill("seven unlikely green staplers");
  await page.getByLabel("Code").fill("000000");
  await page.getByRole("button", { name: "Sign in with password and code" }).click();
  await page.getByRole("alert").getByText("do not fit together").waitFor();
  await page.getByLabel("Code").fill(code());
  await page.getByRole("button", { name: "Sign in with password and code" }).click();
  await page.getByRole("heading", { name: "Where you are signed in" }).waitFor();

  // Signed in elsewhere as well, and then not any more.
  const elsewhere = await newVisitor(portal);
  portal.accounts.pass(30_000);
  await elsewhere.page.goto(`${portal.url}/security`);
  await elsewhere.page.getByLabel("E-mail").fill(email);
  await elsewhere.page.getByRole("textbox", { name: "Password" }).fill("seven unlikely green staplers");
  await elsewhere.page.getByLabel("Code").fill(code());
  await elsewhere.page.getByRole("button", { name: "Sign in with password and code" }).click();
  await elsewhere.page.getByRole("heading", { name: "Where you are signed in" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Sign out there" }).click();
  await page.getByRole("button", { name: "Sign out there" }).waitFor({ state: "detached" });
  await elsewhere.page.getByRole("link", { name: "People" }).click();
  await elsewhere.page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();

  await portal.accounts.sql(
    `insert into memberships (organisation_id, person_id, role, since)
     select organisation_id, person_id, 'reader', now() from organisations, people
     where organisations.name = 'Coffee Lab' and email = $1`,
    [email],
  );
  await page.reload();
  await page.getByRole("button", { name: "Choose the organisation" }).click();
  await page.getByRole("menuitem", { name: /Coffee Lab/ }).click();
  await page.getByRole("link", { name: "People" }).click();
  await page.getByText("ada@coffee.example").waitFor();
  // A reader sees who is there, and that inviting is not theirs.
  assert.ok(await page.getByRole("button", { name: "Invite somebody" }).isDisabled());
  await page.getByText("Owners and admins invite.").waitFor();
});

test("two colleagues vouch for somebody who has lost the passkey, and it comes back with a new one", async (context) => {
  const grace = await newVisitor(portal);
  await registerWithPasskey(portal, grace, {
    name: "Grace",
    email: "grace@physics.example",
    organisation: "Physics",
  });
  const [home] = await portal.accounts.sql<{ organisation_id: string }>(
    "select organisation_id from organisations where name = 'Physics'",
  );
  const { organisation_id: organisationId = "" } = home ?? {};
  const support = await givenMember(portal.accounts, { role: "support", organisationId });
  const kurt = await givenMember(portal.accounts, { role: "owner", organisationId, steppedUpAgoMs: 0 });

  await grace.page.getByRole("link", { name: "People" }).click();
  // Grace has just registered, and a new member does not vouch.
  await portal.accounts.sql("update memberships set role_since = role_since - interval '2 days'");
  await grace.page.getByRole("button", { name: "Account recovery: Eve" }).first().click();
  await grace.page.getByLabel("How you verified the identity").fill("Called her at home.");
  await grace.page.getByRole("button", { name: "I vouch for Eve" }).click();
  await grace.page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await grace.page.getByText("Now a second owner or admin has to vouch").waitFor();
  await grace.page.keyboard.press("Escape");
  await grace.page.getByText("needs a second person to vouch").waitFor();
  await lookAt(grace.page, "recovery-waits", [390]);
  const { json } = await kurt.browser.get("/accounts/recoveries");
  const [recovery] = json["recoveries"] as { recoveryId: string }[];
  const { recoveryId } = recovery ?? {};
  assert.equal((await kurt.browser.post("/accounts/recoveries/confirm", { recoveryId })).status, 200);
  const lost = `${support.personId.toLowerCase()}@shop.example`;
  await portal.accounts.smtp.letterTo(lost);
  const { text } = await portal.accounts.smtp.letterTo(lost);
  const code = /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/m.exec(text)?.[0] ?? assert.fail(text);

  const { page } = await newVisitor(portal);
  await page.goto(`${portal.url}/sign-in`);
  await page.getByRole("link", { name: "Lost your passkey or your telephone?" }).click();
  const refused = page.getByRole("alert").getByText("This code is wrong");
  // On a busy machine the page was seen without its answer, twice in some thirty runs, and nobody knows why. It is tried again, and what
  // was on the page instead is told.
  for (let tries = 0; tries < 3 && !(await refused.isVisible()); tries += 1) {
    await page.getByRole("textbox", { name: "Code", exact: true }).fill("AAAA-AAAA-AAAA-AAAA");
    await page.getByRole("button", { name: "Continue" }).click();
    await refused
      .waitFor({ timeout: 10_000 })
      .catch(async () =>
        context.diagnostic(`Instead of a refusal: ${await page.locator("body").innerText()}`),
      );
  }
  await refused.waitFor();
  await lookAt(page, "recover", [390]);
  await page.getByRole("textbox", { name: "Code", exact: true }).fill(code);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("heading", { name: "Hello, Physics" }).waitFor();
});

test("a link that was used says so, and a path of another site is not gone to", async () => {
  const { page } = await newVisitor(portal);
  await page.goto(`${portal.url}/verify#${"a".repeat(43)}`);
  await page.getByRole("button", { name: "Confirm my address" }).click();
  await page.getByRole("alert").getByText("This link was used before").waitFor();
  await page.goto(`${portal.url}/sign-in?to=%2F%2Fevil.example`);
  await page.getByText("To the portal of your gateway.").waitFor();
});
