import { sql, type Tx } from "../postgres/sql.ts";

/**
 * `fillSearch` copies up to `limit` new and up to `limit` changed payments of all merchants into the search tables. It
 * returns the number of payments; undefined if another process is copying them.
 */
export async function fillSearch(tx: Tx, limit: number): Promise<number | undefined> {
  const [row] = await tx.query<{ filled: number | null }>(sql`select fill_search(${limit}) as filled`);
  return row?.filled ?? undefined;
}

/**
 * `findSearchAgeMs` returns how far the search tables lag behind, by the database's clock. They include all commits
 * that are older than this.
 */
export async function findSearchAgeMs(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ ms: number }>(sql`
    select greatest(extract(epoch from clock_timestamp() - as_of) * 1000, 0)::float8 as ms from search_position
  `);
  if (!row) throw new Error("Table search_position has no row, so the age of the search tables is unknown.");
  return row.ms;
}

/** A part of a bucket, some thousand payments, whose search rows were rebuilt. */
export interface RebuiltChunk {
  readonly paymentCount: number;
  /** First id of the next part; undefined at the end of the bucket. */
  readonly nextId: string | undefined;
}

/**
 * `rebuildSearch` rebuilds the search rows of one bucket from a payment id on: about `limit` payments, and whole hours.
 * It needs the owner's role.
 */
export async function rebuildSearch(
  tx: Tx,
  { bucket, fromId, limit }: { readonly bucket: number; readonly fromId: string; readonly limit: number },
): Promise<RebuiltChunk> {
  const [row] = await tx.query<{ rebuilt: number; next_id: string | null }>(
    sql`select rebuilt, next_id from rebuild_search(${bucket}::smallint, ${fromId}, ${limit}::int)`,
  );
  return { paymentCount: row?.rebuilt ?? 0, nextId: row?.next_id ?? undefined };
}

/** `listSearchedBuckets` lists buckets that have payments or search rows. It needs the owner's role. */
export async function listSearchedBuckets(tx: Tx, count: number): Promise<readonly number[]> {
  await tx.query(sql`select set_config('app.fills_search', 'on', true)`);
  const rows = await tx.query<{ bucket: number }>(sql`
    select bucket from generate_series(0, ${count}::int - 1) as every (bucket)
    where exists (select from payments where payments.bucket = every.bucket)
      or exists (select from search_payments as s where s.bucket = every.bucket)
  `);
  return rows.map(({ bucket }) => bucket);
}
