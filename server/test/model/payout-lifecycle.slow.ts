import { randomInt } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { payoutCrashPoints } from "../../src/core/crash-point.ts";
import { allBankAdversities, type BankAdversity } from "../bank/bank-adversity.ts";
import { openPayoutEnvironment, type PayoutEnvironment, type Sequence } from "./payout-environment.ts";

/**
 * Random payout runs against the simulated bank: killed runs, two operators, changed accounts, files carried twice,
 * late and repeated messages. The money that left the bank for a batch must equal the owed amount. TOLLGATE_LIVES is
 * the number of sequences (default 200, within 20 s). TOLLGATE_LIVES_SEED (default: random) and TOLLGATE_LIVES_PATH
 * repeat a failure. TOLLGATE_LIVES_BANK lists the bank's adversities, separated by commas (default all), and
 * TOLLGATE_LIVES_EACH=on tests each of them alone. TOLLGATE_LIVES_RESTORE=on adds database restores.
 */
const {
  TOLLGATE_LIVES: sequenceCount,
  TOLLGATE_LIVES_SEED: given = "random",
  TOLLGATE_LIVES_PATH: path,
  TOLLGATE_LIVES_BANK: named = allBankAdversities.join(","),
  TOLLGATE_LIVES_EACH: each = "off",
  TOLLGATE_LIVES_RESTORE: restores = "off",
} = process.env;
const seed = given === "random" ? String(randomInt(2 ** 31)) : given;
const adversities = named.split(",").filter(Boolean) as readonly BankAdversity[];
const defaultSequenceCount = 200;
const timeLimitMs = 20_000;
const stepsMax = 12;

interface Step {
  readonly name: string;
  take(sequence: Sequence): Promise<void> | void;
}

const step = (name: string, take: Step["take"]): Step => ({ name, take });
const runPoints = payoutCrashPoints.filter((point) => !/close|import/.test(point));

function stepsOf({ merchantCount }: PayoutEnvironment): fc.Arbitrary<Step> {
  const merchant = fc.nat({ max: merchantCount - 1 });
  const constantStep = (one: Step): fc.Arbitrary<Step> => fc.constant(one);
  return fc.oneof(
    { weight: 3, arbitrary: constantStep(step("run", (sequence) => sequence.run())) },
    {
      weight: 4,
      arbitrary: fc
        .constantFrom(...runPoints)
        .map((point) => step(`run, killed at ${point}`, (sequence) => sequence.run(point))),
    },
    { weight: 2, arbitrary: constantStep(step("two runs", (sequence) => sequence.runTwice())) },
    { weight: 3, arbitrary: constantStep(step("carry", (sequence) => sequence.carry(false))) },
    { weight: 2, arbitrary: constantStep(step("carry and leave", (sequence) => sequence.carry(true))) },
    { weight: 3, arbitrary: constantStep(step("bank day", (sequence) => sequence.endBankDay())) },
    { weight: 4, arbitrary: constantStep(step("import", (sequence) => sequence.importOne(false))) },
    { weight: 1, arbitrary: constantStep(step("import again", (sequence) => sequence.importOne(true))) },
    {
      weight: 1,
      arbitrary: merchant.map((nth) =>
        step(`end account of ${nth}`, (sequence) => sequence.endAccountOf(nth)),
      ),
    },
    {
      weight: 1,
      arbitrary: merchant.map((nth) =>
        step(`new account of ${nth}`, (sequence) => sequence.setAccountOf(nth)),
      ),
    },
    ...(restores === "on"
      ? [
          { weight: 2, arbitrary: constantStep(step("back up", (sequence) => sequence.backUp())) },
          { weight: 2, arbitrary: constantStep(step("restore", (sequence) => sequence.restore())) },
        ]
      : []),
  );
}

for (const enabled of each === "on" ? adversities.map((one) => [one]) : [adversities])
  test(`money that left the bank equals the owed amounts: seed ${seed}, bank ${enabled.join(",")}`, async (t) => {
    const system = await openPayoutEnvironment();
    let count = 0;
    const steps = fc.array(stepsOf(system), { maxLength: stepsMax, size: "max" });
    const property = fc.asyncProperty(fc.nat(), steps, async (bankSeed, takenSteps) => {
      const sequence = await system.beginSequence(bankSeed, enabled);
      for (const one of takenSteps) await one.take(sequence);
      await sequence.finish();
      count += system.merchantCount;
    });
    const startedAtMs = performance.now();
    try {
      await fc.assert(property, {
        seed: Number(seed),
        numRuns: Math.ceil(Number(sequenceCount ?? defaultSequenceCount) / system.merchantCount),
        ...(path !== undefined && { path }),
        ...(sequenceCount === undefined && { interruptAfterTimeLimit: timeLimitMs }),
        // No shrinking: a failed sequence leaves open batches, so a smaller one would fail for the same reason.
        endOnFailure: true,
        reporter,
      });
    } finally {
      t.diagnostic(`${count} lives in ${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`);
    }
  });

/** Prints the steps of a failure and how to repeat it. */
function reporter(details: fc.RunDetails<[number, Step[]]>): void {
  if (!details.failed || details.counterexample === null) return;
  const [bankSeed, steps] = details.counterexample;
  const names = steps.map(({ name }) => name).join("; ");
  throw new Error(
    `Seed ${details.seed}, path ${details.counterexamplePath}, bank seed ${bankSeed}, after ${details.numRuns} sequences: ${names}.`,
    { cause: details.errorInstance },
  );
}
