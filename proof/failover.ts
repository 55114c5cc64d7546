import { setTimeout as waitMs } from "node:timers/promises";
import { readEvidence } from "./oracle/evidence.ts";
import { startLoad, type Load } from "./failures/load.ts";
import { readMoments, toldTooEarly } from "./failures/moments.ts";
import { runProof, type ProofAsked, type Shown } from "./reports/run-proof.ts";
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

interface Lost {
  readonly how: "killed" | "frozen";
  /** Milliseconds from the loss of the primary until the gateway's database address leads to the new primary. */
  readonly movedMs: number;
  /** Milliseconds from the loss until the gateway accepted a payment that was requested after the loss. */
  readonly acceptedMs: number;
  readonly standbyMs: number;
  /** Result codes of the payments that were requested during the failover, with their counts. */
  readonly told: string;
}

async function run({ tries, say }: ProofAsked): Promise<Shown> {
  const trial = await openTrial();
  try {
    const load = startLoad(trial, "failover", paymentsPerSecond);
    const startedAtMs = trial.nowMs();
    const lost: Lost[] = [];
    for (let index = 0; index < tries; index += 1) {
      await waitMs(calmMs);
      const one = await loseThePrimary(trial, load, index % 2 === 0 ? "killed" : "frozen");
      lost.push(one);
      say(
        `${one.how}: address moved after ${one.movedMs} ms, first payment after ${one.acceptedMs} ms; responses meanwhile: ${one.told}`,
      );
    }
    const untilMs = trial.nowMs();
    await load.stop();
    await waitMs(healsWithinMs);
    return await judge(
      trial,
      lost,
      load.acceptedBetween(startedAtMs, untilMs) / ((untilMs - startedAtMs) / 1_000),
    );
  } finally {
    await trial.stop();
  }
}

async function loseThePrimary(trial: Trial, load: Load, how: Lost["how"]): Promise<Lost> {
  const { cluster } = trial.installation;
  const lostAtMs = trial.nowMs();
  const accepting = load.firstAcceptedAfter(lostAtMs);
  const { outageMs } = await cluster.failOver({ frozenFirst: how === "frozen" });
  const acceptedMs = (await accepting) - lostAtMs;
  const standbyMs = await cluster.buildStandby();
  return {
    how,
    movedMs: Math.round(outageMs),
    acceptedMs: Math.round(acceptedMs),
    standbyMs: Math.round(standbyMs),
    told: load.toldBetween(lostAtMs, lostAtMs + acceptedMs),
  };
}

async function judge(trial: Trial, lost: readonly Lost[], perSecond: number): Promise<Shown> {
  const { cluster } = trial.installation;
  const untrue = [
    ...trial.untrue(await readEvidence(cluster)),
    ...toldTooEarly(trial.history, await readMoments(cluster), trial.startedAtEpochMs),
  ];
  const doubled = trial.doubled();
  const acceptedMs = lost.map((each) => each.acceptedMs).sort((a, b) => a - b);
  const rows = lost.map(
    (each) => `| ${each.how} | ${each.movedMs} | ${each.acceptedMs} | ${each.standbyMs} | ${each.told} |`,
  );
  return {
    figures: {
      failovers: lost.length,
      accepted_per_second: perSecond.toFixed(1),
      answers: trial.history.answers.length,
      notifications: trial.history.notifications.length,
      first_payment_min_ms: acceptedMs[0] ?? 0,
      first_payment_median_ms: acceptedMs[Math.floor(acceptedMs.length / 2)] ?? 0,
      first_payment_max_ms: acceptedMs.at(-1) ?? 0,
      lost: untrue.length,
      doubled: doubled.length,
    },
    misses: [...untrue, ...doubled],
    details: [
      "| primary | address moved after ms | first payment after ms | new standby after ms | responses meanwhile |",
      "| --- | --- | --- | --- | --- |",
      ...rows,
    ],
  };
}
