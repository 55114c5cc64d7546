import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BankAdversity } from "../../server/test/bank/bank-adversity.ts";
import { transferToBank, storeMessage } from "../../server/test/bank/bank-folder.ts";
import { newBankSimulator, type BankSimulator } from "../../server/test/bank/bank-simulator.ts";
import type { Random } from "../../server/test/bank/seeded-random.ts";
import { ibanOf } from "../../server/test/bank/test-iban.ts";
import { minimalEnvironment } from "../installation/managed-process.ts";
import { newFinding, type Finding } from "../oracle/finding.ts";
import { database, type Installation, type Merchant } from "../installation/installation.ts";

/** Payouts during a storm: batches are closed and paid during payments of the same merchants and faults. */
export interface StormPayouts {
  /** Runs after the storm: pays the remaining due batches, imports the bank's remaining messages, and compares. */
  finish(): Promise<StormPayoutResult>;
}

export interface StormPayoutResult {
  /** Payouts by status. */
  readonly payouts: Readonly<Record<string, number>>;
  readonly rounds: number;
  /** Commands that were killed, or failed because of a fault. */
  readonly interrupted: number;
  readonly findings: readonly Finding[];
}

interface Options {
  readonly installation: Installation;
  readonly random: Random;
  /** Duration of the faults in seconds. */
  readonly seconds: number;
  readonly logProgress: (line: string) => void;
}

const bankName = "storm-bank";
const currencies = ["EUR", "JPY"] as const;
/** The first merchants are paid out. The last one has a low balance, because it refunds everything. */
const paidMerchants = 2;
const roundsMax = 20;
const roundMsMin = 5_000;
const lastRoundsMax = 20;
const calmRunsMax = 5;
const killedShare = 0.4;
const killWithinMs = 2_000;
const dayMs = 86_400_000;
/** The faults of this bank. Faults that leave a break for manual resolution are in the month's proof. */
const adversities: readonly BankAdversity[] = [
  "rejected",
  "returned",
  "late-answer",
  "repeated-answer",
  "split-answer",
  "two-step-answer",
  "late-statement",
  "repeated-statement",
  "notification",
  "shuffled-messages",
];

/** `bookDay` returns the date of the book day (UTC+8) that was `daysAgo` days ago. */
const bookDay = (daysAgo: number): string =>
  new Date(Date.now() + 8 * 3_600_000 - daysAgo * dayMs).toISOString().slice(0, 10);

export async function startPayouts(options: Options): Promise<StormPayouts> {
  const { installation, random, seconds, logProgress } = options;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-storm-payouts-"));
  mkdirSync(join(folder, "files"));
  const merchants = installation.merchants.slice(0, paidMerchants);
  const operate = newOperator(installation);
  await openAccounts(operate, merchants);
  // The test ends the cooling-off period of a merchant's second bank account by SQL.
  await installation.cluster.execute(
    database,
    "set session_replication_role = replica; update bank_accounts set usable_from = approved_at where usable_from > approved_at",
  );
  const bank = newBankSimulator({
    random: random.fork("bank"),
    accounts: new Map(currencies.map((currency) => [currency, ownIban(currency)])),
    adversities,
  });
  const rounds = newRounds({ installation, random, operate, bank, folder, merchants });
  const state = { isActive: true };
  const stormRounds = (async () => {
    const roundMs = Math.max(roundMsMin, (seconds * 1_000) / roundsMax);
    while (state.isActive && rounds.count() < roundsMax) {
      await waitMs(roundMs);
      if (state.isActive) await rounds.run(true);
    }
  })();
  return {
    async finish() {
      state.isActive = false;
      await stormRounds;
      try {
        for (let round = 0; round < lastRoundsMax && (round === 0 || (await rounds.isOpen())); round += 1)
          await rounds.run(false);
        const result = await comparePayouts(installation, bank, merchants);
        logProgress(`${rounds.count()} rounds of payouts: ${JSON.stringify(result.payouts)}`);
        return { ...result, rounds: rounds.count(), interrupted: rounds.interrupted() };
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

type Operate = (args: readonly string[], killAfterMs?: number) => Promise<string>;

/** Runs a command like the operator, against the current primary. */
function newOperator({ variables, cluster, isLive }: Installation): Operate {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  return async (args, killAfterMs = 0) => {
    const env = {
      ...minimalEnvironment,
      ...variables,
      TOLLGATE_OWNER_DATABASE_URL: cluster.primaryUrl(database),
    };
    const extraArgs = isLive ? ["--reason", "a storm", ...(needsApproval(args) ? ["--alone"] : [])] : [];
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["server/src/main.ts", ...args, ...extraArgs],
      {
        cwd: root,
        env,
        timeout: killAfterMs,
        killSignal: "SIGKILL",
      },
    );
    return stdout.trim();
  };
}

/** Commands that need an approval in live; the owner's login may run them with --alone. */
const approvedCommands = ["payout bank set", "payout terms set", "payout account approve", "payout run"];
const needsApproval = (args: readonly string[]): boolean =>
  approvedCommands.some((name) => args.join(" ").startsWith(name));

const ownIban = (currency: string): string => ibanOf(900 + currencies.indexOf(currency as "EUR"));
const ibanFor = (nth: number, currency: string): string =>
  ibanOf(1 + nth * currencies.length + currencies.indexOf(currency as "EUR"));

async function openAccounts(operate: Operate, merchants: readonly Merchant[]): Promise<void> {
  for (const currency of currencies) {
    const accountArgs = [
      "--currency",
      currency,
      "--iban",
      ownIban(currency),
      "--bic",
      "BNPAFRPP",
      "--holder",
      "Gateway SA",
    ];
    await operate(["payout", "bank", "set", bankName, ...accountArgs]);
    await Promise.all(
      merchants.map(async ({ clientId }, nth) => {
        const terms = ["--currency", currency, "--cycle", "D", "--days", "0", "--from", bookDay(60)];
        await operate(["payout", "terms", "set", clientId, ...terms]);
        const account = ["--currency", currency, "--iban", ibanFor(nth, currency), "--holder", "A shop"];
        const output = await operate(["payout", "account", "set", clientId, ...account, "--json"]);
        const { accountId } = JSON.parse(output) as { readonly accountId: string };
        await operate(["payout", "account", "approve", clientId, accountId]);
      }),
    );
  }
}

interface RoundOptions {
  readonly installation: Installation;
  readonly random: Random;
  readonly operate: Operate;
  readonly bank: BankSimulator;
  readonly folder: string;
  readonly merchants: readonly Merchant[];
}

interface Rounds {
  run(isStorm: boolean): Promise<void>;
  count(): number;
  interrupted(): number;
  /** Returns whether a batch must still be paid, or the bank must still report a payout. */
  isOpen(): Promise<boolean>;
}

function newRounds({ installation, random, operate, bank, folder, merchants }: RoundOptions): Rounds {
  const { cluster } = installation;
  const roundDraws = random.fork("rounds");
  const clients = merchants.map(({ clientId }) => `'${clientId}'`).join(", ");
  const pendingFiles: string[] = [];
  let count = 0;
  let interrupted = 0;

  /**
   * A command that a fault interrupts is run again in the next round. After the faults it must succeed within a few
   * runs: on a busy machine even a connection to the database can time out.
   */
  const tryOrInterrupt = async (isStorm: boolean, action: () => Promise<unknown>): Promise<boolean> => {
    for (let calmRuns = 1; ; calmRuns += 1) {
      try {
        await action();
        return true;
      } catch (error) {
        if (!isStorm && calmRuns === calmRunsMax) throw error;
        interrupted += 1;
        if (isStorm) return false;
      }
    }
  };

  return {
    count: () => count,
    interrupted: () => interrupted,
    async run(isStorm) {
      // Each round has its own past day, to which the sales since the last round are moved.
      const day = bookDay(roundsMax + lastRoundsMax + 1 - count);
      const move = `set session_replication_role = replica;
        update ledger_transfers set at = timestamptz '${day} 12:00+08'
        where at > now() - interval '12 hours' and client_id in (${clients}) and effect not like '%payout%'`;
      if (!(await tryOrInterrupt(isStorm, () => cluster.execute(database, move)))) return;
      count += 1;
      const killAfterMs = (): number =>
        isStorm && roundDraws.chance(killedShare) ? roundDraws.between(300, killWithinMs) : 0;
      const run = ["payout", "run", "--bank", bankName, "--folder", join(folder, "files")];
      await tryOrInterrupt(isStorm, () => operate(["settlement", "close", "--day", day], killAfterMs()));
      await tryOrInterrupt(isStorm, () => operate(run, killAfterMs()));
      transferToBank(bank, join(folder, "files"));
      // Days of the bank are in the future, so that a report is never older than its payout.
      const messages = bank.endDay(bookDay(-count)).filter(({ isContradictory }) => !isContradictory);
      pendingFiles.push(...messages.map((message) => storeMessage(folder, message)));
      for (let file = pendingFiles[0]; file !== undefined; file = pendingFiles[0]) {
        const path = file;
        if (!(await tryOrInterrupt(isStorm, () => operate(["payout", "import", path], killAfterMs())))) break;
        pendingFiles.shift();
      }
    },
    async isOpen() {
      const [row] = await cluster.execute<{ open: number }>(
        database,
        `select (select count(*) from settlement_batches where status not in ('PAID', 'CARRIED'))::int
           + (select count(*) from payouts where status in ('CREATED', 'SENT'))::int as open`,
      );
      return row?.open !== 0 || bank.hasUndelivered() || pendingFiles.length > 0;
    },
  };
}

/** Checks with the bank's own records that each merchant got the total of its batches once. */
async function comparePayouts(
  { cluster }: Installation,
  bank: BankSimulator,
  merchants: readonly Merchant[],
): Promise<Pick<StormPayoutResult, "payouts" | "findings">> {
  const rows = await cluster.execute<{
    clientId: string;
    currency: string;
    batches: string;
    payouts: string;
    transit: string;
    open: number;
    waits: string | null;
  }>(
    database,
    `select client_id as "clientId", currency,
       coalesce(sum(net_minor) filter (where status = 'PAID'), 0)::text as batches,
       count(*) filter (where status not in ('PAID', 'CARRIED'))::int as open,
       string_agg(distinct status || ' ' || coalesce(waits_for, ''), ', ') filter (where status not in ('PAID', 'CARRIED')) as waits,
       (select coalesce(sum(amount_minor), 0)::text from payouts as p
        where p.client_id = b.client_id and p.currency = b.currency and p.status = 'PAID') as payouts,
       (select coalesce(sum(case when debit_account = 'payout in transit ' || b.client_id then amount_minor else -amount_minor end), 0)::text
        from ledger_transfers as l where l.client_id = b.client_id and l.currency = b.currency
          and 'payout in transit ' || b.client_id in (debit_account, credit_account)) as transit
     from settlement_batches as b group by client_id, currency`,
  );
  const statuses = await cluster.execute<{ status: string; count: number }>(
    database,
    "select status, count(*)::int from payouts group by status",
  );
  const findings = rows.flatMap(({ clientId, currency, batches, payouts, transit, open, waits }) => {
    const nth = merchants.findIndex((merchant) => merchant.clientId === clientId);
    const paidMinor = bank.ledger.paidOut(({ iban }) => iban === ibanFor(nth, currency));
    const payee = `${clientId} ${currency}`;
    return [
      ...(paidMinor > BigInt(batches)
        ? [newFinding("doubled", `the bank paid ${paidMinor}, and the batches total ${batches}`, payee)]
        : []),
      ...(paidMinor < BigInt(batches)
        ? [newFinding("lost", `the bank paid ${paidMinor}, and the batches total ${batches}`, payee)]
        : []),
      ...(payouts === batches
        ? []
        : [newFinding("unbalanced", `the payouts total ${payouts}, and the batches ${batches}`, payee)]),
      ...(transit === "0" ? [] : [newFinding("unbalanced", `${transit} is still in transit`, payee)]),
      ...(open === 0 ? [] : [newFinding("stuck", `${open} batches are not paid: ${waits}`, payee)]),
    ];
  });
  return { payouts: Object.fromEntries(statuses.map(({ status, count }) => [status, count])), findings };
}
