import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as waitMs } from "node:timers/promises";
import { copyTree } from "../seeded-bugs/copied-tree.ts";
import { startLoad } from "./load.ts";
import { answersIn, brokenPromises, leftBehind, type Outage } from "./outage.ts";
import { openTrial, type Trial } from "../trial/trial.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const paymentsPerSecond = 15;
const calmMs = 4_000;
const betweenMs = 2_000;

/**
 * Rolling upgrade: one release serves while the database is migrated. Then each process is replaced by one of the next
 * release, and PostgreSQL is restarted as for a minor update. Merchants send requests all the time.
 */
export async function replaceTheRelease(say: (line: string) => void): Promise<Outage> {
  const releases = twoReleases();
  try {
    const trial = await openTrial({ tree: releases.before });
    try {
      return await replace(trial, releases, say);
    } finally {
      await trial.stop();
    }
  } finally {
    releases.remove();
  }
}

async function replace(trial: Trial, { name, next }: Releases, say: (line: string) => void): Promise<Outage> {
  const { cluster, serves, works, operateFrom } = trial.installation;
  const load = startLoad(trial, "rolling", paymentsPerSecond);
  await waitMs(calmMs);
  const fromMs = trial.nowMs();
  const migrated = await operateFrom(next, "migrate");
  say(`migrated from ${name}: ${migrated.split("\n").join(", ")}`);
  for (const part of [...works, ...serves]) {
    await waitMs(betweenMs);
    await part.stop();
    part.moveTo(next);
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
      from: name,
      migrations: migrated === "up to date" ? 0 : migrated.split("\n").length,
      accepted_meanwhile: load.acceptedBetween(fromMs, untilMs),
      told_meanwhile: load.toldBetween(fromMs, untilMs),
      calls_without_answer: answers.unanswered,
      slowest_answer_ms: answers.slowestMs,
      postgresql_back_after_ms: Math.round(restartedMs),
    },
    misses: [
      ...(await brokenPromises(trial, { fromMs, untilMs })),
      ...ownEndings.map((ending) => `exited unexpectedly: ${ending}`),
      ...left,
    ],
  };
}

interface Releases {
  /** Name of the first release. */
  readonly name: string;
  /** The source trees of the two releases. */
  readonly before: string;
  readonly next: string;
  remove(): void;
}

/**
 * The two source trees: the tree before the newest migration, and this tree. If the migrations were squashed, no such
 * older tree exists. Then the proof uses this tree, and a copy of it with one more migration.
 */
function twoReleases(): Releases {
  const added = ["--no-renames", "--diff-filter=A", "--format=%h", "--", migrationFiles];
  const release = `${git("log", "-1", ...added).trim()}^`;
  // Migrations that were deleted or modified since that release. The migrator would reject the release's database
  // because of them.
  const gone = git("diff", "--name-only", "--no-renames", "--diff-filter=DM", release, "--", migrationFiles);
  return gone === "" ? releaseBefore(release) : releaseAhead();
}

/** The hand-written migrations. Generated migrations are in another folder, and every release writes them again. */
const migrationFiles = ":(glob)server/migrations/*.sql";

function git(...words: readonly string[]): string {
  return execFileSync("git", words, { cwd: root, encoding: "utf8" });
}

function releaseBefore(release: string): Releases {
  const before = mkdtempSync(join(tmpdir(), "tollgate-release-"));
  const archive = ["archive", "--format=tar", release];
  const input = execFileSync("git", archive, { cwd: root, maxBuffer: 2 ** 28 });
  execFileSync("tar", ["-x", "-C", before], { input });
  symlinkSync(join(root, "node_modules"), join(before, "node_modules"));
  const remove = (): void => rmSync(before, { recursive: true, force: true });
  return { name: release, before, next: root, remove };
}

function releaseAhead(): Releases {
  const { folder: next, remove } = copyTree();
  const migrations = join(next, "server/migrations");
  const count = readdirSync(migrations).filter((name) => /^\d{4}_/.test(name)).length;
  const name = `${String(count + 1).padStart(4, "0")}_next_release.sql`;
  copyFileSync(join(root, "proof/failures/next-release.sql"), join(migrations, name));
  return { name: "this tree", before: root, next, remove };
}
