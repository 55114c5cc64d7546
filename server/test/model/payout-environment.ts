import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import {
  approveAccount,
  requestAccount,
  endAccount,
} from "../../src/settlement/payouts/payout-accounts.workflow.ts";
import { importBankReports } from "../../src/settlement/payouts/import-bank-reports.workflow.ts";
import { runPayouts } from "../../src/settlement/payouts/run-payouts.workflow.ts";
import { setTerms } from "../../src/settlement/settlement-terms.workflow.ts";
import { closeSettlement } from "../../src/settlement/close-settlement.workflow.ts";
import type { PayoutCrashPointHook, PayoutCrashPoint } from "../../src/core/crash-point.ts";
import { addDays } from "../../src/settlement/batch.ts";
import type { BankAdversity } from "../bank/bank-adversity.ts";
import { resyncFolder } from "../../src/settlement/payouts/bank-folder.workflow.ts";
import { storeMessage } from "../bank/bank-folder.ts";
import { readPaymentFile } from "../bank/bank-message.ts";
import { newBankSimulator, type BankSimulator } from "../bank/bank-simulator.ts";
import { newRandom } from "../bank/seeded-random.ts";
import { ibanOf } from "../bank/test-iban.ts";
import {
  dailyTerms,
  ibans,
  ourBank,
  newSettlementFixture,
  type SettlementFixture,
} from "../examples/settlement-fixture.ts";
import { asSuperuser, ownerRole, type TestDatabase } from "../start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../start/test-gateway.ts";

/**
 * Merchants that are paid by a simulated bank, with real commands on a real database. One world runs many sequences.
 */
export interface PayoutEnvironment {
  readonly merchantCount: number;
  /** Starts a sequence on a new day, with a new bank and a due batch for each merchant. */
  beginSequence(seed: number, adversities: readonly BankAdversity[]): Promise<Sequence>;
}

/** A sequence of commands, in which each merchant has one batch from its close to its final status. */
export interface Sequence {
  run(stopAt?: PayoutCrashPoint): Promise<void>;
  /** Two operators run payouts concurrently. */
  runTwice(): Promise<void>;
  /** Carries payout files to the bank. With `isLeft` the files stay in the folder, so that they are carried again. */
  carry(isLeft: boolean): void;
  /** Ends a day of the bank. The bank's messages then wait for import. */
  endBankDay(): void;
  /** Imports the oldest waiting message, or repeats an earlier import. */
  importOne(isRepeat: boolean): Promise<void>;
  endAccountOf(merchant: number): Promise<void>;
  setAccountOf(merchant: number): Promise<void>;
  backUp(): Promise<void>;
  restore(): Promise<void>;
  /** Imports and pays until nothing is left to do, and compares the bank's ledger with the owed amounts. */
  finish(): Promise<void>;
}

/** An error that is thrown at a crash point. All uncommitted work of the command is lost, as in a killed process. */
class Killed extends Error {}

interface Merchant {
  readonly clientId: string;
  account: { readonly accountId: string; readonly iban: string } | undefined;
}

const merchantCount = 10;
const amounts = Array.from({ length: merchantCount }, (_, nth) => 77n + BigInt(nth) ** 4n * 10n);
/** The bank may reject or return a payout several times by chance. A batch that is never paid needs more rounds than any limit. */
const roundsMax = 36;

export async function openPayoutEnvironment(): Promise<PayoutEnvironment> {
  const { database } = await prepareTestGateway("sandbox");
  const folder = mkdtempSync(join(tmpdir(), "tollgate-lives-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const fixture = newSettlementFixture(database);
  await fixture.openBank();
  let accountCount = 0;
  const newIban = (): string => ibanOf((accountCount += 1));
  const merchants: Merchant[] = [];
  for (let nth = 0; nth < merchantCount; nth += 1) {
    const { clientId } = await newMerchant(database);
    await setTerms(fixture.operator, clientId, "EUR", { ...dailyTerms, fromDay: "2019-12-01" });
    merchants.push({ clientId, account: undefined });
  }
  let day = "2019-12-31";
  return {
    merchantCount,
    async beginSequence(seed, adversities) {
      day = addDays(day, 1);
      for (const [nth, { clientId }] of merchants.entries())
        await fixture.postPayment(clientId, amounts[nth] ?? 0n, `${day}T01:00:00Z`);
      await closeSettlement(fixture.operator, { day });
      const bank = newBankSimulator({
        random: newRandom(seed),
        accounts: new Map([["EUR", ibans[1] as string]]),
        adversities,
      });
      const sequenceFolder = mkdtempSync(join(folder, "sequence-"));
      // The sequence uses a new folder, so two people must state that the folder contains no payout file.
      for (const _ of ["requested", "confirmed"])
        await resyncFolder(fixture.operator, { bank: ourBank, folder: sequenceFolder, newest: "none" });
      const sequence = newSequence({ database, fixture, merchants, bank, folder: sequenceFolder, newIban });
      for (const [nth, { account }] of merchants.entries()) if (!account) await sequence.setAccountOf(nth);
      return sequence;
    },
  };
}

interface SequenceContext {
  readonly database: TestDatabase;
  readonly fixture: SettlementFixture;
  readonly merchants: readonly Merchant[];
  readonly bank: BankSimulator;
  /** The folder for the payout files of payout runs. */
  readonly folder: string;
  newIban(): string;
}

function newSequence(context: SequenceContext): Sequence {
  const { database, fixture, merchants, bank } = context;
  const accounts = newAccounts(context);
  const runs = newRuns(context, accounts.ended);
  const inbox = newInbox(context);
  let backup: string | undefined;
  return {
    run: runs.run,
    runTwice: runs.runTwice,
    carry: runs.carry,
    endBankDay: inbox.endBankDay,
    importOne: inbox.importOne,
    endAccountOf: accounts.end,
    setAccountOf: accounts.set,
    async backUp() {
      if (backup !== undefined) return;
      backup = `${databaseName(database)}_backup`;
      await asSuperuser(`create database ${backup} template ${databaseName(database)} owner ${ownerRole}`);
    },
    async restore() {
      if (backup === undefined) return;
      await asSuperuser(`drop database ${databaseName(database)} with (force)`);
      await asSuperuser(`alter database ${backup} rename to ${databaseName(database)}`);
      backup = undefined;
      runs.mayRefuse(true);
      inbox.importFromStart();
    },
    async finish() {
      if (backup !== undefined) await asSuperuser(`drop database ${backup}`);
      for (let round = 0; ; round += 1) {
        assert.ok(round < roundsMax, "all batches are paid");
        runs.carry(false);
        inbox.endBankDay();
        await inbox.importAll();
        runs.mayRefuse(false);
        for (const [nth, { account }] of merchants.entries()) if (!account) await accounts.set(nth);
        await runs.run();
        const open = await fixture.rows(
          "select from settlement_batches where status <> 'PAID' and status <> 'CARRIED'",
        );
        if (open.length === 0 && !bank.hasUndelivered()) break;
      }
      await assertPaidOnce(context, accounts.ibansOf);
    },
  };
}

interface Runs extends Pick<Sequence, "run" | "runTwice" | "carry"> {
  /** Sets whether a payout run may refuse to pay, as it does after a restore. */
  mayRefuse(may: boolean): void;
}

/** `newRuns` returns payout runs, and checks that their files never pay to an account that was ended before. */
function newRuns({ fixture: { operator }, bank, folder }: SequenceContext, ended: ReadonlySet<string>): Runs {
  const runOptions = { bank: ourBank, folder, format: "pain.001.001.09" } as const;
  const seen = new Set<string>();
  let isRefusalExpected = false;
  const payoutFiles = (): readonly string[] => readdirSync(folder).filter((name) => name.endsWith(".xml"));
  const checkNewFiles = (): void => {
    for (const name of payoutFiles().filter((each) => !seen.has(each))) {
      seen.add(name);
      for (const { iban } of readPaymentFile(readFileSync(join(folder, name), "utf8")).instructions)
        assert.ok(!ended.has(iban), `file ${name} pays to ${iban}, which was ended before`);
    }
  };
  return {
    async run(stopAt) {
      const at: PayoutCrashPointHook = (point) => {
        if (point === stopAt) throw new Killed(point);
      };
      await runPayouts(operator, runOptions, at).catch((error: unknown) => {
        const isKilled = error instanceof Killed || (error as Error).cause instanceof Killed;
        if (!isKilled && !isRefusalExpected) throw error;
      });
      checkNewFiles();
    },
    async runTwice() {
      await Promise.allSettled([runPayouts(operator, runOptions), runPayouts(operator, runOptions)]);
      checkNewFiles();
    },
    carry(isLeft) {
      for (const name of payoutFiles()) {
        bank.receive(readFileSync(join(folder, name), "utf8"));
        if (!isLeft) rmSync(join(folder, name));
      }
    },
    mayRefuse(may) {
      isRefusalExpected = may;
    },
  };
}

interface Inbox extends Pick<Sequence, "endBankDay" | "importOne"> {
  importAll(): Promise<void>;
  /** After a restore the operator imports all messages of the bank again. */
  importFromStart(): void;
}

function newInbox({ fixture: { operator }, bank, folder }: SequenceContext): Inbox {
  const messages = mkdtempSync(join(folder, "messages-"));
  const waitingFiles: string[] = [];
  const imported: string[] = [];
  let bankDay = "2026-01-01";
  const importOne: Inbox["importOne"] = async (isRepeat) => {
    const file = isRepeat ? imported.at(-1) : waitingFiles.shift();
    if (file === undefined) return;
    await importBankReports(operator, file);
    if (!isRepeat) imported.push(file);
  };
  return {
    importOne,
    endBankDay() {
      bankDay = addDays(bankDay, 1);
      const usable = bank.endDay(bankDay).filter(({ isContradictory }) => !isContradictory);
      waitingFiles.push(...usable.map((message) => storeMessage(messages, message)));
    },
    async importAll() {
      while (waitingFiles.length > 0) await importOne(false);
    },
    importFromStart: () => void waitingFiles.unshift(...imported.splice(0)),
  };
}

/** Bank accounts of the merchants, which change during a sequence. */
interface Accounts {
  readonly ended: ReadonlySet<string>;
  /** All IBANs that each merchant has had. */
  readonly ibansOf: readonly ReadonlySet<string>[];
  set(nth: number): Promise<void>;
  end(nth: number): Promise<void>;
}

function newAccounts({ fixture: { operator, rows }, merchants, newIban }: SequenceContext): Accounts {
  const ended = new Set<string>();
  const ibansOf = merchants.map(({ account }) => new Set(account ? [account.iban] : []));
  const merchantAt = (nth: number): Merchant => merchants[nth] ?? assert.fail("The merchant does not exist.");
  return {
    ended,
    ibansOf,
    async set(nth) {
      const merchant = merchantAt(nth);
      const iban = newIban();
      const account = { currency: "EUR", holder: "Coffee Lab", iban, bic: undefined, waitHours: undefined };
      const { accountId } = await requestAccount(operator, merchant.clientId, account);
      await approveAccount(operator, merchant.clientId, accountId);
      // Skips the cooling-off period.
      await rows(
        "alter table bank_accounts disable trigger user; update bank_accounts set usable_from = now() where usable_from > now(); alter table bank_accounts enable trigger user",
      );
      if (merchant.account) ended.add(merchant.account.iban);
      merchant.account = { accountId, iban };
      ibansOf[nth]?.add(iban);
    },
    async end(nth) {
      const merchant = merchantAt(nth);
      if (!merchant.account) return;
      await endAccount(operator, merchant.clientId, merchant.account.accountId);
      ended.add(merchant.account.iban);
      merchant.account = undefined;
    },
  };
}

/**
 * The money that left the bank for each merchant, minus regular returns, equals the owed amount, and nothing is left in
 * transit.
 */
async function assertPaidOnce(
  { fixture, merchants, bank }: SequenceContext,
  ibansOf: readonly ReadonlySet<string>[],
): Promise<void> {
  for (const [nth, { clientId }] of merchants.entries()) {
    const paidMinor = bank.ledger.paidOut(
      ({ iban }) => iban !== undefined && ibansOf[nth]?.has(iban) === true,
    );
    assert.equal(paidMinor, amounts[nth], `merchant ${nth}: the bank has paid out what was owed, once`);
    assert.equal(await fixture.owedMinor(clientId), 0n, `merchant ${nth}: nothing is owed`);
    assert.equal(await fixture.balance(`payout in transit ${clientId}`), 0n);
  }
}

const databaseName = ({ ownerUrl }: TestDatabase): string => new URL(ownerUrl).pathname.slice(1);
