import { execFileSync } from "node:child_process";
import { setTimeout as waitMs } from "node:timers/promises";
import { startLoad } from "./load.ts";
import { answersIn, brokenPromises, type Outage } from "./outage.ts";
import { openTrial, type Trial } from "../trial/trial.ts";

const paymentsPerSecond = 30;
const calmMs = 5_000;
const frozenForMs = 30_000;
const fullRateWithinMs = 5_000;
const afterwardsMs = 8_000;
const growthMbMax = 100;

/** The primary is frozen with all its processes: it accepts connections, but does not respond. */
export function freezeTheDatabase(say: (line: string) => void): Promise<Outage> {
  return whileFrozen("database frozen", say, ({ installation: { cluster } }) => ({
    freeze: () => cluster.freezePrimary(),
    thaw: () => cluster.thawPrimary(),
  }));
}

/** The standby is frozen: the primary runs, and commits wait for synchronous replication, as they must. */
export function freezeTheStandby(say: (line: string) => void): Promise<Outage> {
  return whileFrozen("standby frozen", say, ({ installation: { cluster } }) => {
    const standby = cluster.standby();
    if (!standby) throw new Error("There is no standby.");
    return { freeze: () => standby.freeze(), thaw: () => standby.thaw() };
  });
}

interface Frozen {
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

async function whileFrozen(
  name: string,
  say: (line: string) => void,
  choose: (trial: Trial) => Frozen,
): Promise<Outage> {
  const trial = await openTrial();
  try {
    const frozen = choose(trial);
    const load = startLoad(trial, "freeze", paymentsPerSecond);
    await waitMs(calmMs);
    const frozenAtMs = trial.nowMs();
    const usualPerSecond = load.acceptedBetween(frozenAtMs - 3_000, frozenAtMs) / 3;
    const beforeMb = memoryMb();
    await frozen.freeze();
    say(`${name}: frozen`);
    await waitMs(frozenForMs);
    const grownMb = memoryMb() - beforeMb;
    const thawedAtMs = trial.nowMs();
    await frozen.thaw();
    say(`${name}: thawed`);
    await waitMs(afterwardsMs);
    await load.stop();
    const fullRateMs = fullRateAfter(load.acceptedBetween, thawedAtMs, usualPerSecond);
    const answers = answersIn(trial, frozenAtMs, thawedAtMs);
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
        ...(await brokenPromises(trial, { fromMs: frozenAtMs, untilMs: thawedAtMs })),
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
 * `fullRateAfter` returns the start of the first second with at least nine tenths of the usual number of accepted
 * payments.
 */
function fullRateAfter(
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
  const listed = execFileSync("ps", ["--ppid", String(process.pid), "-o", "rss=,args="], {
    encoding: "utf8",
  });
  const sizes = listed
    .split("\n")
    .filter((line) => /main\.ts (serve|work)$/.test(line))
    .map((line) => Number.parseInt(line, 10) / 1_024);
  return Math.round(Math.max(0, ...sizes));
}
