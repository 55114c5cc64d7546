import type { BenchStep } from "./bench-step.ts";

/** CPU time of one payment with one inquiry, in ms. */
export interface PaymentCost {
  readonly serveMs: number;
  readonly mainThreadMs: number;
  readonly workMs: number;
  readonly postgresMs: number;
}

/** The recommended size of an installation, with headroom for peaks. */
export interface InstallationSize {
  /** Payments per second. */
  readonly rate: number;
  readonly serve: number;
  readonly work: number;
  /** Processors for serve and work, and for PostgreSQL. */
  readonly gatewayProcessors: number;
  readonly postgresProcessors: number;
  /** Value for TOLLGATE_DATABASE_CONNECTIONS_MAX, and for PostgreSQL's `max_connections`. */
  readonly connectionsEach: number;
  readonly connectionsInAll: number;
}

/** Target CPU use. The rest is headroom for peaks, deployments and the loss of a process. */
const targetCpuShare = 0.6;
/** At least two processes of each kind, so that one can fail. */
const processesMin = 2;
const connectionsPerProcess = 16;
/** Connections in addition to those of serve and work: commands, wake-up listeners and the console. */
const otherConnections = 10;

/** Returns the cost of a payment in a sustained step; undefined if its processes were not found. */
export function costPerPayment({ rate, usage }: BenchStep, serveCount: number): PaymentCost | undefined {
  const { serve, mainThread, work, postgres } = usage;
  if (serve === undefined || mainThread === undefined || postgres === undefined) return undefined;
  const msPerPayment = (processors: number): number => (processors * 1000) / rate;
  return {
    serveMs: msPerPayment(serve),
    // The CPU time of the main threads is an upper bound, because the busiest thread has at least its share.
    mainThreadMs: msPerPayment(mainThread * serveCount),
    workMs: msPerPayment(work ?? 0),
    postgresMs: msPerPayment(postgres),
  };
}

export function sizeFor(
  rate: number,
  { serveMs, mainThreadMs, workMs, postgresMs }: PaymentCost,
): InstallationSize {
  const neededProcessors = (ms: number): number => (rate * ms) / 1000 / targetCpuShare;
  const serve = Math.max(processesMin, Math.ceil(neededProcessors(mainThreadMs)));
  const work = Math.max(processesMin, Math.ceil(neededProcessors(workMs)));
  return {
    rate,
    serve,
    work,
    gatewayProcessors: Math.max(1, Math.ceil(neededProcessors(serveMs + workMs))),
    postgresProcessors: Math.max(1, Math.ceil(neededProcessors(postgresMs))),
    connectionsEach: connectionsPerProcess,
    connectionsInAll: (serve + work) * connectionsPerProcess + otherConnections,
  };
}
