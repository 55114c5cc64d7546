import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as waitMs } from "node:timers/promises";
import type { Outcome, Way } from "./peer-way.ts";

/** A gateway or an alternative, with its processes. */
export interface Subject {
  readonly name: string;
  readonly differs: string;
  /** Process ids whose CPU time is counted, including that of their children. */
  readonly pids: readonly number[];
  readonly way: Way;
}

/** A row of the table. */
export interface PeerRow {
  readonly name: string;
  readonly differs: string;
  readonly calls: string;
  readonly installSeconds?: number;
  readonly perSecond: number;
  readonly cpuMs: number;
  readonly refused: number;
  /** The result of a hundred concurrent identical requests. */
  readonly identical: Identical;
}

export interface Identical {
  /** Number of payments that exist after the identical requests. */
  readonly payments: number;
  /** Number of different responses with a payment id, compared as text. */
  readonly answers: number;
  /** Number of responses without a payment id, such as an error or a retry hint. */
  readonly refused: number;
  readonly firstRefusal: string;
}

const inFlight = 16;
const identicalCount = 100;
const warmUpSeconds = 2;
/**
 * Wait in ms after the last response, so that work after a response is counted: orders to the provider, and batches
 * that wait to be written.
 */
const settleMs = 500;

export async function measureSubject(subject: Subject, seconds: number): Promise<PeerRow> {
  const { name, differs, way, pids } = subject;
  await payFor(await way.prepare(warmUpSeconds * way.perSecondMost), warmUpSeconds);
  const payments = await way.prepare(seconds * way.perSecondMost);
  const beforeMs = cpuMsOf(pids);
  const { taken, refused, elapsedSeconds } = await payFor(payments, seconds);
  await waitMs(settleMs);
  const cpuMs = (cpuMsOf(pids) - beforeMs) / Math.max(1, taken);
  const send = await way.identical();
  const outcomes = await Promise.all(Array.from({ length: identicalCount }, send));
  return {
    name,
    differs,
    calls: way.calls,
    perSecond: taken / elapsedSeconds,
    cpuMs,
    refused,
    identical: whatBecame(outcomes),
  };
}

/** `payFor` sends payments in a closed loop: each caller pays again when it has the response. */
async function payFor(
  payments: readonly (() => Promise<boolean>)[],
  seconds: number,
): Promise<{ readonly taken: number; readonly refused: number; readonly elapsedSeconds: number }> {
  const beganMs = performance.now();
  let [next, taken, refused] = [0, 0, 0];
  const call = async (): Promise<void> => {
    while (performance.now() - beganMs < seconds * 1000) {
      const pay = payments[next];
      next += 1;
      if (!pay) return;
      if (await pay()) taken += 1;
      else refused += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, call));
  return { taken, refused, elapsedSeconds: (performance.now() - beganMs) / 1000 };
}

function whatBecame(outcomes: readonly Outcome[]): Identical {
  const named = outcomes.filter(({ id }) => id !== undefined);
  return {
    payments: new Set(named.map(({ id }) => id)).size,
    answers: new Set(named.map(({ said }) => said)).size,
    refused: outcomes.length - named.length,
    firstRefusal: outcomes.find(({ id }) => id === undefined)?.said.slice(0, 200) ?? "",
  };
}

/** CPU time so far of processes and their children, in ms; the kernel counts hundredths of a second. */
function cpuMsOf(pids: readonly number[]): number {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)));
  const family = new Set(pids);
  for (let size = 0; size < family.size;) {
    size = family.size;
    for (const { pid, parent } of stats) if (family.has(parent)) family.add(pid);
  }
  return stats.reduce((sum, { pid, ms }) => sum + (family.has(pid) ? ms : 0), 0);
}

function statOf(
  pid: number,
): readonly { readonly pid: number; readonly parent: number; readonly ms: number }[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
    return [{ pid, parent: fields[1] ?? 0, ms: (user + system + childrenUser + childrenSystem) * 10 }];
  } catch {
    return [];
  }
}
