import { sql, type Tx } from "../postgres/sql.ts";
import type { HeldJob, JobKey } from "./job.ts";

/** How long a process may be silent before another takes its job over; on the database's clock. */
export const leaseSeconds = 15;

/** Gives the job to this process at once, whoever had it before: the epoch says so. */
export async function insertHeldJob(tx: Tx, key: JobKey): Promise<HeldJob> {
  const [row] = await tx.query<{ epoch: number }>(sql`
    insert into jobs (bucket, subject_id, job, client_id, due_at)
    values (${key.bucket}, ${key.subjectId}, ${key.job}, ${key.clientId},
      clock_timestamp() + make_interval(secs => ${leaseSeconds}))
    on conflict (bucket, subject_id, job) do update
      set due_at = excluded.due_at, epoch = jobs.epoch + 1, attempts = 0
    returning epoch
  `);
  return { ...key, epoch: row?.epoch ?? 1, attempts: 0 };
}

/** For whoever comes first. */
export function insertDueJob(tx: Tx, key: JobKey, dueAt: Date): void {
  tx.write(sql`
    insert into jobs (bucket, subject_id, job, client_id, due_at)
    values (${key.bucket}, ${key.subjectId}, ${key.job}, ${key.clientId}, ${dueAt})
    on conflict (bucket, subject_id, job) do nothing
  `);
}

/** Takes the leases of up to `limit` jobs that are due, in one statement. Busy rows are passed over. */
export async function claimDueJobs(
  tx: Tx,
  names: readonly string[],
  limit: number,
): Promise<readonly HeldJob[]> {
  const rows = await tx.query<JobRow>(sql`
    with due as (
      select bucket, subject_id, job from jobs
      where due_at <= clock_timestamp() and job = any(${names}::text[])
      order by due_at limit ${limit}
      for update skip locked
    )
    update jobs
    set due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds}), epoch = epoch + 1
    from due
    where jobs.bucket = due.bucket and jobs.subject_id = due.subject_id and jobs.job = due.job
    returning jobs.bucket, jobs.subject_id, jobs.job, jobs.client_id, jobs.epoch, jobs.attempts
  `);
  return rows.map((row) => ({
    bucket: row.bucket,
    clientId: row.client_id,
    subjectId: row.subject_id,
    job: row.job,
    epoch: row.epoch,
    attempts: row.attempts,
  }));
}

/** Holds the job until the transaction ends; false when somebody else has taken it over. */
export async function lockHeldJob(tx: Tx, held: HeldJob): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as held from jobs
    where bucket = ${held.bucket} and subject_id = ${held.subjectId} and job = ${held.job}
      and client_id = ${held.clientId} and epoch = ${held.epoch}
    for update
  `);
  return rows.length === 1;
}

export function deleteJob(tx: Tx, key: JobKey): void {
  tx.write(sql`
    delete from jobs
    where bucket = ${key.bucket} and subject_id = ${key.subjectId} and job = ${key.job} and client_id = ${key.clientId}
  `);
}

export function updateJobDue(tx: Tx, held: HeldJob, dueAt: Date, attempts: number): void {
  tx.write(sql`
    update jobs set due_at = ${dueAt}, attempts = ${attempts}
    where bucket = ${held.bucket} and subject_id = ${held.subjectId} and job = ${held.job}
      and client_id = ${held.clientId} and epoch = ${held.epoch}
  `);
}

interface JobRow {
  readonly bucket: number;
  readonly subject_id: string;
  readonly job: string;
  readonly client_id: string;
  readonly epoch: number;
  readonly attempts: number;
}
