import type { BeforeSend } from "../core/before-send.ts";
import type { Reach } from "../resilience/fault-watch.ts";
import { WrongCellError } from "../core/wrong-cell-error.ts";
import { RetryLaterError } from "../core/retry-later-error.ts";
import { childOf, traceFrom } from "../telemetry/trace.ts";
import { cannotBeStored } from "../postgres/database-error.ts";
import { committed } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { done, type AskedJob, type LeasedJob, type Job, type JobRunner, type Next } from "../contract/job.ts";
import {
  deleteJob,
  isJobWrittenSince,
  leaseSeconds,
  lockLeasedJob,
  updateJobDue,
  updateJobSent,
} from "./job.sql.ts";

/**
 * Timeout of a job's external call. It is shorter than the lease, so that two processes never call at the same time.
 */
const callTimeoutMs = 10_000;

/**
 * `runJob` runs a job whose lease this process took at `leasedSinceMs`: it reads, calls and writes. It never throws: an
 * unfinished job stays in the table, and is retried after its lease. It returns the outcome of the call, or undefined
 * if there was no call or the call threw.
 */
export function runJob(runner: JobRunner, leased: LeasedJob, leasedSinceMs: number): Promise<unknown> {
  const uuid = runner.newUuid();
  const trace = leased.trace ? childOf(leased.trace, uuid) : traceFrom([], uuid);
  const step = { kind: "job", name: leased.job } as const;
  return runner.traces.run(trace, step, () => runTraced(runner, leased, leasedSinceMs));
}

async function runTraced(runner: JobRunner, leased: LeasedJob, leasedSinceMs: number): Promise<unknown> {
  const job = runner.jobs.get(leased.job);
  const run: Run = { leasedSinceMs, reach: "looked" };
  try {
    if (!job) throw new Error(`Unknown job ${leased.job}.`);
    const outcome = await readCallWrite(runner, job, leased, run);
    runner.meter.add("jobRuns", [leased.job, "written"]);
    runner.faults.worked(leased.job, run.reach);
    return outcome;
  } catch (cause) {
    // The merchant was moved to another cell while its job ran. The job's lease expires at the new home cell, which
    // then retries the job.
    if (cause instanceof WrongCellError) return undefined;
    runner.onFault(cause, leased);
    runner.meter.add("jobRuns", [leased.job, "fault"]);
    runner.traces.ends("fault");
    const isWritten = (): Promise<boolean> =>
      isJobWrittenSince(runner.database.reader([leased.clientId]), leased);
    runner.faults.failed(leased.job, { subjectId: leased.subjectId, reach: run.reach, isWritten });
    return undefined;
  }
}

/** One run of a job. */
interface Run {
  readonly leasedSinceMs: number;
  /** The progress of the run, or the progress that could not be written. */
  reach: Reach;
}

async function readCallWrite(runner: JobRunner, job: Job, leased: LeasedJob, run: Run): Promise<unknown> {
  const { database, at, monotonicMs } = runner;
  // The job belongs to a request that was in progress when its isolated test merchant was closed. The merchant's other
  // jobs were deleted with the merchant.
  if (await runner.isClosed(leased.clientId))
    return whileLeased(runner, leased, async (tx) => deleteJob(tx, leased));
  const record = leased.record ?? (await job.read(database.reader([leased.clientId]), leased));
  if (!record) return whileLeased(runner, leased, async (tx) => deleteJob(tx, leased));

  runner.traces.about(record);
  at("before-provider-call");
  // Lease check: a process that was paused after it took the lease must not send a request any more.
  const leftMs = run.leasedSinceMs + leaseSeconds * 1000 - callTimeoutMs - monotonicMs();
  if (leftMs < 0) return undefined;
  const askedAt = businessNow(runner, leased);
  const sending = newSending(runner, leased);
  let outcome: unknown;
  try {
    outcome = await job.call(record, leased, AbortSignal.timeout(callTimeoutMs), sending.before);
  } catch (cause) {
    if (cause instanceof RetryLaterError) return rescheduleUnsent(runner, leased, cause);
    runner.onFault(cause, leased);
    const again = job.retryAt(leased, businessNow(runner, leased));
    const tried = {
      at: again,
      attempts: leased.attempts + 1,
      ...sending.sent(),
      connector: connectorIn(cause),
    };
    return whileLeased(runner, leased, async (tx) => updateJobDue(tx, leased, tried));
  }
  at("after-provider-call");
  if (!(await writtenInBatch(runner, job, { record, outcome, leased, run }))) {
    const called = { record, outcome, leased: { ...leased, askedAt }, run };
    await writeOutcome(runner, job, called, sending.sent());
  }
  at("after-outcome-commit");
  return outcome;
}

/** A job after its call. */
interface Called<Leased extends LeasedJob> {
  readonly record: object;
  readonly outcome: unknown;
  readonly leased: Leased;
  readonly run: Run;
}

async function writeOutcome(
  runner: JobRunner,
  job: Job,
  { record, outcome, leased, run }: Called<AskedJob>,
  sent: Pick<LeasedJob, "sentAt">,
): Promise<void> {
  const write = async (tx: Tx): Promise<void> => {
    // Both queries are pipelined in one round trip. PostgreSQL takes the row locks in this order: record, then job.
    const [current, isLeased] = await Promise.all([
      job.lock ? job.lock(tx, leased, record) : Promise.resolve(record),
      lockLeasedJob(tx, leased),
    ]);
    if (!isLeased) return;
    const next = current ? await job.write(tx, current, outcome, leased) : done;
    run.reach = reachOf(next);
    if (next.next === "done") deleteJob(tx, leased);
    else updateJobDue(tx, leased, { ...next, attempts: next.gotNowhere ? leased.attempts + 1 : 0 });
    runner.at("before-outcome-commit");
  };
  const { database, turns } = runner;
  const { clientId } = leased;
  const commit = await turns.take(clientId, () => database.transaction([clientId], write), {
    isEnding: true,
  });
  if (commit.outcome === "committed") return runner.wake();
  // Backoff: PostgreSQL can never store this response. Without backoff the gateway would call the provider again with
  // every lease.
  if (commit.outcome === "not committed" && cannotBeStored(commit.cause)) {
    const again = job.retryAt(leased, businessNow(runner, leased));
    const tried = { at: again, attempts: leased.attempts + 1, ...sent };
    await whileLeased(runner, leased, async (tx) => updateJobDue(tx, leased, tried));
  }
  // The outcome is not committed, or unknown: the lease expires, and its next holder reads the stored state.
  throw commit.cause;
}

function reachOf(next: Next): Reach {
  if (next.next === "done") return "ended";
  return next.gotNowhere ? "looked" : "moved";
}

/**
 * Fast path: `writtenInBatch` writes the outcome in a batch. It returns false if `write` has to run, because the row
 * was not written or its outcome is unknown.
 */
async function writtenInBatch(
  { together, at }: JobRunner,
  job: Job,
  { record, outcome, leased, run }: Called<LeasedJob>,
): Promise<boolean> {
  const item = job.together?.item(record, outcome, leased);
  if (!item) return false;
  run.reach = "moved";
  at("before-outcome-commit");
  return (await together.get(leased.job)?.write(leased.clientId, item)) === "written";
}

/** `rescheduleUnsent` reschedules a job whose message was not sent. It counts no attempt, so the backoff does not grow. */
function rescheduleUnsent(runner: JobRunner, leased: LeasedJob, cause: RetryLaterError): Promise<void> {
  const again = new Date(businessNow(runner, leased).getTime() + cause.retryAfterMs);
  const asBefore = { at: again, attempts: leased.attempts, connector: connectorIn(cause) };
  return whileLeased(runner, leased, async (tx) => updateJobDue(tx, leased, asBefore));
}

/** `connectorIn` returns the connector that rejected the call. The job's row stores it from then on. */
function connectorIn(cause: unknown): string | undefined {
  const { connector } = cause instanceof Error ? (cause as Error & { readonly connector?: unknown }) : {};
  return typeof connector === "string" ? connector : undefined;
}

interface Sending {
  readonly before: BeforeSend;
  /** When the call sent a message that has an effect; empty if it sent none. */
  sent(): Pick<LeasedJob, "sentAt">;
}

/**
 * `newSending` records which messages a call has sent. For an idempotent provider a crash may lose this record;
 * `lasting` commits it before the send.
 */
function newSending(runner: JobRunner, leased: LeasedJob): Sending {
  let sentAt: Date | undefined;
  return {
    async before({ lasting }) {
      if (lasting) {
        const written = await runner.database.transaction([leased.clientId], (tx) =>
          updateJobSent(tx, leased),
        );
        if (!committed(written)) throw new Error("Nothing was sent: another process has taken over the job.");
        runner.at("after-sent-commit");
      }
      sentAt = businessNow(runner, leased);
    },
    sent: () => (sentAt ? { sentAt } : {}),
  };
}

/** `whileLeased` runs the work only while this process holds the lease (fencing). */
async function whileLeased(
  { database }: JobRunner,
  leased: LeasedJob,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  const written = await database.transaction([leased.clientId], async (tx) => {
    if (await lockLeasedJob(tx, leased)) await work(tx);
  });
  committed(written);
}

function businessNow({ clock }: JobRunner, { aheadMs }: LeasedJob): Date {
  return new Date(clock.now().getTime() + aheadMs);
}
