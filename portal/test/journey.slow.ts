import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBase32, givenMember } from "../../accounts/test/test-accounts.ts";
import { stepAt, totpAt } from "../../accounts/src/credentials/totp.ts";
import { addDevice, linkTo, newVisitor, registerWithPasskey, startTestPortal } from "./test-portal.ts";
import { truncatedButtonsScript, checkPageForEvidence, checkPage } from "./check-page.ts";

const portal = await startTestPortal();

test("a person registers and invites a colleague, with passkeys only", async () => {
  const ada = await newVisitor(portal);
  const { page } = ada;
  await registerWithPasskey(portal, ada, {
    name: "Ada Byron",
    email: "ada@coffee.example",
    organisation: "Coffee Lab",
  });

  // Adding a second passkey requires re-authentication with the first one. The same device does not create a second
  // one.
  await page.getByRole("link", { name: "Security" }).first().click();
  await page.getByRole("button", { name: "Add another passkey" }).click();
  await page.getByLabel("Name of the passkey").fill("Office key");
  const add = page.getByRole("dialog").getByRole("button", { name: "Add a passkey" });
  await add.click();
  await page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await page.getByRole("alert").getByText("already has a passkey").waitFor();
  // The browser queries both devices and uses the first response, so the test keeps the first device from responding.
  await ada.device.letTouch(false);
  await addDevice(ada.page, "usb");
  await add.click();
  await page.getByText("Office key").waitFor();
  await ada.device.letTouch(true);

  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("heading", { name: "You are the only member" }).waitFor();
  await page.getByRole("button", { name: "Invite a person" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill("grace@coffee.example");
  await dialog.getByLabel("Support").check();
  await dialog.getByRole("button", { name: "Send invitation" }).click();
  await page.getByRole("heading", { name: "Pending invitations" }).waitFor();

  const grace = await newVisitor(portal);
  await grace.page.goto(await linkTo(portal, "grace@coffee.example"));
  await grace.page.getByLabel("Your name").fill("Grace Hopper");
  await grace.page.getByRole("button", { name: "Accept the invitation" }).click();
  await grace.page.getByRole("button", { name: "Add a passkey" }).click();
  await grace.page.getByRole("button", { name: "Choose an organisation" }).getByText("Support").waitFor();

  // Support has no permission to see people: the menu has no link, and the server rejects the page.
  assert.equal(await grace.page.getByRole("link", { name: "People" }).count(), 0);
  await grace.page.goto(`${portal.url}/people`);
  await grace.page.getByRole("alert").getByText("Your role does not allow this.").waitFor();

  await page.reload();
  await page.getByText("grace@coffee.example").waitFor();
  assert.equal(await page.getByRole("heading", { name: "Pending invitations" }).count(), 0);

  // The audit log shows its available sources and warns about the others: the sandbox gateway does not run here.
  await portal.accounts.sql(
    `insert into clients (client_id, environment, organisation_id, name, given_at)
     select 'SANDBOX_0123456789ABCDEF01234567', 'sandbox', organisation_id, 'Shop', now() from organisations
     where name = 'Coffee Lab'`,
  );
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByRole("listitem").filter({ hasText: "Invited a person" }).getByText("Ada Byron").waitFor();
  await page.getByRole("alert").getByText("Sandbox did not respond").waitFor();
  await checkPageForEvidence(page, "audit-incomplete");

  await page.getByRole("button", { name: /^Signed in as Ada/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("heading", { name: "Hello, Coffee Lab" }).waitFor();
  // Expected browser messages are filtered out: no gateway runs in this test, and the browser logs rejected requests.
  const others = [...ada.consoleErrors, ...grace.consoleErrors].filter(
    (text) => !/ERR_CONNECTION_REFUSED|status of 40[13]|does not allow this/.test(text),
  );
  assert.deepEqual(others, []);
  for (const { requestedOrigins } of [ada, grace])
    assert.deepEqual(
      [...requestedOrigins].filter((origin) => ![portal.url, portal.gatewayUrl, "null"].includes(origin)),
      [],
    );
});

test("a person signs in with password and authenticator app, and returns to the requested page", async () => {
  const { page } = await newVisitor(portal);
  const email = "kurt@logic.example";
  await page.goto(`${portal.url}/register`);
  await page.getByLabel("Your name").fill("Kurt");
  await page.getByLabel("Work email").fill(email);
  await page.getByLabel("Organisation").fill("Logic");
  await page.getByRole("button", { name: "Send me a link" }).click();
  await page.getByRole("heading", { name: "Check your email" }).waitFor();
  await page.goto(await linkTo(portal, email));
  await page.getByRole("button", { name: "Confirm my email address" }).click();
  const byPassword = page.getByRole("button", { name: "Use a password and an authenticator app" });
  await byPassword.waitFor();
  assert.deepEqual(await page.evaluate(truncatedButtonsScript), []);
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
  await page.getByText("Sign in to continue to the page that you requested.").waitFor();
  await page.getByLabel("Email").fill(email);
  await page.getByRole("textbox", { name: "Password" }).fill("seven unlikely green staplers");
  await page.getByLabel("Code").fill("000000");
  await page.getByRole("button", { name: "Sign in with password and code" }).click();
  await page.getByRole("alert").getByText("Email address, password or code is wrong").waitFor();
  await page.getByLabel("Code").fill(code());
  await page.getByRole("button", { name: "Sign in with password and code" }).click();
  await page.getByRole("heading", { name: "Your sessions" }).waitFor();

  // A second session is opened and then ended.
  const elsewhere = await newVisitor(portal);
  portal.accounts.pass(30_000);
  await elsewhere.page.goto(`${portal.url}/security`);
  await elsewhere.page.getByLabel("Email").fill(email);
  await elsewhere.page.getByRole("textbox", { name: "Password" }).fill("seven unlikely green staplers");
  await elsewhere.page.getByLabel("Code").fill(code());
  await elsewhere.page.getByRole("button", { name: "Sign in with password and code" }).click();
  await elsewhere.page.getByRole("heading", { name: "Your sessions" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "End this session" }).click();
  await page.getByRole("button", { name: "End this session" }).waitFor({ state: "detached" });
  await elsewhere.page.getByRole("link", { name: "People" }).click();
  await elsewhere.page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();

  await portal.accounts.sql(
    `insert into memberships (organisation_id, person_id, role, since)
     select organisation_id, person_id, 'reader', now() from organisations, people
     where organisations.name = 'Coffee Lab' and email = $1`,
    [email],
  );
  await page.reload();
  await page.getByRole("button", { name: "Choose an organisation" }).click();
  await page.getByRole("menuitem", { name: /Coffee Lab/ }).click();
  await page.getByRole("link", { name: "People" }).click();
  await page.getByText("ada@coffee.example").waitFor();
  // A reader sees the members, and the invite button is disabled.
  assert.ok(await page.getByRole("button", { name: "Invite a person" }).isDisabled());
  await page.getByText("Only owners and admins can invite people.").waitFor();
});

test("two colleagues vouch for a person without passkey, who signs in with a new one", async (context) => {
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
  // Grace has just registered, and a new member may not vouch.
  await portal.accounts.sql("update memberships set role_since = role_since - interval '2 days'");
  await grace.page.getByRole("button", { name: "Account recovery: Eve" }).first().click();
  await grace.page.getByLabel("How you verified the identity").fill("Called her at home.");
  await grace.page.getByRole("button", { name: "I vouch for Eve" }).click();
  await grace.page.getByRole("button", { name: "Confirm with a passkey" }).click();
  await grace.page.getByText("A second owner or admin must now vouch").waitFor();
  await grace.page.keyboard.press("Escape");
  await grace.page.getByText("needs one more person to vouch").waitFor();
  await checkPage(grace.page, "recovery-waits", [390]);
  const { json } = await kurt.browser.get("/accounts/recoveries");
  const [recovery] = json["recoveries"] as { recoveryId: string }[];
  const { recoveryId } = recovery ?? {};
  assert.equal((await kurt.browser.post("/accounts/recoveries/confirm", { recoveryId })).status, 200);
  const lost = `${support.personId.toLowerCase()}@shop.example`;
  await portal.accounts.smtp.emailTo(lost);
  const { text } = await portal.accounts.smtp.emailTo(lost);
  const code = /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/m.exec(text)?.[0] ?? assert.fail(text);

  const { page } = await newVisitor(portal);
  await page.goto(`${portal.url}/sign-in`);
  await page.getByRole("link", { name: "Lost your passkey or your phone?" }).click();
  const refused = page.getByRole("alert").getByText("This code is wrong");
  // On a busy machine, the page did not show the response in two of about 30 runs, for an unknown reason. The test
  // retries and prints the content of the page.
  for (let tries = 0; tries < 3 && !(await refused.isVisible()); tries += 1) {
    await page.getByRole("textbox", { name: "Code", exact: true }).fill("AAAA-AAAA-AAAA-AAAA");
    await page.getByRole("button", { name: "Continue" }).click();
    await refused
      .waitFor({ timeout: 10_000 })
      .catch(async () =>
        context.diagnostic(`The page shows instead of the error: ${await page.locator("body").innerText()}`),
      );
  }
  await refused.waitFor();
  await checkPage(page, "recover", [390]);
  await page.getByRole("textbox", { name: "Code", exact: true }).fill(code);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("heading", { name: "Hello, Physics" }).waitFor();
});

test("a used link shows an error, and a redirect to another site is rejected (open redirect)", async () => {
  const { page } = await newVisitor(portal);
  await page.goto(`${portal.url}/verify#${"a".repeat(43)}`);
  await page.getByRole("button", { name: "Confirm my email address" }).click();
  await page.getByRole("alert").getByText("This link is already used").waitFor();
  await page.goto(`${portal.url}/sign-in?to=%2F%2Fevil.example`);
  await page.getByText("Sign in to the merchant portal.").waitFor();
});
