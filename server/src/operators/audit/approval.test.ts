import assert from "node:assert/strict";
import { sign } from "node:crypto";
import { test } from "node:test";
import { createStaffLogins } from "../../../test/start/staff-logins.ts";
import { asSuperuser } from "../../../test/start/test-database.ts";
import {
  newKeyPair,
  newMerchant,
  prepareTestGateway,
  writeTestFile,
} from "../../../test/start/test-gateway.ts";
import { listMerchantAudit } from "../../audit/audit.sql.ts";
import { findPendingApprovals } from "./approve.ts";
import { queryAsOwner } from "../../operator-session/owner-session.ts";
import { findAudit } from "./audit-log.ts";
import { addMerchantKey } from "../merchants/merchant.ts";
import { readCommandLine } from "../framework/command-line.ts";
import { operatorCommands } from "../../processes/operator-commands.ts";

/** Approval in live: Ada and Grace are operators, Iris is an admin. Each has a database login. */
const { database, operatorVariables } = await prepareTestGateway("live");
Object.assign(process.env, operatorVariables);
const owner = { url: database.ownerUrl, environment: "live" } as const;
const { clientId } = await newMerchant(database);
const people = { ada: "operator", grace: "operator", iris: "admin", sam: "support" } as const;
type Person = keyof typeof people;
const { loginOf, urlOf } = await createStaffLogins(database, people);

/** Runs a command with this person's login. */
async function run(person: Person | "owner", ...args: readonly string[]): Promise<void> {
  process.env["TOLLGATE_OWNER_DATABASE_URL"] = person === "owner" ? database.ownerUrl : urlOf(person);
  const commandLine = readCommandLine([...args, "--as", person, "--reason", "a test"], operatorCommands);
  assert.ok(commandLine.action === "run");
  await operatorCommands[commandLine.name]?.run(commandLine.args);
}

/** Runs a command that needs an approval, and returns the number of its request. */
async function requestApproval(person: Person | "owner", ...args: readonly string[]): Promise<string> {
  let requestId = "";
  await assert.rejects(run(person, ...args), ({ message }) => {
    requestId = /request has the number (\d+)/.exec(message)?.[1] ?? "";
    return message.startsWith("In live this needs an approval");
  });
  assert.match(requestId, /^\d+$/);
  return requestId;
}

const newestAudit = async (count: number): Promise<readonly object[]> =>
  (await findAudit(owner, {}, count)).map(({ act, subject, login, reason, before: was, after: is }) => ({
    act,
    subject,
    login,
    reason,
    before: was,
    after: is,
  }));
const merchant = async (): Promise<object | undefined> => {
  const [row] = await asSuperuser<object>(
    "select status, fee_basis_points as fee, rate_per_second as rate from clients where client_id = $1",
    [clientId],
    database.superuserUrl,
  );
  return row;
};
const suspend = ["merchant", "suspend", clientId] as const;
const resume = ["merchant", "resume", clientId] as const;
const setFee = (fee: number): readonly string[] => ["merchant", "set", clientId, "--fee", String(fee)];

test("a change that needs an approval is rejected, approved by another login, and then made once", async () => {
  const askedId = await requestApproval("ada", ...suspend);
  assert.partialDeepStrictEqual(await merchant(), { status: "ACTIVE" });
  assert.equal(await requestApproval("ada", ...suspend), askedId, "asking again is the same question");
  await run("grace", "approval", "approve", askedId);
  assert.partialDeepStrictEqual(await merchant(), { status: "ACTIVE" });
  await run("ada", ...suspend);
  assert.partialDeepStrictEqual(await merchant(), { status: "SUSPENDED" });
  const change = {
    before: undefined,
    after: { changes: [`clients ${clientId} update: status ACTIVE → SUSPENDED`] },
  };
  const subject = `${askedId}: merchant suspend ${clientId}`;
  assert.deepEqual(await newestAudit(3), [
    {
      act: "merchant suspend",
      subject: clientId,
      login: loginOf("ada"),
      reason: `a test Approved by grace (${loginOf("grace")}).`,
      before: { status: "ACTIVE" },
      after: { status: "SUSPENDED" },
    },
    { act: "approval approve", subject, login: loginOf("grace"), reason: "a test", ...change },
    { act: "ask", subject, login: loginOf("ada"), reason: "a test", ...change },
  ]);
  await requestApproval("ada", ...resume);
});

test("a request cannot be approved with the requester's login, whatever name is given", async () => {
  const askedId = await requestApproval("ada", ...setFee(111));
  await assert.rejects(
    run("ada", "approval", "approve", askedId),
    /Another person must approve it with their own login/,
  );
  const runAs = (person: Person, statement: string): Promise<unknown> =>
    asSuperuser(statement, [], urlOf(person));
  await assert.rejects(
    runAs("ada", `update approval_requests set approved_by = 'grace' where asked_id = ${askedId}`),
    { constraint: "approval_requests_approved_by_another_login" },
  );
  for (const column of ["approved_login", "approved_at", "asked_login", "digest", "changes", "used_in"])
    await assert.rejects(runAs("ada", `update approval_requests set ${column} = ${column}`), {
      code: "42501",
    });
  await runAs("grace", `update approval_requests set approved_by = 'grace' where asked_id = ${askedId}`);
  await assert.rejects(
    runAs("grace", `update approval_requests set used_at = null where asked_id = ${askedId}`),
    {
      code: "23001",
    },
  );
  assert.partialDeepStrictEqual(await merchant(), { fee: 0 });
});

test("an approval is valid only for its change and only for its requester", async () => {
  await run("grace", "approval", "approve", await requestApproval("ada", ...setFee(250)));
  await requestApproval("ada", ...setFee(251));
  await requestApproval("iris", ...setFee(250));
  await run("ada", ...setFee(250));
  assert.partialDeepStrictEqual(await merchant(), { fee: 250 });
  // A change of the fee from 250 is not the change from 0 that was approved, although the new fee is the same.
  await run("owner", ...setFee(300), "--alone");
  await requestApproval("ada", ...setFee(250));
});

test("support cannot approve, and an operator cannot approve a change that needs an admin", async () => {
  const askedId = await requestApproval("iris", "gateway-key", "add");
  await assert.rejects(
    run("sam", "approval", "approve", askedId),
    /needs a login with the role tollgate_operator/,
  );
  await assert.rejects(run("grace", "approval", "approve", askedId), /not allowed to make these changes/);
  await run("owner", "approval", "approve", askedId);
  await run("iris", "gateway-key", "add");
  await requestApproval("iris", "gateway-key", "add");
});

test("a request expires after a day, and an approval after an hour", async () => {
  const moveBack = (column: string, hours: number): Promise<unknown> =>
    asSuperuser(
      `set session_replication_role = replica;
       update approval_requests set ${column} = ${column} - interval '${hours} hours'`,
      [],
      database.superuserUrl,
    );
  const late = await requestApproval("ada", ...setFee(400));
  await moveBack("asked_at", 24);
  await assert.rejects(run("grace", "approval", "approve", late), /There is no pending request/);
  const askedId = await requestApproval("ada", ...setFee(400));
  assert.notEqual(askedId, late);
  await run("grace", "approval", "approve", askedId);
  await moveBack("approved_at", 1);
  assert.notEqual(await requestApproval("ada", ...setFee(400)), askedId);
});

test("adding and revoking a merchant key each need an approval", async () => {
  const next = await newKeyPair("next");
  const proof = sign("sha256", Buffer.from(`I hold the private key. ${clientId}`), next.privateKey);
  const files = ["--public-key", next.publicKeyFile, "--proof", writeTestFile("proof", proof)];
  const add = ["merchant", "key", "add", clientId, ...files];
  await run("grace", "approval", "approve", await requestApproval("ada", ...add));
  await run("ada", ...add);
  await requestApproval("ada", "merchant", "key", "revoke", clientId, "--version", "1");
  await requestApproval("ada", "merchant", "gateway-key", clientId, "--version", "2");
  const keys = await asSuperuser(
    "select version, revoked_at from client_keys where client_id = $1 order by version",
    [clientId],
    database.superuserUrl,
  );
  assert.deepEqual(keys, [
    { version: 1, revoked_at: null },
    { version: 2, revoked_at: null },
  ]);
});

test("only the owner's login may skip the approval, with --alone, and the audit log records it", async () => {
  await requestApproval("owner", ...setFee(500));
  await assert.rejects(run("ada", ...setFee(500), "--alone"), /--alone needs the owner's login/);
  await run("owner", ...setFee(500), "--alone");
  assert.partialDeepStrictEqual(await newestAudit(1), [{ act: "merchant set", reason: "a test Alone." }]);
});

test("other changes need no approval, and the sandbox needs none at all", async () => {
  await run("ada", "merchant", "set", clientId, "--rate", "77");
  assert.partialDeepStrictEqual(await merchant(), { rate: 77 });
  const sandbox = await prepareTestGateway("sandbox");
  const otherMerchant = await newMerchant(sandbox.database);
  const { publicKeyFile: next } = await newKeyPair("next");
  const operator = { url: sandbox.database.ownerUrl, environment: "sandbox" } as const;
  const files = { publicKeyFile: next, proofFile: undefined };
  assert.equal(await addMerchantKey(operator, otherMerchant.clientId, files), 2);
  assert.deepEqual(await findPendingApprovals(operator), []);
});

test("a merchant does not see a request before it is approved, so a suspect is not warned", async () => {
  const filter = { clientId, actor: undefined, beforeSeq: Number.MAX_SAFE_INTEGER };
  const rows = await queryAsOwner(owner.url, "live", [clientId], (tx) => listMerchantAudit(tx, filter, 100));
  const acts = new Set(rows.map(({ act }) => act));
  assert.ok(acts.has("merchant suspend"));
  assert.ok(!acts.has("ask") && !acts.has("approval approve"));
});

test("a pending request is listed with all its changes", async () => {
  const waiting = (await findPendingApprovals(owner)).filter(({ act }) => act === "merchant key revoke");
  assert.partialDeepStrictEqual(waiting, [
    {
      askedBy: "ada",
      subject: clientId,
      changes: [
        {
          table: "client_keys",
          operation: "update",
          key: { client_id: clientId, version: "1" },
          before: { revoked_at: null },
          after: { revoked_at: "now" },
        },
      ],
      approvedBy: undefined,
    },
  ]);
});
