import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { signPersonToken } from "../../server/src/people/person-token.ts";
import { findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { newMerchant, prepareTestGateway, writeTestFile } from "../../server/test/start/test-gateway.ts";
import { requestConsole, resultCodeOf, portalOrigin } from "../../server/test/start/test-console.ts";
import {
  eventually,
  waitForLine,
  startTestProcess,
  type TestProcess,
} from "../../server/test/start/test-process.ts";
import {
  callPayments,
  connectTestProvider,
  gatewayProcesses,
  payRequest,
} from "../../server/test/start/test-stack.ts";
import { givenMember, startTestAccounts } from "../test/test-accounts.ts";
import { newTestBrowser, type TestBrowser } from "../test/test-browser.ts";
import { readTokenKey } from "./tokens/token-key.ts";

const accounts = await startTestAccounts();
const port = await findFreePort();
const url = `http://localhost:${port}`;

/** `startAccounts` starts a second accounts process on the same database. */
async function startAccounts(): Promise<TestProcess> {
  const started = startTestProcess(["accounts/src/main.ts", "serve"], {
    ...accounts.variables,
    ACCOUNTS_PORT: String(port),
    ACCOUNTS_PUBLIC_URL: url,
    // This process serves only the portal; the operator console runs in the test process.
    ACCOUNTS_OPERATOR_URL: "",
    ACCOUNTS_OPERATOR_PORT: "",
  });
  await waitForLine(started, /accounts answer at/);
  return started;
}

const { database, variables } = await prepareTestGateway("sandbox");
const merchant = await newMerchant(database);
const provider = await connectTestProvider(database);
const pem = String(accounts.tokenPublicKey.export({ type: "spki", format: "pem" }));
const gateway = await gatewayProcesses(database, {
  ...variables,
  TOLLGATE_ACCOUNTS_KEYS_FILE: writeTestFile(`accounts-${randomUUID()}.pem`, pem),
  TOLLGATE_CONSOLE_ORIGINS: portalOrigin,
});
const serving = await gateway.serve({ isPublic: true });

async function pay(requestId: string): Promise<unknown> {
  const { json } = await callPayments(serving.url, merchant, "pay", payRequest(requestId));
  await provider.control(String(json["paymentId"]), "approve");
  return eventually(
    20_000,
    async () => {
      const inquiry = await callPayments(serving.url, merchant, "inquiryPayment", {
        paymentRequestId: requestId,
      });
      return inquiry.json["paymentStatus"];
    },
    (status) => status === "SUCCESS",
  );
}

const viewPayments = async (token: unknown): Promise<string> =>
  resultCodeOf(await requestConsole(serving.url, "views/payments", { token: String(token) }));

async function signInMember(): Promise<{ readonly browser: TestBrowser; readonly token: unknown }> {
  const member = await givenMember(accounts, { role: "owner" });
  await accounts.sql(
    "insert into clients (client_id, environment, organisation_id, name, given_at) values ($1, 'sandbox', $2, 'Shop', now())",
    [merchant.clientId, member.organisationId],
  );
  const browser = newTestBrowser({ url, through: `http://127.0.0.1:${port}` });
  browser.useToken(member.browser.token());
  const { json } = await browser.post("/accounts/token", { environment: "sandbox" });
  return { browser, token: json["token"] };
}

test("if accounts crash, payments continue, and people stay signed in until their token expires", async () => {
  const first = await startAccounts();
  const { browser, token } = await signInMember();
  assert.equal(await viewPayments(token), "SUCCESS");
  assert.equal(await pay("before"), "SUCCESS");

  first.kill("SIGKILL");
  await first.exited;
  await assert.rejects(browser.get("/accounts/me"));
  assert.equal(await pay("after"), "SUCCESS");
  assert.equal(await viewPayments(token), "SUCCESS");

  // A token contains its lifetime: one minute in production, two seconds in this test.
  const key = await readTokenKey(accounts.variables["ACCOUNTS_TOKEN_KEY_FILE"] ?? "");
  const [, payload = ""] = String(token).split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  assert.equal(claims.exp - claims.iat, 60);
  const iat = Math.floor(Date.now() / 1000);
  const shortToken = signPersonToken({ ...claims, iat, exp: iat + 3 }, key);
  assert.equal(await viewPayments(shortToken), "SUCCESS");
  await eventually(
    20_000,
    () => viewPayments(shortToken),
    (code) => code === "TOKEN_INVALID",
  );
  assert.equal(await pay("later"), "SUCCESS");

  // Sessions are stored in the database, so they survive a crash of the process.
  await startAccounts();
  const renewed = await browser.post("/accounts/token", { environment: "sandbox" });
  assert.equal(await viewPayments(renewed.json["token"]), "SUCCESS");
});

test("a sandbox token is rejected in live, for every sender", async () => {
  const live = await prepareTestGateway("live");
  const processes = await gatewayProcesses(live.database, {
    ...live.variables,
    TOLLGATE_ACCOUNTS_KEYS_FILE: writeTestFile(`accounts-${randomUUID()}.pem`, pem),
    TOLLGATE_CONSOLE_ORIGINS: portalOrigin,
  });
  const liveServer = await processes.serve();
  const { json } = await (
    await givenMember(accounts, { role: "owner" })
  ).browser.post("/accounts/token", {
    environment: "sandbox",
  });
  const answer = await requestConsole(liveServer.url, "views/payments", { token: String(json["token"]) });
  assert.deepEqual(
    [resultCodeOf(answer), answer.json.result["resultMessage"]],
    ["TOKEN_INVALID", "The token is for another environment."],
  );
});
