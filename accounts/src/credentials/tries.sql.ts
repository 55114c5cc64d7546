import { sha256 } from "../../../server/src/core/digest.ts";
import { sql, type Tx } from "../../../server/src/postgres/sql.ts";

export interface TryLimit {
  readonly most: number;
  readonly withinMs: number;
}

/**
 * Rate limit of guesses, shared by all processes: a sliding window, so that no moment has more than `most` tries
 * behind it. False when this one is too many; it is then not made. The row is locked while it is counted.
 */
export async function takeTry(
  tx: Tx,
  key: string,
  { most, withinMs }: TryLimit,
  now: Date,
): Promise<boolean> {
  const since = new Date(now.getTime() - withinMs);
  const rows = await tx.query(sql`
    insert into tries as t (key, tried_at) values (${sha256(key)}, array[${now}::timestamptz])
    on conflict (key) do update
      set tried_at = array(select at from unnest(t.tried_at) as at where at > ${since}) || excluded.tried_at
      where (select count(*) from unnest(t.tried_at) as at where at > ${since}) < ${most}
    returning key
  `);
  return rows.length > 0;
}

/** What was right was no guess. The wrong ones before it count on: they may have been somebody else's. */
export async function giveTryBack(tx: Tx, key: string, now: Date): Promise<void> {
  await tx.query(sql`
    update tries set tried_at = array_remove(tried_at, ${now}::timestamptz) where key = ${sha256(key)}
  `);
}
