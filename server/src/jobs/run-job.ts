import type { BeforeSend } from "../core/before-send.ts";
import type { Reach } from "../core/fault-watch.ts";
import { ClientElsewhere } from "../core/client-elsewhere.ts";
import { NotNow } from "../core/not-now.ts";
import { childOf, traceFrom } from "../core/trace.ts";
import { cannotBeStored, committed } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { done, type AskedJob, type LeasedJob, type Job, type JobRunner, type Next } from "./job.ts";
import {
  deleteJob,
  isJobWrittenSince,
  leaseSeconds,
  lockLeasedJob,
  updateJobDue,
  updateJobSent,
} from "./job.sql.ts";

/** Call timeout. Shorter than the lease, so that two processes never call at once. */
const callTimeoutMs = 10_000;

/**
 * Runs a job whose lease this process took at `leasedSinceMs`: reads, calls, writes. Never throws: an unfinished
 * job is still in the table, and is retried when its lease ends. Gives the outcome of the call, or undefined
 * when none was made or it threw.
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
    if (!job) throw new Error(`There is no job ${leased.job}.`);
    const outcome = await readCallWrite(runner, job, leased, run);
    runner.meter.add("jobRuns", [leased.job, "written"]);
    runner.faults.worked(leased.job, run.reach);
    return outcome;
  } catch (cause) {
    // The merchant was moved while its job ran: the lease runs out at its new home, which then looks how things stand.
    if (cause instanceof ClientElsewhere) return undefined;
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
  /** How far it came, or would have come if it could be written. */
  reach: Reach;
}

async function readCallWrite(runner: JobRunner, job: Job, leased: LeasedJob, run: Run): Promise<unknown> {
  const { database, at, monotonicMs } = runner;
  // The job of a call that was under way when the universe was closed: all others were deleted with it.
  if (await runner.isClosed(leased.clientId))
    return underEpoch(runner, leased, async (tx) => deleteJob(tx, leased));
  const record = leased.record ?? (await job.read(database.reader([leased.clientId]), leased));
  if (!record) return underEpoch(runner, leased, async (tx) => deleteJob(tx, leased));

  runner.traces.about(record);
  at("before-wallet-call");
  // Lease check: a process that was paused since it took the lease must not send any more.
  const leftMs = run.leasedSinceMs + leaseSeconds * 1000 - callTimeoutMs - monotonicMs();
  if (leftMs < 0) return undefined;
  const askedAt = businessNow(runner, leased);
  const sending = newSending(runner, leased);
  let outcome: unknown;
  try {
    outcome = await job.call(record, leased, AbortSignal.timeout(callTimeoutMs), sending.before);
  } catch (cause) {
    if (cause instanceof NotNow) return putBack(runner, leased, cause);
    runner.onFault(cause, leased);
    const again = job.retryAt(leased, businessNow(runner, leased));
    const tried = {
      at: again,
      attempts: leased.attempts + 1,
      ...sending.sent(),
      connector: connectorIn(cause),
    };
    return underEpoch(runner, leased, async (tx) => updateJobDue(tx, leased, tried));
  }
  at("after-wallet-call");
  if (!(await writtenTogether(runner, job, { record, outcome, leased, run }))) {
    const called = { record, outcome, leased: { ...leased, askedAt }, run };
    await writeAlone(runner, job, called, sending.sent());
  }
  at("after-outcome-commit");
  return outcome;
}

/** A job that has been run as far as its call. */
interface Called<Leased extends LeasedJob> {
  readonly record: object;
  readonly outcome: unknown;
  readonly leased: Leased;
  readonly run: Run;
}

async function writeAlone(
  runner: JobRunner,
  job: Job,
  { record, outcome, leased, run }: Called<AskedJob>,
  sent: Pick<LeasedJob, "sentAt">,
): Promise<void> {
  const write = async (tx: Tx): Promise<void> => {
    // Pipelined in one round trip. PostgreSQL takes the row locks in this order: record, then job.
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
  // Backoff: this answer can never be stored, so without it the wallet would be called again with every lease.
  if (commit.outcome === "not committed" && cannotBeStored(commit.cause)) {
    const again = job.retryAt(leased, businessNow(runner, leased));
    const tried = { at: again, attempts: leased.attempts + 1, ...sent };
    await underEpoch(runner, leased, async (tx) => updateJobDue(tx, leased, tried));
  }
  // Not committed, or unknown: the lease runs out, and its next holder reads what is there.
  throw commit.cause;
}

function reachOf(next: Next): Reach {
  if (next.next === "done") return "ended";
  return next.gotNowhere ? "looked" : "moved";
}

/** Fast path: writes the outcome in a batch. False when `write` has to run: no row is known to be written. */
async function writtenTogether(
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

/** Nothing was sent, so it was no attempt: the backoff does not grow. */
function putBack(runner: JobRunner, leased: LeasedJob, cause: NotNow): Promise<void> {
  const again = new Date(businessNow(runner, leased).getTime() + cause.retryAfterMs);
  const asBefore = { at: again, attempts: leased.attempts, connector: connectorIn(cause) };
  return underEpoch(runner, leased, async (tx) => updateJobDue(tx, leased, asBefore));
}

/** The wallet that a job did not get through to. The job's row names it from then on. */
function connectorIn(cause: unknown): string | undefined {
  const { connector } = cause instanceof Error ? (cause as Error & { readonly connector?: unknown }) : {};
  return typeof connector === "string" ? connector : undefined;
}

interface Sending {
  readonly before: BeforeSend;
  /** When a message left that acts, if one did. */
  sent(): Pick<LeasedJob, "sentAt">;
}

/** Notes what a call has sent. For an idempotent wallet a crash may lose the note; `lasting` commits it first. */
function newSending(runner: JobRunner, leased: LeasedJob): Sending {
  let sentAt: Date | undefined;
  return {
    async before({ lasting }) {
      if (lasting) {
        const written = await runner.database.transaction([leased.clientId], (tx) =>
          updateJobSent(tx, leased),
        );
        if (!committed(written)) throw new Error("Nothing was sent: somebody else has taken the job over.");
        runner.at("after-sent-commit");
      }
      sentAt = businessNow(runner, leased);
    },
    sent: () => (sentAt ? { sentAt } : {}),
  };
}

/** Fencing: a process that lost the lease changes nothing. */
async function underEpoch(
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
