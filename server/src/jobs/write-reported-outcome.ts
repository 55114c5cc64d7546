import type { JobKey, JobRunner } from "../contract/job.ts";
import type { Tx } from "../postgres/sql.ts";
import { deleteJob, insertLeasedJob, updateJobDue } from "./job.sql.ts";

/**
 * `writeReportedOutcome` writes an outcome that a callback reported, as if the job's own call had returned it. It takes
 * over the job's lease, so that the response of a call in progress, which is older, changes nothing.
 */
export async function writeReportedOutcome(
  tx: Tx,
  { jobs, clock }: Pick<JobRunner, "jobs" | "clock">,
  key: JobKey & { readonly aheadMs: number },
  outcome: unknown,
): Promise<void> {
  const job = jobs.get(key.job);
  if (!job) throw new Error(`Unknown job ${key.job}.`);
  // Lock order: the record before its job, as when a job writes its own outcome.
  const unleased = { ...key, epoch: 0, attempts: 0 };
  const record = await job.read(tx, unleased);
  const current = record && job.lock ? await job.lock(tx, unleased, record) : record;
  if (!current) return;
  const leased = await insertLeasedJob(tx, key);
  const calledAt = new Date(clock.now().getTime() + key.aheadMs);
  const next = await job.write(tx, current, outcome, { ...leased, calledAt });
  if (next.next === "done") deleteJob(tx, leased);
  else updateJobDue(tx, leased, { ...next, attempts: 0 });
}
