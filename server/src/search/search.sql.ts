import { sql, type Tx } from "../postgres/sql.ts";

/**
 * Takes up to `limit` new and as many changed payments of all merchants into the tables that people search, and says how
 * many; undefined when another process is at it.
 */
export async function fillSearch(tx: Tx, limit: number): Promise<number | undefined> {
  const [row] = await tx.query<{ filled: number | null }>(sql`select fill_search(${limit}) as filled`);
  return row?.filled ?? undefined;
}

/** How old the search tables are: what was committed before that is in them. By the database's clock. */
export async function findSearchAgeMs(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ ms: number }>(sql`
    select greatest(extract(epoch from clock_timestamp() - as_of) * 1000, 0)::float8 as ms from search_position
  `);
  if (!row) throw new Error("The database has no mark for the search.");
  return row.ms;
}

/** Some thousand payments of a bucket whose search rows were rebuilt. */
export interface RebuiltPart {
  readonly paymentCount: number;
  /** Where the next part begins; undefined at the end of the bucket. */
  readonly nextId: string | undefined;
}

/** Rebuilds the search rows of one bucket from a payment id on, as the owner: about `limit` payments, and whole hours. */
export async function rebuildSearch(
  tx: Tx,
  { bucket, fromId, limit }: { readonly bucket: number; readonly fromId: string; readonly limit: number },
): Promise<RebuiltPart> {
  const [row] = await tx.query<{ rebuilt: number; next_id: string | null }>(
    sql`select rebuilt, next_id from rebuild_search(${bucket}::smallint, ${fromId}, ${limit}::int)`,
  );
  return { paymentCount: row?.rebuilt ?? 0, nextId: row?.next_id ?? undefined };
}

/** The buckets with payments, or with what was left of some in the tables. For the owner. */
export async function listSearchedBuckets(tx: Tx, count: number): Promise<readonly number[]> {
  await tx.query(sql`select set_config('app.fills_search', 'on', true)`);
  const rows = await tx.query<{ bucket: number }>(sql`
    select bucket from generate_series(0, ${count}::int - 1) as every (bucket)
    where exists (select from payments where payments.bucket = every.bucket)
      or exists (select from search_payments as s where s.bucket = every.bucket)
  `);
  return rows.map(({ bucket }) => bucket);
}
