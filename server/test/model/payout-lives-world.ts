import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { approveAccount, askForAccount, endAccount } from "../../src/commands/payout-account.ts";
import { importBankWords } from "../../src/commands/payout-import.ts";
import { runPayouts } from "../../src/commands/payout-run.ts";
import { setTerms } from "../../src/commands/payout-terms.ts";
import { closeSettlement } from "../../src/commands/settlement-close.ts";
import type { AtPayout, PayoutCrashPoint } from "../../src/core/crash-point.ts";
import { addDays } from "../../src/settlement/batch.ts";
import type { BankAdversity } from "../bank/bank-adversity.ts";
import { storeMessage } from "../bank/bank-folder.ts";
import { readPaymentFile } from "../bank/bank-message.ts";
import { newBankSimulator, type BankSimulator } from "../bank/bank-simulator.ts";
import { newRandom } from "../bank/seeded-random.ts";
import { ibanOf } from "../bank/test-iban.ts";
import { daily, ibans, ourBank, settling, type Settling } from "../examples/settled-merchants.ts";
import { asSuperuser, ownerRole, type TestDatabase } from "../start/test-database.ts";
import { newMerchant, prepareTestGateway } from "../start/test-gateway.ts";

/** Merchants that are paid by a simulated bank, with real commands on a real database. One world serves many sequences. */
export interface LivesWorld {
  readonly merchantCount: number;
  /** Begins a day of its own, with a new bank, and a batch of each merchant that is due. */
  beginSequence(seed: number, adversities: readonly BankAdversity[]): Promise<Sequence>;
}

/** One batch of each merchant from its close to its end. */
export interface Sequence {
  run(stopAt?: PayoutCrashPoint): Promise<void>;
  /** Two operators run payouts at the same time. */
  runTwice(): Promise<void>;
  /** Carries files to the bank; a file that is left in the folder is carried again. */
  carry(isLeft: boolean): void;
  /** Ends a day of the bank; its messages wait to be imported. */
  endBankDay(): void;
  /** Imports the oldest message that waits, or one that was imported before. */
  importOne(isRepeat: boolean): Promise<void>;
  endAccountOf(merchant: number): Promise<void>;
  setAccountOf(merchant: number): Promise<void>;
  backUp(): Promise<void>;
  restore(): Promise<void>;
  /** Imports and pays until nothing is left to do, and compares the bank's books with what was owed. */
  finish(): Promise<void>;
}

/** Thrown at a crash point. Whatever the command has not committed is lost, as in a killed process. */
class Killed extends Error {}

interface Merchant {
  readonly clientId: string;
  account: { readonly accountId: string; readonly iban: string } | undefined;
}

const merchantCount = 10;
const amounts = Array.from({ length: merchantCount }, (_, nth) => 77n + BigInt(nth) ** 4n * 10n);
const roundsMax = 12;

export async function openLivesWorld(): Promise<LivesWorld> {
  const { database } = await prepareTestGateway("sandbox");
  const folder = mkdtempSync(join(tmpdir(), "tollgate-lives-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const settled = settling(database);
  await settled.openBank();
  let accountCount = 0;
  const newIban = (): string => ibanOf((accountCount += 1));
  const merchants: Merchant[] = [];
  for (let nth = 0; nth < merchantCount; nth += 1) {
    const { clientId } = await newMerchant(database);
    await setTerms(settled.operator, clientId, "EUR", { ...daily, fromDay: "2019-12-01" });
    merchants.push({ clientId, account: undefined });
  }
  let day = "2019-12-31";
  return {
    merchantCount,
    async beginSequence(seed, adversities) {
      day = addDays(day, 1);
      for (const [nth, { clientId }] of merchants.entries())
        await settled.paid(clientId, amounts[nth] ?? 0n, `${day}T01:00:00Z`);
      await closeSettlement(settled.operator, { day });
      const bank = newBankSimulator({
        random: newRandom(seed),
        accounts: new Map([["EUR", ibans[1] as string]]),
        adversities,
      });
      const own = mkdtempSync(join(folder, "sequence-"));
      const sequence = newSequence({ database, settled, merchants, bank, folder: own, newIban });
      for (const [nth, { account }] of merchants.entries()) if (!account) await sequence.setAccountOf(nth);
      return sequence;
    },
  };
}

interface Parts {
  readonly database: TestDatabase;
  readonly settled: Settling;
  readonly merchants: readonly Merchant[];
  readonly bank: BankSimulator;
  readonly folder: string;
  newIban(): string;
}

function newSequence({ database, settled, merchants, bank, folder, newIban }: Parts): Sequence {
  const { operator, rows } = settled;
  const format = "pain.001.001.09";
  const inbox: string[] = [];
  const imported: string[] = [];
  /** Files that were in the folder once. A later one must not name an account that was ended before. */
  const seen = new Set<string>();
  const ended = new Set<string>();
  const ibansOf = merchants.map(({ account }) => new Set(account ? [account.iban] : []));
  const messages = mkdtempSync(join(tmpdir(), "tollgate-lives-messages-"));
  after(() => rmSync(messages, { recursive: true, force: true }));
  let [bankDay, backup] = ["2026-01-01", undefined as string | undefined];
  let isRestored = false;

  const filesThere = (): readonly string[] => readdirSync(folder).filter((name) => name.endsWith(".xml"));
  const lookAtFiles = (): void => {
    for (const name of filesThere()) {
      if (seen.has(name)) continue;
      seen.add(name);
      for (const { iban } of readPaymentFile(readFileSync(join(folder, name), "utf8")).instructions)
        assert.ok(!ended.has(iban), `file ${name} pays to ${iban}, which was ended before`);
    }
  };
  const run: Sequence["run"] = async (stopAt) => {
    const at: AtPayout = (point) => {
      if (point === stopAt) throw new Killed(point);
    };
    try {
      await runPayouts(operator, { bank: ourBank, folder, format }, at);
    } catch (error) {
      const isExpected = error instanceof Killed || causeOf(error) instanceof Killed || isRestored;
      if (!isExpected) throw error;
    } finally {
      lookAtFiles();
    }
  };
  const importAll = async (): Promise<void> => {
    while (inbox.length > 0) await importOne(false);
    isRestored = false;
  };
  const importOne: Sequence["importOne"] = async (isRepeat) => {
    const file = isRepeat ? imported.at(-1) : inbox.shift();
    if (file === undefined) return;
    await importBankWords(operator, file);
    if (!isRepeat) imported.push(file);
  };
  const endBankDay = (): void => {
    bankDay = addDays(bankDay, 1);
    inbox.push(...bank.endDay(bankDay).map((message) => storeMessage(messages, message)));
  };
  const carry: Sequence["carry"] = (isLeft) => {
    for (const name of filesThere()) {
      bank.receive(readFileSync(join(folder, name), "utf8"));
      if (!isLeft) rmSync(join(folder, name));
    }
  };
  const setAccountOf: Sequence["setAccountOf"] = async (nth) => {
    const merchant = merchants[nth] ?? assert.fail("There is no such merchant.");
    const iban = newIban();
    const wanted = { currency: "EUR", holder: "Coffee Lab", iban, bic: undefined, waitHours: undefined };
    const { accountId } = await askForAccount(operator, merchant.clientId, wanted);
    await approveAccount(operator, merchant.clientId, accountId);
    // The waiting period has passed.
    await rows("alter table bank_accounts disable trigger user");
    await rows("update bank_accounts set usable_from = now() where usable_from > now()");
    await rows("alter table bank_accounts enable trigger user");
    if (merchant.account) ended.add(merchant.account.iban);
    merchant.account = { accountId, iban };
    ibansOf[nth]?.add(iban);
  };
  return {
    run,
    async runTwice() {
      const runs = [0, 1].map(() => runPayouts(operator, { bank: ourBank, folder, format }));
      await Promise.allSettled(runs);
      lookAtFiles();
    },
    carry,
    endBankDay,
    importOne,
    setAccountOf,
    async endAccountOf(nth) {
      const merchant = merchants[nth];
      if (!merchant?.account) return;
      await endAccount(operator, merchant.clientId, merchant.account.accountId);
      ended.add(merchant.account.iban);
      merchant.account = undefined;
    },
    async backUp() {
      if (backup !== undefined) return;
      backup = `${nameOf(database)}_backup`;
      await asSuperuser(`create database ${backup} template ${nameOf(database)} owner ${ownerRole}`);
    },
    async restore() {
      if (backup === undefined) return;
      await replaceDatabase(database, backup);
      backup = undefined;
      isRestored = true;
      // The operator imports everything that the bank has sent since the backup.
      inbox.unshift(...imported.splice(0));
    },
    async finish() {
      if (backup !== undefined) await asSuperuser(`drop database ${backup}`);
      for (let round = 0; ; round += 1) {
        assert.ok(round < roundsMax, "all batches are paid");
        carry(false);
        endBankDay();
        await importAll();
        for (const [nth, { account }] of merchants.entries()) if (!account) await setAccountOf(nth);
        await run();
        const open = await rows(
          "select from settlement_batches where status <> 'PAID' and status <> 'CARRIED'",
        );
        if (open.length === 0 && !bank.hasUndelivered()) break;
      }
      await assertPaidOnce({ settled, merchants, bank, ibansOf });
    },
  };
}

/** The money that left the bank for each merchant, less regular returns, is what was owed; nothing is left in transit. */
async function assertPaidOnce({
  settled,
  merchants,
  bank,
  ibansOf,
}: Pick<Parts, "settled" | "merchants" | "bank"> & {
  readonly ibansOf: readonly ReadonlySet<string>[];
}): Promise<void> {
  for (const [nth, { clientId }] of merchants.entries()) {
    const left = bank.books.paidOut(({ iban }) => iban !== undefined && ibansOf[nth]?.has(iban) === true);
    assert.equal(left, amounts[nth], `merchant ${nth}: the bank has paid out what was owed, once`);
    assert.equal(await settled.owed(clientId), 0n, `merchant ${nth}: nothing is owed`);
    assert.equal(await settled.balance(`payout in transit ${clientId}`), 0n);
  }
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

const nameOf = ({ ownerUrl }: TestDatabase): string => new URL(ownerUrl).pathname.slice(1);

/** Keeps who may connect: a copy of a database does not have the privileges of its source. */
async function replaceDatabase(database: TestDatabase, backup: string): Promise<void> {
  const name = nameOf(database);
  await asSuperuser(`drop database ${name} with (force)`);
  await asSuperuser(`alter database ${backup} rename to ${name}`);
}
