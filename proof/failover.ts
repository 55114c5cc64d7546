import { setTimeout as waitMs } from "node:timers/promises";
import { readDatabaseState } from "./oracle/database-state.ts";
import { startLoad, type Load } from "./failures/open-loop-load.ts";
import { readFinalTimes, findPrematureReports } from "./failures/final-times.ts";
import { runProof, type ProofOptions, type ProofResult } from "./reports/run-proof.ts";
import { openTrial, type Trial } from "./trial/trial.ts";

const paymentsPerSecond = 50;
const calmMs = 2_000;
const healsWithinMs = 5_000;

/** Loses the primary permanently under load, several times. */
await runProof({
  name: "failover",
  claim:
    "The primary is lost permanently, killed or frozen, while merchants send payments to both processes, and its standby " +
    "is promoted. Every acknowledged change exists afterwards, and payments are accepted again within seconds.",
  triesDefault: 20,
  run,
});

interface FailoverResult {
  readonly lossKind: "killed" | "frozen";
  /** Milliseconds from the loss of the primary until the gateway's database address leads to the new primary. */
  readonly movedMs: number;
  /** Milliseconds from the loss until the gateway accepted a payment that was requested after the loss. */
  readonly acceptedMs: number;
  readonly standbyMs: number;
  /** Result codes of the payments that were requested during the failover, with their counts. */
  readonly resultCodes: string;
}

async function run({ tries, logProgress }: ProofOptions): Promise<ProofResult> {
  const trial = await openTrial();
  try {
    const load = startLoad(trial, "failover", paymentsPerSecond);
    const startedAtMs = trial.nowMs();
    const results: FailoverResult[] = [];
    for (let index = 0; index < tries; index += 1) {
      await waitMs(calmMs);
      const result = await losePrimary(trial, load, index % 2 === 0 ? "killed" : "frozen");
      results.push(result);
      logProgress(
        `${result.lossKind}: address moved after ${result.movedMs} ms, first payment after ${result.acceptedMs} ms; responses meanwhile: ${result.resultCodes}`,
      );
    }
    const untilMs = trial.nowMs();
    await load.stop();
    await waitMs(healsWithinMs);
    return await buildResult(
      trial,
      results,
      load.acceptedBetween(startedAtMs, untilMs) / ((untilMs - startedAtMs) / 1_000),
    );
  } finally {
    await trial.stop();
  }
}

async function losePrimary(
  trial: Trial,
  load: Load,
  lossKind: FailoverResult["lossKind"],
): Promise<FailoverResult> {
  const { cluster } = trial.installation;
  const lostAtMs = trial.nowMs();
  const firstAccepted = load.firstAcceptedAfter(lostAtMs);
  const { outageMs } = await cluster.failOver({ frozenFirst: lossKind === "frozen" });
  const acceptedMs = (await firstAccepted) - lostAtMs;
  const standbyMs = await cluster.buildStandby();
  return {
    lossKind,
    movedMs: Math.round(outageMs),
    acceptedMs: Math.round(acceptedMs),
    standbyMs: Math.round(standbyMs),
    resultCodes: load.resultCodesBetween(lostAtMs, lostAtMs + acceptedMs),
  };
}

async function buildResult(
  trial: Trial,
  results: readonly FailoverResult[],
  perSecond: number,
): Promise<ProofResult> {
  const { cluster } = trial.installation;
  const contradictions = [
    ...trial.findContradictions(await readDatabaseState(cluster)),
    ...findPrematureReports(trial.history, await readFinalTimes(cluster), trial.startedAtEpochMs),
  ];
  const doubled = trial.findDuplicates();
  const acceptedMs = results.map((each) => each.acceptedMs).sort((a, b) => a - b);
  const rows = results.map(
    (each) =>
      `| ${each.lossKind} | ${each.movedMs} | ${each.acceptedMs} | ${each.standbyMs} | ${each.resultCodes} |`,
  );
  return {
    figures: {
      failovers: results.length,
      accepted_per_second: perSecond.toFixed(1),
      answers: trial.history.answers.length,
      notifications: trial.history.notifications.length,
      first_payment_min_ms: acceptedMs[0] ?? 0,
      first_payment_median_ms: acceptedMs[Math.floor(acceptedMs.length / 2)] ?? 0,
      first_payment_max_ms: acceptedMs.at(-1) ?? 0,
      lost: contradictions.length,
      doubled: doubled.length,
    },
    misses: [...contradictions, ...doubled],
    details: [
      "| primary | address moved after ms | first payment after ms | new standby after ms | responses meanwhile |",
      "| --- | --- | --- | --- | --- |",
      ...rows,
    ],
  };
}
