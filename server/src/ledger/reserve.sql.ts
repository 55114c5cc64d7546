import { sql, type Tx } from "../postgres/sql.ts";
import { findBalance, findBalancePosition } from "./balance.sql.ts";
import { payable } from "./transfer.ts";

/** Whose money, in which currency. */
export interface ReserveKey {
  readonly bucket: number;
  readonly clientId: string;
  readonly currency: string;
}

/**
 * Sets part of the merchant's balance aside, for what is about to go back to a buyer; false when it is not there. All of
 * the merchant's who set something aside wait for each other from here until they have committed, so it comes last: a
 * payment is held before it, and what follows is only written.
 */
export async function setAside(tx: Tx, key: ReserveKey, minor: bigint): Promise<boolean> {
  const position = await findBalancePosition(tx);
  const { openMinor, owedMinor } =
    (await lockReserve(tx, key, position)) ?? (await lockFirstReserve(tx, key, position));
  if (owedMinor - openMinor < minor) return false;
  updateReserved(tx, key, minor);
  return true;
}

interface Reserve {
  /** What open refunds will take of the balance. */
  readonly openMinor: bigint;
  readonly owedMinor: bigint;
}

/** Both travel together, and the balance is read when the reserve is held: whoever changes one changes the other with it. */
async function lockReserve(
  tx: Tx,
  { bucket, clientId, currency }: ReserveKey,
  position: string,
): Promise<Reserve | undefined> {
  const [[row], balance] = await Promise.all([
    tx.query<{ open_refunds_minor: string }>(sql`
      select open_refunds_minor from reserves
      where bucket = ${bucket} and client_id = ${clientId} and currency = ${currency}
      for update
    `),
    findBalance(tx, { bucket, clientId, account: payable(clientId), currency }, position),
  ]);
  return row && { openMinor: BigInt(row.open_refunds_minor), owedMinor: -balance };
}

async function lockFirstReserve(tx: Tx, key: ReserveKey, position: string): Promise<Reserve> {
  tx.write(sql`
    insert into reserves (bucket, client_id, currency) values (${key.bucket}, ${key.clientId}, ${key.currency})
    on conflict (bucket, client_id, currency) do nothing
  `);
  const reserve = await lockReserve(tx, key, position);
  if (!reserve) throw new Error(`There is no reserve of ${key.clientId} in ${key.currency}.`);
  return reserve;
}

/** What was set aside has gone, or stays: either way nobody waits for it any more. Comes last, too. */
export function giveUpReserve(tx: Tx, key: ReserveKey, minor: bigint): void {
  updateReserved(tx, key, -minor);
}

function updateReserved(tx: Tx, { bucket, clientId, currency }: ReserveKey, minor: bigint): void {
  tx.write(sql`
    update reserves set open_refunds_minor = open_refunds_minor + ${minor}
    where bucket = ${bucket} and client_id = ${clientId} and currency = ${currency}
  `);
}
