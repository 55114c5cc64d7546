import type { BeforeSend } from "../core/before-send.ts";
import { NotNow } from "../core/not-now.ts";
import { cannotBeStored } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { done, type AskedJob, type HeldJob, type Job, type JobRunner } from "./job.ts";
import { deleteJob, leaseSeconds, lockHeldJob, updateJobDue, updateJobSent } from "./job.sql.ts";

/** Call timeout. Shorter than the lease, so that two processes never call at once. */
const callTimeoutMs = 10_000;

/**
 * Runs a job whose lease this process took at `heldSinceMs`: reads, calls, settles. Never throws: an unfinished
 * job is still in the table, and is retried when its lease ends. Gives the outcome of the call, or undefined
 * when none was made or it threw.
 */
export async function runJob(runner: JobRunner, held: HeldJob, heldSinceMs: number): Promise<unknown> {
  const job = runner.jobs.get(held.job);
  try {
    if (!job) throw new Error(`There is no job ${held.job}.`);
    return await readCallSettle(runner, job, held, heldSinceMs);
  } catch (cause) {
    runner.onFault(cause, held);
    return undefined;
  }
}

async function readCallSettle(
  runner: JobRunner,
  job: Job,
  held: HeldJob,
  heldSinceMs: number,
): Promise<unknown> {
  const { database, at, monotonicMs } = runner;
  const record = held.record ?? (await job.read(database.reader([held.clientId]), held));
  if (!record) return underEpoch(runner, held, async (tx) => deleteJob(tx, held));

  at("before-wallet-call");
  // Lease check: a process that was paused since it took the lease must not send any more.
  const leftMs = heldSinceMs + leaseSeconds * 1000 - callTimeoutMs - monotonicMs();
  if (leftMs < 0) return undefined;
  const askedAt = businessNow(runner, held);
  const sending = newSending(runner, held);
  let outcome: unknown;
  try {
    outcome = await job.call(record, held, AbortSignal.timeout(callTimeoutMs), sending.before);
  } catch (cause) {
    if (cause instanceof NotNow) return putBack(runner, held, cause);
    runner.onFault(cause, held);
    const again = job.retryAt(held, businessNow(runner, held));
    const tried = {
      at: again,
      attempts: held.attempts + 1,
      ...sending.sent(),
      connector: connectorIn(cause),
    };
    return underEpoch(runner, held, async (tx) => updateJobDue(tx, held, tried));
  }
  at("after-wallet-call");
  if (!(await settledTogether(runner, job, { record, outcome, held })))
    await settleAlone(runner, job, { record, outcome, held: { ...held, askedAt } }, sending.sent());
  at("after-settle-commit");
  return outcome;
}

/** A job that has been run as far as its call. */
interface Called<Held extends HeldJob> {
  readonly record: object;
  readonly outcome: unknown;
  readonly held: Held;
}

async function settleAlone(
  runner: JobRunner,
  job: Job,
  { record, outcome, held }: Called<AskedJob>,
  sent: Pick<HeldJob, "sentAt">,
): Promise<void> {
  const settle = async (tx: Tx): Promise<void> => {
    // Pipelined in one round trip. PostgreSQL takes the row locks in this order: record, then job.
    const [current, isHeld] = await Promise.all([
      job.lock ? job.lock(tx, held, record) : Promise.resolve(record),
      lockHeldJob(tx, held),
    ]);
    if (!isHeld) return;
    const next = current ? await job.settle(tx, current, outcome, held) : done;
    if (next.next === "done") deleteJob(tx, held);
    else updateJobDue(tx, held, { ...next, attempts: next.gotNowhere ? held.attempts + 1 : 0 });
    runner.at("before-settle-commit");
  };
  const { database, turns } = runner;
  const { clientId } = held;
  const commit = await turns.take(clientId, () => database.transaction([clientId], settle), {
    isEnding: true,
  });
  if (commit.outcome === "committed") return runner.wake();
  // Backoff: this answer can never be stored, so without it the wallet would be called again with every lease.
  if (commit.outcome === "not committed" && cannotBeStored(commit.cause)) {
    const again = job.retryAt(held, businessNow(runner, held));
    const tried = { at: again, attempts: held.attempts + 1, ...sent };
    await underEpoch(runner, held, async (tx) => updateJobDue(tx, held, tried));
  }
  // Not committed, or unknown: the lease runs out, and its next holder reads what is there.
  throw commit.cause;
}

/** Fast path: writes the outcome in a batch. False when `settle` has to run: no row is known to be written. */
async function settledTogether(
  { together, at }: JobRunner,
  job: Job,
  { record, outcome, held }: Called<HeldJob>,
): Promise<boolean> {
  const item = job.together?.item(record, outcome, held);
  if (!item) return false;
  at("before-settle-commit");
  return (await together.get(job.name)?.write(held.clientId, item)) === "written";
}

/** Nothing was sent, so it was no attempt: the backoff does not grow. */
function putBack(runner: JobRunner, held: HeldJob, cause: NotNow): Promise<void> {
  const again = new Date(businessNow(runner, held).getTime() + cause.retryAfterMs);
  const asBefore = { at: again, attempts: held.attempts, connector: connectorIn(cause) };
  return underEpoch(runner, held, async (tx) => updateJobDue(tx, held, asBefore));
}

/** The wallet that a job did not get through to. The job's row names it from then on. */
function connectorIn(cause: unknown): string | undefined {
  const { connector } = cause instanceof Error ? (cause as Error & { readonly connector?: unknown }) : {};
  return typeof connector === "string" ? connector : undefined;
}

interface Sending {
  readonly before: BeforeSend;
  /** When a message left that acts, if one did. */
  sent(): Pick<HeldJob, "sentAt">;
}

/** Notes what a call has sent. For an idempotent wallet a crash may lose the note; `lasting` commits it first. */
function newSending(runner: JobRunner, held: HeldJob): Sending {
  let sentAt: Date | undefined;
  return {
    async before({ lasting }) {
      if (lasting) {
        const written = await runner.database.transaction([held.clientId], (tx) => updateJobSent(tx, held));
        if (written.outcome !== "committed") throw written.cause;
        if (!written.value) throw new Error("Nothing was sent: somebody else has taken the job over.");
        runner.at("after-sent-commit");
      }
      sentAt = businessNow(runner, held);
    },
    sent: () => (sentAt ? { sentAt } : {}),
  };
}

/** Fencing: a process that lost the lease changes nothing. */
async function underEpoch(
  { database }: JobRunner,
  held: HeldJob,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  const settled = await database.transaction([held.clientId], async (tx) => {
    if (await lockHeldJob(tx, held)) await work(tx);
  });
  if (settled.outcome !== "committed") throw settled.cause;
}

function businessNow({ clock }: JobRunner, { aheadMs }: HeldJob): Date {
  return new Date(clock.now().getTime() + aheadMs);
}
