import { isHomeHere } from "../cells/home.sql.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import type { UnavailableProvider, OpenRecordKind, OpenRecord } from "./open-record.ts";

/** `listRecordsWithJobs` lists a merchant's records that have a job, by due time. A job is deleted when its record is final. */
export async function listRecordsWithJobs(
  tx: Tx,
  { bucket, clientId }: { readonly bucket: number; readonly clientId: string },
  limit: number,
  aheadMs = 0,
): Promise<readonly OpenRecord[]> {
  const rows = await tx.query<OpenRow>(sql`
    with planned as (
      select bucket, subject_id, job, due_at, attempts, connector, queue from jobs
      where bucket = ${bucket} and client_id = ${clientId}
      order by due_at limit ${limit}
    )
    select ${columns}, false as is_forgotten
    from planned as j join lateral (${jobRecords}
      ) as r on true
    left join connectors as c on c.name = j.connector
    where r.client_id = ${clientId}
    order by j.due_at
  `);
  return rows.map((row) => toOpenRecord(row, aheadMs));
}

/**
 * `listOpenRecordsByJobs` lists all records of all merchants that have a job and are not final, or whose job is overdue. Only
 * for the operator: `app.oversight` lets the transaction read all merchants. The query reads the jobs, which only
 * unfinished records have, and each record by key. So it is fast at any size, and payments need no index over open
 * records.
 */
export async function listOpenRecordsByJobs(tx: Tx): Promise<readonly OpenRecord[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<OpenRow>(sql`
    ${failingQueues}
    select ${columns}, ${isStarvedColumn}
    from jobs as j join lateral (${jobRecords}
      ) as r on r.client_id = j.client_id
    ${connectorAndQueueJoins}
    where r.kind <> 'payment' or r.status in ('PROCESSING', 'PENDING')
      or j.due_at < clock_timestamp() - interval '1 minute'
    order by j.due_at, r.created_at
  `);
  return rows.map((row) => toOpenRecord(row));
}

/**
 * `listAllOpenRecords` lists all records of this cell's merchants that are not final, with or without a job. Only for the
 * operator: `app.oversight` lets the transaction read all merchants. The query scans all records sequentially, so do
 * not run it at peak load.
 */
export async function listAllOpenRecords(tx: Tx): Promise<readonly OpenRecord[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<OpenRow>(sql`
    ${failingQueues}
    select ${columns}, ${isStarvedColumn}
    from (select * from (
      select 'payment' as kind, bucket, client_id, payment_id as id, payment_request_id as request_id, status,
        created_at, provider_accepted_at as accepted_at from payments where status in ('PROCESSING', 'PENDING')
      union all
      select 'capture', bucket, client_id, capture_id, capture_request_id, status, created_at, accepted_at from captures
        where status = 'PROCESSING'
      union all
      select 'refund', bucket, client_id, refund_id, refund_request_id, status, created_at, accepted_at from refunds
        where status = 'PROCESSING'
      union all
      select 'reversal', bucket, client_id, reversal_id, null, status, created_at, accepted_at from reversals
        where status = 'PROCESSING'
      union all
      select 'registration', bucket, client_id, registration_id, registration_request_id, 'PROCESSING', created_at,
        null
        from registrations as g
        where exists (select from provider_registrations as w
          where w.bucket = g.bucket and w.registration_id = g.registration_id and w.status = 'PROCESSING')
      union all
      select 'dispute', bucket, client_id, dispute_id, null, status, created_at, null from disputes where resolved_at is null
      union all
      select 'authorization', bucket, client_id, authorization_id, null, status, created_at, null from authorizations
        where status in ('ASKED', 'AGREED') or (status in ('REVOKED', 'EXPIRED') and provider_told_at is null)
      union all
      select 'token', bucket, client_id, token_id, null, status, created_at, null from tokens where status = 'APPLIED'
      union all
      select 'notification', bucket, client_id, notification_id, null, status, created_at, null from notifications
        where status = 'WAITING'
    ) as every where ${isHomeHere}) as r
    left join jobs as j on j.bucket = r.bucket and j.subject_id = r.id and j.client_id = r.client_id
    ${connectorAndQueueJoins}
    order by j.due_at nulls first, r.created_at
  `);
  return rows.map((row) => toOpenRecord(row));
}

const columns = fragment`r.kind, r.client_id, r.id, r.request_id, r.status, r.created_at, r.accepted_at, j.job, j.due_at, j.attempts,
      coalesce(j.due_at = 'infinity' and j.queue is null, false) as is_held, j.connector, c.name is not null as is_connected,
      coalesce(c.silent_seen_at > clock_timestamp() - interval '1 minute', false) as is_silent`;

/** Delivery queues whose endpoint failed within the last hour, by the merchant's test clock. */
const failingQueues = fragment`with failing as (
      select distinct t.bucket, t.client_id, t.queue
      from jobs as t join notification_attempts as a on a.bucket = t.bucket and a.notification_id = t.subject_id
      left join clocks as k on k.bucket = t.bucket and k.client_id = t.client_id
      where t.queue is not null
        and a.at > clock_timestamp() + coalesce(k.ahead_ms, 0) * interval '1 millisecond' - interval '1 hour'
    )`;
const isStarvedColumn = fragment`coalesce(j.due_at = 'infinity' and j.queue is not null and coalesce(j.parked_at, j.created_at) < clock_timestamp() - interval '1 hour'
        and p.queue is null and f.queue is null, false) as is_forgotten`;
const connectorAndQueueJoins = fragment`left join connectors as c on c.name = j.connector
    left join paused_queues as p on p.bucket = j.bucket and p.client_id = j.client_id and p.queue = j.queue
    left join failing as f on f.bucket = j.bucket and f.client_id = j.client_id and f.queue = j.queue`;

/** The record that a job is about, of any kind. A final refund or reversal can have a job, but is not open. */
const jobRecords = fragment`
        select 'payment' as kind, client_id, payment_id as id, payment_request_id as request_id, status, created_at,
          provider_accepted_at as accepted_at
          from payments where bucket = j.bucket and payment_id = j.subject_id
        union all
        select 'capture', client_id, capture_id, capture_request_id, status, created_at, accepted_at
          from captures where bucket = j.bucket and capture_id = j.subject_id and status = 'PROCESSING'
        union all
        select 'refund', client_id, refund_id, refund_request_id, status, created_at, accepted_at
          from refunds where bucket = j.bucket and refund_id = j.subject_id and status = 'PROCESSING'
        union all
        select 'reversal', client_id, reversal_id, null, status, created_at, accepted_at
          from reversals where bucket = j.bucket and reversal_id = j.subject_id and status = 'PROCESSING'
        union all
        select 'registration', client_id, registration_id, registration_request_id, 'PROCESSING', created_at, null
          from registrations where bucket = j.bucket and registration_id = j.subject_id
        union all
        select 'dispute', client_id, dispute_id, null, status, created_at, null
          from disputes where bucket = j.bucket and dispute_id = j.subject_id
        union all
        select 'authorization', client_id, authorization_id, null, status, created_at, null
          from authorizations where bucket = j.bucket and authorization_id = j.subject_id and status <> 'ACTIVE'
        union all
        select 'token', client_id, token_id, null, status, created_at, null
          from tokens where bucket = j.bucket and token_id = j.subject_id
        union all
        select 'notification', client_id, notification_id, null, status, created_at, null
          from notifications where bucket = j.bucket and notification_id = j.subject_id`;

interface OpenRow {
  readonly kind: OpenRecordKind;
  readonly client_id: string;
  readonly id: string;
  readonly request_id: string | null;
  readonly status: string;
  readonly created_at: Date;
  readonly accepted_at: Date | null;
  readonly job: string | null;
  /** Due time of the job; `Infinity` if the job is parked. */
  readonly due_at: Date | number | null;
  readonly attempts: number | null;
  readonly connector: string | null;
  readonly is_connected: boolean;
  readonly is_silent: boolean;
  readonly is_forgotten: boolean;
  readonly is_held: boolean;
}

/**
 * `toOpenRecord` converts times to the merchant's test clock. A parked job is due, but waits for its endpoint, so it
 * has no time.
 */
function toOpenRecord(row: OpenRow, aheadMs = 0): OpenRecord {
  const { job, due_at } = row;
  const at = due_at instanceof Date ? new Date(due_at.getTime() + aheadMs) : undefined;
  const next = {
    at,
    attempts: row.attempts ?? 0,
    isHeld: row.is_held,
    isStarved: row.is_forgotten,
    unavailable: findUnavailableProvider(row),
  };
  return {
    kind: row.kind,
    clientId: row.client_id,
    id: row.id,
    requestId: row.request_id ?? undefined,
    status: row.status,
    since: row.created_at,
    acceptedAt: row.accepted_at ?? undefined,
    next: job === null ? undefined : { job, ...next },
  };
}

function findUnavailableProvider({
  connector,
  is_connected,
  is_silent,
}: OpenRow): UnavailableProvider | undefined {
  if (connector === null || (is_connected && !is_silent)) return undefined;
  return { connector, reason: is_connected ? "silent" : "not connected" };
}
