import { sql, type Tx } from "../postgres/sql.ts";

/** Whose money, in which currency. */
export interface ReserveKey {
  readonly bucket: number;
  readonly clientId: string;
  readonly currency: string;
}

/**
 * Holds the merchant's reserve until the transaction ends, and tells what open refunds will take of its
 * balance. A payment is held before, and a job after it.
 */
export async function lockReserve(tx: Tx, key: ReserveKey): Promise<bigint> {
  return (await lockExisting(tx, key)) ?? (await lockFirst(tx, key));
}

async function lockFirst(tx: Tx, key: ReserveKey): Promise<bigint> {
  tx.write(sql`
    insert into reserves (bucket, client_id, currency) values (${key.bucket}, ${key.clientId}, ${key.currency})
    on conflict (bucket, client_id, currency) do nothing
  `);
  return (await lockExisting(tx, key)) ?? 0n;
}

async function lockExisting(tx: Tx, { bucket, clientId, currency }: ReserveKey): Promise<bigint | undefined> {
  const [row] = await tx.query<{ open_refunds_minor: string }>(sql`
    select open_refunds_minor from reserves
    where bucket = ${bucket} and client_id = ${clientId} and currency = ${currency}
    for update
  `);
  return row && BigInt(row.open_refunds_minor);
}

/** Takes up, or with a negative sum gives back, part of a reserve that the transaction holds. */
export function updateReserved(tx: Tx, { bucket, clientId, currency }: ReserveKey, minor: bigint): void {
  tx.write(sql`
    update reserves set open_refunds_minor = open_refunds_minor + ${minor}
    where bucket = ${bucket} and client_id = ${clientId} and currency = ${currency}
  `);
}
