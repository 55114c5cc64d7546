import type { BeforeSend } from "../core/before-send.ts";
import type { At } from "../core/crash-point.ts";
import type { Clock } from "../core/clock.ts";
import type { Database } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import type { Together } from "../postgres/together.ts";
import type { Turns } from "../postgres/turns.ts";
import type { Sent } from "../wallets/message.ts";

/** Names one job of one record. */
export interface JobKey {
  readonly bucket: number;
  readonly clientId: string;
  readonly subjectId: string;
  readonly job: string;
  /** Jobs of one lane wait for each other, and for nobody else. */
  readonly lane?: string;
}

/** A job that this process holds the lease of, for as long as nobody has counted the epoch up. */
export interface HeldJob extends JobKey, Sent {
  readonly epoch: number;
  /** How often it was tried before, since it last got anywhere. */
  readonly attempts: number;
  /** The wallet that it needs, where its row says so. */
  readonly connector?: string;
  /** How far the merchant's clock is ahead of the database's; nought outside the sandbox. */
  readonly aheadMs: number;
  /** What it is about, from whoever has just written it; read otherwise. */
  readonly record?: object;
}

/** The same, when somebody outside has been asked. */
export interface AskedJob extends HeldJob {
  /** Before the question was sent: what the answer says of others can be as old as that. */
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

/** Whom jobs call. Each lane has places of its own, so that one side's silence does not hold up the other's. */
export type Lane = "wallets" | "notifications";

/**
 * Work on a record that reaches outside. Three parts, because a call to somebody else must not stand in
 * a transaction, and what comes of it must stand in one.
 */
export interface Job<Record extends object = object, Outcome = unknown> {
  readonly name: string;
  readonly lane: Lane;
  /** Undefined when there is nothing left to do. */
  read(tx: Tx, held: HeldJob): Promise<Record | undefined>;
  /**
   * Calls outside, with no transaction in reach. Throws when the outcome is not known. What may act is sent after
   * `beforeSend`.
   */
  call(record: Record, held: HeldJob, signal: AbortSignal, beforeSend: BeforeSend): Promise<Outcome>;
  /**
   * For a record that others change as well: reads it again and holds it. Records are always held before
   * their jobs are, here and elsewhere, or two processes could wait for each other.
   */
  lock?(tx: Tx, held: HeldJob, record: Record): Promise<Record | undefined>;
  /** One transaction, under the epoch: whoever lost the lease does not come this far. */
  settle(tx: Tx, record: Record, outcome: Outcome, held: AskedJob): Promise<Next>;
  /** The usual outcome, where it can be written together with those of other jobs. */
  readonly together?: SettledTogether<Record, Outcome>;
  /** When to try again after `call` threw. */
  retryAt(held: HeldJob, now: Date): Date;
}

/** How an outcome is written that needs no look at the record, in one statement for many jobs. */
export interface SettledTogether<Record extends object, Outcome, Item extends object = object> {
  /** What is to be written, or undefined when this outcome needs `settle`. */
  item(record: Record, outcome: Outcome, held: HeldJob): Item | undefined;
  /** Writes under each one's epoch, and says of each whether it was written. What was not is settled as ever. */
  write(tx: Tx, items: readonly Item[]): Promise<readonly boolean[]>;
}

/** What running a job takes. */
export interface JobRunner {
  readonly database: Database;
  readonly clock: Clock;
  readonly monotonicMs: () => number;
  readonly at: At;
  readonly jobs: ReadonlyMap<string, Job>;
  /** By job: where usual outcomes are written together. */
  readonly together: ReadonlyMap<string, Together<object>>;
  /** In which a merchant's transactions come, before they have a connection. */
  readonly turns: Turns;
  /** Tells workers that something may have become due. */
  readonly wake: () => void;
  readonly onFault: (cause: unknown, held: HeldJob) => void;
}
