import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { bucketOf } from "../../server/src/core/bucket.ts";
import { startOfAccountingDay } from "../../server/src/core/accounting-day.ts";
import type { PayoutCrashPoint } from "../../server/src/core/crash-point.ts";
import { insertFeeRule, listFeeRules } from "../../server/src/ledger/fee-rule.sql.ts";
import type { FeeRule } from "../../server/src/ledger/fee-rule.ts";
import { requireCommitted, openDatabase, type Database } from "../../server/src/postgres/database.ts";
import { ibanOf } from "../../server/test/bank/test-iban.ts";
import { runTollgate } from "../installation/installation.ts";
import { outputOfFailedCommand } from "../oracle/reconcile-providers.ts";
import { monthCurrencies, monthProviders, type MonthPlan, type PlannedFee } from "./month-plan.ts";
import { prepareHost, type PreparedHost } from "../trial/test-environment.ts";

/**
 * An installation with the merchants, providers, fees and bank of a plan. No gateway process runs: records are
 * inserted.
 */
export interface MonthInstallation {
  /** The database, opened with the gateway's privileges. */
  readonly database: Database;
  readonly rules: ReadonlyMap<string, readonly FeeRule[]>;
  /** The folder for files of the bank and of providers. Its subfolder `payouts` contains payout files for the bank. */
  readonly folder: string;
  /** Our accounts at the bank, by currency. */
  readonly ownIbans: ReadonlyMap<string, string>;
  /** Runs an operator's command, whatever its exit code, and returns its JSON output. */
  operate<Output>(...args: readonly string[]): Promise<Output>;
  /** Runs independent commands at the same time. */
  operateAll(commands: readonly (readonly string[])[]): Promise<void>;
  /** Runs an operator's command, and returns its error message; undefined if it printed a result. */
  tryOperate(...args: readonly string[]): Promise<string | undefined>;
  /** Runs `payout run` up to a crash point, and kills it there. */
  killPayoutRun(
    point: PayoutCrashPoint,
    run: { readonly day: string; readonly folder: string },
  ): Promise<void>;
  /** Copies the database, like a backup. */
  copyDatabase(): Promise<void>;
  /** Replaces the database by its copy, like a restore. */
  restoreDatabase(): Promise<void>;
  /** Returns all balances by account and currency: debits minus credits. */
  balances(): Promise<ReadonlyMap<string, bigint>>;
  /** Balances of our bank account before a moment, by currency. */
  bankBalances(before: Date): Promise<ReadonlyMap<string, bigint>>;
  stop(): Promise<void>;
}

export const monthBank = "first";
const crashingPayoutProgram = fileURLToPath(
  new URL("../../server/test/crash/crashing-payout.ts", import.meta.url),
);

export async function openMonthInstallation(
  plan: MonthPlan,
  feeChangeDay: string,
  firstDay: string,
): Promise<MonthInstallation> {
  const host = await prepareHost(process.getuid?.() ?? 0);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-month-"));
  mkdirSync(join(folder, "payouts"));
  const owner = host.variables("owner");
  await runTollgate(owner, "migrate");
  await runTollgate(owner, "gateway-key", "add");
  const url = owner["TOLLGATE_OWNER_DATABASE_URL"] ?? "";
  let connections = await connectToDatabase(host, url);
  await addProviders(connections.ownerClient);
  const ownIbans = new Map(monthCurrencies.map((currency, nth) => [currency as string, ibanOf(9_000 + nth)]));
  await addContracts(connections.ownerClient, plan, { firstDay, ownIbans });
  const rules = await addFees(url, plan, { feeChangeDay, firstDay });
  const querySums = async (
    sql: string,
    ...values: readonly unknown[]
  ): Promise<ReadonlyMap<string, bigint>> => {
    const { rows } = await connections.ownerClient.query<{ name: string; minor: string }>(sql, [...values]);
    return new Map(rows.map(({ name, minor }) => [name, BigInt(minor)]));
  };
  const runOffline = async (...statements: readonly string[]): Promise<void> => {
    await connections.close();
    const superuser = new Client({ connectionString: host.superuserUrl("postgres") });
    await superuser.connect();
    for (const statement of statements) await superuser.query(statement);
    await superuser.end();
    connections = await connectToDatabase(host, url);
  };
  const name = new URL(url).pathname.slice(1);
  const operate = async <Output>(...args: readonly string[]): Promise<Output> =>
    JSON.parse(await runTollgate(owner, ...args, "--json").catch(outputOfFailedCommand)) as Output;
  return {
    get database() {
      return connections.database;
    },
    rules,
    folder,
    ownIbans,
    operate,
    async operateAll(commands) {
      await Promise.all(commands.map((args) => operate(...args)));
    },
    async tryOperate(...args) {
      return runTollgate(owner, ...args, "--json").then(
        () => undefined,
        ({ stdout, stderr }: { readonly stdout?: string; readonly stderr?: string }) =>
          stdout ? undefined : (stderr ?? "").trim(),
      );
    },
    killPayoutRun: (point, run) =>
      killAtCrashPoint(point, { OWNER_URL: url, BANK: monthBank, DAY: run.day, FOLDER: run.folder }),
    copyDatabase: () =>
      runOffline(`create database ${name}_copy template ${name} owner ${new URL(url).username}`),
    restoreDatabase: () =>
      runOffline(`drop database ${name} with (force)`, `alter database ${name}_copy rename to ${name}`),
    balances: () => querySums(balancesStatement),
    bankBalances: (before) => querySums(bankBalancesStatement, `bank ${monthBank}`, before),
    async stop() {
      await connections.close();
      await host.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const balancesStatement = `
  select account || ' ' || currency as name, sum(minor)::text as minor from (
    select debit_account as account, currency, amount_minor as minor from ledger_transfers
    union all select credit_account, currency, -amount_minor from ledger_transfers) as sides
  group by 1`;
const bankBalancesStatement = `
  select currency as name, sum(case when debit_account = $1 then amount_minor else -amount_minor end)::text as minor
  from ledger_transfers where $1 in (debit_account, credit_account) and at < $2 group by 1`;

interface OpenConnections {
  readonly database: Database;
  /** A connection with the owner's login, which can read the rows of all merchants. */
  readonly ownerClient: Client;
  close(): Promise<void>;
}

async function connectToDatabase(host: PreparedHost, url: string): Promise<OpenConnections> {
  const ownerClient = new Client({ connectionString: url });
  await ownerClient.connect();
  await ownerClient.query("set app.oversight = 'on'");
  const database = openDatabase({
    applicationName: "month",
    connectionsMax: 2,
    onFault: () => undefined,
    url: host.variables("serve")["TOLLGATE_DATABASE_URL"] ?? "",
    statementTimeoutMs: 60_000,
  });
  return {
    ownerClient,
    database,
    async close() {
      await database.close();
      await ownerClient.end();
    },
  };
}

/**
 * `killAtCrashPoint` runs a payout process and kills it at the crash point. The process may exit before it reaches this
 * point.
 */
async function killAtCrashPoint(
  point: PayoutCrashPoint,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  const child = spawn(process.execPath, [crashingPayoutProgram, "run", ""], {
    env: { ...process.env, ...variables, STOP_AT: point },
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr.setEncoding("utf8").on("data", (statement: string) => {
    if (statement.includes(point)) child.kill("SIGKILL");
  });
  await new Promise((resolve) => child.once("exit", resolve));
}

async function addProviders(ownerClient: Client): Promise<void> {
  for (const name of monthProviders)
    await ownerClient.query(
      `insert into connectors (name, url, partner_id, public_key, payment_method_types)
       values ($1, 'http://wallet.example', 'p', '', '{}')`,
      [name],
    );
}

/** Adds the merchants' bank accounts and settlement terms. */
async function addContracts(
  ownerClient: Client,
  { merchants }: MonthPlan,
  { firstDay, ownIbans }: { readonly firstDay: string; readonly ownIbans: ReadonlyMap<string, string> },
): Promise<void> {
  for (const [currency, iban] of ownIbans)
    await ownerClient.query(
      `insert into banks (name, currency, holder, iban, bic) values ($1, $2, 'Gateway', $3, 'BNPAFRPP')`,
      [monthBank, currency, iban],
    );
  for (const [index, { clientId, currencies, terms, settleIn }] of merchants.entries()) {
    await ownerClient.query(`begin; set local app.clients = '{${clientId}}'`);
    await ownerClient.query(
      `insert into clients (bucket, client_id, name, gateway_key_version)
       select $1, $2, 'A shop', max(version) from gateway_keys`,
      [bucketOf(clientId), clientId],
    );
    for (const currency of new Set([...currencies, ...(settleIn === undefined ? [] : [settleIn])]))
      await ownerClient.query(
        `insert into bank_accounts (bucket, client_id, currency, account_id, holder, iban, iban_shown, wait_hours, asked_by,
           asked_login, asked_at, approved_by, approved_login, approved_at, usable_from)
         values ($1, $2, $3, $4, 'A shop', $5, left($5, 4) || ' … ' || right($5, 4), 0, 'a', 'a', now(), 'b', 'b', now(), now())`,
        [bucketOf(clientId), clientId, currency, `account-${currency}`, merchantIban(index, currency)],
      );
    for (const currency of currencies)
      await ownerClient.query(
        `insert into settlement_terms (bucket, client_id, currency, from_day, cycle, days_after, minimum_minor,
           reserve_basis_points, reserve_days, settle_in)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          bucketOf(clientId),
          clientId,
          currency,
          firstDay,
          terms.cycle,
          terms.daysAfter,
          terms.minimum,
          terms.reserveBasisPoints,
          terms.reserveDays,
          settleIn === currency ? undefined : settleIn,
        ],
      );
    await ownerClient.query("commit");
  }
}

/** Two fee rules for each merchant and currency: one from the start, and one from a midnight in the middle. */
async function addFees(
  url: string,
  { merchants }: MonthPlan,
  { feeChangeDay, firstDay }: { readonly feeChangeDay: string; readonly firstDay: string },
): Promise<ReadonlyMap<string, readonly FeeRule[]>> {
  const database = openDatabase({
    url,
    applicationName: "month",
    connectionsMax: 1,
    onFault: () => undefined,
  });
  try {
    const rules = new Map<string, readonly FeeRule[]>();
    for (const { clientId, currencies, fees } of merchants)
      rules.set(
        clientId,
        requireCommitted(
          await database.transaction([clientId], async (tx) => {
            for (const currency of currencies)
              for (const [nth, day] of [firstDay, feeChangeDay].entries()) {
                const scope = { clientId, paymentMethodType: undefined, currency };
                const terms = toFeeTerms(fees[nth as 0 | 1], `${currency}-${nth}`);
                await insertFeeRule(tx, { ...scope, fromAt: startOfAccountingDay(day), terms });
              }
            return listFeeRules(tx, clientId);
          }),
        ),
      );
    return rules;
  } finally {
    await database.close();
  }
}

function toFeeTerms(fee: PlannedFee, ruleId: string): FeeRule["terms"] & { ruleId: string } {
  return {
    ruleId,
    rateMillionths: fee.rateMillionths,
    fixedMinor: fee.fixed,
    minimumMinor: fee.minimum,
    maximumMinor: undefined,
    taxMillionths: fee.taxMillionths,
    refundPolicy: fee.refundPolicy,
    refundFixedMinor: fee.refundFixed,
  };
}

/** The bank account of a merchant in a currency. The IBAN contains both. */
export function merchantIban(merchant: number, currency: string): string {
  return ibanOf(merchant * 10 + monthCurrencies.findIndex((each) => each === currency));
}
