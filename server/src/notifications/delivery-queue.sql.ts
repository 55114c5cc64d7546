import { sql, type Tx } from "../postgres/sql.ts";

/** A delivery queue in which webhooks wait, or that is paused. */
export interface WaitingQueue {
  readonly clientId: string;
  /** The origin of the URL, or the kind of webhook, that its deliveries share. */
  readonly endpoint: string;
  readonly waitingCount: number;
  readonly oldestAt: Date | undefined;
  /** The highest number of attempts of its webhooks. */
  readonly attemptsMax: number;
  readonly pausedAt: Date | undefined;
}

/**
 * `listWaitingQueues` lists the delivery queues of all merchants, the longest first. Only for the operator:
 * `app.oversight` lets the transaction read all merchants.
 */
export async function listWaitingQueues(tx: Tx, limit: number): Promise<readonly WaitingQueue[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<QueueRow>(sql`
    select l.client_id, l.queue, count(j.subject_id) as waiting, min(j.created_at) as oldest,
      coalesce(max(j.attempts), 0) as attempts, max(p.paused_at) as paused_at
    from (
      select bucket, client_id, queue from jobs where queue is not null
      union
      select bucket, client_id, queue from paused_queues
    ) as l
    left join jobs as j on j.bucket = l.bucket and j.client_id = l.client_id and j.queue = l.queue
    left join paused_queues as p on p.bucket = l.bucket and p.client_id = l.client_id and p.queue = l.queue
    group by l.client_id, l.queue
    order by waiting desc, l.queue limit ${limit}
  `);
  return rows.map((row) => ({
    clientId: row.client_id,
    // The name of a delivery queue is the client id, a space, and the origin of the URL or the kind.
    endpoint: row.queue.slice(row.client_id.length + 1),
    waitingCount: Number(row.waiting),
    oldestAt: row.oldest ?? undefined,
    attemptsMax: row.attempts,
    pausedAt: row.paused_at ?? undefined,
  }));
}

interface QueueRow {
  readonly client_id: string;
  readonly queue: string;
  readonly waiting: string;
  readonly oldest: Date | null;
  readonly attempts: number;
  readonly paused_at: Date | null;
}
