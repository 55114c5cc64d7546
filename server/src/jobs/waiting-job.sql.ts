import type { ClientKey } from "../core/client-key.ts";
import { sql, type Tx } from "../postgres/sql.ts";

/** A job as the operator sees it. */
export interface WaitingJob {
  readonly job: string;
  readonly subjectId: string;
  readonly clientId: string;
  readonly connector: string | undefined;
  /** When the job is due; undefined for a parked job, which waits for a free slot of its delivery queue. */
  readonly dueAt: Date | undefined;
  /** Whether a process is running the job; `dueAt` is then the end of its lease. */
  readonly isLeased: boolean;
  /** Whether an operator holds the job: no worker runs it until an operator releases it. */
  readonly isHeld: boolean;
  readonly attempts: number;
  readonly since: Date;
  /** The result code of the provider's last response, if it was stored. */
  readonly lastWord: string | undefined;
}

/** Filter of jobs; without fields, all jobs. */
export interface JobFilter {
  readonly clientId?: string | undefined;
  readonly subjectId?: string | undefined;
  readonly connector?: string | undefined;
  readonly job?: string | undefined;
  /** Only jobs that have been due for more than a minute. */
  readonly isOverdue?: boolean;
}

/**
 * `listWaitingJobs` lists jobs of all merchants by due time. Only for the operator: `app.oversight` lets the
 * transaction read all merchants.
 */
export async function listWaitingJobs(
  tx: Tx,
  { clientId, subjectId, connector, job, isOverdue = false }: JobFilter,
  limit: number,
): Promise<readonly WaitingJob[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<WaitingRow>(sql`
    select job, subject_id, client_id, connector, nullif(due_at, 'infinity') as due_at, attempts, created_at, last_word,
      not follows_merchant_clock and due_at > clock_timestamp() and due_at < 'infinity' as is_leased,
      due_at = 'infinity' and queue is null as is_held
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

/** The record whose jobs are selected. */
interface RecordKey extends ClientKey {
  readonly subjectId: string;
}

/**
 * `updateJobsDueNow` makes the jobs of a record due now, and returns their names. A leased job is left unchanged,
 * because a second process would send the same message. A parked job is left unchanged, because its endpoint is busy or
 * paused.
 */
export async function updateJobsDueNow(
  tx: Tx,
  { bucket, clientId, subjectId }: RecordKey,
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
 * `updateJobsHeld` holds the jobs of a record until an operator releases them, and returns their names. A held job has
 * no due time and no delivery queue: workers claim parked jobs by queue, so they never claim it. Leased jobs and
 * webhook deliveries are left unchanged; a delivery queue can be paused instead.
 */
export async function updateJobsHeld(
  tx: Tx,
  { bucket, clientId, subjectId }: RecordKey,
): Promise<readonly string[]> {
  const rows = await tx.query<{ job: string }>(sql`
    update jobs set due_at = 'infinity'
    where bucket = ${bucket} and subject_id = ${subjectId} and client_id = ${clientId}
      and follows_merchant_clock and queue is null and job <> 'deliver-notification' and due_at < 'infinity'
    returning job
  `);
  return rows.map(({ job }) => job);
}

/** `updateJobsReleased` makes held jobs due now, and returns their names. */
export async function updateJobsReleased(
  tx: Tx,
  { bucket, clientId, subjectId }: RecordKey,
): Promise<readonly string[]> {
  const rows = await tx.query<{ job: string }>(sql`
    update jobs set due_at = clock_timestamp()
    where bucket = ${bucket} and subject_id = ${subjectId} and client_id = ${clientId}
      and due_at = 'infinity' and queue is null
    returning job
  `);
  return rows.map(({ job }) => job);
}
