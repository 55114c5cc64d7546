import { execFileSync } from "node:child_process";
import { statfsSync, rmSync, writeFileSync, appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as waitMs } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";
import { startLoad } from "./load.ts";
import { openTrial, type Trial } from "./trial.ts";
import { brokenPromises, answersIn, type Outage } from "./outage.ts";

const diskMb = 320;
const paymentsPerSecond = 20;
const fullForMs = 12_000;
const calmMs = 3_000;
const alivePatienceMs = 3_000;

/** The primary's disk is full, data and WAL alike, until an operator makes room. */
export async function fillTheDisk(say: (line: string) => void): Promise<Outage> {
  if (process.getuid?.() !== 0)
    return { name: "disk full", figures: { skipped: "only root can make a small disk" }, misses: [] };
  const trial = await openTrial();
  let folder: string | undefined;
  const unmount = (): void => {
    if (folder !== undefined) execFileSync("umount", ["--lazy", folder]);
    folder = undefined;
  };
  // Runs before other exit handlers: the folder of a mounted disk cannot be removed.
  process.prependOnceListener("exit", unmount);
  try {
    folder = await ontoSmallDisk(trial.installation.cluster);
    return await fillAndFree(trial, folder, say);
  } finally {
    // A lazy unmount: the disk is still in use, and goes with the last process that uses it.
    unmount();
    await trial.stop();
    process.off("exit", unmount);
  }
}

/** Moves the primary's folder to a file system that is small enough to be filled. */
async function ontoSmallDisk(cluster: Cluster): Promise<string> {
  const [row] = await cluster.execute<{ folder: string }>(
    "postgres",
    "select setting as folder from pg_settings where name = 'data_directory'",
  );
  const folder = row?.folder ?? "";
  // What is kept for standbys that were away would fill it on a good day.
  await cluster.execute("postgres", "checkpoint");
  await cluster.killPrimary();
  const aside = `${folder}-aside`;
  execFileSync("mv", [folder, aside]);
  execFileSync("mkdir", [folder]);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMb}m`, "tollgate-small-disk", folder]);
  execFileSync("sh", ["-c", `cp -a '${aside}/.' '${folder}/'`]);
  execFileSync("chown", ["--reference", aside, folder]);
  execFileSync("chmod", ["--reference", aside, folder]);
  rmSync(aside, { recursive: true });
  await cluster.restartPrimary();
  return folder;
}

async function fillAndFree(trial: Trial, folder: string, say: (line: string) => void): Promise<Outage> {
  const { cluster } = trial.installation;
  const load = startLoad(trial, "disk", paymentsPerSecond);
  await waitMs(calmMs);
  const fullAtMs = trial.nowMs();
  const ballast = join(folder, "ballast");
  fill(ballast, folder);
  say("the disk is full");
  // Switching WAL segments uses up WAL as a busy day would.
  for (const endAtMs = trial.nowMs() + fullForMs; trial.nowMs() < endAtMs; await waitMs(250)) {
    fill(ballast, folder);
    await cluster.execute("postgres", "select pg_switch_wal()").catch(() => undefined);
  }
  const died = !(await isAlive(cluster));
  const freedAtMs = trial.nowMs();
  rmSync(ballast);
  say(`room is made; PostgreSQL ${died ? "has ended" : "is alive"}`);
  const command = died && !(await isAlive(cluster, alivePatienceMs));
  if (command) {
    await cluster.killPrimary();
    await cluster.restartPrimary();
  }
  const backMs = (await load.firstAcceptedAfter(freedAtMs)) - freedAtMs;
  await waitMs(calmMs);
  await load.stop();
  const answers = answersIn(trial, fullAtMs, freedAtMs);
  return {
    name: "disk full",
    figures: {
      postgresql: died ? "ended" : "lived on",
      restart_was_needed: command ? "yes" : "no",
      back_after_ms: Math.round(backMs),
      calls_while_full: answers.count,
      slowest_answer_ms: answers.slowestMs,
      calls_without_answer: answers.unanswered,
    },
    misses: await brokenPromises(trial, { fromMs: fullAtMs, untilMs: freedAtMs }),
  };
}

function fill(ballast: string, folder: string): void {
  const megabyte = Buffer.alloc(2 ** 20);
  try {
    writeFileSync(ballast, "", { flag: "a" });
    for (let free = freeBytes(folder); free > 0; free = freeBytes(folder))
      appendFileSync(ballast, megabyte.subarray(0, Math.min(free, megabyte.length)));
  } catch {
    // ENOSPC, which is the point.
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

async function isAlive(cluster: Cluster, patienceMs = 0): Promise<boolean> {
  const giveUpAtMs = performance.now() + patienceMs;
  do {
    const answered = await cluster.execute("postgres", "select 1").then(
      () => true,
      () => false,
    );
    if (answered) return true;
    await waitMs(100);
  } while (performance.now() < giveUpAtMs);
  return false;
}
