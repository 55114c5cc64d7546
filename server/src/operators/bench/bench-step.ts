import type { WaitSamples } from "./database-watch.ts";
import type { CpuTimes } from "./process-cpu.ts";

/** Response times of one kind of request, from the scheduled send time. */
export interface Latency {
  readonly answered: number;
  /** Unexpected responses: load shedding and errors. */
  readonly refused: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * Number of processors that each part kept busy: 1 is one processor, fully used. Undefined for parts that are not
 * visible.
 */
export interface CpuUsage {
  readonly serve: number | undefined;
  /** CPU use of the busiest main thread of all `serve` processes. */
  readonly mainThread: number | undefined;
  readonly work: number | undefined;
  readonly provider: number | undefined;
  readonly postgres: number | undefined;
  readonly bench: number;
  readonly machine: number | undefined;
}

/** A load at one rate, and its result. */
export interface BenchStep {
  /** Payments per second; the same number of inquiries is sent in addition. */
  readonly rate: number;
  readonly seconds: number;
  readonly pay: Latency;
  readonly inquiry: Latency;
  /** Latency from the buyer's approval to the webhook; absent if payments are not approved. */
  readonly told: Latency | undefined;
  readonly firstRefusal: string;
  /** Send delay of this process at the 99th percentile. */
  readonly sendLateMs: number;
  readonly unsent: number;
  readonly unanswered: number;
  readonly usage: CpuUsage;
  readonly waits: WaitSamples | undefined;
  /** Reason why the rate was not sustained; undefined if it was. */
  readonly behind: string | undefined;
}

/** Maximum share of refused requests. */
const refusedShareMax = 0.001;

/** Returns the reason why a step was not sustained; undefined if all responses came in time. */
export function failureReasonOf(step: Omit<BenchStep, "behind">, p99MsMax: number): string | undefined {
  const { pay, inquiry, told, unsent, unanswered, firstRefusal } = step;
  const requestCount = pay.answered + pay.refused + inquiry.answered + inquiry.refused;
  const refused = pay.refused + inquiry.refused;
  const slowest = Math.max(pay.p99Ms, inquiry.p99Ms);
  if (unsent > 0) return `the queue grew until ${unsent} requests were not sent`;
  if (unanswered > 0) return `${unanswered} requests had no response after five seconds`;
  if (refused > requestCount * refusedShareMax)
    return `${refused} of ${requestCount} requests were refused, the first with ${firstRefusal}`;
  if (slowest > p99MsMax) return `the 99th percentile is ${Math.round(slowest)} ms, above ${p99MsMax} ms`;
  if (told && told.refused > 0)
    return `${told.refused} of ${told.answered + told.refused} webhooks had not arrived after five seconds`;
  return undefined;
}

/** Returns the CPU use of each part between two readings. */
export function usageBetween(before: CpuTimes, after: CpuTimes, processors: number): CpuUsage {
  const elapsedMs = after.atMs - before.atMs;
  const cpuShare = (from: number | undefined, to: number | undefined): number | undefined =>
    from === undefined || to === undefined ? undefined : (to - from) / elapsedMs;
  const threads = after.mainThreadsMs.map((ms, index) => cpuShare(before.mainThreadsMs[index], ms) ?? 0);
  return {
    serve: cpuShare(before.serveMs, after.serveMs),
    mainThread: threads.length === 0 ? undefined : Math.max(...threads),
    work: cpuShare(before.workMs, after.workMs),
    provider: cpuShare(before.providerMs, after.providerMs),
    postgres: cpuShare(before.postgresMs, after.postgresMs),
    bench: cpuShare(before.benchMs, after.benchMs) ?? 0,
    // Clock ticks are coarse, so the measured CPU use of the machine can slightly exceed its number of processors.
    machine: capAt(processors, cpuShare(before.machineMs, after.machineMs)),
  };
}

function capAt(max: number, value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.min(max, value);
}
