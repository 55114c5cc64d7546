import { execFileSync } from "node:child_process";
import { setTimeout as waitMs } from "node:timers/promises";
import { startLoad } from "./open-loop-load.ts";
import { summarizeResponses, findOutageViolations, type Outage } from "./outage.ts";
import { openTrial, type Trial } from "../trial/trial.ts";

const paymentsPerSecond = 30;
const calmMs = 5_000;
const frozenForMs = 30_000;
const fullRateWithinMs = 5_000;
const afterwardsMs = 8_000;
const growthMbMax = 100;

/** The primary is frozen with all its processes: it accepts connections, but does not respond. */
export function freezeDatabase(logProgress: (line: string) => void): Promise<Outage> {
  return runWithFrozenServer("database frozen", logProgress, ({ installation: { cluster } }) => ({
    freeze: () => cluster.freezePrimary(),
    thaw: () => cluster.thawPrimary(),
  }));
}

/** The standby is frozen: the primary runs, and commits wait for synchronous replication, as they must. */
export function freezeStandby(logProgress: (line: string) => void): Promise<Outage> {
  return runWithFrozenServer("standby frozen", logProgress, ({ installation: { cluster } }) => {
    const standby = cluster.standby();
    if (!standby) throw new Error("There is no standby.");
    return { freeze: () => standby.freeze(), thaw: () => standby.thaw() };
  });
}

interface FreezeTarget {
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

async function runWithFrozenServer(
  name: string,
  logProgress: (line: string) => void,
  selectTarget: (trial: Trial) => FreezeTarget,
): Promise<Outage> {
  const trial = await openTrial();
  try {
    const target = selectTarget(trial);
    const load = startLoad(trial, "freeze", paymentsPerSecond);
    await waitMs(calmMs);
    const frozenAtMs = trial.nowMs();
    const usualPerSecond = load.acceptedBetween(frozenAtMs - 3_000, frozenAtMs) / 3;
    const memoryBeforeMb = memoryMb();
    await target.freeze();
    logProgress(`${name}: frozen`);
    await waitMs(frozenForMs);
    const grownMb = memoryMb() - memoryBeforeMb;
    const thawedAtMs = trial.nowMs();
    await target.thaw();
    logProgress(`${name}: thawed`);
    await waitMs(afterwardsMs);
    await load.stop();
    const fullRateMs = findFullRate(load.acceptedBetween, thawedAtMs, usualPerSecond);
    const answers = summarizeResponses(trial, frozenAtMs, thawedAtMs);
    return {
      name,
      figures: {
        frozen_for_s: frozenForMs / 1_000,
        calls_while_frozen: answers.count,
        slowest_answer_ms: answers.slowestMs,
        calls_without_answer: answers.unanswered,
        usual_payments_per_second: usualPerSecond.toFixed(1),
        full_rate_after_ms: fullRateMs,
        memory_grown_mb: grownMb,
      },
      misses: [
        ...(await findOutageViolations(trial, { fromMs: frozenAtMs, untilMs: thawedAtMs })),
        ...(answers.unanswered > 0 ? [`${answers.unanswered} calls had no response.`] : []),
        ...(fullRateMs > fullRateWithinMs ? [`Recovery to the full rate took ${fullRateMs} ms.`] : []),
        ...(grownMb > growthMbMax ? [`A process grew by ${grownMb} MB.`] : []),
      ],
    };
  } finally {
    await trial.stop();
  }
}

/**
 * `findFullRate` returns the start of the first second with at least nine tenths of the usual number of accepted
 * payments.
 */
function findFullRate(
  acceptedBetween: (fromMs: number, untilMs: number) => number,
  thawedAtMs: number,
  usualPerSecond: number,
): number {
  for (let afterMs = 0; afterMs < afterwardsMs - 1_000; afterMs += 100) {
    const fromMs = thawedAtMs + afterMs;
    if (acceptedBetween(fromMs, fromMs + 1_000) >= 0.9 * usualPerSecond) return afterMs;
  }
  return Infinity;
}

/** `memoryMb` returns the resident memory of the largest `serve` or `work` process, in megabytes. */
function memoryMb(): number {
  const processTable = execFileSync("ps", ["--ppid", String(process.pid), "-o", "rss=,args="], {
    encoding: "utf8",
  });
  const sizes = processTable
    .split("\n")
    .filter((line) => /main\.ts (serve|work)$/.test(line))
    .map((line) => Number.parseInt(line, 10) / 1_024);
  return Math.round(Math.max(0, ...sizes));
}
