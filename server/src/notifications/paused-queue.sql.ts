import { sql, type Tx } from "../postgres/sql.ts";

interface PausedQueue {
  readonly bucket: number;
  readonly clientId: string;
  readonly queue: string;
}

/**
 * `listPausedQueues` returns the paused delivery queues of all merchants. Only the worker's database role can read them.
 */
export async function listPausedQueues(tx: Tx): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ queue: string }>(sql`select queue from paused_queues`);
  return new Set(rows.map(({ queue }) => queue));
}

export function insertPausedQueue(tx: Tx, { bucket, clientId, queue }: PausedQueue, now: Date): void {
  tx.write(sql`
    insert into paused_queues (bucket, client_id, queue, paused_at)
    values (${bucket}, ${clientId}, ${queue}, ${now})
    on conflict do nothing
  `);
}

export function deletePausedQueue(tx: Tx, { bucket, clientId, queue }: PausedQueue): void {
  tx.write(sql`
    delete from paused_queues where bucket = ${bucket} and client_id = ${clientId} and queue = ${queue}
  `);
}
