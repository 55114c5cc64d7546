import type { ClientKey } from "../core/client-key.ts";
import { sql, type Tx } from "../postgres/sql.ts";

/** A job as the operator sees it: what is to be done, for which record, and when. */
export interface WaitingJob {
  readonly job: string;
  readonly subjectId: string;
  readonly clientId: string;
  readonly connector: string | undefined;
  /** Undefined when it is parked, and waits for others of its lane. */
  readonly dueAt: Date | undefined;
  /** A process is at it: `dueAt` is when its lease runs out. */
  readonly isLeased: boolean;
  /** An operator holds it: nobody does it until it is released. */
  readonly isHeld: boolean;
  readonly attempts: number;
  readonly since: Date;
  /** The result code of the wallet's last answer, if it was kept. */
  readonly lastWord: string | undefined;
}

/** Which jobs are asked for; all of them when nothing is given. */
export interface JobFilter {
  readonly clientId?: string | undefined;
  readonly subjectId?: string | undefined;
  readonly connector?: string | undefined;
  readonly job?: string | undefined;
  /** Only those that should have been done a minute ago. */
  readonly isOverdue?: boolean;
}

/** Jobs of all merchants, by due time. For the operator, whose transaction may see them. */
export async function listWaitingJobs(
  tx: Tx,
  { clientId, subjectId, connector, job, isOverdue = false }: JobFilter,
  limit: number,
): Promise<readonly WaitingJob[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<WaitingRow>(sql`
    select job, subject_id, client_id, connector, nullif(due_at, 'infinity') as due_at, attempts, created_at, last_word,
      not follows_merchant_clock and due_at > clock_timestamp() and due_at < 'infinity' as is_leased,
      due_at = 'infinity' and lane is null as is_held
    from jobs
    where (${clientId}::text is null or client_id = ${clientId})
      and (${subjectId}::text is null or subject_id = ${subjectId})
      and (${connector}::text is null or connector = ${connector}) and (${job}::text is null or job = ${job})
      and (not ${isOverdue} or due_at < clock_timestamp() - interval '1 minute')
    order by jobs.due_at limit ${limit}
  `);
  return rows.map((row) => ({
    job: row.job,
    subjectId: row.subject_id,
    clientId: row.client_id,
    connector: row.connector ?? undefined,
    dueAt: row.due_at ?? undefined,
    isLeased: row.is_leased,
    isHeld: row.is_held,
    attempts: row.attempts,
    since: row.created_at,
    lastWord: row.last_word ?? undefined,
  }));
}

interface WaitingRow {
  readonly job: string;
  readonly subject_id: string;
  readonly client_id: string;
  readonly connector: string | null;
  readonly due_at: Date | null;
  readonly attempts: number;
  readonly created_at: Date;
  readonly last_word: string | null;
  readonly is_leased: boolean;
  readonly is_held: boolean;
}

/** The record whose jobs are meant. */
interface JobsOf extends ClientKey {
  readonly subjectId: string;
}

/**
 * Makes the jobs of a record due now, and names them. A job that somebody holds the lease of is left alone, because a second
 * process would send beside the first; so is one that is parked, whose endpoint is busy or paused.
 */
export async function updateJobsDueNow(
  tx: Tx,
  { bucket, clientId, subjectId }: JobsOf,
): Promise<readonly string[]> {
  const rows = await tx.query<{ job: string }>(sql`
    update jobs set due_at = clock_timestamp()
    where bucket = ${bucket} and subject_id = ${subjectId} and client_id = ${clientId}
      and follows_merchant_clock and due_at > clock_timestamp() and due_at < 'infinity'
    returning job
  `);
  return rows.map(({ job }) => job);
}

/**
 * Puts the jobs of a record aside until they are released, and names them. Held is what has no time and no lane: workers wake parked
 * jobs lane by lane, so none of them meets it. A lease is left alone; so is what waits in a lane, which can be paused instead.
 */
export async function updateJobsHeld(
  tx: Tx,
  { bucket, clientId, subjectId }: JobsOf,
): Promise<readonly string[]> {
  const rows = await tx.query<{ job: string }>(sql`
    update jobs set due_at = 'infinity'
    where bucket = ${bucket} and subject_id = ${subjectId} and client_id = ${clientId}
      and follows_merchant_clock and lane is null and job <> 'deliver-notification' and due_at < 'infinity'
    returning job
  `);
  return rows.map(({ job }) => job);
}

/** Makes what was held due now, and names it. */
export async function updateJobsReleased(
  tx: Tx,
  { bucket, clientId, subjectId }: JobsOf,
): Promise<readonly string[]> {
  const rows = await tx.query<{ job: string }>(sql`
    update jobs set due_at = clock_timestamp()
    where bucket = ${bucket} and subject_id = ${subjectId} and client_id = ${clientId}
      and due_at = 'infinity' and lane is null
    returning job
  `);
  return rows.map(({ job }) => job);
}
