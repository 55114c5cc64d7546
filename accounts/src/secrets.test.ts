import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { waitForLine, startTestProcess } from "../../server/test/start/test-process.ts";
import { findBinFolder, findFreePort } from "../../server/src/postgres/temporary-postgres.ts";
import { linkTokenIn, registerPerson, startTestAccounts, stepUp } from "../test/test-accounts.ts";
import { newTestBrowser } from "../test/test-browser.ts";

const accounts = await startTestAccounts();

test("no password, code, secret, link or session is in the database in the clear", async () => {
  const person = await registerPerson(accounts);
  const { email, browser, password } = person;
  const signedIn = accounts.browser();
  const code = person.code();
  await signedIn.post("/accounts/sign-in/password", { email, password, code });
  const canaries = [password, browser.token(), signedIn.token(), browser.device(), signedIn.device()];
  await stepUp(person);
  canaries.push(browser.token());
  const { json } = await browser.post("/accounts/password/begin", { password: "a canary in the mine" });
  canaries.push("canary in the mine", String(json["secret"]));
  await browser.post("/accounts/invitations", { email: "x@colleague.example", role: "reader" });
  canaries.push(linkTokenIn((await accounts.smtp.emailTo("x@colleague.example")).text));
  await browser.post("/accounts/register", { email: "y@colleague.example", name: "Y", organisation: "Y" });
  canaries.push(linkTokenIn((await accounts.smtp.emailTo("y@colleague.example")).text));
  const token = await browser.post("/accounts/token", { environment: "sandbox" });
  canaries.push(String(token.json["token"]));

  const { stdout } = await promisify(execFile)(
    `${await findBinFolder()}/pg_dump`,
    ["--inserts", accounts.superuserUrl],
    { maxBuffer: 64 * 1024 ** 2 },
  );
  assert.ok(stdout.includes(email), "the dump contains data that is not secret");
  for (const canary of canaries) {
    assert.ok(canary && canary.length >= 12);
    const hex = Buffer.from(canary).toString("hex");
    assert.ok(!stdout.includes(canary) && !stdout.includes(hex), canary);
  }
});

test("the process writes no secret to its log, and shuts down gracefully", async () => {
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  const started = startTestProcess(["accounts/src/main.ts", "serve"], {
    ...accounts.variables,
    ACCOUNTS_PORT: String(port),
    ACCOUNTS_PUBLIC_URL: url,
    ACCOUNTS_OPERATOR_URL: "",
    ACCOUNTS_LOG_LEVEL: "trace",
    // No SMTP server listens there: an email that cannot be sent must not be written to the log.
    ACCOUNTS_SMTP_URL: "smtp://127.0.0.1:1",
  });
  let log = "";
  started.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  await waitForLine(started, /accounts answer at/);
  const browser = newTestBrowser({ url, through: `http://127.0.0.1:${port}` });
  const canaries = ["a canary in the mine", "987654", "canary-link-that-is-43-characters-long-00000"];
  const [password, code, token] = canaries;
  browser.useToken("C".repeat(43));
  const email = "person@shop.example";
  assert.equal((await browser.post("/accounts/sign-in/password", { email, password, code })).status, 401);
  assert.equal((await browser.post("/accounts/verify-email", { token })).status, 400);
  assert.equal((await browser.post("/accounts/sign-in/password", `{"password":"${password}",`)).status, 400);
  assert.equal((await fetch(`${url}/livez`)).status, 200);

  const registration = { email: "unsent@shop.example", name: "Ada", organisation: "Shop" };
  assert.equal((await browser.post("/accounts/register", registration)).status, 200);

  started.kill("SIGTERM");
  await started.exited;
  assert.equal(started.child.exitCode, 0);
  assert.match(log, /"outcome":"SIGN_IN_FAILED"/);
  assert.match(log, /ECONNREFUSED/);
  assert.doesNotMatch(log, /#[\w-]{43}/);
  for (const canary of [...canaries, "C".repeat(43)]) {
    assert.ok(!log.includes(canary), canary);
    assert.ok(!started.stderr().includes(canary), canary);
  }
});
