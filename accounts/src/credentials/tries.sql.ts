import { sha256 } from "../../../server/src/core/digest.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

export interface TryLimit {
  readonly most: number;
  readonly withinMs: number;
}

export type Limited = readonly [key: string, limit: TryLimit];

/**
 * Rate limit of guesses, shared by all processes: a sliding window, so that no moment has more than `most` tries
 * behind it. False when this one is too many; it is then not made. The row is locked while it is counted.
 */
export async function takeTry(tx: Tx, key: string, limit: TryLimit, now: Date): Promise<boolean> {
  return takeTries(tx, [[key, limit]], now);
}

/** Counts one try under several limits in turn, until one of them is reached: a later one does not count it then. */
export async function takeTries(tx: Tx, limits: readonly Limited[], now: Date): Promise<boolean> {
  const keys = limits.map(([key]) => sha256(key));
  const most = limits.map(([, limit]) => limit.most);
  const since = limits.map(([, { withinMs }]) => new Date(now.getTime() - withinMs));
  const [row] = await tx.query<{ taken: boolean }>(sql`
    select take_tries(${keys}::bytea[], ${most}::integer[], ${since}::timestamptz[], ${now}) as taken
  `);
  return row?.taken === true;
}

/** What was right was no guess. The wrong ones before it count on: they may have been somebody else's. */
export async function giveTryBack(tx: Tx, key: string, now: Date): Promise<void> {
  await tx.query(sql`
    update tries set tried_at = array_remove(tried_at, ${now}::timestamptz) where key = ${sha256(key)}
  `);
}
