import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { settlementCsv } from "../../test/examples/settlement-csv.ts";
import { bucketOf } from "../core/bucket.ts";
import { newId } from "../core/id.ts";
import { insertTestPayouts, statusReport } from "../../test/examples/settlement-fixture.ts";
import { exampleArguments } from "../../test/examples/example-arguments.ts";
import { exampleStatements } from "../../test/examples/example-statement.ts";
import { asSuperuser, rolePassword } from "../../test/start/test-database.ts";
import { newKeyPair, newMerchant, prepareTestGateway, writeTestFile } from "../../test/start/test-gateway.ts";
import { findAudit } from "../operators/audit/audit-log.ts";
import { readCommandLine } from "../operators/framework/command-line.ts";
import type { StaffRole } from "../operators/framework/command.ts";
import { setProviderAccount } from "../operators/providers/provider-accounts.ts";
import { exportFleet } from "../operators/cells/fleet-export.ts";
import { operatorCommands } from "../processes/operator-commands.ts";

/**
 * These tests run each command with each role: PostgreSQL itself rejects commands that a role may not run, for a login
 * with only that role.
 */
const { database, operatorVariables } = await prepareTestGateway("sandbox");
Object.assign(process.env, operatorVariables);
const { clientId } = await newMerchant(database);
const { publicKeyFile } = await newKeyPair("next");
const provider = ["--url", "http://127.0.0.1:9", "--partner-id", "us", "--public-key", publicKeyFile];
const run = (statement: string): Promise<unknown> => asSuperuser(statement, [], database.superuserUrl);
const paymentId = newId("payment", bucketOf(clientId), new Date(), () => 7);
await run(
  `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
     amount_minor, created_at)
   values (${bucketOf(clientId)}, '${paymentId}', '${clientId}', 'order', 'CASHIER_PAYMENT', 'PROCESSING',
     'PAYMENT_IN_PROCESS', 'EUR', 100, now())`,
);
const failedPaymentId = newId("payment", bucketOf(clientId), new Date(), () => 8);
await run(
  `insert into payments (bucket, payment_id, client_id, payment_request_id, product_code, status, result_code, currency,
     amount_minor, created_at)
   values (${bucketOf(clientId)}, '${failedPaymentId}', '${clientId}', 'over', 'CASHIER_PAYMENT', 'FAIL', 'ORDER_IS_CLOSED', 'EUR',
     100, now())`,
);
await run(
  `insert into jobs (bucket, subject_id, job, client_id, due_at) select bucket, 'a-record', 'drive-payment', client_id, now()
   from clients`,
);

// The superuser inserts the request, because the approver needs another login than the requester.
await run(`insert into approval_requests (act, subject, asked_by) values ('merchant suspend', 'x', 'ada')`);

const [sealFile, fleetFile] = [
  writeTestFile("seal", randomBytes(32).toString("base64")),
  writeTestFile("fleet", ""),
];
chmodSync(sealFile, 0o400);
const keyFile = process.env["TOLLGATE_KEY_FILE"] ?? "";
await exportFleet({ url: database.ownerUrl, environment: "sandbox" }, { keyFile, sealFile, file: fleetFile });

/** Each role, and the roles whose privileges it includes. */
const roles: Readonly<Record<Exclude<StaffRole, "owner">, readonly StaffRole[]>> = {
  support: ["support"],
  operator: ["support", "operator"],
  finance: ["support", "finance"],
  admin: ["support", "operator", "finance", "admin"],
};

const inTwoMonths = new Date(Date.now() + 62 * 24 * 3600 * 1000).toISOString().slice(0, 7);

const sentId = newId("payout", bucketOf(clientId), new Date(), () => 7);
await insertTestPayouts(database, clientId, sentId);
const statusReportFile = writeTestFile(
  "told.xml",
  statusReport("sent-file", [{ endToEndId: sentId, status: "RJCT" }]),
);
/** A payout file without payments: reading it needs only its lines, planning it needs the privileges of finance. */
const copyFile = writeTestFile(
  "copy.xml",
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>
   <GrpHdr><MsgId>20261118093000000064213000000000001</MsgId><CreDtTm>2026-11-18T09:30:00Z</CreDtTm></GrpHdr>
   <PmtInf><ReqdExctnDt><Dt>2026-11-18</Dt></ReqdExctnDt><Dbtr><Nm>Us</Nm></Dbtr>
   <DbtrAcct><Id><IBAN>DE89370400440532013000</IBAN></Id><Ccy>EUR</Ccy></DbtrAcct>
   <DbtrAgt><FinInstnId><BICFI>BNPAFRPP</BICFI></FinInstnId></DbtrAgt></PmtInf>
   </CstmrCdtTrfInitn></Document>`,
);
/** This run has a separate bank folder: both commands compare its copies with the database before they write. */
const bankFolder = mkdtempSync(join(tmpdir(), "tollgate-bank-"));
const bankAccount = ["--iban", "DE89370400440532013000", "--holder", "Coffee Lab"];

/**
 * Arguments of commands whose first example does not reach the database in this test. Other commands run with their
 * first example.
 */
const commandArguments: Readonly<Record<string, readonly string[]>> = {
  "gateway-key retire": ["--version", "1"],
  "merchant add": ["--public-key", publicKeyFile],
  "merchant set": [clientId, "--rate", "7", "--notify", "notifyRefund=https://shop.example/"],
  "merchant key add": [clientId, "--public-key", publicKeyFile],
  "merchant gateway-key": [clientId, "--version", "1"],
  "connector add": ["--name", "gcash", "--without-facts", "--accounts", "optional", ...provider],
  "connector set": ["gcash", "--quiet-seconds", "7"],
  "connector gateway-key": ["gcash", "--version", "1"],
  "connector account set": ["gcash", clientId, "acct_of_role"],
  "connector account remove": ["gcash", clientId],
  stuck: ["--whole"],
  "payment show": ["order"],
  "notification resend": [clientId, "--from", "2026-11-15T00:00:00Z"],
  "job retry": ["a-record"],
  "job hold": ["a-record"],
  "job release": ["a-record"],
  "settlement import": ["--connector", "gcash", "--file"],
  reconcile: ["--until", "2026-11-15T00:00:00Z"],
  "break close": ["7", "--reason", "why"],
  "break reopen": ["7"],
  "fee set": ["--rate", "2.9", "--from", "2027-01-01"],
  "fx rate set": ["--pair", "EUR/USD", "--price", "1.0832", "--until", "2099-12-31"],
  "fx deal book": ["--pair", "EUR/USD", "--sold", "100", "--bought", "108", "--reference", "FX-1"],
  "fee show": ["--client-id", clientId, "--currency", "EUR"],
  "fee cost set": ["--connector", "gcash", "--rate", "1.2", "--from", "2027-01-01"],
  "trial-balance": ["--at", "2026-11-15"],
  "period close": ["2026-01"],
  statement: [
    "--client-id",
    clientId,
    "--currency",
    "EUR",
    "--month",
    "2026-11",
    "--file",
    join(tmpdir(), "tollgate-statement.csv"),
  ],
  report: ["TRANSACTION_DETAIL", "--client-id", clientId, "--from", "2026-11-15", "--folder", tmpdir()],
  "ledger export": ["--month", "2026-11", "--file", join(tmpdir(), "tollgate-journal.csv")],
  "settlement close": ["--day", "2026-11-01"],
  "payout run": ["--bank", "first", "--folder", bankFolder],
  "payout import": [statusReportFile],
  "payout show": ["none"],
  "payout approve": ["none", "--digest", "00"],
  "payout void": ["none"],
  "payout recover": [copyFile, "--bank", "first"],
  "payout resync": ["--bank", "first", "--folder", bankFolder, "--newest", "none"],
  "payout account set": [clientId, "--currency", "EUR", ...bankAccount],
  "payout account approve": [clientId, "asked-for"],
  "payout account end": [clientId, "none"],
  "payout bank set": ["first", "--currency", "EUR", "--bic", "BNPAFRPP", ...bankAccount],
  "fee cost compare": ["--day", "2026-11-01"],
  "break assign": ["7", "--to", "ada"],
  "break write-off": ["7", "--reason", "why"],
  "bank import": ["--bank", "b"],
  "universe limits": ["--open", "7"],
  "buyer erase": ["--client-id", clientId, "--payment-id", failedPaymentId],
  // The payments are too recent to archive, but the check locks the rows.
  archive: ["--before", inTwoMonths, "--to", tmpdir()],
  "archive verify": [mkdtempSync(join(tmpdir(), "tollgate-archive-"))],
  "archive show": ["--payment-id", failedPaymentId, "--archive", tmpdir()],
  "approval approve": ["1"],
  "cell init": ["one", "--buckets", "0-1023"],
  "cells export-fleet": ["--file", `${fleetFile}-again`, "--seal-file", sealFile],
  "cells import-fleet": ["--file", fleetFile, "--seal-file", sealFile],
  "audit verify": [],
};

function argumentsFor(name: string): readonly string[] {
  return [
    ...name.split(" "),
    ...(commandArguments[name] ?? exampleArguments(name, { clientId, paymentId: failedPaymentId })),
  ];
}

let runCount = 0;

/**
 * Returns whether PostgreSQL rejects the command. Any other error comes from the command itself, after its privileges
 * sufficed.
 */
async function isRejectedByDatabase(name: string): Promise<boolean> {
  const file = writeTestFile(
    `settlement-${(runCount += 1)}.csv`,
    settlementCsv([]).replace("valueDate", `valueDate,n${runCount}`),
  );
  const statement = {
    id: `S${runCount}`,
    day: "2026-11-17",
    opening: 0,
    entries: [],
    account: `A${runCount}`,
  };
  const bankFile = writeTestFile(`statement-${runCount}.xml`, exampleStatements(statement));
  const files = { "settlement import": [file], "bank import": [bankFile] }[name] ?? [];
  const line = [...argumentsFor(name), ...files];
  const parsed = readCommandLine(line, operatorCommands);
  assert.ok(parsed.action === "run", name);
  try {
    await operatorCommands[name]?.run(parsed.args);
    return false;
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } };
    const isRejected = cause?.code === "42501";
    if (isRejected)
      assert.match(message, /^This needs (?:the owner's login|a login with the role tollgate_\w+)\./);
    return isRejected;
  } finally {
    process.exitCode = 0;
  }
}

/** These commands need logins of several cells and are tested in server/test/cells. */
const multiCellCommands = ["cells move-bucket", "cells rebalance", "cells status", "merchant move"];
const staff = Object.keys(operatorCommands).filter(
  (name) => operatorCommands[name]?.requiredRole && !multiCellCommands.includes(name),
);

test("every staff command declares its role", () => {
  const namesWithoutRole = Object.keys(operatorCommands).filter(
    (name) => !operatorCommands[name]?.requiredRole,
  );
  // Commands without a staff role. Processes have their own roles, which `preflight` uses as well. `bench` sends
  // requests to a sandbox with its control secret. `version`, and the commands that write the fleet's directory or the
  // edge proxy's files, use no database.
  const commandsWithoutRole = [
    "bench",
    "cells edge",
    "cells sign",
    "preflight",
    "serve",
    "serve-staff",
    "signer",
    "version",
    "work",
  ];
  assert.deepEqual(namesWithoutRole.sort(), commandsWithoutRole);
  assert.deepEqual(
    Object.keys(commandArguments).filter((name) => !staff.includes(name)),
    [],
  );
});

for (const [role, permissions] of Object.entries(roles)) {
  test(`tollgate_${role} may run the commands of ${permissions.join(", ")}, and PostgreSQL rejects all others`, async () => {
    const url = new URL(database.ownerUrl);
    const login = `${url.pathname.slice(1)}_${role}`;
    await asSuperuser(
      `create role ${login} login password '${rolePassword}' in role tollgate_${role};
       grant connect${permissions.includes("finance") ? ", temporary" : ""} on database ${url.pathname.slice(1)} to ${login}`,
    );
    after(() => asSuperuser(`drop owned by ${login}; drop role ${login}`, [], database.superuserUrl));
    // The owner creates the records that the other roles read.
    if (role === "support") await operatorCommands["connector add"]?.run(parsedArgumentsFor("connector add"));
    const account = { connector: "gcash", clientId, account: "acct_of_owner" };
    await setProviderAccount({ url: database.ownerUrl, environment: "sandbox" }, account);
    url.username = login;
    process.env["TOLLGATE_OWNER_DATABASE_URL"] = url.href;
    const refused: Record<string, boolean> = {};
    for (const name of staff) refused[name] = await isRejectedByDatabase(name);
    process.env["TOLLGATE_OWNER_DATABASE_URL"] = database.ownerUrl;
    const expected = staff.map((name) => {
      const { requiredRole: needs = "owner", alternativeRole: alsoFor = needs } =
        operatorCommands[name] ?? {};
      return [name, !permissions.includes(needs) && !permissions.includes(alsoFor)];
    });
    assert.deepEqual(refused, Object.fromEntries(expected));
    const acts = await findAudit({ url: database.ownerUrl, environment: "sandbox" }, {}, 1_000);
    assert.deepEqual(
      // Commands with several steps. PostgreSQL audits steps without an act of their own, as `sql`.
      [
        ...new Set(
          acts
            .filter((each) => each.login === login && each.actor.kind === "command")
            .map(({ actor }) => actor.role),
        ),
      ],
      role === "support" ? [] : [role],
    );
  });
}

test("changes by staff through SQL are audited, too, and staff cannot disable that", async () => {
  const url = new URL(database.ownerUrl);
  const login = `${url.pathname.slice(1)}_by_hand`;
  await asSuperuser(
    `create role ${login} login password '${rolePassword}' in role tollgate_operator;
     grant connect on database ${url.pathname.slice(1)} to ${login}`,
  );
  after(() => asSuperuser(`drop owned by ${login}; drop role ${login}`, [], database.superuserUrl));
  url.username = login;
  const executeAsStaff = (statement: string): Promise<unknown> => asSuperuser(statement, [], url.href);
  await executeAsStaff(
    `begin; select set_config('app.clients', '{${clientId}}', true); update clients set fee_basis_points = 1; commit`,
  );
  const [row] = await findAudit({ url: database.ownerUrl, environment: "sandbox" }, {}, 1);
  assert.partialDeepStrictEqual(row, { login, act: "update clients", after: { fee_basis_points: 1 } });
  for (const statement of [
    "alter table clients disable trigger record_update",
    "set session_replication_role = replica",
    "delete from audit",
    "update audit set reason = ''",
    "select wrapped_secret from installation",
    "select wrapped_private_key from gateway_keys",
    "select wrapped_ed25519_private_key from gateway_keys",
  ])
    await assert.rejects(executeAsStaff(statement), { code: "42501" }, statement);
});

function parsedArgumentsFor(
  name: string,
): Parameters<NonNullable<(typeof operatorCommands)[string]>["run"]>[0] {
  const parsed = readCommandLine(argumentsFor(name), operatorCommands);
  assert.ok(parsed.action === "run");
  return parsed.args;
}
