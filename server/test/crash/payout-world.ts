import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { payoutCrashPoints, type PayoutCrashPoint } from "../../src/core/crash-point.ts";
import type { BankAdversity } from "../bank/bank-adversity.ts";
import { carryToBank, storeMessage } from "../bank/bank-folder.ts";
import { newBankSimulator, type BankSimulator } from "../bank/bank-simulator.ts";
import { newRandom } from "../bank/seeded-random.ts";
import { ibans, ourBank, settling, type Settling } from "../examples/settled-merchants.ts";
import { prepareTestGateway } from "../start/test-gateway.ts";
import { addDays } from "../../src/settlement/batch.ts";
import { lineOf, startTestProcess, type TestProcess } from "../start/test-process.ts";

export type PayoutStep = "close" | "run" | "import";

/** The command that passes a crash point. */
export function stepOf(point: PayoutCrashPoint): PayoutStep {
  const place = payoutCrashPoints.indexOf(point);
  if (place < payoutCrashPoints.indexOf("before-file-commit")) return "close";
  return place < payoutCrashPoints.indexOf("before-import-commit") ? "run" : "import";
}

export const pointsOf = (step: PayoutStep): readonly PayoutCrashPoint[] =>
  payoutCrashPoints.filter((point) => stepOf(point) === step);

/** Processes that are killed during payouts, and a simulated bank. */
export interface PayoutWorld extends Settling {
  readonly bank: BankSimulator;
  /** Ends a day of the bank, and returns the paths of its status reports (pain.002) in order. */
  answers(): readonly string[];
  /** Imports all status reports and pays due batches again, until the bank has sent all reports and nothing is due. */
  settle(): Promise<void>;
  /** Runs a command to a crash point, and kills it there. */
  crash(point: PayoutCrashPoint, given: string, nth?: number): Promise<void>;
  /** Runs a command to its end, in a separate process. */
  finish(step: PayoutStep, given: string): Promise<void>;
}

export async function openPayoutWorld({
  adversities = [],
  seed = 1,
}: { readonly adversities?: readonly BankAdversity[]; readonly seed?: number } = {}): Promise<PayoutWorld> {
  const { database } = await prepareTestGateway("sandbox");
  const folder = mkdtempSync(join(tmpdir(), "tollgate-bank-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const world = settling(database);
  await world.openBank();
  const accounts = new Map(["EUR", "USD"].map((currency) => [currency, ibans[1] as string]));
  const bank = newBankSimulator({ random: newRandom(seed), accounts, adversities });
  const messages = mkdtempSync(join(tmpdir(), "tollgate-bank-messages-"));
  after(() => rmSync(messages, { recursive: true, force: true }));
  let bankDay = "2026-11-10";
  const variables = { OWNER_URL: database.ownerUrl, BANK: ourBank, FOLDER: folder };
  const start = (step: PayoutStep, given: string, more: object = {}): TestProcess =>
    startTestProcess(["server/test/crash/crashing-payout.ts", step, given], { ...variables, ...more });

  const answers = (): readonly string[] => {
    bankDay = addDays(bankDay, 1);
    const reports = bank.endDay(bankDay).filter(({ kind }) => kind === "pain.002");
    return reports.map((report) => storeMessage(messages, report));
  };
  const finish: PayoutWorld["finish"] = async (step, given) => {
    const { child, exited, said } = start(step, given);
    await exited;
    assert.equal(child.exitCode, 0, said());
    carryToBank(bank, folder);
    const left = readdirSync(folder).filter((name) => name !== "handed-over");
    assert.deepEqual(left, [], "no partly written file is left");
  };

  return {
    ...world,
    bank,
    answers,
    finish,
    async settle() {
      for (let round = 0; ; round += 1) {
        assert.ok(round < roundsMax, "the bank has answered everything");
        for (const answer of answers()) await finish("import", answer);
        await finish("run", "");
        if (!bank.hasUndelivered()) return;
      }
    },
    async crash(point, given, nth = 1) {
      const victim = start(stepOf(point), given, { STOP_AT: point, STOP_ON: String(nth) });
      await lineOf(victim, /^Stands still/);
      victim.kill("SIGKILL");
      await victim.exited;
      assert.equal(victim.child.signalCode, "SIGKILL");
      carryToBank(bank, folder);
    },
  };
}

/** Maximum number of rounds until the bank has reported everything. Each random behaviour of the bank needs fewer. */
const roundsMax = 10;

/** Checks after all crashes that the bank has executed each owed amount once, and that the ledger agrees. */
export async function assertEachBatchPaidOnce(
  world: PayoutWorld,
  clientIds: readonly string[],
  owedMinor: bigint,
): Promise<void> {
  assert.equal(
    world.bank.books.paidOut(() => true),
    owedMinor,
    "the bank has paid what was owed",
  );
  assert.equal(await world.balance("clearing"), -owedMinor);
  for (const clientId of clientIds) {
    assert.equal(await world.owed(clientId), 0n);
    assert.equal(await world.balance(`payout in transit ${clientId}`), 0n);
  }
  const open = await world.rows(
    `select b.batch_id, b.status from settlement_batches as b
     left join payouts as p on p.batch_id = b.batch_id and p.status = 'PAID' and p.payout_id = b.payout_id
     where b.status <> 'PAID' or p.payout_id is null`,
  );
  assert.deepEqual(open, [], "every batch is paid, by one payout");
  const twice = await world.rows(
    "select batch_id from payouts where status = 'PAID' group by batch_id having count(*) > 1",
  );
  assert.deepEqual(twice, []);
  const wronglyTold = await world.rows(
    `select p.payout_id, array_agg(n.sequence order by n.sequence) as told
     from payouts as p left join notifications as n on n.kind = 'notifyPayout' and n.subject_id = p.payout_id
     group by p.payout_id, p.status
     having array_agg(n.sequence::int order by n.sequence)
       is distinct from case p.status when 'RETURNED' then array[1, 2, 3] else array[1, 2] end`,
  );
  assert.deepEqual(wronglyTold, [], "the merchant gets one webhook for each status");
}
