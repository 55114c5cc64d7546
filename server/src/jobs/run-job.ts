import type { BeforeSend } from "../core/before-send.ts";
import type { Reach } from "../resilience/fault-watch.ts";
import { WrongCellError } from "../core/wrong-cell-error.ts";
import { RetryLaterError } from "../core/retry-later-error.ts";
import { createChildSpan, readTrace } from "../telemetry/trace.ts";
import { isValueRejected } from "../postgres/database-error.ts";
import { requireCommitted } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import {
  jobDone,
  type CalledJob,
  type LeasedJob,
  type Job,
  type JobRunner,
  type NextStep,
} from "../contract/job.ts";
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
  const trace = leased.trace ? createChildSpan(leased.trace, uuid) : readTrace([], uuid);
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
    runner.faults.recordSuccess(leased.job, run.reach);
    return outcome;
  } catch (cause) {
    // The merchant was moved to another cell while its job ran. The job's lease expires at the new home cell, which
    // then retries the job.
    if (cause instanceof WrongCellError) return undefined;
    runner.onFault(cause, leased);
    runner.meter.add("jobRuns", [leased.job, "fault"]);
    runner.traces.recordOutcome("fault");
    const isWritten = (): Promise<boolean> =>
      isJobWrittenSince(runner.database.reader([leased.clientId]), leased);
    runner.faults.recordFault(leased.job, { subjectId: leased.subjectId, reach: run.reach, isWritten });
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
  const { database, atCrashPoint, monotonicMs } = runner;
  // The job belongs to a request that was in progress when its isolated test merchant was closed. The merchant's other
  // jobs were deleted with the merchant.
  if (await runner.isClosed(leased.clientId))
    return whileLeased(runner, leased, async (tx) => deleteJob(tx, leased));
  const record = leased.record ?? (await job.read(database.reader([leased.clientId]), leased));
  if (!record) return whileLeased(runner, leased, async (tx) => deleteJob(tx, leased));

  runner.traces.recordPayment(record);
  atCrashPoint("before-provider-call");
  // Lease check: a process that was paused after it took the lease must not send a request any more.
  const leftMs = run.leasedSinceMs + leaseSeconds * 1000 - callTimeoutMs - monotonicMs();
  if (leftMs < 0) return undefined;
  const calledAt = businessNow(runner, leased);
  const sendRecorder = createSendRecorder(runner, leased);
  let outcome: unknown;
  try {
    outcome = await job.call(record, leased, AbortSignal.timeout(callTimeoutMs), sendRecorder.before);
  } catch (cause) {
    if (cause instanceof RetryLaterError) return rescheduleUnsent(runner, leased, cause);
    runner.onFault(cause, leased);
    const retryAt = job.retryAt(leased, businessNow(runner, leased));
    const schedule = {
      at: retryAt,
      attempts: leased.attempts + 1,
      ...sendRecorder.sent(),
      connector: findRejectingConnector(cause),
    };
    return whileLeased(runner, leased, async (tx) => updateJobDue(tx, leased, schedule));
  }
  atCrashPoint("after-provider-call");
  if (!(await tryWriteInBatch(runner, job, { record, outcome, leased, run }))) {
    const calledJob = { record, outcome, leased: { ...leased, calledAt }, run };
    await writeOutcome(runner, job, calledJob, sendRecorder.sent());
  }
  atCrashPoint("after-outcome-commit");
  return outcome;
}

/** A job after its call. */
interface JobAfterCall<Leased extends LeasedJob> {
  readonly record: object;
  readonly outcome: unknown;
  readonly leased: Leased;
  readonly run: Run;
}

async function writeOutcome(
  runner: JobRunner,
  job: Job,
  { record, outcome, leased, run }: JobAfterCall<CalledJob>,
  sentFields: Pick<LeasedJob, "sentAt">,
): Promise<void> {
  const write = async (tx: Tx): Promise<void> => {
    // Both queries are pipelined in one round trip. PostgreSQL takes the row locks in this order: record, then job.
    const [current, lease] = await Promise.all([
      job.lock ? job.lock(tx, leased, record) : Promise.resolve(record),
      lockLeasedJob(tx, leased),
    ]);
    if (!lease) return;
    const next = current ? await job.write(tx, current, outcome, leased) : jobDone;
    run.reach = progressOf(next);
    if (next.next === "again")
      updateJobDue(tx, leased, { ...next, attempts: next.noProgress ? leased.attempts + 1 : 0 });
    else if (lease.mustRunAgain) updateJobDue(tx, leased, { at: leased.calledAt, attempts: 0 });
    else deleteJob(tx, leased);
    runner.atCrashPoint("before-outcome-commit");
  };
  const { database, merchantQueues } = runner;
  const { clientId } = leased;
  const commit = await merchantQueues.run(clientId, () => database.transaction([clientId], write), {
    isCompletion: true,
  });
  if (commit.outcome === "committed") return runner.wake();
  // Backoff: PostgreSQL can never store this response. Without backoff the gateway would call the provider again with
  // every lease.
  if (commit.outcome === "not committed" && isValueRejected(commit.cause)) {
    const retryAt = job.retryAt(leased, businessNow(runner, leased));
    const schedule = { at: retryAt, attempts: leased.attempts + 1, ...sentFields };
    await whileLeased(runner, leased, async (tx) => updateJobDue(tx, leased, schedule));
  }
  // The outcome is not committed, or unknown: the lease expires, and its next holder reads the stored state.
  throw commit.cause;
}

function progressOf(next: NextStep): Reach {
  if (next.next === "done") return "ended";
  return next.noProgress ? "looked" : "moved";
}

/**
 * Fast path: `tryWriteInBatch` writes the outcome in a batch. It returns false if `write` has to run, because the row
 * was not written or its outcome is unknown.
 */
async function tryWriteInBatch(
  { batchers, atCrashPoint }: JobRunner,
  job: Job,
  { record, outcome, leased, run }: JobAfterCall<LeasedJob>,
): Promise<boolean> {
  const item = job.batchWriter?.item(record, outcome, leased);
  if (!item) return false;
  run.reach = "moved";
  atCrashPoint("before-outcome-commit");
  return (await batchers.get(leased.job)?.write(leased.clientId, item)) === "written";
}

/** `rescheduleUnsent` reschedules a job whose message was not sent. It counts no attempt, so the backoff does not grow. */
function rescheduleUnsent(runner: JobRunner, leased: LeasedJob, cause: RetryLaterError): Promise<void> {
  const retryAt = new Date(businessNow(runner, leased).getTime() + cause.retryAfterMs);
  const schedule = { at: retryAt, attempts: leased.attempts, connector: findRejectingConnector(cause) };
  return whileLeased(runner, leased, async (tx) => updateJobDue(tx, leased, schedule));
}

/** `findRejectingConnector` returns the connector that rejected the call. The job's row stores it from then on. */
function findRejectingConnector(cause: unknown): string | undefined {
  const { connector } = cause instanceof Error ? (cause as Error & { readonly connector?: unknown }) : {};
  return typeof connector === "string" ? connector : undefined;
}

interface SendRecorder {
  readonly before: BeforeSend;
  /** When the call sent a message that has an effect; empty if it sent none. */
  sent(): Pick<LeasedJob, "sentAt">;
}

/**
 * `createSendRecorder` records which messages a call has sent. For an idempotent provider a crash may lose this record;
 * `durable` commits it before the send.
 */
function createSendRecorder(runner: JobRunner, leased: LeasedJob): SendRecorder {
  let sentAt: Date | undefined;
  return {
    async before({ durable }) {
      if (durable) {
        const outcome = await runner.database.transaction([leased.clientId], (tx) =>
          updateJobSent(tx, leased),
        );
        if (!requireCommitted(outcome))
          throw new Error("Nothing was sent: another process has taken over the job.");
        runner.atCrashPoint("after-sent-commit");
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
  const outcome = await database.transaction([leased.clientId], async (tx) => {
    if (await lockLeasedJob(tx, leased)) await work(tx);
  });
  requireCommitted(outcome);
}

function businessNow({ clock }: JobRunner, { aheadMs }: LeasedJob): Date {
  return new Date(clock.now().getTime() + aheadMs);
}
