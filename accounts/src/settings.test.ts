import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestProcess } from "../../server/test/start/test-process.ts";
import { readSettings } from "./settings.ts";

const invalidSettings: readonly (readonly [variable: string, value: string, sentence: RegExp])[] = [
  ["PUBLIC_URL", "http://pay.example", /must be https/],
  ["PUBLIC_URL", "https://pay.example/", /without a path/],
  ["PUBLIC_URL", "pay.example", /must be https/],
  ["SMTP_URL", "http://mail.example", /must be smtps/],
  ["MAIL_FROM", "Tollgate", /must be an email address/],
  ["MAIL_FROM", "a@b.example\r\nBcc: c@d.example", /must be an email address/],
  ["LIVE_PASSWORDS", "yes", /must be allow/],
  ["LIVE_AUDIENCE", "sandbox", /two different words/],
  ["SANDBOX_URL", "https://pay.example/path", /must be the URL of a gateway/],
  ["PORT", "many", /whole number/],
  ["TRUSTED_PROXIES", "everybody", /comma-separated list of networks/],
];

test("an invalid setting is reported by its name", () => {
  const names: Readonly<Record<string, string>> = {
    PUBLIC_URL: "publicUrl",
    SMTP_URL: "smtpUrl",
    MAIL_FROM: "mailFrom",
    LIVE_PASSWORDS: "allowsLivePasswords",
    LIVE_AUDIENCE: "audiences",
    SANDBOX_URL: "gateways",
    PORT: "port",
    TRUSTED_PROXIES: "trustedProxies",
  };
  for (const [variable, value, sentence] of invalidSettings) {
    const settings = readSettings({ [`ACCOUNTS_${variable}`]: value });
    const read = (): unknown => Reflect.get(settings, names[variable] ?? "");
    assert.throws(
      read,
      (error: Error) => sentence.test(error.message) && error.message.includes("ACCOUNTS_"),
    );
  }
});

test("valid settings are accepted", () => {
  const settings = readSettings({
    ACCOUNTS_PUBLIC_URL: "https://accounts.pay.example",
    ACCOUNTS_SMTP_URL: "smtps://user:secret@mail.example",
    ACCOUNTS_MAIL_FROM: "Tollgate <accounts@pay.example>",
    ACCOUNTS_LIVE_PASSWORDS: "allow",
  });
  assert.equal(settings.publicUrl, "https://accounts.pay.example");
  assert.equal(settings.mailFrom, "Tollgate <accounts@pay.example>");
  assert.deepEqual(settings.audiences, { sandbox: "sandbox", live: "live" });
  assert.equal(settings.allowsLivePasswords, true);
});

test("the operator console sends requests to serve-staff, and never to the portal's gateway", () => {
  const variables = {
    ACCOUNTS_PUBLIC_URL: "https://portal.pay.example",
    ACCOUNTS_OPERATOR_URL: "https://operators.pay.example",
    ACCOUNTS_PORTAL_FOLDER: "portal/dist",
    ACCOUNTS_SANDBOX_URL: "https://sandbox.pay.example",
    ACCOUNTS_LIVE_URL: "https://pay.example",
  };
  assert.deepEqual(readSettings(variables).operator?.gateways, []);
  const staffUrl = "https://staff-api.pay.example";
  const settings = readSettings({ ...variables, ACCOUNTS_OPERATOR_LIVE_URL: staffUrl });
  assert.deepEqual(settings.operator?.gateways, [{ environment: "live", url: staffUrl }]);
  assert.equal(settings.gateways.length, 2);
});

test("a process without settings reports all missing settings and does not start", async () => {
  const started = startTestProcess(["accounts/src/main.ts", "serve"], {
    ACCOUNTS_SMTP_URL: "http://mail.example",
  });
  await started.exited;
  assert.equal(started.child.exitCode, 2);
  const names = ["DATABASE_URL", "KEY_FILE", "TOKEN_KEY_FILE", "PUBLIC_URL", "MAIL_FROM"];
  for (const name of names) assert.match(started.stderr(), new RegExp(`ACCOUNTS_${name}\\b`));
  assert.match(started.stderr(), /ACCOUNTS_SMTP_URL must be smtps/);
});
