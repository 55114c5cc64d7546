import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client } from "pg";
import { settlementCsv } from "../../test/examples/settlement-csv.ts";
import { exampleStatements } from "../../test/examples/example-statement.ts";
import { mainFile, newOperatorProcess } from "../../test/start/operator-process.ts";
import { asSuperuser } from "../../test/start/test-database.ts";
import { prepareTestGateway } from "../../test/start/test-gateway.ts";
import { eventually, startTestProcess } from "../../test/start/test-process.ts";

/**
 * Kills imports of bank statements at each table that they write. The test locks the table, the import waits for the
 * lock, and the test kills the import between two statements with all earlier writes pending. No hook in the code is
 * needed.
 */
const { database, operatorVariables } = await prepareTestGateway("sandbox");
const folder = mkdtempSync(join(tmpdir(), "tollgate-crash-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function rows<Row extends object>(text: string): Promise<readonly Row[]> {
  return asSuperuser<Row>(text, [], database.superuserUrl);
}

await rows(
  `insert into connectors (name, url, partner_id, public_key, payment_method_types)
   values ('w', 'http://w.example', 'p', '', '{}')`,
);
const [providers, banks] = [join(folder, "w.csv"), join(folder, "b.xml")];
writeFileSync(
  providers,
  settlementCsv([
    "fee,,f-1,,EUR,30,2026-11-02T09:00:00Z,,,p-2",
    "payout,,p-1,,EUR,900,2026-11-02T09:00:00Z",
    "payout,,p-1,,EUR,901,2026-11-02T09:00:00Z",
  ]),
);
const entries = [{ minor: 900, text: "p-1" }, { minor: -5 }];
writeFileSync(banks, exampleStatements({ id: "S1", day: "2026-11-03", opening: 100, entries }));

const imports = {
  "settlement import": {
    command: ["settlement", "import", "--connector", "w", "--file", providers],
    writes: [
      "settlement_files",
      "settlement_rows",
      "settlement_repeats",
      "settlement_payout_rows",
      "ledger_transfers",
      "audit",
    ],
  },
  "bank import": {
    command: ["bank", "import", banks, "--bank", "b"],
    writes: ["bank_files", "bank_lines", "ledger_transfers", "audit"],
  },
} as const;

const start = (words: readonly string[]) =>
  startTestProcess([mainFile, ...words, "--reason", "a test"], operatorVariables);

/** Returns all rows that an import can leave behind. */
async function snapshot(): Promise<string> {
  const tables = [...new Set(Object.values(imports).flatMap(({ writes }) => writes))];
  const counts = tables.map((table) => `(select count(*) from ${table}) as ${table}`);
  const [row] = await rows(`select ${counts.join(", ")}`);
  return JSON.stringify(row);
}

/**
 * Returns the operator's database connections. The list is empty after PostgreSQL has noticed that its client is dead.
 */
const atWork = () =>
  rows<{ waits: boolean }>(
    `select wait_event_type = 'Lock' as waits from pg_stat_activity
     where application_name = 'tollgate operator' and datname = current_database()`,
  );

async function killAt(table: string, command: readonly string[]): Promise<void> {
  const holder = new Client({ connectionString: database.superuserUrl });
  await holder.connect();
  try {
    await holder.query(`begin; lock table ${table} in share row exclusive mode`);
    const victim = start(command);
    const waits = async (): Promise<boolean> => (await atWork()).some((each) => each.waits);
    await eventually(60_000, waits, Boolean);
    victim.kill("SIGKILL");
    await victim.exited;
    assert.equal(victim.child.signalCode, "SIGKILL");
  } finally {
    await holder.end();
  }
  await eventually(60_000, atWork, (working) => working.length === 0);
}

for (const [name, { command, writes }] of Object.entries(imports))
  test(`${name}: if it is killed at any write, nothing is stored; then a complete run stores everything once`, async () => {
    const before = await snapshot();
    for (const table of writes) {
      await killAt(table, command);
      assert.equal(await snapshot(), before, table);
    }
    const done = start(command);
    await done.exited;
    assert.equal(done.child.exitCode, 0, done.stderr());
    const once = await snapshot();
    assert.notEqual(once, before);
    const again = start(command);
    await again.exited;
    assert.deepEqual([again.child.exitCode, await snapshot()], [0, once]);
  });

test("the postings of both imports add up: the fee is deducted, the payout has arrived, the charge is open", async () => {
  const sums = await rows<{ account: string; minor: string }>(
    `select account, sum(minor)::text as minor from (
       select debit_account as account, amount_minor as minor from ledger_transfers
       union all select credit_account, -amount_minor from ledger_transfers) as sides
     group by account having sum(minor) <> 0 order by account`,
  );
  assert.deepEqual(Object.fromEntries(sums.map(({ account, minor }) => [account, minor])), {
    adjustment: "-100",
    "bank b": "995",
    clearing: "5",
    "provider fee w": "30",
    "provider receivable w": "-930",
  });
});

test("at the command line, the charge is listed, assigned and written off, and does not count any more", async () => {
  const { run, stdoutOf: printedBy, jsonOf: resultOf } = newOperatorProcess(operatorVariables);
  const until = "2026-11-30T00:00:00Z";
  const { code, stdout: printed } = await run("reconcile", "--until", until);
  assert.deepEqual([code, /only at the bank +none +bank b /.test(printed)], [1, true], printed);
  assert.match(await printedBy("break list", "--aged"), /^currency +0–1 days.*\nEUR .*EUR 0\.0/);
  const all = await resultOf<readonly { readonly breakId: number; readonly kind: string }[]>("break list");
  const charge = String(all.find(({ kind }) => kind === "only at the bank")?.breakId);
  const why = ["--reason", "a charge of the bank", "--as", "ada"];
  assert.match(await printedBy("break assign", charge, "--to", "grace", ...why), / grace$/m);
  assert.match(await printedBy("break write-off", charge, ...why), / grace +ada: a charge of the bank$/m);
  const again = await run("reconcile", "--until", until);
  assert.doesNotMatch(again.stdout, /only at the bank/);
  assert.match(await printedBy("provider receivables"), /^provider +owes +0–1 days.*\nw +EUR -9\.30 /);
});
