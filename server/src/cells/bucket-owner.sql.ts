import { sql, type Tx } from "../postgres/sql.ts";
import { applyBucketStep, type BucketStep, type BucketOwnership } from "./bucket-owner.ts";

export async function findBucketOwnership(tx: Tx, bucket: number): Promise<BucketOwnership | undefined> {
  const [row] = await tx.query<{ epoch: number; given_to: string | null }>(sql`
    select epoch, given_to from cell_buckets where bucket = ${bucket}
  `);
  return row && { epoch: row.epoch, ...(row.given_to !== null && { givenTo: row.given_to }) };
}

/**
 * `listHomeClients` lists clients of a bucket whose home is this cell, or that are leaving it. Clients that have
 * gone, or are only arriving, have their home elsewhere.
 */
export async function listHomeClients(tx: Tx, bucket: number): Promise<readonly string[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<{ client_id: string }>(sql`
    select client_id from clients
    where bucket = ${bucket} and not exists (
      select from client_homes as home where home.bucket = ${bucket} and home.client = clients.client_id
        and home.state in ('gone', 'arriving', 'ready'))
    order by client_id
  `);
  return rows.map(({ client_id }) => client_id);
}

/**
 * `updateBucketOwnership` makes one step of a bucket move, as `applyBucketStep` decides. It returns false if nothing
 * changes. A client that is being opened holds a lock on the bucket's row, so clients are listed after that row is
 * locked.
 */
export async function updateBucketOwnership(tx: Tx, bucket: number, step: BucketStep): Promise<boolean> {
  await tx.query(sql`select pg_advisory_xact_lock(${bucketLock}, ${bucket})`);
  await tx.query(sql`select from cell_buckets where bucket = ${bucket} for update`);
  const ownership = await findBucketOwnership(tx, bucket);
  const hasClients = (await listHomeClients(tx, bucket)).length > 0;
  const next = applyBucketStep(ownership, hasClients, step);
  if (!next) return false;
  await tx.query(sql`
    insert into cell_buckets (bucket, epoch, given_to) values (${bucket}, ${next.epoch}, ${next.givenTo})
    on conflict (bucket) do update set epoch = excluded.epoch, given_to = excluded.given_to
  `);
  return true;
}

/** The number of our lock among PostgreSQL's advisory locks. */
const bucketLock = 19_094;

/** The home cell of a client, as another cell knows it. */
export interface KnownHome {
  readonly client: string;
  readonly cell: string;
  readonly epoch: number;
}

/**
 * `listKnownHomes` lists the homes of all clients of a bucket that have ever moved, including those that have returned
 * to this cell since the bucket was given away. A client that is leaving or arriving is listed at its present home.
 */
export async function listKnownHomes(tx: Tx, bucket: number): Promise<readonly KnownHome[]> {
  return tx.query<KnownHome>(sql`
    select client, case when state in ('here', 'leaving') then (select name from cell) else cell end as cell,
      case when state in ('here', 'gone') then epoch else greatest(epoch - 1, 1) end as epoch
    from client_homes where bucket = ${bucket} order by client
  `);
}

/** `insertKnownHomes` stores the homes that the previous owner knew; newer moves that are known here are kept. */
export async function insertKnownHomes(tx: Tx, bucket: number, homes: readonly KnownHome[]): Promise<void> {
  await tx.query(sql`
    insert into client_homes (bucket, client, state, epoch, cell)
    select ${bucket}, client, 'gone', epoch, cell
    from unnest(${homes.map(({ client }) => client)}::text[], ${homes.map(({ epoch }) => epoch)}::int[],
      ${homes.map(({ cell }) => cell)}::text[]) as given (client, epoch, cell)
    where cell <> (select name from cell)
    on conflict (bucket, client) do update set epoch = excluded.epoch, cell = excluded.cell
    where client_homes.state = 'gone' and client_homes.epoch < excluded.epoch
  `);
}
