import { sha256 } from "../../../server/src/core/digest.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

export interface AttemptLimit {
  readonly attemptsMax: number;
  readonly withinMs: number;
}

export type KeyedLimit = readonly [key: string, limit: AttemptLimit];

/**
 * `countAttempt` is a rate limit of attempts, shared by all processes. It is a sliding window: at any time, at most `attemptsMax`
 * attempts are in the last `withinMs`. It returns false if the limit is reached; the attempt must then be rejected.
 * The row is locked while it is counted.
 */
export async function countAttempt(tx: Tx, key: string, limit: AttemptLimit, now: Date): Promise<boolean> {
  return countAttempts(tx, [[key, limit]], now);
}

/** `countAttempts` counts one attempt under several limits in order, and stops at the first limit that is reached. */
export async function countAttempts(tx: Tx, limits: readonly KeyedLimit[], now: Date): Promise<boolean> {
  const keys = limits.map(([key]) => sha256(key));
  const maximums = limits.map(([, limit]) => limit.attemptsMax);
  const since = limits.map(([, { withinMs }]) => new Date(now.getTime() - withinMs));
  const [row] = await tx.query<{ taken: boolean }>(sql`
    select take_tries(${keys}::bytea[], ${maximums}::integer[], ${since}::timestamptz[], ${now}) as taken
  `);
  return row?.taken === true;
}

/**
 * `uncountAttempt` removes a successful attempt from the count. Earlier wrong attempts stay, because they may be an
 * attacker's.
 */
export async function uncountAttempt(tx: Tx, key: string, now: Date): Promise<void> {
  await tx.query(sql`
    update tries set tried_at = array_remove(tried_at, ${now}::timestamptz) where key = ${sha256(key)}
  `);
}
