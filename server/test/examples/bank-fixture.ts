import { after, beforeEach } from "node:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { settlementCsv } from "./settlement-csv.ts";
import { importBankStatements } from "../../src/reconciliation/import-bank-statement.workflow.ts";
import { reconcile } from "../../src/reconciliation/reconcile.workflow.ts";
import { importSettlementFile } from "../../src/reconciliation/import-settlement-file.workflow.ts";
import { bucketOf } from "../../src/core/bucket.ts";
import { house } from "../../src/ledger/account.ts";
import { asSuperuser, newTestDatabase } from "../start/test-database.ts";
import { exampleStatements, type ExampleStatement } from "./example-statement.ts";

export const day1 = "2026-11-01T00:00:00+00:00";
export const paymentId = "20261101090000000000101000000000010";

/** `providerPayoutRow` returns a row of a provider's settlement file about a payout to the gateway's operator. */
export const providerPayoutRow = (reference: string, minor: number, day: string): string =>
  `payout,,${reference},,EUR,${minor},${day}T09:00:00+00:00`;

/** `openBankFixture` creates empty records and an empty ledger for each test, with the provider `w` and the bank `b`. */
export async function openBankFixture() {
  const database = await newTestDatabase("sandbox");
  const folder = await mkdtemp(join(tmpdir(), "tollgate-bank-"));
  after(() => rm(folder, { recursive: true, force: true }));
  const operator = { url: database.ownerUrl, environment: "sandbox" } as const;

  function rows<Row extends object>(text: string, ...values: readonly unknown[]): Promise<readonly Row[]> {
    return asSuperuser<Row>(text, values, database.superuserUrl);
  }

  await rows(
    `insert into connectors (name, url, partner_id, public_key, payment_method_types)
     values ('w', 'http://w.example', 'p', '', '{}')`,
  );

  beforeEach(async () => {
    await rows("alter table ledger_transfers disable trigger user");
    await rows("delete from ledger_transfers");
    for (const table of [
      "bank_files",
      "bank_lines",
      "breaks",
      "settlement_files",
      "settlement_rows",
      "settlement_repeats",
      "settlement_payout_rows",
    ])
      await rows(`delete from ${table}`);
    await rows("alter table ledger_transfers enable trigger user");
  });

  let fileCount = 0;
  async function writeNextFile(text: string): Promise<string> {
    const file = join(folder, `${(fileCount += 1)}`);
    await writeFile(file, text);
    return file;
  }

  async function importStatements(...statements: readonly ExampleStatement[]): Promise<string> {
    const { statementCount, entryCount, isKnown } = await importBankStatements(operator, {
      bank: "b",
      file: await writeNextFile(exampleStatements(...statements)),
    });
    return `${statementCount} ${entryCount} ${isKnown ? "known" : "new"}`;
  }

  async function importRows(...lines: readonly string[]): Promise<string> {
    const file = await writeNextFile(settlementCsv(lines));
    const { imported } = await importSettlementFile(operator, { connector: "w", file });
    return `${imported?.newCount} ${imported?.repeatCount}`;
  }

  async function listBreaks(day?: string): Promise<readonly string[]> {
    const found = await reconcile(operator, { connector: undefined, until: undefined, day });
    return found.breaks.map(({ kind, reference }) => `${kind}: ${reference}`).sort();
  }

  return {
    operator,
    rows,
    fileOf: writeNextFile,
    importStatements,
    importRows,
    breaks: listBreaks,
    ...newLedgerFixture(rows),
  };
}

type Rows = <Row extends object>(text: string, ...values: readonly unknown[]) => Promise<readonly Row[]>;

function newLedgerFixture(rows: Rows) {
  /** Debits minus credits of every account. */
  async function balances(): Promise<Record<string, number>> {
    const sums = await rows<{ account: string; minor: string }>(
      `select account, sum(minor)::text as minor from (
         select debit_account as account, amount_minor as minor from ledger_transfers
         union all select credit_account, -amount_minor from ledger_transfers) as sides
       group by account having sum(minor) <> 0 order by account`,
    );
    return Object.fromEntries(sums.map(({ account, minor }) => [account, Number(minor)]));
  }

  async function insertTransfer(
    id: string,
    effect: string,
    [debit, credit]: readonly [string, string],
    minor: number,
  ): Promise<void> {
    const client = effect.startsWith("provider ") ? house : "M";
    await rows(
      `insert into ledger_transfers
         (bucket, subject_id, effect, line, client_id, debit_account, credit_account, currency, amount_minor, at)
       values ($1, $2, $3, 1, $4, $5, $6, 'EUR', $7, $8)`,
      client === house ? bucketOf(house) : 1,
      id,
      effect,
      client,
      debit,
      credit,
      minor,
      day1,
    );
  }

  /** `insertDebitedDispute` inserts a dispute whose money the provider has debited. */
  async function insertDebitedDispute(providerDisputeId: string): Promise<void> {
    const id = `2026110109000000000010500000000000${providerDisputeId.slice(-1)}`;
    await rows(
      `insert into disputes (bucket, dispute_id, client_id, payment_id, connector, provider_dispute_id, provider_sequence, type, status,
         currency, amount_minor, debited_minor, reason_code, reason_message, source, defendable, created_at, resolved_at)
       values (1, $1, 'M', $2, 'w', $3, 1, 'CHARGEBACK', 'RESOLVED', 'EUR', 500, 500, '', '', '', true, $4, $4)`,
      id,
      paymentId,
      providerDisputeId,
      day1,
    );
    await insertTransfer(id, "dispute debit", ["merchant frozen M", "provider receivable w"], 500);
  }

  return { balances, givenPosted: insertTransfer, givenDebited: insertDebitedDispute };
}
