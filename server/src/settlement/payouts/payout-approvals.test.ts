import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ibans, ourBank, newSettlementFixture } from "../../../test/examples/settlement-fixture.ts";
import { createStaffLogins } from "../../../test/start/staff-logins.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../../../test/start/test-gateway.ts";
import { bucketOf } from "../../core/bucket.ts";
import { sha256 } from "../../core/digest.ts";
import { listMerchantAudit } from "../../audit/audit.sql.ts";
import { queryAsOwner } from "../../operator-session/owner-session.ts";
import { findAudit } from "../../operators/audit/audit-log.ts";
import { readCommandLine } from "../../operators/framework/command-line.ts";
import { operatorCommands } from "../../processes/operator-commands.ts";
import { kindFacts } from "../../notifications/notification-kinds.ts";
import { findAccounts } from "./payout-accounts.workflow.ts";
import { reviewFile } from "./approve-payout-file.workflow.ts";

/**
 * These tests check payouts in live. Ada and Grace have the role finance, Sam support; each has a database login with
 * exactly that role's privileges.
 */
const { database, operatorVariables } = await prepareTestGateway("live");
Object.assign(process.env, operatorVariables);
const owner = { url: database.ownerUrl, environment: "live" } as const;
const { clientId } = await newMerchant(database);
const { postPayment: paid, rows, owedMinor: owed } = newSettlementFixture(database);
const folder = mkdtempSync(join(tmpdir(), "tollgate-live-payouts-"));
const people = { ada: "finance", grace: "finance", sam: "support" } as const;
type Person = keyof typeof people;
const { loginOf, urlOf } = await createStaffLogins(database, people);

async function run(person: Person, ...args: readonly string[]): Promise<void> {
  process.env["TOLLGATE_OWNER_DATABASE_URL"] = urlOf(person);
  const reasonOptions =
    operatorCommands[args.slice(0, 3).join(" ")]?.auditLabel ??
    operatorCommands[args.slice(0, 2).join(" ")]?.auditLabel;
  const why = reasonOptions ? ["--as", person, "--reason", "a test"] : [];
  const commandLine = readCommandLine([...args, ...why], operatorCommands);
  assert.ok(commandLine.action === "run", args.join(" "));
  await operatorCommands[commandLine.name]?.run(commandLine.args);
}

/** Requests an act, approves it with another login, and runs it. */
async function runWithApproval(...args: readonly string[]): Promise<void> {
  let askedId = "";
  await assert.rejects(run("ada", ...args), ({ message }) => {
    askedId = /request has the number (\d+)/.exec(message)?.[1] ?? "";
    return message.startsWith("In live this needs an approval");
  });
  await assert.rejects(run("ada", "approval", "approve", askedId), /Another person must approve it/);
  await run("grace", "approval", "approve", askedId);
  await run("ada", ...args);
}

const account = (iban: string): readonly string[] => [
  "--currency",
  "EUR",
  "--iban",
  iban,
  "--holder",
  "Coffee Lab",
];
const waiting = async (): Promise<string> => {
  const found = await findAccounts(owner, { clientId, inFull: false });
  return found.find(({ approvedBy }) => !approvedBy)?.accountId ?? "";
};

test("our debtor account and a merchant's terms need an approval", async () => {
  await runWithApproval("payout", "bank", "set", ourBank, ...account(ibans[1]), "--bic", "BNPAFRPP");
  await runWithApproval(
    "payout",
    "terms",
    "set",
    clientId,
    "--currency",
    "EUR",
    "--cycle",
    "D",
    "--days",
    "0",
    "--from",
    "2026-01-01",
  );
});

/** Runs plain SQL with the privileges of finance. */
const byHand = (statement: string): Promise<unknown> =>
  asSuperuser(`select set_config('app.clients', '{${clientId}}', false); ${statement}`, [], urlOf("ada"));

test("an account is approved by another login than the requester's, also by plain SQL", async () => {
  await run("ada", "payout", "account", "set", clientId, ...account(ibans[0]));
  const accountId = await waiting();
  const approve = ["payout", "account", "approve", clientId, accountId] as const;
  await assert.rejects(run("ada", ...approve), /Another person must approve it/);
  await assert.rejects(run("ada", ...approve, "--alone"), /Another person must approve it/);
  await assert.rejects(
    byHand(
      `update bank_accounts set approved_by = 'grace', approved_login = 'grace', approved_at = now(), usable_from = now()`,
    ),
    { constraint: "bank_accounts_approved_by_another_login" },
  );
  await byHand(
    `insert into bank_accounts (bucket, client_id, account_id, currency, holder, iban, iban_shown, wait_hours, asked_by, asked_login,
       asked_at, approved_by, approved_login, approved_at, usable_from)
     select bucket, client_id, 'smuggled', 'USD', holder, iban, iban_shown, 0, 'x', 'grace', now(), 'y', 'grace', now(), now() from bank_accounts`,
  );
  assert.deepEqual(
    await rows(
      "select approved_by, asked_login = $1 as is_hers from bank_accounts where account_id = 'smuggled'",
      loginOf("ada"),
    ),
    [{ approved_by: null, is_hers: true }],
  );
  await run("grace", ...approve);
  const [approved] = await findAccounts(owner, { clientId, inFull: true });
  assert.partialDeepStrictEqual(approved, { approvedBy: "grace", waitHours: 0, iban: ibans[0] });
});

test("a finance login can send webhooks about payouts and accounts only, also by plain SQL", async () => {
  const insertWebhook = (kind: string, url: string): Promise<unknown> =>
    byHand(
      `insert into notifications (bucket, notification_id, client_id, kind, subject_id, sequence, url, body, created_at)
       values (${bucketOf(clientId)}, '${kind}', '${clientId}', '${kind}', 'x', 1, ${url}, '{}', now())`,
    );
  const refused = /violates row-level security policy/;
  for (const [kind, { writtenBy }] of kindFacts)
    if (writtenBy === "finance") await insertWebhook(kind, "null");
    else await assert.rejects(insertWebhook(kind, "null"), refused, kind);
  await assert.rejects(insertWebhook("notifyPayout", "'https://thief.example/'"), refused);
  const job = `insert into jobs (bucket, subject_id, job, client_id, due_at) values (${bucketOf(clientId)}, 'x', `;
  await assert.rejects(byHand(`${job} 'drive-payment', '${clientId}', now())`), refused);
});

test("the merchant sees its accounts change, and only the account's own record has the full IBAN", async () => {
  const filter = { clientId, actor: undefined, beforeSeq: Number.MAX_SAFE_INTEGER };
  const ownAudit = await queryAsOwner(owner.url, "live", [clientId], (tx) =>
    listMerchantAudit(tx, filter, 100),
  );
  const acts = ownAudit.map(({ act }) => act).filter((act) => act.startsWith("payout account"));
  assert.deepEqual(acts, ["payout account approve", "payout account set"]);
  assert.doesNotMatch(JSON.stringify(await findAudit(owner, {}, 1_000)), new RegExp(ibans[0]));
  await run("sam", "payout", "account", "list");
  await assert.rejects(run("sam", "payout", "account", "list", "--full"), /Only finance may read full IBANs/);
  await run("ada", "payout", "account", "list", "--full");
});

test("a payout file is planned by one person, approved by another as printed, and then handed over", async () => {
  await paid(clientId, 12_345n, "2026-11-10T10:00:00Z");
  await run("ada", "settlement", "close", "--day", "2026-11-10");
  const args = ["payout", "run", "--bank", ourBank, "--folder", folder] as const;
  await assert.rejects(run("ada", ...args), /another person must approve payouts, and nothing is paid yet/);
  const planned = await planOf("PLANNED");
  assert.equal(await owed(clientId), 12_345n, "nothing is paid before the approval");
  assert.deepEqual(readdirSync(folder), []);

  // Another batch becomes due before the approval, so the plan changes and replaces the unapproved one.
  await paid(clientId, 5n, "2026-11-11T10:00:00Z");
  await run("ada", "settlement", "close", "--day", "2026-11-11");
  await assert.rejects(run("ada", ...args), /another person/);
  const fileId = await planOf("PLANNED");
  assert.notEqual(fileId, planned);
  const { digest, lines } = await reviewFile(owner, fileId);
  assert.partialDeepStrictEqual(lines, [
    { holder: "Coffee Lab", ibanShown: "DE89 … 3000", lastIbanShown: undefined, amount: { minor: 12_345n } },
    { holder: "Coffee Lab", ibanShown: "DE89 … 3000", attempt: 1, amount: { minor: 5n } },
  ]);
  const approve = ["payout", "approve", fileId, "--digest"] as const;
  await assert.rejects(run("ada", ...approve, digest), /another person must approve it/);
  await assert.rejects(run("grace", ...approve, "00".repeat(32)), /is not the digest of the payout file/);
  await assert.rejects(run("sam", ...approve, digest), /permission denied|finance/);
  await run("grace", ...approve, digest);
  await run("ada", ...args);

  assert.equal(await owed(clientId), 0n);
  const text = readFileSync(join(folder, `${fileId}.xml`), "utf8");
  assert.deepEqual(
    await rows("select distinct status, (select count(*)::int from payouts) as count from payouts"),
    [{ status: "SENT", count: 2 }],
  );
  const [handed] = await findAudit(owner, { act: "payout hand-over" }, 1);
  assert.partialDeepStrictEqual(handed, {
    subject: fileId,
    after: { sha256: sha256(text).toString("hex"), payoutCount: 2, totalMinor: "12350" },
  });
});

async function planOf(status: string): Promise<string> {
  const [file] = await rows<{ file_id: string }>(
    "select file_id from payout_files where status = $1",
    status,
  );
  return file?.file_id ?? "";
}
