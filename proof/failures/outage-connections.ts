import { setTimeout as waitMs } from "node:timers/promises";
import { useUpConnections } from "../installation/full-database.ts";
import { startLoad, type Load } from "./load.ts";
import { answersIn, brokenPromises, leftBehind, type Outage } from "./outage.ts";
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
export function takeAllConnections(say: (line: string) => void): Promise<Outage> {
  return whileScarce("no connection left", say, async ({ installation }) => {
    const letGo = await useUpConnections(installation);
    await installation.cluster.execute(
      "postgres",
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = '${database}' and application_name like 'tollgate%'`,
    );
    // Race for the freed connections: the other client also takes the gateway's terminated connections, before the
    // gateway reconnects.
    const letGoOfTheRest = await useUpConnections(installation);
    return async () => {
      await letGo();
      await letGoOfTheRest();
    };
  });
}

/** Both serving processes have a pool of only two connections. */
export function serveWithTwoConnections(say: (line: string) => void): Promise<Outage> {
  return whileScarce("a pool of two", say, async ({ installation: { serves } }) => {
    const restart = async (more: Readonly<Record<string, string>>): Promise<void> => {
      for (const part of serves) {
        await part.kill();
        await part.start(more);
      }
    };
    await restart({ TOLLGATE_DATABASE_CONNECTIONS_MAX: "2" });
    return () => restart({});
  });
}

async function whileScarce(
  name: string,
  say: (line: string) => void,
  begin: (trial: Trial) => Promise<() => Promise<void>>,
): Promise<Outage> {
  const trial = await openTrial();
  try {
    const load = startLoad(trial, "scarce", paymentsPerSecond);
    await waitMs(calmMs);
    const fromMs = trial.nowMs();
    const end = await begin(trial);
    say(`${name}: started`);
    await waitMs(fullForMs);
    const accepted = load.acceptedBetween(fromMs, trial.nowMs());
    const untilMs = trial.nowMs();
    await end();
    const endedAtMs = trial.nowMs();
    say(`${name}: it is over`);
    const backMs = (await load.firstAcceptedAfter(endedAtMs)) - endedAtMs;
    await waitMs(afterwardsMs);
    await load.stop();
    const left = await leftBehind(trial);
    return {
      name,
      figures: figuresOf(trial, load, { fromMs, untilMs, accepted, backMs }),
      misses: [
        ...(await brokenPromises(trial, { fromMs, untilMs: endedAtMs })),
        ...(backMs > backWithinMs ? [`Recovery took ${Math.round(backMs)} ms.`] : []),
        ...left,
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

function figuresOf(
  trial: Trial,
  load: Load,
  { fromMs, untilMs, accepted, backMs }: Measured,
): Outage["figures"] {
  const answers = answersIn(trial, fromMs, untilMs);
  return {
    lasted_s: Math.round((untilMs - fromMs) / 1_000),
    calls_meanwhile: answers.count,
    accepted_meanwhile: accepted,
    told_meanwhile: load.toldBetween(fromMs, untilMs) || "nothing",
    slowest_answer_ms: answers.slowestMs,
    calls_without_answer: answers.unanswered,
    first_payment_after_ms: Math.round(backMs),
  };
}
