import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as waitMs } from "node:timers/promises";
import type { Outcome, PaymentClient } from "./peer-client.ts";

/** A gateway or an alternative, with its processes. */
export interface Subject {
  readonly name: string;
  readonly differs: string;
  /** Process ids whose CPU time is counted, including that of their children. */
  readonly pids: readonly number[];
  readonly client: PaymentClient;
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
  const { name, differs, client, pids } = subject;
  await sendPayments(await client.prepare(warmUpSeconds * client.preparedPerSecond), warmUpSeconds);
  const payments = await client.prepare(seconds * client.preparedPerSecond);
  const beforeMs = readCpuMs(pids);
  const { acceptedCount, refused, elapsedSeconds } = await sendPayments(payments, seconds);
  await waitMs(settleMs);
  const cpuMs = (readCpuMs(pids) - beforeMs) / Math.max(1, acceptedCount);
  const send = await client.identical();
  const outcomes = await Promise.all(Array.from({ length: identicalCount }, send));
  return {
    name,
    differs,
    calls: client.calls,
    perSecond: acceptedCount / elapsedSeconds,
    cpuMs,
    refused,
    identical: summarizeOutcomes(outcomes),
  };
}

/** `sendPayments` sends payments in a closed loop: each caller pays again when it has the response. */
async function sendPayments(
  payments: readonly (() => Promise<boolean>)[],
  seconds: number,
): Promise<{ readonly acceptedCount: number; readonly refused: number; readonly elapsedSeconds: number }> {
  const startedAtMs = performance.now();
  let [nextIndex, acceptedCount, refused] = [0, 0, 0];
  const payRepeatedly = async (): Promise<void> => {
    while (performance.now() - startedAtMs < seconds * 1000) {
      const pay = payments[nextIndex];
      nextIndex += 1;
      if (!pay) return;
      if (await pay()) acceptedCount += 1;
      else refused += 1;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, payRepeatedly));
  return { acceptedCount, refused, elapsedSeconds: (performance.now() - startedAtMs) / 1000 };
}

function summarizeOutcomes(outcomes: readonly Outcome[]): Identical {
  const withId = outcomes.filter(({ id }) => id !== undefined);
  return {
    payments: new Set(withId.map(({ id }) => id)).size,
    answers: new Set(withId.map(({ responseText }) => responseText)).size,
    refused: outcomes.length - withId.length,
    firstRefusal: outcomes.find(({ id }) => id === undefined)?.responseText.slice(0, 200) ?? "",
  };
}

/** CPU time so far of processes and their children, in ms; the kernel counts hundredths of a second. */
function readCpuMs(pids: readonly number[]): number {
  const stats = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)));
  const countedPids = new Set(pids);
  for (let size = 0; size < countedPids.size;) {
    size = countedPids.size;
    for (const { pid, parent } of stats) if (countedPids.has(parent)) countedPids.add(pid);
  }
  return stats.reduce((sum, { pid, ms }) => sum + (countedPids.has(pid) ? ms : 0), 0);
}

function readStat(
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
