import { setTimeout as waitMs } from "node:timers/promises";
import type { Cluster } from "../installation/postgres-cluster.ts";
import { startLoad } from "./open-loop-load.ts";
import { openTrial, type Trial } from "../trial/trial.ts";
import { canMount, moveToSmallDisk, type SmallDisk } from "../installation/small-disk.ts";
import { findOutageViolations, summarizeResponses, type Outage } from "./outage.ts";

const paymentsPerSecond = 20;
const fullForMs = 12_000;
const calmMs = 3_000;
const recoveryWaitMs = 3_000;

/** The primary's disk is full, data and WAL, until an operator frees space. */
export async function fillDisk(logProgress: (line: string) => void): Promise<Outage> {
  if (!canMount)
    return { name: "disk full", figures: { skipped: "only root can make a small disk" }, misses: [] };
  const trial = await openTrial();
  let disk: SmallDisk | undefined;
  try {
    disk = await moveToSmallDisk(trial.installation.cluster);
    return await fillAndFree(trial, disk, logProgress);
  } finally {
    disk?.unmount();
    await trial.stop();
  }
}

async function fillAndFree(
  trial: Trial,
  disk: SmallDisk,
  logProgress: (line: string) => void,
): Promise<Outage> {
  const { cluster } = trial.installation;
  const load = startLoad(trial, "disk", paymentsPerSecond);
  await waitMs(calmMs);
  const fullAtMs = trial.nowMs();
  disk.fill();
  logProgress("the disk is full");
  // Switching WAL segments uses up disk space for WAL as a busy day does.
  for (const endAtMs = trial.nowMs() + fullForMs; trial.nowMs() < endAtMs; await waitMs(250)) {
    disk.fill();
    await cluster.execute("postgres", "select pg_switch_wal()").catch(() => undefined);
  }
  const hasStopped = !(await isAlive(cluster));
  const freedAtMs = trial.nowMs();
  disk.freeSpace();
  logProgress(`space is freed; PostgreSQL ${hasStopped ? "has stopped" : "is running"}`);
  const needsRestart = hasStopped && !(await isAlive(cluster, recoveryWaitMs));
  if (needsRestart) {
    await cluster.killPrimary();
    await cluster.restartPrimary();
  }
  const backMs = (await load.firstAcceptedAfter(freedAtMs)) - freedAtMs;
  await waitMs(calmMs);
  await load.stop();
  const answers = summarizeResponses(trial, fullAtMs, freedAtMs);
  return {
    name: "disk full",
    figures: {
      postgresql: hasStopped ? "ended" : "lived on",
      restart_was_needed: needsRestart ? "yes" : "no",
      back_after_ms: Math.round(backMs),
      calls_while_full: answers.count,
      slowest_answer_ms: answers.slowestMs,
      calls_without_answer: answers.unanswered,
    },
    misses: await findOutageViolations(trial, { fromMs: fullAtMs, untilMs: freedAtMs }),
  };
}

async function isAlive(cluster: Cluster, waitForMs = 0): Promise<boolean> {
  const giveUpAtMs = performance.now() + waitForMs;
  do {
    const isAnswering = await cluster.execute("postgres", "select 1").then(
      () => true,
      () => false,
    );
    if (isAnswering) return true;
    await waitMs(100);
  } while (performance.now() < giveUpAtMs);
  return false;
}
