import type { BeforeSend } from "../core/before-send.ts";
import type { At } from "../core/crash-point.ts";
import type { Clock } from "../core/clock.ts";
import type { FaultWatch } from "../core/fault-watch.ts";
import type { JobName } from "../core/job-name.ts";
import type { Meter } from "../core/meter.ts";
import type { Database } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import type { Trace, Traces } from "../core/trace.ts";
import type { Together } from "../postgres/together.ts";
import type { Turns } from "../postgres/turns.ts";
import type { Sent } from "../wallets/message.ts";

/** Names one job of one record. */
export interface JobKey {
  readonly bucket: number;
  readonly clientId: string;
  readonly subjectId: string;
  readonly job: JobName;
  /** A bulkhead: jobs of one lane wait for each other, and for no other lane. */
  readonly lane?: string;
}

/** A job whose lease this process holds, until another process takes it over and counts the epoch up. */
export interface LeasedJob extends JobKey, Sent {
  /** Fencing token: writes under an old epoch change nothing. */
  readonly epoch: number;
  /** How often it was tried before, since it last got anywhere. */
  readonly attempts: number;
  /** The wallet that it needs, where its row says so. */
  readonly connector?: string;
  /** How far the merchant's clock is ahead of the database's; nought outside the sandbox. */
  readonly aheadMs: number;
  /** The record, if the caller has just written it; otherwise `read` fetches it. */
  readonly record?: object;
  /** The trace of the call that caused it, if this process took it. */
  readonly trace?: Trace | undefined;
}

/** A leased job whose call was made. */
export interface AskedJob extends LeasedJob {
  /** When the call started. An answer may describe the state at that moment, not now. */
  readonly askedAt: Date;
}

/** What becomes of a job when it has been run. */
export type Next =
  | { readonly next: "done" }
  /** Run it again; `attempts` starts from nought unless it got nowhere. `lastWord` is remembered until there is another. */
  | {
      readonly next: "again";
      readonly at: Date;
      readonly gotNowhere?: boolean;
      readonly lastWord?: string | undefined;
    };

export const done: Next = { next: "done" };

/** A worker's loops, each with places of its own (a bulkhead): silent wallets starve no notifications, nor the reverse. */
export type JobLoop = "wallets" | "notifications";

/**
 * Work on a record that reaches outside, at least once. Three parts, because a call to somebody else must not
 * stand in a transaction, and its outcome must be written in one.
 */
export interface Job<Record extends object = object, Outcome = unknown> {
  readonly loop: JobLoop;
  /** Undefined when there is nothing left to do. */
  read(tx: Tx, leased: LeasedJob): Promise<Record | undefined>;
  /**
   * Calls outside, with no transaction in reach. Throws when the outcome is not known. A message that may act
   * is sent after `beforeSend`.
   */
  call(record: Record, leased: LeasedJob, signal: AbortSignal, beforeSend: BeforeSend): Promise<Outcome>;
  /**
   * For a record that others change as well: reads it again under a row lock. Lock order: records before their
   * jobs, here and elsewhere, or two processes could deadlock.
   */
  lock?(tx: Tx, leased: LeasedJob, record: Record): Promise<Record | undefined>;
  /** One transaction, fenced by the epoch: a process that lost the lease does not get here. */
  write(tx: Tx, record: Record, outcome: Outcome, leased: AskedJob): Promise<Next>;
  /** The usual outcome, where it can be written in a batch with those of other jobs. */
  readonly together?: WrittenTogether<Record, Outcome>;
  /** When to try again after `call` threw. */
  retryAt(leased: LeasedJob, now: Date): Date;
}

/** Batch form of `write`, for an outcome that needs no look at the record: one statement for many jobs. */
export interface WrittenTogether<Record extends object, Outcome, Item extends object = object> {
  /** What is to be written, or undefined when this outcome needs `write`. */
  item(record: Record, outcome: Outcome, leased: LeasedJob): Item | undefined;
  /** Writes each item under its epoch, and says of each whether it was written; if not, `write` takes it. */
  write(tx: Tx, items: readonly Item[]): Promise<readonly boolean[]>;
}

/** Runs jobs in the process that caused them, for as long as their lanes have room: workers do the rest. */
export interface OwnDeliveries {
  /** How many more jobs of a lane this process would run now. */
  room(lane: string): number;
  /** Runs a job whose lease this process took at `sinceMs`, now or as soon as its lane has a place. */
  run(leased: LeasedJob, sinceMs: number): void;
}

/** The dependencies of `runJob`. */
export interface JobRunner {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  readonly at: At;
  readonly jobs: ReadonlyMap<JobName, Job>;
  /** Batch writers of usual outcomes, by job. */
  readonly together: ReadonlyMap<JobName, Together<object>>;
  /** Limits a merchant's concurrent transactions, before they take a connection. */
  readonly turns: Turns;
  /** Tells workers that something may have become due. */
  readonly wake: () => void;
  /** Whether the merchant is a universe that was closed: then nothing more is done for it. */
  readonly isClosed: (clientId: string) => Promise<boolean>;
  /** Told without a job when the poll for due ones failed. */
  readonly onFault: (cause: unknown, leased?: LeasedJob) => void;
  readonly traces: Traces;
  readonly newUuid: () => string;
  readonly meter: Meter;
  /** Notices jobs whose outcomes cannot be written any more. */
  readonly faults: FaultWatch;
}
