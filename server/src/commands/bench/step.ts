import type { Samples } from "./database-watch.ts";
import type { CpuTimes } from "./processes.ts";

/** How long answers of one kind took, from the time at which they were asked for. */
export interface Latency {
  readonly answered: number;
  /** Answered otherwise than hoped for: shed, or broken. */
  readonly refused: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Processors that each part kept busy: 1 is one of them, all the time. Undefined for what is not seen from here. */
export interface Usage {
  readonly serve: number | undefined;
  /** The busiest main thread of all `serve`. */
  readonly mainThread: number | undefined;
  readonly work: number | undefined;
  readonly wallet: number | undefined;
  readonly postgres: number | undefined;
  readonly bench: number;
  readonly machine: number | undefined;
}

/** A load at one rate, and what it came to. */
export interface Step {
  /** Payments a second; as many inquiries on top. */
  readonly rate: number;
  readonly seconds: number;
  readonly pay: Latency;
  readonly inquiry: Latency;
  /** From the buyer's approval to the notification; absent when payments are not approved. */
  readonly told: Latency | undefined;
  readonly firstRefusal: string;
  /** How late this process was in sending, at the 99th percentile. */
  readonly sendLateMs: number;
  readonly unsent: number;
  readonly unanswered: number;
  readonly usage: Usage;
  readonly waits: Samples | undefined;
  /** Why it counts as not kept up; undefined when it was. */
  readonly behind: string | undefined;
}

/** One answer in so many may be refused. */
const refusedShareMax = 0.001;

/** Why a step counts as not kept up, in words; undefined when all was answered, in time. */
export function behindIn(step: Omit<Step, "behind">, p99MsMax: number): string | undefined {
  const { pay, inquiry, told, unsent, unanswered, firstRefusal } = step;
  const asked = pay.answered + pay.refused + inquiry.answered + inquiry.refused;
  const refused = pay.refused + inquiry.refused;
  const slowest = Math.max(pay.p99Ms, inquiry.p99Ms);
  if (unsent > 0) return `the queue grew until ${unsent} requests were not sent at all`;
  if (unanswered > 0) return `${unanswered} requests had no answer five seconds later`;
  if (refused > asked * refusedShareMax)
    return `${refused} of ${asked} were refused, the first with ${firstRefusal}`;
  if (slowest > p99MsMax) return `the 99th percentile is ${Math.round(slowest)} ms, above ${p99MsMax} ms`;
  if (told && told.refused > 0)
    return `${told.refused} of ${told.answered + told.refused} notifications had not come five seconds later`;
  return undefined;
}

/** What each part used between two readings. */
export function usageBetween(before: CpuTimes, after: CpuTimes, processors: number): Usage {
  const elapsedMs = after.atMs - before.atMs;
  const used = (from: number | undefined, to: number | undefined): number | undefined =>
    from === undefined || to === undefined ? undefined : (to - from) / elapsedMs;
  const threads = after.mainThreadsMs.map((ms, index) => used(before.mainThreadsMs[index], ms) ?? 0);
  return {
    serve: used(before.serveMs, after.serveMs),
    mainThread: threads.length === 0 ? undefined : Math.max(...threads),
    work: used(before.workMs, after.workMs),
    wallet: used(before.walletMs, after.walletMs),
    postgres: used(before.postgresMs, after.postgresMs),
    bench: used(before.benchMs, after.benchMs) ?? 0,
    // Ticks are coarse, and a little more than all can be counted.
    machine: atMost(processors, used(before.machineMs, after.machineMs)),
  };
}

function atMost(most: number, value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.min(most, value);
}
