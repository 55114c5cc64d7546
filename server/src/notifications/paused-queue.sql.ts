import { sql, type Tx } from "../postgres/sql.ts";

interface PausedLane {
  readonly bucket: number;
  readonly clientId: string;
  readonly lane: string;
}

/**
 * `listPausedQueues` returns the paused delivery queues of all merchants. Only the worker's database role can read them.
 */
export async function listPausedQueues(tx: Tx): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ lane: string }>(sql`select lane from paused_lanes`);
  return new Set(rows.map(({ lane }) => lane));
}

export function insertPausedQueue(tx: Tx, { bucket, clientId, lane }: PausedLane, now: Date): void {
  tx.write(sql`
    insert into paused_lanes (bucket, client_id, lane, paused_at)
    values (${bucket}, ${clientId}, ${lane}, ${now})
    on conflict do nothing
  `);
}

export function deletePausedQueue(tx: Tx, { bucket, clientId, lane }: PausedLane): void {
  tx.write(sql`
    delete from paused_lanes where bucket = ${bucket} and client_id = ${clientId} and lane = ${lane}
  `);
}
