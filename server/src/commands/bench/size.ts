import type { Step } from "./step.ts";

/** What a payment takes, with one inquiry, in ms of a processor. */
export interface Cost {
  readonly serveMs: number;
  readonly mainThreadMs: number;
  readonly workMs: number;
  readonly postgresMs: number;
}

/** An installation that is large enough, and has room for a rush. */
export interface Size {
  /** Payments a second. */
  readonly rate: number;
  readonly serve: number;
  readonly work: number;
  /** Processors for serve and work, and for PostgreSQL. */
  readonly gatewayProcessors: number;
  readonly postgresProcessors: number;
  /** TOLLGATE_DATABASE_CONNECTIONS_MAX, and all that PostgreSQL has to allow. */
  readonly connectionsEach: number;
  readonly connectionsInAll: number;
}

/** The rest is for rushes, deploys and the loss of a process. */
const busyShare = 0.6;
/** Fewer than two of a kind are gone with one. */
const atLeast = 2;
const connectionsUsual = 16;
/** Beside those of serve and work: commands, the listeners of wake-ups, the console. */
const connectionsBeside = 10;

/** The cost of a payment in a step that was kept up with; undefined when its processes were not seen. */
export function costIn({ rate, usage }: Step, serveCount: number): Cost | undefined {
  const { serve, mainThread, work, postgres } = usage;
  if (serve === undefined || mainThread === undefined || postgres === undefined) return undefined;
  const each = (processors: number): number => (processors * 1000) / rate;
  return {
    serveMs: each(serve),
    // The busiest thread stands for all: it has at least its share.
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
