import type { At } from "../core/crash-point.ts";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";

/** Names one job of one record. */
export interface JobKey {
  readonly bucket: number;
  readonly clientId: string;
  readonly subjectId: string;
  readonly job: string;
}

/** A job that this process holds the lease of, for as long as nobody has counted the epoch up. */
export interface HeldJob extends JobKey {
  readonly epoch: number;
  /** How often it was tried before, since it last got anywhere. */
  readonly attempts: number;
  /** What it is about, from whoever has just written it; read otherwise. */
  readonly record?: object;
}

/** What becomes of a job when it has been run. */
export type Next =
  | { readonly next: "done" }
  /** Run it again; `attempts` starts from nought unless it got nowhere. */
  | { readonly next: "again"; readonly at: Date; readonly gotNowhere?: boolean };

export const done: Next = { next: "done" };

/**
 * Work on a record that reaches outside. Three parts, because a call to somebody else must not stand in
 * a transaction, and what comes of it must stand in one.
 */
export interface Job<Record extends object = object, Outcome = unknown> {
  readonly name: string;
  /** Undefined when there is nothing left to do. */
  read(tx: Tx, held: HeldJob): Promise<Record | undefined>;
  /** Calls outside, with no transaction in reach. Throws when the outcome is not known. */
  call(record: Record, held: HeldJob, signal: AbortSignal): Promise<Outcome>;
  /**
   * For a record that others change as well: reads it again and holds it. Records are always held before
   * their jobs are, here and elsewhere, or two processes could wait for each other.
   */
  lock?(tx: Tx, held: HeldJob): Promise<Record | undefined>;
  /** One transaction, under the epoch: whoever lost the lease does not come this far. */
  settle(tx: Tx, record: Record, outcome: Outcome, held: HeldJob): Promise<Next>;
  /** When to try again after `call` threw. */
  retryAt(held: HeldJob, now: Date): Date;
}

/** What running a job takes. */
export interface JobRunner {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  readonly at: At;
  readonly jobs: ReadonlyMap<string, Job>;
  /** Tells workers that something may have become due. */
  readonly wake: () => void;
  readonly onFault: (cause: unknown, held: HeldJob) => void;
}
