import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { settlementCsv } from "../../../test/examples/settlement-csv.ts";
import { bucketOf } from "../../core/bucket.ts";
import { newId } from "../../core/id.ts";
import {
  insertTestPayouts,
  newSettlementFixture,
  statusReport,
} from "../../../test/examples/settlement-fixture.ts";
import { exampleArguments, withoutReason } from "../../../test/examples/example-arguments.ts";
import { exampleStatements } from "../../../test/examples/example-statement.ts";
import { asSuperuser, newTestDatabase } from "../../../test/start/test-database.ts";
import {
  newKeyPair,
  newMerchant,
  prepareTestGateway,
  writeTestFile,
} from "../../../test/start/test-gateway.ts";
import { findAudit } from "../audit/audit-log.ts";
import { failureResponse, startScriptedProvider } from "../../../test/start/scripted-provider.ts";
import { readCommandLine } from "./command-line.ts";
import { UsageError } from "../../core/command-errors.ts";
import { initCell } from "../cells/manage-cell.ts";
import { exportFleet, importFleet } from "../cells/fleet-export.ts";
import { addGatewayKey } from "../providers/manage-gateway-keys.ts";
import { operatorCommands } from "../../processes/operator-commands.ts";
import { findFiles, reviewFile } from "../../settlement/payouts/approve-payout-file.workflow.ts";
import { runPayouts } from "../../settlement/payouts/run-payouts.workflow.ts";

/** These tests run every command that changes data: each leaves an audit row, and live requires a reason. */
const { database, operatorVariables } = await prepareTestGateway("sandbox");
Object.assign(process.env, operatorVariables);
const operator = { url: database.ownerUrl, environment: "sandbox" } as const;
await addGatewayKey(database.ownerUrl, "sandbox", operatorVariables["TOLLGATE_KEY_FILE"] ?? "");
// This run of the tests also rotates the key file.
const newKeyFile = writeTestFile("new-key-file", randomBytes(32).toString("base64"));
chmodSync(newKeyFile, 0o400);
Object.assign(process.env, {
  TOLLGATE_KEY_FILE: newKeyFile,
  TOLLGATE_OLD_KEY_FILE: operatorVariables["TOLLGATE_KEY_FILE"],
});
const { clientId } = await newMerchant(database);
const { publicKeyFile } = await newKeyPair("next");
const file = writeTestFile("settlement.csv", settlementCsv([]));
const entries = [{ reference: "B-1", minor: -12 }];
const statementFile = writeTestFile(
  "statement.xml",
  exampleStatements({ id: "S1", day: "2026-11-17", opening: 0, entries }),
);
const scripted = await startScriptedProvider("gcash", () => failureResponse("ORDER_NOT_EXIST"));
const provider = ["--url", scripted.url, "--partner-id", "tollgate", "--public-key", scripted.publicKeyFile];
const run = (statement: string, values: readonly unknown[] = []): Promise<unknown> =>
  asSuperuser(statement, values, database.superuserUrl);
await run("select open_universes(array['a'], array['\\x00'::bytea], array[60])");
await run("select close_universe(client_id) from universes");
await run("update universes set closed_at = closed_at - interval '1 hour'");

// The exported fleet data of another installation.
const [sealFile, sealedFile] = [writeTestFile("seal", randomBytes(32).toString("base64")), `${file}.sealed`];
chmodSync(sealFile, 0o400);
await exportFleet(operator, {
  keyFile: operatorVariables["TOLLGATE_KEY_FILE"] ?? "",
  sealFile,
  file: sealedFile,
});

const otherDatabase = await newTestDatabase("sandbox");
const otherCell = { url: otherDatabase.ownerUrl, environment: "sandbox" } as const;
await importFleet(otherCell, { keyFile: newKeyFile, sealFile, file: sealedFile });
await initCell(otherCell, "two", []);
process.env["TOLLGATE_CELL_TWO_OWNER_DATABASE_URL"] = otherDatabase.ownerUrl;
const freeBucket = (await listFreeBuckets())[0] ?? 0;

async function listFreeBuckets(): Promise<readonly number[]> {
  const rows = await asSuperuser<{ bucket: number }>(
    "select bucket from generate_series(0, 1023) as bucket where bucket not in (select bucket from clients)",
    [],
    database.superuserUrl,
  );
  return rows.map(({ bucket }) => bucket);
}

const subjectId = newId("payment", bucketOf(clientId), new Date(), () => 7);
const heldPaymentId = newId("payment", bucketOf(clientId), new Date(), () => 8);
await run(
  `insert into breaks (kind, subject, reference, currency, sums, first_seen_at, last_seen_at)
   values ('balance', 'balance', 'a', 'EUR', '{}', now(), now()),
     ('only at the bank', 'bank b', 'B-1', 'EUR', '{"bank":{"currency":"EUR","minor":"-12"}}', now(), now())`,
);
for (const id of [subjectId, heldPaymentId])
  await run(
    `insert into jobs (bucket, subject_id, job, client_id, due_at, follows_merchant_clock)
   values ($1, $2, 'drive-payment', $3, now() + interval '1 hour', true)`,
    [bucketOf(clientId), id, clientId],
  );

await run(
  `insert into approval_requests (digest, act, subject, asked_by) values ('\\x00', 'merchant suspend', 'a merchant', 'grace')`,
);

const paidId = newId("payment", bucketOf(clientId), new Date(), () => 9);
await run(
  `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
     amount_minor, created_at)
   values ($1, $2, $3, 'order', 'CASHIER_PAYMENT', 'FAIL', 'ORDER_IS_CLOSED', 'EUR', 100, now())`,
  [bucketOf(clientId), paidId, clientId],
);

const longOverId = newId("payment", bucketOf(clientId), new Date("2024-03-01T00:00:00Z"), () => 9);
await run(
  `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
     amount_minor, created_at)
   values ($1, $2, $3, 'long-over', 'CASHIER_PAYMENT', 'FAIL', 'ORDER_IS_CLOSED', 'EUR', 100, '2024-03-01T00:00:00Z')`,
  [bucketOf(clientId), longOverId, clientId],
);

// Test data: a due settlement batch, a payout that a bank report names, and a bank account with a pending approval.
const bankAccount = ["--iban", "DE89370400440532013000", "--holder", "Coffee Lab"];
const sentId = newId("payout", bucketOf(clientId), new Date(), () => 7);
const settlementFile = writeTestFile(
  "told.xml",
  statusReport("sent-file", [{ endToEndId: sentId, status: "RJCT" }]),
);
await insertTestPayouts(database, clientId, sentId);
const payoutFolder = mkdtempSync(join(tmpdir(), "tollgate-payouts-"));

/** Plans the payout file of a second batch, without an approval. */
async function planPayoutFile(): Promise<readonly string[]> {
  await newSettlementFixture(database).postPayment(clientId, 900n, "2026-10-04T10:00:00Z");
  await run(
    `insert into settlement_batches select (jsonb_populate_record(b, '{"batch_id": "due-2", "to_day": "2026-10-04", "net_minor": 900,
       "gross_minor": 900, "status": "DUE", "payout_id": null, "bank": null}')).* from settlement_batches as b where batch_id = 'due'`,
  );
  const killed = runPayouts(
    operator,
    { bank: "first", folder: payoutFolder, format: "pain.001.001.09" },
    (at) => {
      if (at === "after-file-commit") throw new Error("killed");
    },
  );
  await assert.rejects(killed, /killed/);
  const [fileId = ""] = (await findFiles(operator, 1)).map((each) => each.fileId);
  return [fileId, "--digest", (await reviewFile(operator, fileId)).digest];
}

/**
 * Deletes the rows of the payout file that `payout run` handed over, as a restore does. Returns the path of the
 * file's copy.
 */
async function forgetPayoutFile(): Promise<readonly string[]> {
  const [handed] = (await findFiles(operator, 10)).filter(({ status }) => status === "HANDED_OVER");
  const fileId = handed?.fileId ?? "";
  await run(
    `set session_replication_role = replica; delete from ledger_transfers where subject_id in (select payout_id from payouts where file_id = '${fileId}')`,
  );
  await run("update settlement_batches set status = 'DUE', payout_id = null where batch_id = 'due'");
  for (const table of ["payouts", "payout_file_lines", "payout_files"])
    await run(`delete from ${table} where file_id = '${fileId}'`);
  return ["--bank", "first", join(payoutFolder, "handed-over", "first", `${fileId}.xml`)];
}

/**
 * Arguments of commands whose first example does not work in this test. Other commands run with their first example.
 */
const calls: Readonly<Record<string, readonly string[] | (() => Promise<readonly string[]>)>> = {
  "key-file rotate": [],
  "gateway-key retire": ["--version", "1"],
  "merchant add": ["--public-key", publicKeyFile],
  "merchant set": [clientId, "--rate", "7"],
  "merchant key add": [clientId, "--public-key", publicKeyFile],
  "merchant key revoke": [clientId, "--version", "1"],
  "merchant gateway-key": [clientId, "--version", "2"],
  "merchant link-schemes": [clientId, "--schemes", "shopapp"],
  "connector add": ["--name", "gcash", ...provider],
  "connector set": ["gcash", "--accounts", "optional"],
  "connector gateway-key": ["gcash", "--version", "2"],
  "connector account set": ["gcash", clientId, "acct_1A2b3C"],
  "connector account remove": ["gcash", clientId],
  "job retry": [subjectId],
  "job hold": [heldPaymentId],
  "job release": [heldPaymentId],
  "notification resend": [clientId, "--from", "2026-11-15T00:00:00Z"],
  "settlement import": ["--connector", "gcash", "--file", file],
  "break close": ["1"],
  "break reopen": ["1"],
  "period close": ["2026-01"],
  "settlement close": ["--day", "2026-11-01"],
  "payout run": ["--bank", "first", "--folder", payoutFolder],
  "payout approve": planPayoutFile,
  "payout void": async () => [(await findFiles(operator, 1))[0]?.fileId ?? ""],
  "payout recover": forgetPayoutFile,
  "payout resync": async () => {
    const [newest = "none"] = readdirSync(join(payoutFolder, "handed-over", "first")).map((name) =>
      name.slice(0, 35),
    );
    return ["--bank", "first", "--folder", payoutFolder, "--newest", newest];
  },
  "payout import": [settlementFile],
  "payout account set": [clientId, "--currency", "EUR", ...bankAccount],
  "payout account approve": [clientId, "asked-for"],
  "payout account end": [clientId, "asked-for"],
  "payout bank set": ["second", "--currency", "EUR", "--bic", "BNPAFRPP", ...bankAccount],
  "fee set": ["--rate", "2.9", "--from", "2027-01-01"],
  "fx rate set": ["--pair", "EUR/USD", "--price", "1.0832", "--until", "2099-12-31"],
  "fx deal book": ["--pair", "EUR/USD", "--sold", "100", "--bought", "108", "--reference", "FX-1"],
  "fee cost set": ["--connector", "gcash", "--rate", "1.2", "--from", "2027-01-01"],
  "break assign": ["1", "--to", "grace"],
  "break write-off": ["2"],
  "bank import": [statementFile, "--bank", "b"],
  "universe limits": ["--open", "7"],
  "approval approve": ["1"],
  "buyer erase": ["--client-id", clientId, "--payment-id", paidId],
  "cells import-fleet": ["--file", sealedFile, "--seal-file", sealFile],
  "cell init": ["one", "--buckets", "0-1023"],
  "merchant move": [clientId, "--to", "two"],
  "cells move-bucket": [String(freeBucket), "--to", "two"],
  archive: ["--before", "2024-04", "--to", dirname(file)],
};

/** Audit rows of commands with several steps, newest first. */
const steps: Readonly<Record<string, readonly string[]>> = {
  "payout run": [
    "payout hand-over",
    "payout create",
    "payout file release",
    "payout approve",
    "payout plan",
    "payout wait",
  ],
};

async function runCommand(
  name: string,
  args: readonly string[],
  ...moreArgs: readonly string[]
): Promise<void> {
  const commandLine = readCommandLine([...name.split(" "), ...args, ...moreArgs], operatorCommands);
  assert.ok(commandLine.action === "run" && commandLine.name === name, `${name} is not what was asked`);
  await operatorCommands[name]?.run(commandLine.args);
}

for (const name of Object.keys(operatorCommands).filter((each) => operatorCommands[each]?.auditLabel)) {
  test(`${name} leaves an audit row, and needs a reason in live`, async () => {
    const exampleArgs =
      calls[name] ?? withoutReason(exampleArguments(name, { clientId, paymentId: subjectId }));
    const words = typeof exampleArgs === "function" ? await exampleArgs() : exampleArgs;
    const live = runCommand(name, words, "--environment", "live");
    await assert.rejects(
      live,
      (error) => error instanceof UsageError && error.message.startsWith("Give the reason"),
    );

    const [last] = await findAudit(operator, {}, 1);
    const lastSeq = last?.seq ?? 0;
    await runCommand(name, words, "--reason", `why ${name}`, "--as", "ada");
    process.exitCode = 0;
    const rows = (await findAudit(operator, {}, 10)).filter(({ seq }) => seq > lastSeq);
    const actorFields = { reason: `why ${name}`, actor: { kind: "command", name: "ada", role: "owner" } };
    assert.partialDeepStrictEqual(
      rows,
      (steps[name] ?? [name]).map((act) => ({ act, ...actorFields })),
    );
    assert.equal(rows.length, steps[name]?.length ?? 1);
    assert.doesNotMatch(JSON.stringify(rows), /BEGIN|PRIVATE|password/);
  });
}

test("a dry run changes nothing, so live requires no reason for it", async () => {
  const dryRuns = { archive: ["--before", "2024-04"], "payout run": [] };
  const all = Object.keys(operatorCommands).filter((name) => {
    const { auditLabel, options = {} } = operatorCommands[name] ?? {};
    return auditLabel && "dry-run" in options;
  });
  assert.deepEqual(all.sort(), Object.keys(dryRuns).sort());
  for (const [name, words] of Object.entries(dryRuns)) {
    const inLive = runCommand(name, words, "--dry-run", "--environment", "live").then(() => "", String);
    assert.doesNotMatch(await inLive, /Give the reason/);
  }
});

for (const invalid of [
  ["--reason", " "],
  ["--reason", "x".repeat(1_001)],
  ["--as", "x".repeat(201)],
])
  test(`a reason or name that is blank or too long is rejected: ${invalid[0]} of ${invalid[1]?.length}`, async () => {
    await assert.rejects(runCommand("balances rebuild", [], ...invalid), UsageError);
  });

test("only commands that change something accept a reason", () => {
  const taking = Object.keys(operatorCommands).filter((name) => operatorCommands[name]?.options["reason"]);
  const acting = Object.keys(operatorCommands).filter((name) => operatorCommands[name]?.auditLabel);
  assert.deepEqual(taking, acting);
  assert.deepEqual(
    Object.keys(calls).filter((name) => !acting.includes(name)),
    [],
  );
});
