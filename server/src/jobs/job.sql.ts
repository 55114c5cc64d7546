import type { JobName } from "../core/job-name.ts";
import { sortForLocking } from "../postgres/lock-order.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { SendState } from "../providers/provider-message.ts";
import type { LeasedJob, JobKey } from "../contract/job.ts";

/**
 * Duration of a lease in seconds, by the database's clock. After the lease expires, another process can take over the
 * job.
 */
export const leaseSeconds = 15;

/**
 * `insertLeasedJob` inserts a job, or takes over an existing one, with a lease of this process. The higher epoch fences
 * off a previous holder.
 */
export async function insertLeasedJob(tx: Tx, key: JobKey, firstEpoch = 1): Promise<LeasedJob> {
  const [row] = await tx.query<Pick<JobRow, "epoch" | "ahead_ms"> & SentRow>(sql`
    insert into jobs (bucket, subject_id, job, client_id, due_at, epoch, sent_at)
    values (${key.bucket}, ${key.subjectId}, ${key.job}, ${key.clientId},
      clock_timestamp() + make_interval(secs => ${leaseSeconds}), ${firstEpoch}, null)
    on conflict (bucket, subject_id, job) do update
      set due_at = excluded.due_at, follows_merchant_clock = false, epoch = jobs.epoch + 1, attempts = 0,
        abandoned_at = case when jobs.follows_merchant_clock then jobs.abandoned_at else clock_timestamp() end
    returning epoch, ${aheadColumn}, ${sentColumns}
  `);
  const aheadMs = Number(row?.ahead_ms ?? 0);
  return { ...key, epoch: row?.epoch ?? firstEpoch, attempts: 0, aheadMs, ...(row && toSent(row, aheadMs)) };
}

/**
 * `joinOrLeaseJob` takes the lease of a job for a repeated request if the lease is free, or returns the job to wait
 * for. Taking over a held lease would discard the response in flight.
 */
export async function joinOrLeaseJob(
  tx: Tx,
  key: JobKey,
): Promise<{ readonly leasedJob: LeasedJob } | { readonly awaitedJob: JobKey }> {
  // The row lock keeps workers away from the job, because they claim with `skip locked`.
  const [row] = await tx.query<{ leased: boolean }>(sql`
    select not follows_merchant_clock and due_at > clock_timestamp() as leased from jobs
    where bucket = ${key.bucket} and subject_id = ${key.subjectId} and job = ${key.job} and client_id = ${key.clientId}
    for update
  `);
  return row?.leased ? { awaitedJob: key } : { leasedJob: await insertLeasedJob(tx, key) };
}

/** `isJobLeased` returns whether any process holds a valid lease. */
export async function isJobLeased(tx: Tx, { bucket, clientId, subjectId, job }: JobKey): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as leased from jobs
    where bucket = ${bucket} and subject_id = ${subjectId} and job = ${job} and client_id = ${clientId}
      and not follows_merchant_clock and due_at > clock_timestamp()
  `);
  return rows.length === 1;
}

/** `insertDueJob` queues a job for any worker, due at a time on the merchant's clock. It is idempotent. */
export function insertDueJob(tx: Tx, key: JobKey, dueAt: Date, aheadMs: number): void {
  tx.write(sql`
    insert into jobs (bucket, subject_id, job, client_id, queue, due_at, follows_merchant_clock, sent_at)
    values (${key.bucket}, ${key.subjectId}, ${key.job}, ${key.clientId}, ${key.queue},
      ${databaseTime(dueAt, aheadMs)}, true, null)
    on conflict (bucket, subject_id, job) do nothing
  `);
}

/**
 * `insertUrgentJob` makes a job due now: it inserts the job, or moves an existing one forward with the first backoff. A
 * job that a process runs at the moment keeps its lease, and is due again when the run ends (lost update: the provider
 * may have answered before the change). A job that an operator holds stays held. `lastResult` replaces the provider's
 * last result, if it is given.
 */
export function insertUrgentJob(tx: Tx, key: JobKey, lastResult?: string): void {
  tx.write(sql`
    insert into jobs (bucket, subject_id, job, client_id, due_at, follows_merchant_clock, sent_at, last_word)
    values (${key.bucket}, ${key.subjectId}, ${key.job}, ${key.clientId}, clock_timestamp(), true, null, ${lastResult})
    on conflict (bucket, subject_id, job) do update set attempts = 0,
      last_word = coalesce(excluded.last_word, jobs.last_word),
      due_at = case when jobs.follows_merchant_clock and jobs.due_at < 'infinity'
        then least(jobs.due_at, excluded.due_at) else jobs.due_at end,
      rerun_at = case when jobs.follows_merchant_clock then null else excluded.due_at end
  `);
}

/** A poll for due jobs. */
export interface DuePoll {
  readonly names: readonly JobName[];
  readonly limit: number;
  /** Low-water mark: the poll skips jobs that were due before this time; undefined for a full poll. */
  readonly from?: Date | undefined;
}

/** Free slots of a connector: how many more of its jobs can run now. */
export interface ConnectorCapacity {
  readonly connector: string;
  readonly freeSlots: number;
  /** Whether the provider does not respond, so that no slot becomes free for an unknown time. */
  readonly isSilent: boolean;
}

/**
 * `claimDueJobs` leases up to `limit` due jobs without a connector, in one statement. Locked rows are skipped. It uses
 * `statement_timestamp()`, because `clock_timestamp()` is volatile and cannot bound an index scan.
 */
export async function claimDueJobs(
  tx: Tx,
  { names, limit, from = beginningOfTime }: DuePoll,
): Promise<readonly LeasedJob[]> {
  const rows = await tx.query<JobRow>(sql`
    with due as (
      select bucket, subject_id, job from jobs
      where connector is null and due_at >= ${from} and due_at <= statement_timestamp()
        and job = any(${names}::text[])
      order by due_at limit ${limit}
      for update skip locked
    )
    update jobs set due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds}), ${leaseAssignments}
    returning ${columns}, ${aheadColumn}, ${sentColumns}
  `);
  return rows.map(toLeasedJob);
}

/**
 * `claimDueProviderJobs` leases due jobs that need a connector: round-robin, and from each connector at most as many as
 * it has free slots, so that a silent or busy provider does not starve the others. It leaves jobs of a removed
 * connector; the operator sees these jobs as stuck.
 */
export async function claimDueProviderJobs(
  tx: Tx,
  { names, limit, from = beginningOfTime }: DuePoll,
  capacities: readonly ConnectorCapacity[],
): Promise<readonly LeasedJob[]> {
  const rows = await tx.query<JobRow>(sql`
    with named as (
      select found.bucket, found.subject_id, found.job, found.due_at, connectors.name as source
      from connectors
      left join unnest(${capacities.map(({ connector }) => connector)}::text[], ${capacities.map(({ freeSlots }) => freeSlots)}::int[])
        as rooms (connector, room) on rooms.connector = connectors.name
      cross join lateral (
        select bucket, subject_id, job, due_at from jobs
        where jobs.connector = connectors.name and due_at >= ${from} and due_at <= statement_timestamp()
          and job = any(${names}::text[])
        order by due_at limit least(${limit}::int, coalesce(rooms.room, ${limit}::int))
        for update skip locked
      ) as found
    ), unnamed as (
      select bucket, subject_id, job, due_at, '' as source from jobs
      where connector is null and due_at >= ${from} and due_at <= statement_timestamp()
        and job = any(${names}::text[])
      order by due_at limit ${limit}
      for update skip locked
    ), due as (
      select bucket, subject_id, job from (table named union all table unnamed) as found
      order by row_number() over (partition by source order by due_at), due_at limit ${limit}
    )
    update jobs set due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds}), ${leaseAssignments}
    returning ${columns}, ${aheadColumn}, ${sentColumns}
  `);
  return rows.map(toLeasedJob);
}

const beginningOfTime = new Date(0);

/**
 * `parkJobs` parks due jobs that wait for a free slot of their delivery queue. Fencing: it does not park a job whose
 * lease was lost.
 */
export function parkJobs(tx: Tx, leased: readonly LeasedJob[]): void {
  const jobs = sortForLocking(leased, ({ bucket, subjectId, job }) => [bucket, subjectId, job]);
  tx.write(sql`
    update jobs set due_at = 'infinity', follows_merchant_clock = true, parked_at = clock_timestamp(),
      queue = coalesce(jobs.queue, jobs.client_id)
    from unnest(${jobs.map(({ bucket }) => bucket)}::smallint[], ${jobs.map(({ subjectId }) => subjectId)}::text[],
      ${jobs.map(({ job }) => job)}::text[], ${jobs.map(({ epoch }) => epoch)}::int[])
      as given (bucket, subject_id, job, epoch)
    where jobs.bucket = given.bucket and jobs.subject_id = given.subject_id and jobs.job = given.job
      and jobs.epoch = given.epoch
  `);
}

/** `claimParkedJobs` leases up to `limit` parked jobs of a delivery queue, the oldest first. */
export async function claimParkedJobs(tx: Tx, queue: string, limit: number): Promise<readonly LeasedJob[]> {
  const rows = await tx.query<JobRow>(sql`
    with due as (
      select bucket, subject_id, job from jobs
      where queue = ${queue} and due_at = 'infinity'
      order by created_at limit ${limit}
      for update skip locked
    )
    update jobs set due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds}), ${leaseAssignments}
    returning ${columns}, ${aheadColumn}, ${sentColumns}
  `);
  return rows.map(toLeasedJob);
}

/** Batch size of a poll for delivery queues with parked jobs. */
export const parkedQueuesMax = 1_000;

export interface ParkedQueue {
  readonly queue: string;
  /** Whether the merchant has paused the delivery queue. */
  readonly isPaused: boolean;
}

/**
 * `listParkedQueues` lists the delivery queues with parked jobs, starting after `after`. The query is a loose index
 * scan (skip scan) over the queues, so its cost does not depend on the number of jobs in a queue.
 */
export async function listParkedQueues(tx: Tx, after: string): Promise<readonly ParkedQueue[]> {
  const rows = await tx.query<{ queue: string; is_paused: boolean }>(sql`
    with recursive queues as (
      (select queue, 1 as step from jobs where due_at = 'infinity' and queue > ${after} order by queue limit 1)
      union all
      select (select jobs.queue from jobs where due_at = 'infinity' and jobs.queue > queues.queue order by jobs.queue limit 1),
        step + 1
      from queues where queues.queue is not null and step < ${parkedQueuesMax}
    )
    select queue, exists (select from paused_queues where paused_queues.queue = queues.queue) as is_paused
    from queues where queue is not null order by step
  `);
  return rows.map(({ queue, is_paused }) => ({ queue, isPaused: is_paused }));
}

/**
 * `listMissingConnectors` lists removed connectors that due jobs need, by a loose index scan (skip scan) over the
 * connectors.
 */
export async function listMissingConnectors(tx: Tx): Promise<readonly string[]> {
  const rows = await tx.query<{ connector: string }>(sql`
    with recursive needed as (
      (select connector from jobs where connector is not null order by connector limit 1)
      union all
      select (select jobs.connector from jobs where jobs.connector > needed.connector order by jobs.connector limit 1)
      from needed where needed.connector is not null
    )
    select connector from needed
    where connector is not null
      and not exists (select from connectors where connectors.name = needed.connector)
      and exists (select from jobs where jobs.connector = needed.connector and due_at <= statement_timestamp())
  `);
  return rows.map(({ connector }) => connector);
}

/**
 * `lockLeasedJob` locks the row of a job until the transaction ends. Fencing: it returns undefined if another process
 * has taken over the job.
 */
export async function lockLeasedJob(
  tx: Tx,
  leased: LeasedJob,
): Promise<{ readonly mustRunAgain: boolean } | undefined> {
  const [row] = await tx.query<{ must_run_again: boolean }>(sql`
    select rerun_at is not null as must_run_again from jobs
    where bucket = ${leased.bucket} and subject_id = ${leased.subjectId} and job = ${leased.job}
      and client_id = ${leased.clientId} and epoch = ${leased.epoch}
    for update
  `);
  return row && { mustRunAgain: row.must_run_again };
}

/**
 * `isJobWrittenSince` returns whether any process has written the job's outcome since this lease: its row was deleted,
 * or a later holder rescheduled it with progress. A holder that fails leaves its lease, or counts an attempt.
 */
export async function isJobWrittenSince(tx: Tx, leased: LeasedJob): Promise<boolean> {
  const waiting = await tx.query(sql`
    select 1 as waiting from jobs
    where bucket = ${leased.bucket} and subject_id = ${leased.subjectId} and job = ${leased.job}
      and client_id = ${leased.clientId}
      and (epoch = ${leased.epoch} or attempts > 0 or not follows_merchant_clock or due_at = 'infinity')
  `);
  return waiting.length === 0;
}

export function deleteJob(tx: Tx, key: JobKey): void {
  tx.write(sql`
    delete from jobs
    where bucket = ${key.bucket} and subject_id = ${key.subjectId} and job = ${key.job} and client_id = ${key.clientId}
  `);
}

/** The next due time of a job, on the merchant's clock, with the other new values of its row. */
export interface JobSchedule extends Pick<SendState, "sentAt"> {
  readonly at: Date;
  readonly attempts: number;
  readonly lastResult?: string | undefined;
  /** The connector that the job needs, if it is known. */
  readonly connector?: string | undefined;
}

/** `updateJobDue` ends a run of a job: the job is due at its next time, or now if a callback came during the run. */
export function updateJobDue(tx: Tx, leased: LeasedJob, schedule: JobSchedule): void {
  const { at, attempts, sentAt, lastResult, connector } = schedule;
  tx.write(sql`
    update jobs set follows_merchant_clock = true, rerun_at = null,
      due_at = case when rerun_at is null then ${databaseTime(at, leased.aheadMs)} else clock_timestamp() end,
      attempts = case when rerun_at is null then ${attempts} else 0 end,
      first_sent_at = case when ${sentAt && databaseTime(sentAt, leased.aheadMs)}::timestamptz is null
        then first_sent_at else coalesce(${firstSentColumn}, ${sentAt && databaseTime(sentAt, leased.aheadMs)}) end,
      sent_at = coalesce(${sentAt && databaseTime(sentAt, leased.aheadMs)}, sent_at),
      last_word = coalesce(${lastResult}, last_word), connector = coalesce(${connector}, connector)
    where bucket = ${leased.bucket} and subject_id = ${leased.subjectId} and job = ${leased.job}
      and client_id = ${leased.clientId} and epoch = ${leased.epoch}
  `);
}

/**
 * `updateJobSent` records before the send that a message may be in flight. Fencing: it returns false if another process
 * has taken over the job.
 */
export async function updateJobSent(tx: Tx, leased: LeasedJob): Promise<boolean> {
  const rows = await tx.query(sql`
    update jobs set first_sent_at = coalesce(${firstSentColumn}, clock_timestamp()), sent_at = clock_timestamp()
    where bucket = ${leased.bucket} and subject_id = ${leased.subjectId} and job = ${leased.job}
      and client_id = ${leased.clientId} and epoch = ${leased.epoch}
    returning 1 as written
  `);
  return rows.length === 1;
}

/**
 * `databaseTime` converts a time on the merchant's clock to the database's clock. Due times are stored in database
 * time, so an advance of the test clock moves them, too.
 */
export function databaseTime(at: Date, aheadMs: number): Date {
  return new Date(at.getTime() - aheadMs);
}

const aheadColumn = fragment`coalesce((
      select clocks.ahead_ms from clocks where clocks.bucket = jobs.bucket and clocks.client_id = jobs.client_id
    ), 0) as ahead_ms`;
const sentColumns = fragment`jobs.first_sent_at, jobs.sent_at, jobs.abandoned_at, jobs.last_word, jobs.created_at`;
/**
 * When a message was first sent; null if none was. The creation of the job is a lower bound if a process that lost its
 * lease, or a process of an earlier release, may have sent the first message.
 */
const firstSentColumn = fragment`coalesce(jobs.first_sent_at,
        case when jobs.sent_at is not null or jobs.abandoned_at is not null then jobs.created_at end)`;

/**
 * Leases the rows in `due`. The higher epoch fences off the previous lease holder. `follows_merchant_clock` is false
 * while `due_at` is the end of a lease. A job that is due while `follows_merchant_clock` is false was abandoned when
 * its lease expired.
 */
const leaseAssignments = fragment`follows_merchant_clock = false, epoch = epoch + 1, parked_at = null,
      abandoned_at = case when jobs.follows_merchant_clock or jobs.due_at = 'infinity' then jobs.abandoned_at
        else jobs.due_at end
    from due
    where jobs.bucket = due.bucket and jobs.subject_id = due.subject_id and jobs.job = due.job`;
const columns = fragment`jobs.bucket, jobs.subject_id, jobs.job, jobs.client_id, jobs.epoch, jobs.attempts, jobs.queue,
      jobs.connector`;

interface SentRow {
  readonly first_sent_at: Date | null;
  readonly created_at: Date;
  readonly sent_at: Date | null;
  readonly abandoned_at: Date | null;
  readonly last_word: string | null;
}

/** `toSent` converts the times to the merchant's clock, because they are compared with times on this clock. */
function toSent(row: SentRow, aheadMs: number): SendState {
  const { sent_at, abandoned_at, last_word } = row;
  const firstSentAt = row.first_sent_at ?? ((sent_at ?? abandoned_at) && row.created_at);
  return {
    ...(firstSentAt && { firstSentAt: new Date(firstSentAt.getTime() + aheadMs) }),
    ...(sent_at && { sentAt: new Date(sent_at.getTime() + aheadMs) }),
    ...(abandoned_at && { abandonedAt: new Date(abandoned_at.getTime() + aheadMs) }),
    ...(last_word !== null && { lastResult: last_word }),
  };
}

interface JobRow extends SentRow {
  readonly bucket: number;
  readonly subject_id: string;
  readonly job: JobName;
  readonly client_id: string;
  readonly epoch: number;
  readonly attempts: number;
  readonly queue: string | null;
  readonly connector: string | null;
  /** The number of milliseconds. The PostgreSQL driver returns a bigint as text. */
  readonly ahead_ms: string | number;
}

function toLeasedJob(row: JobRow): LeasedJob {
  return {
    bucket: row.bucket,
    clientId: row.client_id,
    subjectId: row.subject_id,
    job: row.job,
    epoch: row.epoch,
    attempts: row.attempts,
    aheadMs: Number(row.ahead_ms),
    ...toSent(row, Number(row.ahead_ms)),
    ...(row.queue !== null && { queue: row.queue }),
    ...(row.connector !== null && { connector: row.connector }),
  };
}
