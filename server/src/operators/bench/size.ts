import type { Step } from "./step.ts";

/** CPU time of one payment with one inquiry, in ms. */
export interface Cost {
  readonly serveMs: number;
  readonly mainThreadMs: number;
  readonly workMs: number;
  readonly postgresMs: number;
}

/** The recommended size of an installation, with headroom for peaks. */
export interface Size {
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
const busyShare = 0.6;
/** At least two processes of each kind, so that one can fail. */
const atLeast = 2;
const connectionsUsual = 16;
/** Connections in addition to those of serve and work: commands, wake-up listeners and the console. */
const connectionsBeside = 10;

/** Returns the cost of a payment in a sustained step; undefined if its processes were not found. */
export function costIn({ rate, usage }: Step, serveCount: number): Cost | undefined {
  const { serve, mainThread, work, postgres } = usage;
  if (serve === undefined || mainThread === undefined || postgres === undefined) return undefined;
  const each = (processors: number): number => (processors * 1000) / rate;
  return {
    serveMs: each(serve),
    // The CPU time of the main threads is an upper bound, because the busiest thread has at least its share.
    mainThreadMs: each(mainThread * serveCount),
    workMs: each(work ?? 0),
    postgresMs: each(postgres),
  };
}

export function sizeFor(rate: number, { serveMs, mainThreadMs, workMs, postgresMs }: Cost): Size {
  const needed = (ms: number): number => (rate * ms) / 1000 / busyShare;
  const serve = Math.max(atLeast, Math.ceil(needed(mainThreadMs)));
  const work = Math.max(atLeast, Math.ceil(needed(workMs)));
  return {
    rate,
    serve,
    work,
    gatewayProcessors: Math.max(1, Math.ceil(needed(serveMs + workMs))),
    postgresProcessors: Math.max(1, Math.ceil(needed(postgresMs))),
    connectionsEach: connectionsUsual,
    connectionsInAll: (serve + work) * connectionsUsual + connectionsBeside,
  };
}
