import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { bucketOf } from "../../server/src/core/bucket.ts";
import { startOfBookDay } from "../../server/src/core/book-day.ts";
import { insertFeeRule, listFeeRules } from "../../server/src/ledger/fee-rule.sql.ts";
import type { FeeRule } from "../../server/src/ledger/fee-rule.ts";
import { committed, openDatabase, type Database } from "../../server/src/postgres/database.ts";
import { tollgate } from "../installation.ts";
import { saidAllTheSame } from "../match-books.ts";
import { monthCurrencies, monthWallets, type MonthPlan, type PlannedFee } from "./plan.ts";
import { breakGround } from "../surroundings.ts";

/** An installation whose merchants, wallets, fees and bank are those of a plan. No process serves: what happened is written down. */
export interface MonthWorld {
  /** As the gateway writes, with its rights and no others. */
  readonly database: Database;
  readonly rules: ReadonlyMap<string, readonly FeeRule[]>;
  /** Where the bank takes its files from, and leaves its own. */
  readonly folder: string;
  /** Our accounts at the bank, by currency. */
  readonly ownIbans: ReadonlyMap<string, string>;
  /** A command of an operator, whatever it exits with; what it printed as JSON. */
  operate<Told>(...words: readonly string[]): Promise<Told>;
  /** All balances, by account and currency; debits less credits. */
  balances(): Promise<ReadonlyMap<string, bigint>>;
  stop(): Promise<void>;
}

export const monthBank = "first";

export async function openMonth(plan: MonthPlan, changesOn: string, beginsOn: string): Promise<MonthWorld> {
  const ground = await breakGround(process.getuid?.() ?? 0);
  const folder = mkdtempSync(join(tmpdir(), "tollgate-month-"));
  mkdirSync(join(folder, "payouts"));
  const owner = ground.variables("owner");
  await tollgate(owner, "migrate");
  const url = owner["TOLLGATE_OWNER_DATABASE_URL"] ?? "";
  const direct = new Client({ connectionString: url });
  await direct.connect();
  await direct.query("set app.oversight = 'on'");
  await addWallets(direct);
  const ownIbans = new Map(monthCurrencies.map((currency, nth) => [currency as string, ibanOf(9_000 + nth)]));
  await addContracts(direct, plan, { beginsOn, ownIbans });
  const options = { applicationName: "month", connectionsMax: 2, onFault: () => undefined };
  const rules = await addFees(url, plan, { changesOn, beginsOn });
  const serveUrl = ground.variables("serve")["TOLLGATE_DATABASE_URL"] ?? "";
  const database = openDatabase({ ...options, url: serveUrl, statementTimeoutMs: 60_000 });
  return {
    database,
    rules,
    folder,
    ownIbans,
    async operate<Told>(...words: readonly string[]): Promise<Told> {
      return JSON.parse(await tollgate(owner, ...words, "--json").catch(saidAllTheSame)) as Told;
    },
    async balances() {
      const { rows } = await direct.query<{ account: string; minor: string }>(`
        select account || ' ' || currency as account, sum(minor)::text as minor from (
          select debit_account as account, currency, amount_minor as minor from ledger_transfers
          union all select credit_account, currency, -amount_minor from ledger_transfers) as sides
        group by 1`);
      return new Map(rows.map(({ account, minor }) => [account, BigInt(minor)]));
    },
    async stop() {
      await database.close();
      await direct.end();
      await ground.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function addWallets(direct: Client): Promise<void> {
  for (const name of monthWallets)
    await direct.query(
      `insert into connectors (name, url, partner_id, public_key, payment_method_types)
       values ($1, 'http://wallet.example', 'p', '', '{}')`,
      [name],
    );
}

/** The merchants, where their money goes, and when. */
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
  await direct.query(
    "insert into gateway_keys (version, public_key, wrapped_private_key) values (1, '', '') on conflict do nothing",
  );
  for (const [index, { clientId, currencies, terms, settleIn }] of merchants.entries()) {
    await direct.query(`begin; set local app.clients = '{${clientId}}'`);
    await direct.query(
      "insert into clients (bucket, client_id, name, gateway_key_version) values ($1, $2, 'A shop', 1)",
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

/** Two rules for each merchant and currency: one from the beginning on, and one from a midnight in the middle. */
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
                await insertFeeRule(tx, { ...scope, fromAt: startOfBookDay(day), terms });
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

/** The bank account of a merchant in a currency: whose it is can be read off it. */
export function merchantIban(merchant: number, currency: string): string {
  return ibanOf(merchant * 10 + monthCurrencies.findIndex((each) => each === currency));
}

/** A number of a German account with right check digits (ISO 7064, modulo 97). */
function ibanOf(number: number): string {
  const account = `50010517${String(number).padStart(10, "0")}`;
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${String(check).padStart(2, "0")}${account}`;
}
