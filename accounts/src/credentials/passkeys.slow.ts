import assert from "node:assert/strict";
import { after, test } from "node:test";
import { chromium, type CDPSession, type Page } from "playwright-core";
import { linkTokenIn, startTestAccounts } from "../../test/test-accounts.ts";

const chrome = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
// This hook is registered before the hook of accounts, so that the browser closes first: accounts wait for open
// connections when they stop.
after(() => chrome.close());
const accounts = await startTestAccounts();

/** The browser code of a page for passkeys. */
const script = `
  globalThis.post = async (path, body) => {
    const answer = await fetch(path, {
      method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" },
    });
    return { status: answer.status, ...(await answer.json()) };
  };
  globalThis.create = async (name) => {
    const { options } = await post("/accounts/passkeys/begin", {});
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
    const credential = await navigator.credentials.create({ publicKey });
    return post("/accounts/passkeys/add", { name, response: credential.toJSON() });
  };
  globalThis.assertion = async (path) => {
    const { options } = await post(path + "/begin", {});
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return (await navigator.credentials.get({ publicKey })).toJSON();
  };
  globalThis.prove = async (path) => post(path, { response: await assertion(path) });
`;

interface Device {
  readonly page: Page;
  readonly authenticator: CDPSession;
  readonly authenticatorId: string;
}

/** `newDevice` opens a browser with a virtual authenticator on a page of the accounts origin. */
async function newDevice(): Promise<Device> {
  const context = await chrome.newContext();
  await context.addInitScript({ content: script });
  // The portal is not served here, so the test returns an empty page; accounts answer all requests.
  await context.route(`${accounts.url}/`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Accounts</title>" }),
  );
  const page = await context.newPage();
  await page.goto(`${accounts.url}/`);
  const authenticator = await context.newCDPSession(page);
  await authenticator.send("WebAuthn.enable");
  return { page, authenticator, authenticatorId: await addAuthenticator(authenticator) };
}

async function addAuthenticator(session: CDPSession): Promise<string> {
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return authenticatorId;
}

type JsonAnswer = Readonly<Record<string, unknown>>;

const post = (page: Page, path: string, body: unknown): Promise<JsonAnswer> =>
  page.evaluate(`post(${JSON.stringify(path)}, ${JSON.stringify(body)})`);
const create = (page: Page, name: string): Promise<JsonAnswer> =>
  page.evaluate(`create(${JSON.stringify(name)})`);
const signWithPasskey = (page: Page, path: string): Promise<JsonAnswer> =>
  page.evaluate(`prove(${JSON.stringify(path)})`);
const me = async (page: Page): Promise<JsonAnswer> =>
  page.evaluate(`fetch("/accounts/me").then((answer) => answer.json())`);

/** `registerWithPasskey` registers in the browser and creates the first passkey. */
async function registerWithPasskey(email: string): Promise<Device> {
  const device = await newDevice();
  const { page } = device;
  await post(page, "/accounts/register", { email, name: "Ada Byron", organisation: "Ada's Engines" });
  const token = linkTokenIn((await accounts.smtp.emailTo(email)).text);
  assert.equal((await post(page, "/accounts/verify-email", { token }))["status"], 200);
  assert.deepEqual(await create(page, "Laptop"), { status: 200 });
  return device;
}

test("a person registers, signs in and re-authenticates with a passkey, without typing", async () => {
  const { page } = await registerWithPasskey("ada@passkey.example");
  assert.equal((await me(page))["method"], "passkey");
  const [cookie] = await page.context().cookies(accounts.url);
  assert.deepEqual(
    [cookie?.name, cookie?.secure, cookie?.httpOnly, cookie?.sameSite, cookie?.path],
    ["__Host-tollgate", true, true, "Strict", "/"],
  );

  assert.equal((await post(page, "/accounts/sign-out", {}))["status"], 200);
  assert.equal((await me(page))["refusal"], "NOT_SIGNED_IN");
  assert.deepEqual(await signWithPasskey(page, "/accounts/sign-in/passkey"), { status: 200 });
  const invitation = { email: "grace@passkey.example", role: "developer" };
  assert.equal((await post(page, "/accounts/invitations", invitation))["refusal"], "STEP_UP_NEEDED");

  const [before] = await page.context().cookies(accounts.url);
  assert.deepEqual(await signWithPasskey(page, "/accounts/step-up/passkey"), { status: 200 });
  const [renewed] = await page.context().cookies(accounts.url);
  assert.notEqual(renewed?.value, before?.value);
  assert.equal((await post(page, "/accounts/invitations", invitation))["status"], 200);
});

test("a passkey response is valid once, and only for its purpose", async () => {
  const { page } = await registerWithPasskey("once@passkey.example");
  const [signIn, stepUp] = ["/accounts/sign-in/passkey", "/accounts/step-up/passkey"];
  const createAssertion = (path: string): Promise<unknown> =>
    page.evaluate(`assertion(${JSON.stringify(path)})`);
  const assertRefused = async (path: string, response: unknown): Promise<void> =>
    assert.equal((await post(page, path, { response }))["refusal"], "PASSKEY_REFUSED");

  await assertRefused(stepUp, await createAssertion(signIn));
  await assertRefused(signIn, await createAssertion(stepUp));
  const answer = await createAssertion(stepUp);
  assert.equal((await post(page, stepUp, { response: answer }))["status"], 200);
  await assertRefused(stepUp, answer);

  const expiredAssertion = await createAssertion(stepUp);
  accounts.pass(5 * 60_000 + 1_000);
  await assertRefused(stepUp, expiredAssertion);
});

test("a modified response, or one of another person's passkey, is rejected", async () => {
  const ada = await registerWithPasskey("own@passkey.example");
  const eve = await registerWithPasskey("eve@passkey.example");
  const { page } = ada;
  const stepUp = "/accounts/step-up/passkey";
  const flip = (text: string): string => `${text.slice(0, -4)}${text.endsWith("AAAA") ? "BBBB" : "AAAA"}`;
  for (const part of ["signature", "authenticatorData", "clientDataJSON"]) {
    const answer: { response: Record<string, string> } = await page.evaluate(`assertion("${stepUp}")`);
    answer.response[part] = flip(answer.response[part] ?? "");
    assert.equal((await post(page, stepUp, { response: answer }))["refusal"], "PASSKEY_REFUSED", part);
  }
  // Eve's authenticator signs Ada's challenge.
  const { options } = (await post(page, `${stepUp}/begin`, {})) as { options: { challenge: string } };
  const foreignOptions = JSON.stringify({ ...options, allowCredentials: [] });
  const signed = await eve.page.evaluate(
    `navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${foreignOptions}) })
       .then((credential) => credential.toJSON())`,
  );
  assert.equal((await post(page, stepUp, { response: signed }))["refusal"], "PASSKEY_REFUSED");
  assert.equal((await me(page))["steppedUpAt"], undefined);
});

test("a response without user verification is rejected", async () => {
  const { page, authenticator, authenticatorId } = await registerWithPasskey("pin@passkey.example");
  await post(page, "/accounts/sign-out", {});
  await authenticator.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await assert.rejects(signWithPasskey(page, "/accounts/sign-in/passkey"), /NotAllowedError/);
  await authenticator.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
  assert.equal((await signWithPasskey(page, "/accounts/sign-in/passkey"))["status"], 200);
});

test("a second passkey needs the first, the last one cannot be removed, and a removed one is invalid", async () => {
  const { page, authenticator, authenticatorId } = await registerWithPasskey("second@passkey.example");
  assert.equal((await post(page, "/accounts/passkeys/begin", {}))["refusal"], "STEP_UP_NEEDED");
  await signWithPasskey(page, "/accounts/step-up/passkey");
  const [first] = (await authenticator.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
  assert.ok(first);
  const credentialId = Buffer.from(first.credentialId, "base64").toString("base64url");
  const remove = (): Promise<JsonAnswer> => post(page, "/accounts/passkeys/remove", { credentialId });
  assert.equal((await remove())["refusal"], "LAST_CREDENTIAL");

  await authenticator.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
  const second = await addAuthenticator(authenticator);
  assert.deepEqual(await create(page, "Telephone"), { status: 200 });
  const { text } = await accounts.smtp.emailTo("second@passkey.example");
  assert.match(text, /A passkey was added to your account/);
  assert.deepEqual(await remove(), { status: 200 });
  await post(page, "/accounts/sign-out", {});
  assert.deepEqual(await signWithPasskey(page, "/accounts/sign-in/passkey"), { status: 200 });

  await authenticator.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId: second });
  const found = await addAuthenticator(authenticator);
  await authenticator.send("WebAuthn.addCredential", { authenticatorId: found, credential: first });
  assert.equal((await signWithPasskey(page, "/accounts/sign-in/passkey"))["refusal"], "PASSKEY_REFUSED");
});

test("a cloned authenticator is detected by its counter", async () => {
  const { page, authenticator, authenticatorId } = await registerWithPasskey("copy@passkey.example");
  const [before] = (await authenticator.send("WebAuthn.getCredentials", { authenticatorId })).credentials;
  assert.ok(before);
  for (const _ of [1, 2])
    assert.equal((await signWithPasskey(page, "/accounts/sign-in/passkey"))["status"], 200);
  await authenticator.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
  const copy = await addAuthenticator(authenticator);
  await authenticator.send("WebAuthn.addCredential", { authenticatorId: copy, credential: before });
  assert.equal((await signWithPasskey(page, "/accounts/sign-in/passkey"))["refusal"], "PASSKEY_REFUSED");
});
