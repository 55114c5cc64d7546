import { bucketOf } from "../../core/bucket.ts";
import {
  listWaitingJobs,
  updateJobsDueNow,
  updateJobsHeld,
  updateJobsReleased,
  type JobFilter,
  type WaitingJob,
} from "../../jobs/waiting-job.sql.ts";
import { describeJob } from "../../open-records/open-record.ts";
import { systemScope } from "../../postgres/database.ts";
import { actAsOwner, queryAsOwner, type Operator } from "../../operator-session/owner-session.ts";
import { CommandFailed } from "../../core/command-errors.ts";
import { formatUtcTime, formatTextTable } from "../../formats/text-table.ts";

export async function findJobs(
  { url, environment }: Operator,
  filter: JobFilter,
  limit: number,
): Promise<readonly WaitingJob[]> {
  return queryAsOwner(url, environment, systemScope, (tx) => listWaitingJobs(tx, filter, limit));
}

/** A job that should run at once, and the outcome. */
export interface RetriedJob extends WaitingJob {
  readonly isDueNow: boolean;
}

/** Maximum number of jobs to list, which is more than one record can have. */
const jobsMax = 100;

/** `retryJobs` makes the jobs of a record due now. */
export async function retryJobs(operator: Operator, subjectId: string): Promise<readonly RetriedJob[]> {
  const { found, clientId } = await findRecordJobs(operator, subjectId);
  return actAsOwner(operator, [clientId], async (tx) => {
    const dueNow = await updateJobsDueNow(tx, { bucket: bucketOf(clientId), clientId, subjectId });
    const value = found.map((each) => ({ ...each, isDueNow: dueNow.includes(each.job) }));
    const audit = { act: "job retry", subject: subjectId, clientId, after: { dueNow } };
    return { value, audit };
  });
}

/** A job that should be held or released, and whether it is. */
export interface HeldJob extends WaitingJob {
  readonly isDone: boolean;
}

/** `holdJobs` holds the jobs of a record. The gateway does not act on the record until an operator releases them. */
export async function holdJobs(operator: Operator, subjectId: string): Promise<readonly HeldJob[]> {
  return updateJobs(operator, subjectId, "job hold", updateJobsHeld);
}

/** `releaseJobs` releases held jobs and makes them due now. */
export async function releaseJobs(operator: Operator, subjectId: string): Promise<readonly HeldJob[]> {
  return updateJobs(operator, subjectId, "job release", updateJobsReleased);
}

async function updateJobs(
  operator: Operator,
  subjectId: string,
  act: "job hold" | "job release",
  update: typeof updateJobsHeld,
): Promise<readonly HeldJob[]> {
  const { found, clientId } = await findRecordJobs(operator, subjectId);
  return actAsOwner(operator, [clientId], async (tx) => {
    const jobs = await update(tx, { bucket: bucketOf(clientId), clientId, subjectId });
    const value = found.map((each) => ({ ...each, isDone: jobs.includes(each.job) }));
    if (jobs.length === 0) throw new CommandFailed(noJobReason(value, act));
    return { value, audit: { act, subject: subjectId, clientId, after: { jobs } } };
  });
}

/** Returns the jobs of a record and the record's merchant. */
async function findRecordJobs(
  operator: Operator,
  subjectId: string,
): Promise<{ readonly found: readonly WaitingJob[]; readonly clientId: string }> {
  const found = await findJobs(operator, { subjectId }, jobsMax);
  const [first] = found;
  if (first) return { found, clientId: first.clientId };
  throw new CommandFailed(
    `There is no job for ${subjectId}. See its status with \`tollgate payment show ${subjectId}\`.`,
  );
}

function noJobReason(jobs: readonly WaitingJob[], act: "job hold" | "job release"): string {
  if (act === "job release") return "None of its jobs is on hold.";
  if (jobs.every(({ isHeld }) => isHeld)) return "It is already on hold.";
  if (jobs.some(({ isLeased }) => isLeased))
    return "A worker is running the job. Try again in a few seconds.";
  return "A webhook delivery waits for its endpoint. Pause it with the endpoint, by `tollgate/changeEndpoints`.";
}

export function jobTable(jobs: readonly WaitingJob[], limit: number): string {
  if (jobs.length === 0) return "No jobs found.";
  const head = ["job", "for", "client", "due", "attempts", "provider", "last result"];
  const rows = jobs.map((each) => [
    each.job,
    each.subjectId,
    each.clientId,
    each.isLeased ? "running" : formatUtcTime(each.dueAt, each.isHeld ? "held" : "parked"),
    String(each.attempts),
    each.connector ?? "",
    each.lastWord ?? "",
  ]);
  const hint = jobs.length === limit ? [`There may be more than ${limit} rows. Use --limit.`] : [];
  return [formatTextTable([head, ...rows]), ...hint].join("\n");
}

export function retryText(jobs: readonly RetriedJob[]): string {
  return jobs.map((each) => `${each.job}: ${retryOutcomeText(each)} ${describeJob(each.job)}`).join("\n");
}

export function jobHoldText(jobs: readonly HeldJob[], doneText: string): string {
  return jobs.map((each) => `${each.job}: ${each.isDone ? doneText : "unchanged."}`).join("\n");
}

function retryOutcomeText({ isDueNow, isLeased, isHeld, dueAt }: RetriedJob): string {
  if (isDueNow) return "due now; a worker leases it within a second.";
  if (isLeased) return `skipped: a worker holds its lease until ${formatUtcTime(dueAt)} at the latest.`;
  if (isHeld) return "skipped: it is on hold. Release it with `tollgate job release`.";
  if (!dueAt) return "skipped: it is parked until its endpoint has a free slot. See `notification list`.";
  return "already due. If it stays due, check that `work` runs.";
}
