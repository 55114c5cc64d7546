import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as waitMs } from "node:timers/promises";
import { startLoad } from "./load.ts";
import { answersIn, brokenPromises, leftBehind, type Outage } from "./outage.ts";
import { openTrial, type Trial } from "./trial.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const paymentsPerSecond = 15;
const calmMs = 4_000;
const betweenMs = 2_000;

/**
 * The release before the last migration serves; the database is migrated under its feet, one process after the other is
 * replaced by this tree's, and PostgreSQL is restarted as for a minor update. Merchants go on meanwhile.
 */
export async function replaceTheRelease(say: (line: string) => void): Promise<Outage> {
  const { release, folder } = unpackReleaseBefore();
  try {
    const trial = await openTrial({ tree: folder });
    try {
      return await replace(trial, release, say);
    } finally {
      await trial.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function replace(trial: Trial, release: string, say: (line: string) => void): Promise<Outage> {
  const { cluster, serves, works, operateFromHere } = trial.installation;
  const load = startLoad(trial, "rolling", paymentsPerSecond);
  await waitMs(calmMs);
  const fromMs = trial.nowMs();
  const migrated = await operateFromHere("migrate");
  say(`migrated from ${release}: ${migrated.split("\n").join(", ")}`);
  for (const part of [...works, ...serves]) {
    await waitMs(betweenMs);
    await part.stop();
    part.moveTo(root);
    await part.start();
    say(`${part.name} is replaced`);
  }
  await waitMs(betweenMs);
  await cluster.stopPrimary();
  const restartedMs = await cluster.restartPrimary();
  say("PostgreSQL is restarted");
  await waitMs(calmMs);
  const untilMs = trial.nowMs();
  await load.stop();
  const left = await leftBehind(trial);
  const answers = answersIn(trial, fromMs, untilMs);
  const ownEndings = trial.installation.parts().flatMap((part) => part.ownEndings);
  return {
    name: "another release, and a restart of PostgreSQL",
    figures: {
      from: release,
      migrations: migrated === "up to date" ? 0 : migrated.split("\n").length,
      accepted_meanwhile: load.acceptedBetween(fromMs, untilMs),
      told_meanwhile: load.toldBetween(fromMs, untilMs),
      calls_without_answer: answers.unanswered,
      slowest_answer_ms: answers.slowestMs,
      postgresql_back_after_ms: Math.round(restartedMs),
    },
    misses: [
      ...(await brokenPromises(trial, { fromMs, untilMs })),
      ...ownEndings.map((ending) => `ended by itself: ${ending}`),
      ...left,
    ],
  };
}

/** The tree before the newest migration came, in a folder of its own. */
function unpackReleaseBefore(): { readonly release: string; readonly folder: string } {
  const git = (...words: readonly string[]): Buffer =>
    execFileSync("git", words, { cwd: root, maxBuffer: 2 ** 28 });
  const words = ["log", "-1", "--diff-filter=A", "--format=%h", "--", "server/migrations/*.sql"];
  const release = `${git(...words)
    .toString("utf8")
    .trim()}^`;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-release-"));
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-x", "-C", folder], { input: git("archive", "--format=tar", release) });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return { release, folder };
}
