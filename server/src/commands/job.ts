import { bucketOf } from "../core/bucket.ts";
import {
  listWaitingJobs,
  updateJobsDueNow,
  type JobFilter,
  type WaitingJob,
} from "../jobs/waiting-job.sql.ts";
import { actionOfJob } from "../open-records/open-record.ts";
import { systemScope } from "../postgres/database.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { shownTime } from "./show.ts";
import { align } from "./table.ts";

export async function findJobs(
  { url, environment }: Operator,
  filter: JobFilter,
  limit: number,
): Promise<readonly WaitingJob[]> {
  return asOwner(url, environment, systemScope, (tx) => listWaitingJobs(tx, filter, limit));
}

/** A job that was to be done at once, and what came of that. */
export interface RetriedJob extends WaitingJob {
  readonly isDueNow: boolean;
}

/** More jobs than one record can have. */
const jobsMax = 100;

/** Has the jobs of a record done now, and not only when they are due. */
export async function retryJobs(operator: Operator, subjectId: string): Promise<readonly RetriedJob[]> {
  const found = await findJobs(operator, { subjectId }, jobsMax);
  const [first] = found;
  if (!first)
    throw new Error(
      `No job is planned for ${subjectId}. \`tollgate payment show ${subjectId}\` says how it is.`,
    );
  const { clientId } = first;
  return actAsOwner(operator, [clientId], async (tx) => {
    const dueNow = await updateJobsDueNow(tx, { bucket: bucketOf(clientId), clientId, subjectId });
    const value = found.map((each) => ({ ...each, isDueNow: dueNow.includes(each.job) }));
    const audit = { act: "job retry", subject: subjectId, clientId, after: { dueNow } };
    return { value, audit };
  });
}

export function jobTable(jobs: readonly WaitingJob[], limit: number): string {
  if (jobs.length === 0) return "There are none.";
  const head = ["job", "for", "client", "due", "attempts", "wallet", "last word"];
  const rows = jobs.map((each) => [
    each.job,
    each.subjectId,
    each.clientId,
    each.isLeased ? "being done" : shownTime(each.dueAt, "parked"),
    String(each.attempts),
    each.connector ?? "",
    each.lastWord ?? "",
  ]);
  const more = jobs.length === limit ? [`There may be more than ${limit}: --limit.`] : [];
  return [align([head, ...rows]), ...more].join("\n");
}

export function retriedText(jobs: readonly RetriedJob[]): string {
  return jobs.map((each) => `${each.job}: ${outcomeOf(each)} ${actionOfJob(each.job)}`).join("\n");
}

function outcomeOf({ isDueNow, isLeased, dueAt }: RetriedJob): string {
  if (isDueNow) return "due now; a worker takes it within a second.";
  if (isLeased) return `left alone, somebody is at it until ${shownTime(dueAt)} at the latest.`;
  if (!dueAt) return "left alone, it is parked until its endpoint is free; `notification list` says why.";
  return "due already; if it stays so, look whether `work` runs.";
}
