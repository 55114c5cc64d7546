import type { ClientKey } from "../core/client-key.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import { nextStep, type ClockAdvance, type FiredJob, type PendingJobs } from "./clock-advance.ts";

export async function findAdvance(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  turnRequestId: string,
): Promise<ClockAdvance | undefined> {
  const [row] = await tx.query<AdvanceRow>(sql`
    select ${columns} from clock_turns
    where bucket = ${bucket} and client_id = ${clientId} and turn_request_id = ${turnRequestId}
  `);
  return row && toAdvance(row);
}

export async function findAdvanceById(
  tx: Tx,
  { bucket, clientId }: ClientKey,
  advanceId: string,
): Promise<ClockAdvance | undefined> {
  const [row] = await tx.query<AdvanceRow>(sql`
    select ${columns} from clock_turns
    where bucket = ${bucket} and client_id = ${clientId} and turn_id = ${advanceId}
  `);
  return row && toAdvance(row);
}

/**
 * `insertAdvance` inserts a request to advance the test clock. It returns false if the request id was used before
 * (idempotency).
 */
export async function insertAdvance(tx: Tx, advance: ClockAdvance): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into clock_turns (bucket, client_id, turn_id, turn_request_id, fingerprint, from_at, to_at)
    values (${advance.bucket}, ${advance.clientId}, ${advance.advanceId}, ${advance.turnRequestId}, ${advance.fingerprint},
      ${advance.from}, ${advance.to})
    on conflict do nothing
    returning 1 as inserted
  `);
  return rows.length === 1;
}

export function updateAdvanceDone(tx: Tx, { bucket, clientId, turnRequestId }: ClockAdvance): void {
  tx.write(sql`
    update clock_turns set is_done = true
    where bucket = ${bucket} and client_id = ${clientId} and turn_request_id = ${turnRequestId}
  `);
}

/** `moveClockToNextJob` moves the test clock to the next due action, and moves the due times of the merchant's jobs with it. */
export async function moveClockToNextJob(
  tx: Tx,
  advance: ClockAdvance,
): Promise<"moved" | "waits" | "arrived"> {
  const { bucket, clientId, turnRequestId, to } = advance;
  const aheadMs = await lockClock(tx, advance);
  const pendingJobs = await readPendingJobs(tx, advance);
  const step = nextStep(pendingJobs, new Date(to.getTime() - aheadMs));
  if (!step) return "waits";
  const { byMs, isLast } = step;
  tx.write(sql`
    update clocks set ahead_ms = ahead_ms + ${byMs} where bucket = ${bucket} and client_id = ${clientId}
  `);
  tx.write(sql`
    update jobs set due_at = due_at - make_interval(secs => ${byMs}::float8 / 1000)
    where bucket = ${bucket} and client_id = ${clientId} and follows_merchant_clock and due_at < 'infinity'
  `);
  if (isLast) return "arrived";
  tx.write(sql`
    update clock_turns set fired = fired || (
      select coalesce(jsonb_agg(jsonb_build_object('at', due_at + make_interval(secs => ${aheadMs + byMs}::float8 / 1000),
        'job', job, 'subjectId', subject_id) order by due_at, subject_id), '[]')
      from jobs
      where bucket = ${bucket} and client_id = ${clientId} and follows_merchant_clock and due_at <= clock_timestamp())
    where bucket = ${bucket} and client_id = ${clientId} and turn_request_id = ${turnRequestId}
  `);
  return "moved";
}

async function lockClock(tx: Tx, { bucket, clientId }: ClientKey): Promise<number> {
  tx.write(sql`
    insert into clocks (bucket, client_id, ahead_ms) values (${bucket}, ${clientId}, 0) on conflict do nothing
  `);
  const [row] = await tx.query<{ ahead_ms: string }>(sql`
    select ahead_ms from clocks where bucket = ${bucket} and client_id = ${clientId} for update
  `);
  return Number(row?.ahead_ms ?? 0);
}

/**
 * `readPendingJobs` reads the state of the merchant's jobs. A job that is parked for a paused endpoint waits for the
 * merchant, and does not stop the clock. A due job of a removed connector, or of a provider that does not respond, does
 * not stop the clock either.
 */
async function readPendingJobs(tx: Tx, { bucket, clientId }: ClientKey): Promise<PendingJobs> {
  const [row] = await tx.query<{ now: Date; is_busy: boolean; next_due_at: Date | null }>(sql`
    select clock_timestamp() as now,
      coalesce(bool_or(not follows_merchant_clock or due_at <= clock_timestamp() or (due_at = 'infinity' and not exists (
        select from paused_queues
        where paused_queues.bucket = jobs.bucket and paused_queues.client_id = jobs.client_id
          and paused_queues.queue = jobs.queue))), false) as is_busy,
      min(due_at) filter (where follows_merchant_clock and due_at < 'infinity') as next_due_at
    from jobs
    where bucket = ${bucket} and client_id = ${clientId} and job <> 'turn-clock'
      and not (connector is not null and follows_merchant_clock and due_at <= clock_timestamp() and not exists (
        select from connectors where connectors.name = jobs.connector
          and coalesce(silent_seen_at < clock_timestamp() - interval '15 seconds', true)))
  `);
  return {
    now: row?.now ?? new Date(0),
    isBusy: row?.is_busy ?? true,
    nextDueAt: row?.next_due_at ?? undefined,
  };
}

const columns = fragment`bucket, client_id, turn_id, turn_request_id, fingerprint, from_at, to_at, is_done, fired`;

interface AdvanceRow {
  readonly bucket: number;
  readonly client_id: string;
  readonly turn_id: string;
  readonly turn_request_id: string;
  readonly fingerprint: Buffer;
  readonly from_at: Date;
  readonly to_at: Date;
  readonly is_done: boolean;
  readonly fired: readonly { readonly at: string; readonly job: string; readonly subjectId: string }[];
}

function toAdvance(row: AdvanceRow): ClockAdvance {
  return {
    bucket: row.bucket,
    clientId: row.client_id,
    advanceId: row.turn_id,
    turnRequestId: row.turn_request_id,
    fingerprint: row.fingerprint,
    from: row.from_at,
    to: row.to_at,
    isDone: row.is_done,
    fired: row.fired.map(({ at, job, subjectId }): FiredJob => ({ at: new Date(at), job, subjectId })),
  };
}

/**
 * `listClockOffsets` returns how far the merchants' clocks are ahead, in milliseconds; merchants without a test clock are
 * absent.
 */
export async function listClockOffsets(
  tx: Tx,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ client_id: string; ahead_ms: string }>(sql`
    select client_id, ahead_ms from clocks where client_id = any(${clientIds}::text[])
  `);
  return new Map(rows.map((row) => [row.client_id, Number(row.ahead_ms)]));
}
