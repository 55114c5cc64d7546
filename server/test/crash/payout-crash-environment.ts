import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { payoutCrashPoints, type PayoutCrashPoint } from "../../src/core/crash-point.ts";
import type { BankAdversity } from "../bank/bank-adversity.ts";
import { transferToBank, storeMessage } from "../bank/bank-folder.ts";
import { newBankSimulator, type BankSimulator } from "../bank/bank-simulator.ts";
import { newRandom } from "../bank/seeded-random.ts";
import {
  ibans,
  ourBank,
  newSettlementFixture,
  type SettlementFixture,
} from "../examples/settlement-fixture.ts";
import { prepareTestGateway } from "../start/test-gateway.ts";
import { addDays } from "../../src/settlement/batch.ts";
import { waitForLine, startTestProcess, type TestProcess } from "../start/test-process.ts";

export type PayoutStep = "close" | "run" | "import";

/** The command that passes a crash point. */
export function stepOf(point: PayoutCrashPoint): PayoutStep {
  const index = payoutCrashPoints.indexOf(point);
  if (index < payoutCrashPoints.indexOf("before-file-commit")) return "close";
  return index < payoutCrashPoints.indexOf("before-import-commit") ? "run" : "import";
}

export const pointsOf = (step: PayoutStep): readonly PayoutCrashPoint[] =>
  payoutCrashPoints.filter((point) => stepOf(point) === step);

/** Processes that are killed during payouts, and a simulated bank. */
export interface PayoutCrashEnvironment extends SettlementFixture {
  readonly bank: BankSimulator;
  /** Ends a day of the bank, and returns the paths of its status reports (pain.002) in order. */
  endBankDay(): readonly string[];
  /** Imports all status reports and pays due batches again, until the bank has sent all reports and nothing is due. */
  settle(): Promise<void>;
  /** Runs a command to a crash point, and kills it there. */
  crash(point: PayoutCrashPoint, given: string, nth?: number): Promise<void>;
  /** Runs a command to its end, in a separate process. */
  finish(step: PayoutStep, given: string): Promise<void>;
}

export async function openPayoutCrashEnvironment({
  adversities = [],
  seed = 1,
}: {
  readonly adversities?: readonly BankAdversity[];
  readonly seed?: number;
} = {}): Promise<PayoutCrashEnvironment> {
  const { database } = await prepareTestGateway("sandbox");
  const folder = mkdtempSync(join(tmpdir(), "tollgate-bank-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const environment = newSettlementFixture(database);
  await environment.openBank();
  const accounts = new Map(["EUR", "USD"].map((currency) => [currency, ibans[1] as string]));
  const bank = newBankSimulator({ random: newRandom(seed), accounts, adversities });
  const messages = mkdtempSync(join(tmpdir(), "tollgate-bank-messages-"));
  after(() => rmSync(messages, { recursive: true, force: true }));
  let bankDay = "2026-11-10";
  const variables = { OWNER_URL: database.ownerUrl, BANK: ourBank, FOLDER: folder };
  const start = (step: PayoutStep, given: string, more: object = {}): TestProcess =>
    startTestProcess(["server/test/crash/crashing-payout.ts", step, given], { ...variables, ...more });

  const endBankDay = (): readonly string[] => {
    bankDay = addDays(bankDay, 1);
    const reports = bank.endDay(bankDay).filter(({ kind }) => kind === "pain.002");
    return reports.map((report) => storeMessage(messages, report));
  };
  const finish: PayoutCrashEnvironment["finish"] = async (step, given) => {
    const { child, exited, stderr } = start(step, given);
    await exited;
    assert.equal(child.exitCode, 0, stderr());
    transferToBank(bank, folder);
    const remainingFiles = readdirSync(folder).filter((name) => name !== "handed-over");
    assert.deepEqual(remainingFiles, [], "no partly written file is left");
  };

  return {
    ...environment,
    bank,
    endBankDay,
    finish,
    async settle() {
      for (let round = 0; ; round += 1) {
        assert.ok(round < roundsMax, "the bank has answered everything");
        for (const reportFile of endBankDay()) await finish("import", reportFile);
        await finish("run", "");
        if (!bank.hasUndelivered()) return;
      }
    },
    async crash(point, given, nth = 1) {
      const victim = start(stepOf(point), given, { STOP_AT: point, STOP_ON: String(nth) });
      await waitForLine(victim, /^Stands still/);
      victim.kill("SIGKILL");
      await victim.exited;
      assert.equal(victim.child.signalCode, "SIGKILL");
      transferToBank(bank, folder);
    },
  };
}

/** Maximum number of rounds until the bank has reported everything. Each random behaviour of the bank needs fewer. */
const roundsMax = 10;

/** Checks after all crashes that the bank has executed each owed amount once, and that the ledger agrees. */
export async function assertEachBatchPaidOnce(
  environment: PayoutCrashEnvironment,
  clientIds: readonly string[],
  owedMinor: bigint,
): Promise<void> {
  assert.equal(
    environment.bank.ledger.paidOut(() => true),
    owedMinor,
    "the bank has paid what was owed",
  );
  assert.equal(await environment.balance("clearing"), -owedMinor);
  for (const clientId of clientIds) {
    assert.equal(await environment.owedMinor(clientId), 0n);
    assert.equal(await environment.balance(`payout in transit ${clientId}`), 0n);
  }
  const unpaidBatches = await environment.rows(
    `select b.batch_id, b.status from settlement_batches as b
     left join payouts as p on p.batch_id = b.batch_id and p.status = 'PAID' and p.payout_id = b.payout_id
     where b.status <> 'PAID' or p.payout_id is null`,
  );
  assert.deepEqual(unpaidBatches, [], "every batch is paid, by one payout");
  const batchesPaidTwice = await environment.rows(
    "select batch_id from payouts where status = 'PAID' group by batch_id having count(*) > 1",
  );
  assert.deepEqual(batchesPaidTwice, []);
  const wrongNotifications = await environment.rows(
    `select p.payout_id, array_agg(n.sequence order by n.sequence) as told
     from payouts as p left join notifications as n on n.kind = 'notifyPayout' and n.subject_id = p.payout_id
     group by p.payout_id, p.status
     having array_agg(n.sequence::int order by n.sequence)
       is distinct from case p.status when 'RETURNED' then array[1, 2, 3] else array[1, 2] end`,
  );
  assert.deepEqual(wrongNotifications, [], "the merchant gets one webhook for each status");
}
