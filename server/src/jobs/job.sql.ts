import type { JobName } from "../core/job-name.ts";
import { inOneOrder } from "../postgres/lock-order.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { Sent } from "../wallets/message.ts";
import type { LeasedJob, JobKey } from "./job.ts";

/** How long a lease holds before another process takes the job over; on the database's clock. */
export const leaseSeconds = 15;

/** Gives the lease to this process at once. The higher epoch fences off a previous holder. */
export async function insertLeasedJob(tx: Tx, key: JobKey, firstEpoch = 1): Promise<LeasedJob> {
  const [row] = await tx.query<Pick<JobRow, "epoch" | "ahead_ms"> & SentRow>(sql`
    insert into jobs (bucket, subject_id, job, client_id, due_at, epoch, sent_at)
    values (${key.bucket}, ${key.subjectId}, ${key.job}, ${key.clientId},
      clock_timestamp() + make_interval(secs => ${leaseSeconds}), ${firstEpoch}, null)
    on conflict (bucket, subject_id, job) do update
      set due_at = excluded.due_at, follows_merchant_clock = false, epoch = jobs.epoch + 1, attempts = 0,
        abandoned_at = case when jobs.follows_merchant_clock then jobs.abandoned_at else clock_timestamp() end
    returning epoch, ${ahead}, ${sent}
  `);
  const aheadMs = Number(row?.ahead_ms ?? 0);
  return { ...key, epoch: row?.epoch ?? firstEpoch, attempts: 0, aheadMs, ...(row && toSent(row, aheadMs)) };
}

/**
 * For a repeated request: takes the lease, if it is free, or names the job to wait for. Taking it over from its
 * holder would throw away the answer that is on its way.
 */
export async function joinJob(
  tx: Tx,
  key: JobKey,
): Promise<{ readonly leased: LeasedJob } | { readonly awaited: JobKey }> {
  // The row lock keeps workers off: they claim with `skip locked`.
  const [row] = await tx.query<{ leased: boolean }>(sql`
    select not follows_merchant_clock and due_at > clock_timestamp() as leased from jobs
    where bucket = ${key.bucket} and subject_id = ${key.subjectId} and job = ${key.job} and client_id = ${key.clientId}
    for update
  `);
  return row?.leased ? { awaited: key } : { leased: await insertLeasedJob(tx, key) };
}

/** Whether a lease holds, of this process or of another. */
export async function isJobLeased(tx: Tx, { bucket, clientId, subjectId, job }: JobKey): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as leased from jobs
    where bucket = ${bucket} and subject_id = ${subjectId} and job = ${job} and client_id = ${clientId}
      and not follows_merchant_clock and due_at > clock_timestamp()
  `);
  return rows.length === 1;
}

/** Queues the job for the first worker that comes, at a time on the merchant's clock. Idempotent. */
export function insertDueJob(tx: Tx, key: JobKey, dueAt: Date, aheadMs: number): void {
  tx.write(sql`
    insert into jobs (bucket, subject_id, job, client_id, lane, due_at, follows_merchant_clock, sent_at)
    values (${key.bucket}, ${key.subjectId}, ${key.job}, ${key.clientId}, ${key.lane},
      ${databaseTime(dueAt, aheadMs)}, true, null)
    on conflict (bucket, subject_id, job) do nothing
  `);
}

/** A poll for jobs that are due. */
export interface DueLook {
  readonly names: readonly JobName[];
  readonly limit: number;
  /** Leaves out jobs that were due before; none when it is undefined. */
  readonly from?: Date | undefined;
}

/** How many more jobs of a wallet can be run now. */
export interface ConnectorRoom {
  readonly connector: string;
  readonly room: number;
  /** The wallet does not answer, so there is no room, and nobody knows for how long. */
  readonly isSilent: boolean;
}

/**
 * Takes the leases of up to `limit` jobs that are due and name no wallet, in one statement. Locked rows are
 * skipped. `statement_timestamp()`, because `clock_timestamp()` is volatile, and cannot bound an index scan.
 */
export async function claimDueJobs(
  tx: Tx,
  { names, limit, from = longAgo }: DueLook,
): Promise<readonly LeasedJob[]> {
  const rows = await tx.query<JobRow>(sql`
    with due as (
      select bucket, subject_id, job from jobs
      where connector is null and due_at >= ${from} and due_at <= statement_timestamp()
        and job = any(${names}::text[])
      order by due_at limit ${limit}
      for update skip locked
    )
    update jobs set due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds}), ${taken}
    returning ${columns}, ${ahead}, ${sent}
  `);
  return rows.map(toHeld);
}

/**
 * The same with jobs that need a wallet: from each as many as it has room for, and round-robin, so that a
 * wallet that is silent or busy does not starve the others. Jobs of a wallet that is not connected any more are
 * left: the operator sees them as stuck.
 */
export async function claimDueWalletJobs(
  tx: Tx,
  { names, limit, from = longAgo }: DueLook,
  rooms: readonly ConnectorRoom[],
): Promise<readonly LeasedJob[]> {
  const rows = await tx.query<JobRow>(sql`
    with named as (
      select found.bucket, found.subject_id, found.job, found.due_at, connectors.name as source
      from connectors
      left join unnest(${rooms.map(({ connector }) => connector)}::text[], ${rooms.map(({ room }) => room)}::int[])
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
    update jobs set due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds}), ${taken}
    returning ${columns}, ${ahead}, ${sent}
  `);
  return rows.map(toHeld);
}

const longAgo = new Date(0);

/** Puts jobs aside that are due and have to wait for others of their lane. Fenced: a lost lease parks nothing. */
export function parkJobs(tx: Tx, leased: readonly LeasedJob[]): void {
  const jobs = inOneOrder(leased, ({ bucket, subjectId, job }) => [bucket, subjectId, job]);
  tx.write(sql`
    update jobs set due_at = 'infinity', follows_merchant_clock = true, parked_at = clock_timestamp(),
      lane = coalesce(jobs.lane, jobs.client_id)
    from unnest(${jobs.map(({ bucket }) => bucket)}::smallint[], ${jobs.map(({ subjectId }) => subjectId)}::text[],
      ${jobs.map(({ job }) => job)}::text[], ${jobs.map(({ epoch }) => epoch)}::int[])
      as given (bucket, subject_id, job, epoch)
    where jobs.bucket = given.bucket and jobs.subject_id = given.subject_id and jobs.job = given.job
      and jobs.epoch = given.epoch
  `);
}

/** Takes the leases of up to `limit` jobs of a lane that were parked, the oldest first. */
export async function claimParkedJobs(tx: Tx, lane: string, limit: number): Promise<readonly LeasedJob[]> {
  const rows = await tx.query<JobRow>(sql`
    with due as (
      select bucket, subject_id, job from jobs
      where lane = ${lane} and due_at = 'infinity'
      order by created_at limit ${limit}
      for update skip locked
    )
    update jobs set due_at = clock_timestamp() + make_interval(secs => ${leaseSeconds}), ${taken}
    returning ${columns}, ${ahead}, ${sent}
  `);
  return rows.map(toHeld);
}

/** Batch size of a poll for parked lanes. */
export const parkedLanesMax = 1_000;

export interface ParkedLane {
  readonly lane: string;
  /** Whether the merchant has paused it. */
  readonly isPaused: boolean;
}

/**
 * Lanes that have parked jobs, from the one after `after` on. A loose index scan (skip scan): it steps from
 * lane to lane, however many jobs wait in one.
 */
export async function listParkedLanes(tx: Tx, after: string): Promise<readonly ParkedLane[]> {
  const rows = await tx.query<{ lane: string; is_paused: boolean }>(sql`
    with recursive lanes as (
      (select lane, 1 as step from jobs where due_at = 'infinity' and lane > ${after} order by lane limit 1)
      union all
      select (select jobs.lane from jobs where due_at = 'infinity' and jobs.lane > lanes.lane order by jobs.lane limit 1),
        step + 1
      from lanes where lanes.lane is not null and step < ${parkedLanesMax}
    )
    select lane, exists (select from paused_lanes where paused_lanes.lane = lanes.lane) as is_paused
    from lanes where lane is not null order by step
  `);
  return rows.map(({ lane, is_paused }) => ({ lane, isPaused: is_paused }));
}

/** Wallets that jobs are due for and that are not connected any more. A loose index scan, from wallet to wallet. */
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

/** Takes the row lock until the transaction ends; false when another process has taken the job over (fencing). */
export async function lockLeasedJob(tx: Tx, leased: LeasedJob): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1 as leased from jobs
    where bucket = ${leased.bucket} and subject_id = ${leased.subjectId} and job = ${leased.job}
      and client_id = ${leased.clientId} and epoch = ${leased.epoch}
    for update
  `);
  return rows.length === 1;
}

/**
 * Whether some process has written the job's outcome since this lease: its row is gone, or was put off by a later holder
 * that got on with it. One that fails leaves its lease behind, or counts an attempt.
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

/** When the job is due again, on the merchant's clock, and what its row remembers in addition. */
export interface JobAgain extends Pick<Sent, "sentAt"> {
  readonly at: Date;
  readonly attempts: number;
  readonly lastWord?: string | undefined;
  /** The wallet that it needs, if we have found out. */
  readonly connector?: string | undefined;
}

export function updateJobDue(tx: Tx, leased: LeasedJob, again: JobAgain): void {
  const { at, attempts, sentAt, lastWord, connector } = again;
  tx.write(sql`
    update jobs set due_at = ${databaseTime(at, leased.aheadMs)}, follows_merchant_clock = true, attempts = ${attempts},
      sent_at = coalesce(${sentAt && databaseTime(sentAt, leased.aheadMs)}, sent_at),
      last_word = coalesce(${lastWord}, last_word), connector = coalesce(${connector}, connector)
    where bucket = ${leased.bucket} and subject_id = ${leased.subjectId} and job = ${leased.job}
      and client_id = ${leased.clientId} and epoch = ${leased.epoch}
  `);
}

/** Notes, before the send, that a message may be out; false when another process has the job now (fencing). */
export async function updateJobSent(tx: Tx, leased: LeasedJob): Promise<boolean> {
  const rows = await tx.query(sql`
    update jobs set sent_at = clock_timestamp()
    where bucket = ${leased.bucket} and subject_id = ${leased.subjectId} and job = ${leased.job}
      and client_id = ${leased.clientId} and epoch = ${leased.epoch}
    returning 1 as written
  `);
  return rows.length === 1;
}

/** Due times are kept by the database's clock: when a merchant's test clock is moved, so are its due times. */
export function databaseTime(at: Date, aheadMs: number): Date {
  return new Date(at.getTime() - aheadMs);
}

const ahead = fragment`coalesce((
      select clocks.ahead_ms from clocks where clocks.bucket = jobs.bucket and clocks.client_id = jobs.client_id
    ), 0) as ahead_ms`;
const sent = fragment`jobs.sent_at, jobs.abandoned_at, jobs.last_word`;

/**
 * Takes the leases of the rows in `due`. The higher epoch fences off the process that leased them before.
 * `follows_merchant_clock` is false while `due_at` is the end of a lease: a due job that still has it false was
 * abandoned when its lease ran out.
 */
const taken = fragment`follows_merchant_clock = false, epoch = epoch + 1, parked_at = null,
      abandoned_at = case when jobs.follows_merchant_clock or jobs.due_at = 'infinity' then jobs.abandoned_at
        else jobs.due_at end
    from due
    where jobs.bucket = due.bucket and jobs.subject_id = due.subject_id and jobs.job = due.job`;
const columns = fragment`jobs.bucket, jobs.subject_id, jobs.job, jobs.client_id, jobs.epoch, jobs.attempts, jobs.lane,
      jobs.connector`;

interface SentRow {
  readonly sent_at: Date | null;
  readonly abandoned_at: Date | null;
  readonly last_word: string | null;
}

/** On the merchant's clock, as all that it is compared with. */
function toSent({ sent_at, abandoned_at, last_word }: SentRow, aheadMs: number): Sent {
  return {
    ...(sent_at && { sentAt: new Date(sent_at.getTime() + aheadMs) }),
    ...(abandoned_at && { abandonedAt: new Date(abandoned_at.getTime() + aheadMs) }),
    ...(last_word !== null && { lastWord: last_word }),
  };
}

interface JobRow extends SentRow {
  readonly bucket: number;
  readonly subject_id: string;
  readonly job: JobName;
  readonly client_id: string;
  readonly epoch: number;
  readonly attempts: number;
  readonly lane: string | null;
  readonly connector: string | null;
  /** A bigint comes as text. */
  readonly ahead_ms: string | number;
}

function toHeld(row: JobRow): LeasedJob {
  return {
    bucket: row.bucket,
    clientId: row.client_id,
    subjectId: row.subject_id,
    job: row.job,
    epoch: row.epoch,
    attempts: row.attempts,
    aheadMs: Number(row.ahead_ms),
    ...toSent(row, Number(row.ahead_ms)),
    ...(row.lane !== null && { lane: row.lane }),
    ...(row.connector !== null && { connector: row.connector }),
  };
}
