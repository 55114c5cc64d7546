import { sql, type Tx } from "../postgres/sql.ts";

/** A lane of deliveries that does not run freely: notifications wait in it, or it is paused. */
export interface WaitingLane {
  readonly clientId: string;
  /** The address, or the kind of notification, that its deliveries share. */
  readonly endpoint: string;
  readonly waitingCount: number;
  readonly oldestAt: Date | undefined;
  /** Most attempts that one of them has had. */
  readonly attemptsMax: number;
  readonly pausedAt: Date | undefined;
}

/** Lanes of all merchants, the longest first. For the operator, whose transaction may see them. */
export async function listWaitingLanes(tx: Tx, limit: number): Promise<readonly WaitingLane[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<LaneRow>(sql`
    select l.client_id, l.lane, count(j.subject_id) as waiting, min(j.created_at) as oldest,
      coalesce(max(j.attempts), 0) as attempts, max(p.paused_at) as paused_at
    from (
      select bucket, client_id, lane from jobs where lane is not null
      union
      select bucket, client_id, lane from paused_lanes
    ) as l
    left join jobs as j on j.bucket = l.bucket and j.client_id = l.client_id and j.lane = l.lane
    left join paused_lanes as p on p.bucket = l.bucket and p.client_id = l.client_id and p.lane = l.lane
    group by l.client_id, l.lane
    order by waiting desc, l.lane limit ${limit}
  `);
  return rows.map((row) => ({
    clientId: row.client_id,
    // A lane's name is the client id, a space, and the address or kind.
    endpoint: row.lane.slice(row.client_id.length + 1),
    waitingCount: Number(row.waiting),
    oldestAt: row.oldest ?? undefined,
    attemptsMax: row.attempts,
    pausedAt: row.paused_at ?? undefined,
  }));
}

interface LaneRow {
  readonly client_id: string;
  readonly lane: string;
  readonly waiting: string;
  readonly oldest: Date | null;
  readonly attempts: number;
  readonly paused_at: Date | null;
}
