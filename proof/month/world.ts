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
import { committed, openDatabase, type Database } from "../../server/src/postgres/database.ts";
import { ibanOf } from "../../server/test/bank/test-iban.ts";
import { tollgate } from "../installation/installation.ts";
import { saidAllTheSame } from "../oracle/compare-ledger.ts";
import { monthCurrencies, monthProviders, type MonthPlan, type PlannedFee } from "./plan.ts";
import { breakGround, type Ground } from "../trial/test-environment.ts";

/**
 * An installation with the merchants, providers, fees and bank of a plan. No gateway process runs: records are
 * inserted.
 */
export interface MonthWorld {
  /** The database, opened with the gateway's privileges. */
  readonly database: Database;
  readonly rules: ReadonlyMap<string, readonly FeeRule[]>;
  /** The folder for files of the bank and of providers. Its subfolder `payouts` contains payout files for the bank. */
  readonly folder: string;
  /** Our accounts at the bank, by currency. */
  readonly ownIbans: ReadonlyMap<string, string>;
  /** Runs an operator's command, whatever its exit code, and returns its JSON output. */
  operate<Told>(...words: readonly string[]): Promise<Told>;
  /** Runs independent commands at the same time. */
  operateAll(commands: readonly (readonly string[])[]): Promise<void>;
  /** Runs an operator's command, and returns its error message; undefined if it printed a result. */
  tryOperate(...words: readonly string[]): Promise<string | undefined>;
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
const crashingPayout = fileURLToPath(new URL("../../server/test/crash/crashing-payout.ts", import.meta.url));

export async function openMonth(plan: MonthPlan, changesOn: string, beginsOn: string): Promise<MonthWorld> {
  const ground = await breakGround(process.getuid?.() ?? 0);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-month-"));
  mkdirSync(join(folder, "payouts"));
  const owner = ground.variables("owner");
  await tollgate(owner, "migrate");
  await tollgate(owner, "gateway-key", "add");
  const url = owner["TOLLGATE_OWNER_DATABASE_URL"] ?? "";
  let open = await connect(ground, url);
  await addProviders(open.direct);
  const ownIbans = new Map(monthCurrencies.map((currency, nth) => [currency as string, ibanOf(9_000 + nth)]));
  await addContracts(open.direct, plan, { beginsOn, ownIbans });
  const rules = await addFees(url, plan, { changesOn, beginsOn });
  const sums = async (text: string, ...values: readonly unknown[]): Promise<ReadonlyMap<string, bigint>> => {
    const { rows } = await open.direct.query<{ name: string; minor: string }>(text, [...values]);
    return new Map(rows.map(({ name, minor }) => [name, BigInt(minor)]));
  };
  const whileClosed = async (...statements: readonly string[]): Promise<void> => {
    await open.close();
    const superuser = new Client({ connectionString: ground.superuserUrl("postgres") });
    await superuser.connect();
    for (const statement of statements) await superuser.query(statement);
    await superuser.end();
    open = await connect(ground, url);
  };
  const name = new URL(url).pathname.slice(1);
  const operate = async <Told>(...words: readonly string[]): Promise<Told> =>
    JSON.parse(await tollgate(owner, ...words, "--json").catch(saidAllTheSame)) as Told;
  return {
    get database() {
      return open.database;
    },
    rules,
    folder,
    ownIbans,
    operate,
    async operateAll(commands) {
      await Promise.all(commands.map((words) => operate(...words)));
    },
    async tryOperate(...words) {
      return tollgate(owner, ...words, "--json").then(
        () => undefined,
        ({ stdout, stderr }: { readonly stdout?: string; readonly stderr?: string }) =>
          stdout ? undefined : (stderr ?? "").trim(),
      );
    },
    killPayoutRun: (point, run) =>
      killAt(point, { OWNER_URL: url, BANK: monthBank, DAY: run.day, FOLDER: run.folder }),
    copyDatabase: () =>
      whileClosed(`create database ${name}_copy template ${name} owner ${new URL(url).username}`),
    restoreDatabase: () =>
      whileClosed(`drop database ${name} with (force)`, `alter database ${name}_copy rename to ${name}`),
    balances: () => sums(balancesText),
    bankBalances: (before) => sums(bankBalancesText, `bank ${monthBank}`, before),
    async stop() {
      await open.close();
      await ground.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const balancesText = `
  select account || ' ' || currency as name, sum(minor)::text as minor from (
    select debit_account as account, currency, amount_minor as minor from ledger_transfers
    union all select credit_account, currency, -amount_minor from ledger_transfers) as sides
  group by 1`;
const bankBalancesText = `
  select currency as name, sum(case when debit_account = $1 then amount_minor else -amount_minor end)::text as minor
  from ledger_transfers where $1 in (debit_account, credit_account) and at < $2 group by 1`;

interface Connections {
  readonly database: Database;
  /** A connection with the owner's login, which can read the rows of all merchants. */
  readonly direct: Client;
  close(): Promise<void>;
}

async function connect(ground: Ground, url: string): Promise<Connections> {
  const direct = new Client({ connectionString: url });
  await direct.connect();
  await direct.query("set app.oversight = 'on'");
  const database = openDatabase({
    applicationName: "month",
    connectionsMax: 2,
    onFault: () => undefined,
    url: ground.variables("serve")["TOLLGATE_DATABASE_URL"] ?? "",
    statementTimeoutMs: 60_000,
  });
  return {
    direct,
    database,
    async close() {
      await database.close();
      await direct.end();
    },
  };
}

/**
 * `killAt` runs a payout process and kills it at the crash point. The process may exit before it reaches this point.
 */
async function killAt(point: PayoutCrashPoint, variables: Readonly<Record<string, string>>): Promise<void> {
  const child = spawn(process.execPath, [crashingPayout, "run", ""], {
    env: { ...process.env, ...variables, STOP_AT: point },
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (text.includes(point)) child.kill("SIGKILL");
  });
  await new Promise((resolve) => child.once("exit", resolve));
}

async function addProviders(direct: Client): Promise<void> {
  for (const name of monthProviders)
    await direct.query(
      `insert into connectors (name, url, partner_id, public_key, payment_method_types)
       values ($1, 'http://wallet.example', 'p', '', '{}')`,
      [name],
    );
}

/** Adds the merchants' bank accounts and settlement terms. */
async function addContracts(
  direct: Client,
  { merchants }: MonthPlan,
  { beginsOn, ownIbans }: { readonly beginsOn: string; readonly ownIbans: ReadonlyMap<string, string> },
): Promise<void> {
  for (const [currency, iban] of ownIbans)
    await direct.query(
      `insert into banks (name, currency, holder, iban, bic) values ($1, $2, 'Gateway', $3, 'BNPAFRPP')`,
      [monthBank, currency, iban],
    );
  for (const [index, { clientId, currencies, terms, settleIn }] of merchants.entries()) {
    await direct.query(`begin; set local app.clients = '{${clientId}}'`);
    await direct.query(
      `insert into clients (bucket, client_id, name, gateway_key_version)
       select $1, $2, 'A shop', max(version) from gateway_keys`,
      [bucketOf(clientId), clientId],
    );
    for (const currency of new Set([...currencies, ...(settleIn === undefined ? [] : [settleIn])]))
      await direct.query(
        `insert into bank_accounts (bucket, client_id, currency, account_id, holder, iban, iban_shown, wait_hours, asked_by,
           asked_login, asked_at, approved_by, approved_login, approved_at, usable_from)
         values ($1, $2, $3, $4, 'A shop', $5, left($5, 4) || ' … ' || right($5, 4), 0, 'a', 'a', now(), 'b', 'b', now(), now())`,
        [bucketOf(clientId), clientId, currency, `account-${currency}`, merchantIban(index, currency)],
      );
    for (const currency of currencies)
      await direct.query(
        `insert into settlement_terms (bucket, client_id, currency, from_day, cycle, days_after, minimum_minor,
           reserve_basis_points, reserve_days, settle_in)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          bucketOf(clientId),
          clientId,
          currency,
          beginsOn,
          terms.cycle,
          terms.daysAfter,
          terms.minimum,
          terms.reserveBasisPoints,
          terms.reserveDays,
          settleIn === currency ? undefined : settleIn,
        ],
      );
    await direct.query("commit");
  }
}

/** Two fee rules for each merchant and currency: one from the start, and one from a midnight in the middle. */
async function addFees(
  url: string,
  { merchants }: MonthPlan,
  { changesOn, beginsOn }: { readonly changesOn: string; readonly beginsOn: string },
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
        committed(
          await database.transaction([clientId], async (tx) => {
            for (const currency of currencies)
              for (const [nth, day] of [beginsOn, changesOn].entries()) {
                const scope = { clientId, paymentMethodType: undefined, currency };
                const terms = termsOf(fees[nth as 0 | 1], `${currency}-${nth}`);
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

function termsOf(fee: PlannedFee, ruleId: string): FeeRule["terms"] & { ruleId: string } {
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
