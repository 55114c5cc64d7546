import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as waitMs } from "node:timers/promises";
import { copyTree } from "../seeded-bugs/copied-tree.ts";
import { startLoad } from "./open-loop-load.ts";
import { summarizeResponses, findOutageViolations, findStuckRecords, type Outage } from "./outage.ts";
import { openTrial, type Trial } from "../trial/trial.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const paymentsPerSecond = 15;
const calmMs = 4_000;
const betweenMs = 2_000;

/**
 * Rolling upgrade: one release serves while the database is migrated. Then each process is replaced by one of the next
 * release, and PostgreSQL is restarted as for a minor update. Merchants send requests all the time.
 */
export async function upgradeRelease(logProgress: (line: string) => void): Promise<Outage> {
  const releases = twoReleases();
  try {
    const trial = await openTrial({ tree: releases.before });
    try {
      return await replaceProcesses(trial, releases, logProgress);
    } finally {
      await trial.stop();
    }
  } finally {
    releases.remove();
  }
}

async function replaceProcesses(
  trial: Trial,
  { name, next }: Releases,
  logProgress: (line: string) => void,
): Promise<Outage> {
  const { cluster, serves, works, operateFrom } = trial.installation;
  const load = startLoad(trial, "rolling", paymentsPerSecond);
  await waitMs(calmMs);
  const fromMs = trial.nowMs();
  const migrated = await operateFrom(next, "migrate");
  logProgress(`migrated from ${name}: ${migrated.split("\n").join(", ")}`);
  for (const child of [...works, ...serves]) {
    await waitMs(betweenMs);
    await child.stop();
    child.moveTo(next);
    await child.start();
    logProgress(`${child.name} is replaced`);
  }
  await waitMs(betweenMs);
  await cluster.stopPrimary();
  const restartedMs = await cluster.restartPrimary();
  logProgress("PostgreSQL is restarted");
  await waitMs(calmMs);
  const untilMs = trial.nowMs();
  await load.stop();
  const stuckRecords = await findStuckRecords(trial);
  const answers = summarizeResponses(trial, fromMs, untilMs);
  const unexpectedExits = trial.installation.processes().flatMap((child) => child.unexpectedExits);
  return {
    name: "another release, and a restart of PostgreSQL",
    figures: {
      from: name,
      migrations: migrated === "up to date" ? 0 : migrated.split("\n").length,
      accepted_meanwhile: load.acceptedBetween(fromMs, untilMs),
      told_meanwhile: load.resultCodesBetween(fromMs, untilMs),
      calls_without_answer: answers.unanswered,
      slowest_answer_ms: answers.slowestMs,
      postgresql_back_after_ms: Math.round(restartedMs),
    },
    misses: [
      ...(await findOutageViolations(trial, { fromMs, untilMs })),
      ...unexpectedExits.map((exit) => `exited unexpectedly: ${exit}`),
      ...stuckRecords,
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
  const addedMigration = ["--no-renames", "--diff-filter=A", "--format=%h", "--", migrationFiles];
  const release = `${git("log", "-1", ...addedMigration).trim()}^`;
  // Migrations that were deleted or modified since that release. The migrator would reject the release's database
  // because of them.
  const changedMigrations = git(
    "diff",
    "--name-only",
    "--no-renames",
    "--diff-filter=DM",
    release,
    "--",
    migrationFiles,
  );
  return changedMigrations === "" ? releaseBefore(release) : releaseAhead();
}

/** The hand-written migrations. Generated migrations are in another folder, and every release writes them again. */
const migrationFiles = ":(glob)server/migrations/*.sql";

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" });
}

function releaseBefore(release: string): Releases {
  const olderTree = mkdtempSync(join(tmpdir(), "tollgate-release-"));
  const archive = ["archive", "--format=tar", release];
  const input = execFileSync("git", archive, { cwd: root, maxBuffer: 2 ** 28 });
  execFileSync("tar", ["-x", "-C", olderTree], { input });
  symlinkSync(join(root, "node_modules"), join(olderTree, "node_modules"));
  const remove = (): void => rmSync(olderTree, { recursive: true, force: true });
  return { name: release, before: olderTree, next: root, remove };
}

function releaseAhead(): Releases {
  const { folder: next, remove } = copyTree();
  const migrations = join(next, "server/migrations");
  const count = readdirSync(migrations).filter((name) => /^\d{4}_/.test(name)).length;
  const name = `${String(count + 1).padStart(4, "0")}_next_release.sql`;
  copyFileSync(join(root, "proof/failures/next-release.sql"), join(migrations, name));
  return { name: "this tree", before: root, next, remove };
}
