import type { BeforeSend } from "../core/before-send.ts";
import type { CrashPointHook } from "../core/crash-point.ts";
import type { Clock } from "../core/clock.ts";
import type { FaultWatch } from "../resilience/fault-watch.ts";
import type { JobName } from "../core/job-name.ts";
import type { Meter } from "../telemetry/meter.ts";
import type { Database } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import type { Trace, Traces } from "../telemetry/trace.ts";
import type { BatchWriter } from "../postgres/batcher.ts";
import type { MerchantQueue } from "../postgres/merchant-queue.ts";
import type { SendState } from "../providers/provider-message.ts";

/** The key of one job of one record. */
export interface JobKey {
  readonly bucket: number;
  readonly clientId: string;
  readonly subjectId: string;
  readonly job: JobName;
  /** The delivery queue of the job (a bulkhead): jobs of one queue wait for each other, but never for another queue. */
  readonly queue?: string;
}

/** A job whose lease this process holds, until another process takes the job over and increments the epoch. */
export interface LeasedJob extends JobKey, SendState {
  /** Fencing token: writes with an older epoch change nothing. */
  readonly epoch: number;
  /** Number of attempts since the job last made progress. */
  readonly attempts: number;
  /** The provider that the job needs, if its row names one. */
  readonly connector?: string;
  /** How far the merchant's clock is ahead of the database's; zero outside the sandbox. */
  readonly aheadMs: number;
  /** The job's record, if the caller has just written it; otherwise the job's `read` fetches it. */
  readonly record?: object;
  /** The trace of the request that caused the job, if this process received the request. */
  readonly trace?: Trace | undefined;
}

/** A leased job whose external call was made. */
export interface CalledJob extends LeasedJob {
  /** When the external call started. A response may describe the state at that moment, not now. */
  readonly calledAt: Date;
}

/** The next step for a job after a run. */
export type NextStep =
  | { readonly next: "done" }
  /**
   * Run the job again. `attempts` starts again from zero if the run made progress. `lastResult` is stored until the
   * next run replaces it.
   */
  | {
      readonly next: "again";
      readonly at: Date;
      readonly noProgress?: boolean;
      readonly lastResult?: string | undefined;
    };

export const jobDone: NextStep = { next: "done" };

/**
 * The two loops of a worker, each with its own slots (a bulkhead). Silent providers do not delay webhooks, and silent
 * merchants do not delay providers.
 */
export type JobLoop = "providers" | "notifications";

/**
 * A workflow step with an external call, executed at least once. It has the parts `read`, `call` and `write`: an
 * external call must not run inside a transaction, and its outcome must be written in one.
 */
export interface Job<Record extends object = object, Outcome = unknown> {
  readonly loop: JobLoop;
  /** Reads the job's record; undefined if nothing is left to do. */
  read(tx: Tx, leased: LeasedJob): Promise<Record | undefined>;
  /**
   * Makes the external call, without a transaction. Throws if the outcome is unknown. A message that may act is sent
   * only after `beforeSend`.
   */
  call(record: Record, leased: LeasedJob, signal: AbortSignal, beforeSend: BeforeSend): Promise<Outcome>;
  /**
   * Reads the record again under a row lock, for a record that other transactions change as well. Lock order: records
   * before their jobs, to avoid deadlocks.
   */
  lock?(tx: Tx, leased: LeasedJob, record: Record): Promise<Record | undefined>;
  /**
   * Writes the outcome in one transaction, fenced by the epoch: for a process that lost the lease, `write` does not
   * run.
   */
  write(tx: Tx, record: Record, outcome: Outcome, leased: CalledJob): Promise<NextStep>;
  /** Batch writer of the usual outcome, if it can be written together with the outcomes of other jobs. */
  readonly batchWriter?: OutcomeBatchWriter<Record, Outcome>;
  /** When to retry after `call` threw. */
  retryAt(leased: LeasedJob, now: Date): Date;
}

/** Batch form of `write`, for an outcome that needs no read of the record: one statement for many jobs. */
export interface OutcomeBatchWriter<Record extends object, Outcome, Item extends object = object> {
  /** The item to write in a batch, or undefined if this outcome needs `write` of the job. */
  item(record: Record, outcome: Outcome, leased: LeasedJob): Item | undefined;
  /**
   * Writes each item under its epoch, and returns for each whether it was written. For the others, the job's own
   * `write` runs.
   */
  write(tx: Tx, items: readonly Item[]): Promise<readonly boolean[]>;
}

/** Runs jobs in the process that caused them, while their delivery queues have free slots. Workers run the rest. */
export interface LocalDeliveries {
  /** The number of further jobs of this delivery queue that this process would run now. */
  freeSlots(queue: string): number;
  /** Runs a job whose lease this process took at `sinceMs`, now or when its delivery queue has a free slot. */
  run(leased: LeasedJob, sinceMs: number): void;
}

/** The dependencies of `runJob`. */
export interface JobRunner {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  readonly atCrashPoint: CrashPointHook;
  readonly jobs: ReadonlyMap<JobName, Job>;
  /** Batch writers of usual outcomes, by job. */
  readonly batchers: ReadonlyMap<JobName, BatchWriter<object>>;
  /** Limits a merchant's concurrent transactions, before they take a database connection. */
  readonly merchantQueues: MerchantQueue;
  /** Notifies workers that a job may have become due. */
  readonly wake: () => void;
  /** Whether the merchant is an isolated test merchant that was closed: then no job runs for it. */
  readonly isClosed: (clientId: string) => Promise<boolean>;
  /** Called without a job if the poll for due jobs failed. */
  readonly onFault: (cause: unknown, leased?: LeasedJob) => void;
  readonly traces: Traces;
  readonly newUuid: () => string;
  readonly meter: Meter;
  /** Detects jobs whose outcomes can no longer be written. */
  readonly faults: FaultWatch;
}
