import { setTimeout as waitMs } from "node:timers/promises";
import { exhaustConnections } from "../installation/exhaust-connections.ts";
import { startLoad, type Load } from "./open-loop-load.ts";
import { summarizeResponses, findOutageViolations, findStuckRecords, type Outage } from "./outage.ts";
import { database } from "../installation/installation.ts";
import { openTrial, type Trial } from "../trial/trial.ts";

const paymentsPerSecond = 30;
const calmMs = 4_000;
const fullForMs = 12_000;
const afterwardsMs = 8_000;
const backWithinMs = 10_000;

/**
 * Connection exhaustion: another client holds all connections of PostgreSQL, and the gateway's connections were just
 * terminated.
 */
export function exhaustAllConnections(logProgress: (line: string) => void): Promise<Outage> {
  return runWithFewConnections("no connection left", logProgress, async ({ installation }) => {
    const release = await exhaustConnections(installation);
    await installation.cluster.execute(
      "postgres",
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = '${database}' and application_name like 'tollgate%'`,
    );
    // Race for the freed connections: the other client also takes the gateway's terminated connections, before the
    // gateway reconnects.
    const releaseRest = await exhaustConnections(installation);
    return async () => {
      await release();
      await releaseRest();
    };
  });
}

/** Both serving processes have a pool of only two connections. */
export function serveWithTwoConnections(logProgress: (line: string) => void): Promise<Outage> {
  return runWithFewConnections("a pool of two", logProgress, async ({ installation: { serves } }) => {
    const restartWith = async (variables: Readonly<Record<string, string>>): Promise<void> => {
      for (const child of serves) {
        await child.kill();
        await child.start(variables);
      }
    };
    await restartWith({ TOLLGATE_DATABASE_CONNECTIONS_MAX: "2" });
    return () => restartWith({});
  });
}

async function runWithFewConnections(
  name: string,
  logProgress: (line: string) => void,
  injectFault: (trial: Trial) => Promise<() => Promise<void>>,
): Promise<Outage> {
  const trial = await openTrial();
  try {
    const load = startLoad(trial, "scarce", paymentsPerSecond);
    await waitMs(calmMs);
    const fromMs = trial.nowMs();
    const endFault = await injectFault(trial);
    logProgress(`${name}: started`);
    await waitMs(fullForMs);
    const accepted = load.acceptedBetween(fromMs, trial.nowMs());
    const untilMs = trial.nowMs();
    await endFault();
    const endedAtMs = trial.nowMs();
    logProgress(`${name}: it is over`);
    const backMs = (await load.firstAcceptedAfter(endedAtMs)) - endedAtMs;
    await waitMs(afterwardsMs);
    await load.stop();
    const stuckRecords = await findStuckRecords(trial);
    return {
      name,
      figures: buildFigures(trial, load, { fromMs, untilMs, accepted, backMs }),
      misses: [
        ...(await findOutageViolations(trial, { fromMs, untilMs: endedAtMs })),
        ...(backMs > backWithinMs ? [`Recovery took ${Math.round(backMs)} ms.`] : []),
        ...stuckRecords,
      ],
    };
  } finally {
    await trial.stop();
  }
}

interface Measured {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly accepted: number;
  readonly backMs: number;
}

function buildFigures(
  trial: Trial,
  load: Load,
  { fromMs, untilMs, accepted, backMs }: Measured,
): Outage["figures"] {
  const answers = summarizeResponses(trial, fromMs, untilMs);
  return {
    lasted_s: Math.round((untilMs - fromMs) / 1_000),
    calls_meanwhile: answers.count,
    accepted_meanwhile: accepted,
    told_meanwhile: load.resultCodesBetween(fromMs, untilMs) || "nothing",
    slowest_answer_ms: answers.slowestMs,
    calls_without_answer: answers.unanswered,
    first_payment_after_ms: Math.round(backMs),
  };
}
