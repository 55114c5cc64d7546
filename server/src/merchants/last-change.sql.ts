import { sql, type Tx } from "../postgres/sql.ts";
import type { LastChange } from "./last-change.ts";

interface ChangeKey {
  readonly bucket: number;
  readonly clientId: string;
  readonly operation: string;
}

/**
 * `lockLastChange` locks the row of a merchant's last change until the commit, which serializes the changes of one
 * merchant across processes. It creates the row if it is missing (upsert).
 */
export async function lockLastChange(
  tx: Tx,
  { bucket, clientId, operation }: ChangeKey,
): Promise<LastChange> {
  const [row] = await tx.query<{ requested_at: Date; digests: readonly Buffer[] }>(sql`
    insert into last_changes (bucket, client_id, operation, requested_at, digests)
    values (${bucket}, ${clientId}, ${operation}, 'epoch', '{}')
    on conflict (bucket, client_id, operation) do update set operation = excluded.operation
    returning requested_at, digests
  `);
  if (!row)
    throw new Error(`Row of last_changes was not locked: client ${clientId}, operation ${operation}.`);
  return { requestedAt: row.requested_at, digests: row.digests };
}

export function updateLastChange(
  tx: Tx,
  { bucket, clientId, operation }: ChangeKey,
  { requestedAt, digests }: LastChange,
): void {
  tx.write(sql`
    update last_changes set requested_at = ${requestedAt}, digests = ${digests}::bytea[]
    where bucket = ${bucket} and client_id = ${clientId} and operation = ${operation}
  `);
}
