import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestProcess } from "../../server/test/start/test-process.ts";
import { givenMember, linkTokenIn, startTestAccounts } from "../test/test-accounts.ts";
import type { Answer } from "../test/test-browser.ts";

const accounts = await startTestAccounts();

async function runCommand(
  words: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const started = startTestProcess(["accounts/src/main.ts", ...words], { ...accounts.variables, ...more });
  let printed = "";
  started.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  await started.exited;
  return `${started.child.exitCode} ${printed}${started.stderr()}`;
}

test("the first staff member joins with a link that a command prints, and must use a passkey", async () => {
  const printed = await runCommand(["staff", "invite", "--email", "Ada@Pay.example"]);
  assert.match(printed, /^0 http:\/\/localhost:\d+\/invitation#/);
  assert.ok(printed.includes(accounts.operatorUrl), printed);
  const browser = accounts.browser("operator");
  const accepted = await browser.post("/accounts/invitations/accept", {
    token: linkTokenIn(printed),
    name: "Ada",
  });
  assert.equal(accepted.status, 200);
  const { json } = await browser.get("/accounts/me");
  const [organisation] = json["organisations"] as { kind: string; role: string }[];
  assert.deepEqual([organisation?.kind, organisation?.role], ["staff", "staff-admin"]);
  const denied = await browser.post("/accounts/password/begin", { password: "correct horse battery" });
  assert.equal(denied.json["refusal"], "NOT_FOUND");

  assert.match(
    await runCommand(["staff", "invite", "--email", "b@pay.example", "--role", "staff-support"]),
    /^0 /,
  );
  const kinds = await accounts.sql("select from organisations where kind = 'staff'");
  assert.equal(kinds.length, 1);
  assert.match(await runCommand(["staff", "invite", "--email", "b@pay.example", "--role", "owner"]), /^2 /);
  assert.match(await runCommand(["audit", "verify"]), /^0 3 rows, all unchanged/);
});

test("a second migration changes nothing", async () => {
  assert.match(await runCommand(["migrate"]), /^0 up to date/);
});

test("the public token key is printed with its id", async () => {
  assert.match(await runCommand(["token-key", "show"]), /^0 [\w-]{16}\n-----BEGIN PUBLIC KEY-----/);
});

test("accounts do not start with the owner's login, or without keys", async () => {
  const asOwner = await runCommand(["serve"], {
    ACCOUNTS_DATABASE_URL: accounts.variables["ACCOUNTS_OWNER_DATABASE_URL"] ?? "",
    ACCOUNTS_PORT: "0",
  });
  assert.match(asOwner, /^1 Accounts cannot start: The role \w+ owns/);
  assert.match(
    await runCommand(["serve"], { ACCOUNTS_KEY_FILE: "/nowhere/key" }),
    /^1 The file \/nowhere\/key does not exist/,
  );
});

test("a staff account is recovered by the command line when fewer than two other staff-admins exist", async () => {
  await accounts.sql("delete from memberships where role like 'staff-%'");
  const [lost, admin, support] = [
    await givenMember(accounts, { role: "staff-admin" }),
    await givenMember(accounts, { role: "staff-admin" }),
    await givenMember(accounts, { role: "staff-support" }),
  ];
  const addressOf = ({ personId }: typeof lost): string => `${personId.toLowerCase()}@shop.example`;
  const words = ["staff", "recover", "--email", addressOf(lost), "--reason", "Both passkeys are lost."];
  const printed = await runCommand(words);
  assert.match(printed, /^0 The code was sent/);
  for (const each of [lost, admin, support])
    assert.match(
      (await accounts.smtp.emailTo(addressOf(each))).text,
      /at the command line[^]*stop the recovery/,
    );
  const { text } = await accounts.smtp.emailTo(addressOf(lost));
  const code = /^(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}$/m.exec(text)?.[0] ?? assert.fail(text);
  assert.ok(!printed.includes(code), "the command does not print the code");
  const browser = accounts.browser("operator");
  const recover = (): Promise<Answer> => browser.post("/accounts/recover", { code });
  assert.equal((await recover()).json["refusal"], "RECOVERY_REFUSED");
  accounts.pass(24 * 3_600_000 + 60_000);
  assert.equal((await recover()).status, 200);
  assert.match(await runCommand(words), /^1 .*already in progress/);

  const merchant = await givenMember(accounts, { role: "owner" });
  const recoverArguments = (member: typeof lost): string[] => words.with(3, addressOf(member));
  assert.match(await runCommand(recoverArguments(merchant)), /^1 .*not the email address of a staff member/);
  await givenMember(accounts, { role: "staff-admin" });
  assert.match(await runCommand(recoverArguments(support)), /^1 Two other staff-admins exist/);
});
