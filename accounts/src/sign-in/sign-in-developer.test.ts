import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { readSettings } from "../settings.ts";
import { startTestAccounts } from "../../test/test-accounts.ts";

const folder = await mkdtemp(join(tmpdir(), "tollgate-developer-"));
after(() => rm(folder, { recursive: true }));
const secret = "test-secret-of-the-terminal-0123456789";
const secretFile = join(folder, "secret");
await writeFile(secretFile, secret);
const clientId = "SANDBOX_0000000000000001";
const developerVariables = {
  ACCOUNTS_DEVELOPER_SECRET_FILE: secretFile,
  ACCOUNTS_DEVELOPER_CLIENT_ID: clientId,
  ACCOUNTS_SMTP_URL: pathToFileURL(join(folder, "mail")).href,
};
const accounts = await startTestAccounts(developerVariables);

test("a developer signs in with the link of the terminal, as owner of the gateway's merchant, without re-authentication", async () => {
  const browser = accounts.browser();
  assert.equal((await browser.post("/accounts/developer", { token: secret })).status, 200);
  const me = (await browser.get("/accounts/me")).json;
  assert.equal(me["method"], "developer");
  const { token } = (await browser.post("/accounts/token", { environment: "sandbox" })).json;
  const payload = JSON.parse(Buffer.from(String(token).split(".")[1] ?? "", "base64url").toString()) as {
    readonly clientIds: readonly string[];
    readonly role: string;
    readonly stepUpAt: number;
  };
  assert.deepEqual([payload.clientIds, payload.role], [[clientId], "owner"]);
  assert.ok(Math.abs(payload.stepUpAt * 1000 - accounts.now().getTime()) < 5_000);
});

test("the link works repeatedly for the same person, and not in live", async () => {
  const browser = accounts.browser();
  assert.equal((await browser.post("/accounts/developer", { token: secret })).status, 200);
  assert.equal((await accounts.sql("select from people")).length, 1);
  assert.equal((await accounts.sql("select from clients")).length, 1);
  const live = await browser.post("/accounts/token", { environment: "live" });
  assert.notEqual(live.status, 200);
});

test("a wrong secret is rejected, and every secret is rejected if none is configured", async () => {
  const wrong = await accounts.browser().post("/accounts/developer", { token: `${secret}x` });
  assert.notEqual(wrong.status, 200);
  const ordinaryAccounts = await startTestAccounts();
  assert.notEqual(
    (await ordinaryAccounts.browser().post("/accounts/developer", { token: secret })).status,
    200,
  );
});

test("emails are written to a folder on a developer's computer", async () => {
  const registration = { email: "ada@shop.example", name: "Ada", organisation: "Tea Lab" };
  assert.equal((await accounts.browser().post("/accounts/register", registration)).status, 200);
  let names: readonly string[] = [];
  while (names.length === 0) {
    const all = await readdir(join(folder, "mail")).catch(() => []);
    names = all.filter((name) => name.endsWith(".txt"));
  }
  const email = await readFile(join(folder, "mail", names[0] ?? ""), "utf8");
  assert.match(email, /^To: ada@shop\.example$/m);
  assert.match(email, /http:\/\/localhost:\d+\/verify#/);
});

test("developer sign-in and email folder are rejected on a public address", () => {
  const settings = readSettings({
    ...developerVariables,
    ACCOUNTS_PUBLIC_URL: "https://accounts.pay.example",
  });
  assert.throws(() => settings.developer, /only for http:\/\/localhost/);
  assert.throws(() => settings.smtpUrl, /must be smtps:/);
});
