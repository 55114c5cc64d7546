import { bucketOf } from "../core/bucket.ts";
import {
  listWaitingJobs,
  updateJobsDueNow,
  updateJobsHeld,
  updateJobsReleased,
  type JobFilter,
  type WaitingJob,
} from "../jobs/waiting-job.sql.ts";
import { actionOfJob } from "../open-records/open-record.ts";
import { systemScope } from "../postgres/database.ts";
import { actAsOwner, asOwner, type Operator } from "./as-owner.ts";
import { Impossible } from "./command.ts";
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
  const { found, clientId } = await planned(operator, subjectId);
  return actAsOwner(operator, [clientId], async (tx) => {
    const dueNow = await updateJobsDueNow(tx, { bucket: bucketOf(clientId), clientId, subjectId });
    const value = found.map((each) => ({ ...each, isDueNow: dueNow.includes(each.job) }));
    const audit = { act: "job retry", subject: subjectId, clientId, after: { dueNow } };
    return { value, audit };
  });
}

/** A job that was to be held or released, and whether it is. */
export interface HeldJob extends WaitingJob {
  readonly isDone: boolean;
}

/** Puts the jobs of a record aside: the gateway does nothing about it by itself, until they are released. */
export async function holdJobs(operator: Operator, subjectId: string): Promise<readonly HeldJob[]> {
  return putAside(operator, subjectId, "job hold", updateJobsHeld);
}

/** Has held jobs done now. */
export async function releaseJobs(operator: Operator, subjectId: string): Promise<readonly HeldJob[]> {
  return putAside(operator, subjectId, "job release", updateJobsReleased);
}

async function putAside(
  operator: Operator,
  subjectId: string,
  act: "job hold" | "job release",
  update: typeof updateJobsHeld,
): Promise<readonly HeldJob[]> {
  const { found, clientId } = await planned(operator, subjectId);
  return actAsOwner(operator, [clientId], async (tx) => {
    const jobs = await update(tx, { bucket: bucketOf(clientId), clientId, subjectId });
    const value = found.map((each) => ({ ...each, isDone: jobs.includes(each.job) }));
    if (jobs.length === 0) throw new Impossible(whyNothing(value, act));
    return { value, audit: { act, subject: subjectId, clientId, after: { jobs } } };
  });
}

/** What is planned for a record, and whose record it is. */
async function planned(
  operator: Operator,
  subjectId: string,
): Promise<{ readonly found: readonly WaitingJob[]; readonly clientId: string }> {
  const found = await findJobs(operator, { subjectId }, jobsMax);
  const [first] = found;
  if (first) return { found, clientId: first.clientId };
  throw new Impossible(
    `No job is planned for ${subjectId}. \`tollgate payment show ${subjectId}\` says how it is.`,
  );
}

function whyNothing(jobs: readonly WaitingJob[], act: "job hold" | "job release"): string {
  if (act === "job release") return "Nothing of it is held.";
  if (jobs.every(({ isHeld }) => isHeld)) return "It is held already.";
  if (jobs.some(({ isLeased }) => isLeased)) return "Somebody is at it just now. Try again in a few seconds.";
  return "A delivery waits for its endpoint, and is paused with it: `tollgate/changeEndpoints`.";
}

export function jobTable(jobs: readonly WaitingJob[], limit: number): string {
  if (jobs.length === 0) return "There are none.";
  const head = ["job", "for", "client", "due", "attempts", "wallet", "last word"];
  const rows = jobs.map((each) => [
    each.job,
    each.subjectId,
    each.clientId,
    each.isLeased ? "being done" : shownTime(each.dueAt, each.isHeld ? "held" : "parked"),
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

export function heldText(jobs: readonly HeldJob[], done: string): string {
  return jobs.map((each) => `${each.job}: ${each.isDone ? done : "left as it is."}`).join("\n");
}

function outcomeOf({ isDueNow, isLeased, isHeld, dueAt }: RetriedJob): string {
  if (isDueNow) return "due now; a worker takes it within a second.";
  if (isLeased) return `left alone, somebody is at it until ${shownTime(dueAt)} at the latest.`;
  if (isHeld) return "left alone, an operator holds it: `tollgate job release`.";
  if (!dueAt) return "left alone, it is parked until its endpoint is free; `notification list` says why.";
  return "due already; if it stays so, look whether `work` runs.";
}
