import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, test } from "node:test";
import type { Page } from "playwright-core";
import { givenMember, fromBase32 } from "../../accounts/test/test-accounts.ts";
import { newTestBrowser, type TestBrowser } from "../../accounts/test/test-browser.ts";
import { stepAt, totpAt } from "../../accounts/src/credentials/totp.ts";
import { call, pathOf, send, writeTestFile } from "../../server/test/start/test-gateway.ts";
import {
  eventually,
  waitForLine,
  startTestProcess,
  type TestProcess,
} from "../../server/test/start/test-process.ts";
import { callPayments, payRequest } from "../../server/test/start/test-stack.ts";
import {
  sendControlRequest,
  controlSecret,
  controlVariables,
} from "../../server/test/start/test-universe.ts";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { dumpDatabase, listEncodings } from "./secret-encodings.ts";
import { newVisitor, startGatewayFor, startTestPortal } from "./test-portal.ts";

/**
 * Canary test: people and systems use every kind of secret for one day. Then the test searches all places that could
 * store them. The identity provider is at another site, like a real one.
 */
const providerPort = await findFreePort();
const clientSecret = randomBytes(24).toString("hex");
const started = await startTestPortal({
  isSecure: true,
  variables: {
    ACCOUNTS_OIDC_ISSUER: `http://localhost:${providerPort}`,
    ACCOUNTS_OIDC_CLIENT_ID: "tollgate",
    ACCOUNTS_OIDC_CLIENT_SECRET_FILE: writeTestFile("oidc-secret", clientSecret),
    ACCOUNTS_OIDC_NAME: "Pay Example",
    ACCOUNTS_OIDC_DOMAINS: "pay.example",
  },
});
const [accountsPort, operatorPort] = [await findFreePort(), await findFreePort()];
const operatorUrl = `http://localhost:${operatorPort}`;
const portal = { ...started, accounts: { ...started.accounts, operatorUrl } };
const { accounts, url } = portal;

/** The log output of all processes at the most detailed level. */
const logs = new Map<string, string>();

function follow(name: string, process: TestProcess): void {
  logs.set(name, "");
  for (const stream of [process.child.stdout, process.child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => logs.set(name, (logs.get(name) ?? "") + text));
}

const loud = startTestProcess(["accounts/src/main.ts", "serve"], {
  ...accounts.variables,
  ACCOUNTS_PORT: String(accountsPort),
  ACCOUNTS_OPERATOR_PORT: String(operatorPort),
  ACCOUNTS_OPERATOR_URL: operatorUrl,
  ACCOUNTS_LOG_LEVEL: "trace",
});
follow("the log of accounts", loud);
await waitForLine(loud, /accounts answer at/);
portal.leadTo(accountsPort);
const gateway = await startGatewayFor(portal, { TOLLGATE_LOG_LEVEL: "trace", ...controlVariables });
follow("the log of serve", gateway.serving);
follow("the log of work", gateway.working);
const returnPath = "/accounts/oidc/return";
const identityProvider = startTestProcess(
  [
    "accounts/test/oidc-server.ts",
    String(providerPort),
    "tollgate",
    clientSecret,
    ...[url, operatorUrl].map((origin) => origin + returnPath),
  ],
  {},
);
await waitForLine(identityProvider, /listens/);

const canaries: { readonly kind: string; readonly text: string }[] = [];

function track(kind: string, text: string | undefined): void {
  assert.ok(text && text.length >= 12, `${kind}: ${text}`);
  canaries.push({ kind, text });
}

/** Responses of the servers, with their URLs. */
const answers: { readonly address: string; readonly text: string }[] = [];
const pendingResponses = new Set<Promise<unknown>>();

function listen(page: Page): void {
  page.on("request", (request) => {
    const { authorization } = request.headers();
    if (authorization?.startsWith("Bearer ")) track("a person's token", authorization.slice(7));
    const { pathname, searchParams } = new URL(request.url());
    if (pathname !== returnPath) return;
    track("a code of the identity provider", searchParams.get("code") ?? "");
    track("the cookie that binds a browser to its sign-in", searchParams.get("state") ?? "");
  });
  page.on("response", (response) => {
    const address = response.url();
    if (/\/assets\//.test(address) || new URL(address).port === String(providerPort)) return;
    const readResponse = response.text().then(
      (text) => answers.push({ address, text }),
      () => undefined,
    );
    pendingResponses.add(readResponse);
  });
}

async function newPage(): Promise<Page> {
  const { page } = await newVisitor(portal);
  page.setDefaultTimeout(20_000);
  // The test blocks the font that the identity provider's pages request from another host.
  await page.route(/^https:\/\/fonts/, (route) => route.abort());
  listen(page);
  return page;
}

/** `passIdentityProvider` types a name at the identity provider and gives consent if asked. */
async function passIdentityProvider(page: Page, name: string): Promise<void> {
  await page.locator("input[name=login]").fill(name);
  await page.locator("input[name=password]").fill("x");
  await page.getByRole("button", { name: "Sign-in" }).click();
  const agree = page.getByRole("button", { name: "Continue" });
  await agree.or(page.getByText("Tollgate").first()).first().waitFor();
  if (await agree.isVisible()) await agree.click();
}

async function createMember(email: string, role: "owner" | "staff-admin"): Promise<string> {
  const { personId, organisationId } = await givenMember(accounts, { role });
  await accounts.sql("update people set email = $1 where person_id = $2", [email, personId]);
  return organisationId;
}

let ada: Page;
let grace: Page;
before(async () => {
  [ada, grace] = [await newPage(), await newPage()];
});

test("people sign in to portal and console by their identity provider, and unknown people are rejected", async () => {
  const organisationId = await createMember("ada@pay.example", "owner");
  await accounts.sql(
    `insert into clients (client_id, environment, organisation_id, name, given_at)
     values ($1, 'sandbox', $2, 'Shop', now())`,
    [gateway.merchant.clientId, organisationId],
  );
  await ada.goto(`${url}/sign-in`);
  await ada.getByRole("button", { name: "Sign in with Pay Example" }).click();
  await passIdentityProvider(ada, "ada@pay.example");
  await ada.getByRole("heading", { name: "Hello, Shop" }).waitFor();

  await grace.goto(operatorUrl);
  await grace.getByRole("button", { name: "Sign in with Pay Example" }).click();
  await passIdentityProvider(grace, "nobody@pay.example");
  await grace.getByRole("alert").waitFor();
  assert.equal(new URL(grace.url()).search, "?refused=OIDC_REFUSED");
  await createMember("grace@pay.example", "staff-admin");
  // The cookies are deleted, because the identity provider would remember the person.
  await grace.context().clearCookies();
  await grace.getByRole("button", { name: "Sign in with Pay Example" }).click();
  await passIdentityProvider(grace, "grace@pay.example");
  await grace.getByRole("heading", { name: "Open records" }).waitFor();
});

test("a key is created in the browser after re-authentication at the identity provider", async () => {
  await ada.goto(`${url}/sandbox/keys`);
  const make = ada.getByRole("button", { name: "Create key" });
  await make.click();
  await ada.getByRole("button", { name: "Continue to the identity provider" }).click();
  await passIdentityProvider(ada, "ada@pay.example");
  await ada.getByRole("heading", { name: "Hello, Shop" }).waitFor();
  await ada.goto(`${url}/sandbox/keys`);
  const saving = ada.waitForEvent("download");
  await make.click();
  const pem = await readFile(await (await saving).path(), "utf8");
  const lines = pem.split("\n");
  track("a private key that a browser made", lines[5]);
  track("the same in one line", lines.slice(1, -2).join(""));
});

const amount = { currency: "EUR", value: "1250" };

test("a system sends valid and invalid requests with tokens and secret URLs", async () => {
  const { merchant, provider } = gateway;
  const [notifyKey, strayToken] = [randomBytes(12).toString("hex"), randomBytes(12).toString("hex")];
  track("the key in a webhook URL", notifyKey);
  track("a token in a call that does not take it", strayToken);
  const notified = { paymentNotifyUrl: `http://127.0.0.1:1/told?key=${notifyKey}` };
  const { json } = await callPayments(portal.gatewayUrl, merchant, "pay", payRequest("order-1", notified));
  assert.equal((await provider.control(String(json["paymentId"]), "approve")).status, 200);
  const sendSigned = async (path: string, request: object): Promise<Readonly<Record<string, unknown>>> => {
    const sent = { path: pathOf("sandbox", path), body: JSON.stringify(request) };
    return (await call(portal.gatewayUrl, merchant, sent)).json;
  };
  // The process `serve` sends the webhook about the payment, and `work` sends the webhook about the refund.
  const refund = {
    refundRequestId: "refund-1",
    paymentId: json["paymentId"],
    refundAmount: amount,
    refundNotifyUrl: notified.paymentNotifyUrl,
  };
  await eventually(
    20_000,
    () => sendSigned("payments/refund", refund),
    ({ result }) => Object(result).resultStatus === "S",
  );
  await sendSigned("authorizations/consult", {
    customerBelongsTo: "GCASH",
    authRedirectUrl: "https://shop.example/linked",
    scopes: ["AGREEMENT_PAY"],
    authState: "buyer-77",
    env: { terminalType: "WEB" },
  });
  const { authCode } = await provider.authorization("buyer-77", "agree");
  track("a code of the provider", authCode);
  const grant = { grantType: "AUTHORIZATION_CODE", customerBelongsTo: "GCASH", authCode };
  const accessToken = String((await sendSigned("authorizations/applyToken", grant))["accessToken"]);
  track("a buyer's token", accessToken);
  await sendSigned(
    "payments/pay",
    payRequest("order-2", { paymentMethod: { paymentMethodType: "GCASH", paymentMethodId: accessToken } }),
  );
  await sendSigned("payments/inquiryPayment", { paymentRequestId: "order-1", accessToken: strayToken });
  const path = pathOf("sandbox", "payments/pay");
  const body = JSON.stringify({ ...payRequest("order-3"), accessToken, paymentAmount: amount });
  const headers = {
    "client-id": merchant.clientId,
    "request-time": String(Date.now()),
    signature: "algorithm=RSA256,keyVersion=1,signature=AA",
  };
  await send(portal.gatewayUrl, { path: `${path}?token=${strayToken}`, body, headers });
  track("the control secret of the sandbox", controlSecret);
  await sendControlRequest(portal.gatewayUrl, { body: {} });
  await sendControlRequest(portal.gatewayUrl, { method: "GET", path: "/none" });
});

/** `newCaller` returns an HTTP client without a browser, whose responses are searched too. */
function newCaller(): TestBrowser {
  const browser = newTestBrowser({ url, through: `http://127.0.0.1:${accountsPort}` });
  const note = async (address: string, response: ReturnType<TestBrowser["get"]>) => {
    const answer = await response;
    answers.push({ address, text: JSON.stringify(answer.json) });
    markSession(browser.token());
    return answer;
  };
  return {
    ...browser,
    get: (path) => note(path, browser.get(path)),
    post: (path, body, headers) => note(path, browser.post(path, body, headers)),
  };
}

function markSession(token: string | undefined): void {
  if (token !== undefined) track("a session", token);
}

test("people register, invite, vouch and upload documents", async () => {
  const kurt = newCaller();
  const email = "kurt@logic.example";
  await kurt.post("/accounts/register", { email, name: "Kurt", organisation: "Logic" });
  const link = (text: string): string => /#([\w-]{43})/.exec(text)?.[1] ?? "";
  const registration = link((await accounts.smtp.emailTo(email)).text);
  track("the link of a registration", registration);
  await kurt.post("/accounts/verify-email", { token: registration });
  const password = `seven unlikely staplers ${randomBytes(6).toString("hex")}`;
  track("a password", password);
  const { json } = await kurt.post("/accounts/password/begin", { password });
  const secret = String(json["secret"]);
  track("the secret of an authenticator", secret);
  const code = totpAt(fromBase32(secret), stepAt(new Date()));
  assert.equal((await kurt.post("/accounts/password/confirm", { code })).status, 200);
  await accounts.sql("update sessions set stepped_up_at = now() where method = 'password'");
  const invited = "lise@logic.example";
  await kurt.post("/accounts/invitations", { email: invited, role: "admin" });
  const invitation = link((await accounts.smtp.emailTo(invited)).text);
  track("the link of an invitation", invitation);
  const lise = newCaller();
  assert.equal(
    (await lise.post("/accounts/invitations/accept", { token: invitation, name: "Lise" })).status,
    200,
  );
  const people = (await kurt.get("/accounts/people")).json["people"] as { personId: string; email: string }[];
  const personId = people.find((person) => person.email === invited)?.personId;
  await accounts.sql("update memberships set role_since = role_since - interval '2 days'");
  const vouched = await kurt.post("/accounts/recoveries", { personId, reason: "Called her at home." });
  track("the link that stops a recovery", link((await accounts.smtp.emailTo(invited)).text));
  const organisationId = String((await kurt.get("/accounts/me")).json["organisationId"]);
  const second = await givenMember(accounts, { role: "owner", organisationId, steppedUpAgoMs: 0 });
  const { recoveryId } = vouched.json;
  assert.equal((await second.browser.post("/accounts/recoveries/confirm", { recoveryId })).status, 200);
  const { text } = await accounts.smtp.emailTo(invited);
  track("the code of a recovery", /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/m.exec(text)?.[0] ?? assert.fail(text));
  const documentText = `%PDF-1.7 ${randomBytes(12).toString("hex")}`;
  track("a paper", documentText);
  const content = Buffer.from(documentText).toString("base64");
  const sent = await kurt.post("/accounts/review/documents", {
    shows: "identity",
    name: "paper.pdf",
    content,
  });
  assert.equal(sent.status, 200);
  await kurt.get("/accounts/review");
  await kurt.get("/accounts/audit");
  await kurt.get("/accounts/sessions");
});

const exported: string[] = [];

test("all records are viewed in the portal, downloaded, and viewed by operators", async () => {
  const opened = async (page: Page, address: string): Promise<void> => {
    const answered = page.waitForResponse(
      (each) => /\/console\/\w|\/accounts\/merchants$/.test(each.url()) && each.ok(),
    );
    await page.goto(address);
    await answered;
    await page.getByRole("heading").first().waitFor();
  };
  for (const path of ["payments/order-1", "notifications", "authorizations", "calls"])
    await opened(ada, `${url}/sandbox/${path}`);
  const calls = ada.locator("main a[href*='/calls/']");
  await calls.nth(4).waitFor();
  const addresses = await calls.evaluateAll((links) => links.map((each) => each.getAttribute("href") ?? ""));
  for (const address of addresses) await opened(ada, url + address);
  await opened(ada, `${url}/sandbox/payments`);
  const saving = ada.waitForEvent("download");
  await ada.getByRole("button", { name: "Download CSV" }).click();
  exported.push(await readFile(await (await saving).path(), "utf8"));
  const merchantPath = `sandbox/merchants/${gateway.merchant.clientId}`;
  for (const path of [
    "sandbox",
    "sandbox/payment?of=order-1",
    merchantPath,
    "sandbox/providers",
    "audit",
    "reviews",
  ])
    await opened(grace, `${operatorUrl}/${path}`);
  for (const page of [ada, grace])
    for (const { name, value } of await page.context().cookies())
      if (name.startsWith("__Host-tollgate")) markSession(value);
});

/** Responses that return a secret to its owner once, by design. */
const allowedLeaks: Readonly<Record<string, RegExp>> = {
  "the cookie that binds a browser to its sign-in": /\/accounts\/(?:sign-in|step-up)\/oidc$/,
  "a person's token": /\/accounts\/token$/,
  "the secret of an authenticator": /\/accounts\/password\/begin$/,
};

/** Secrets that must be stored. People see the URL of a webhook endpoint without its query string. */
const storedBy: Readonly<Record<string, string>> = {
  "the link of a registration": "the emails",
  "the link of an invitation": "the emails",
  "the link that stops a recovery": "the emails",
  "the code of a recovery": "the emails",
  "the key in a webhook URL": "the database of the gateway",
};

test("no secret is in a table, a log, a response, an email, a downloaded file or the bundle", async (t) => {
  await Promise.all(pendingResponses);
  await eventually(
    20_000,
    async () => logs.get("the log of work") ?? "",
    (text) => text.includes("notifyRefund") || text.includes("Delivering a webhook failed"),
  );
  const places = new Map<string, string>([
    ...logs,
    ["the database of accounts", await dumpDatabase(accounts.superuserUrl)],
    ["the database of the gateway", await dumpDatabase(gateway.database.superuserUrl)],
    ["the emails", accounts.smtp.delivered.map(({ text }) => text).join("\n")],
    ["the saved file", exported.join("")],
    ["the bundle", await bundle()],
  ]);
  for (const [name, text] of places) assert.ok(text.length > 100, `${name} is empty`);
  const found: string[] = [];
  for (const { kind, text } of canaries) {
    const forms = listEncodings(text);
    for (const [name, content] of places)
      if (storedBy[kind] !== name && forms.some((form) => content.includes(form)))
        found.push(`${kind}: ${name}`);
    for (const { address, text: answer } of answers)
      if (!allowedLeaks[kind]?.test(address) && forms.some((form) => answer.includes(form)))
        found.push(`${kind}: the answer of ${address}`);
  }
  t.diagnostic(`${canaries.length} secrets, ${answers.length} answers, ${places.size} other places`);
  assert.deepEqual([...new Set(found)], []);
});

async function bundle(): Promise<string> {
  const folder = join(accounts.variables["ACCOUNTS_PORTAL_FOLDER"] ?? "", "assets");
  const files = (await readdir(folder)).map((name) => readFile(join(folder, name), "utf8"));
  return (await Promise.all(files)).join("\n");
}
