import { bucketOf } from "../core/bucket.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import { afterStep, type Held, type Holding, type HomeState, type MoveStep } from "./home.ts";

/**
 * `livesHere` restricts a statement over all merchants to those that this cell serves. After a move the old cell keeps a copy of the
 * merchant's rows, and during a move the new cell has one: without this condition both cells would work on them.
 */
export const livesHere = fragment`client_id not in (select client from client_homes where state <> 'here')`;

/** The name of this cell; undefined for an installation that is none. */
export async function findCell(tx: Tx): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(sql`select name from cell`);
  return row?.name;
}

/** The highest version of the directory that this cell has used; 0 before the first. */
export async function findDirectoryVersion(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ version: string }>(sql`select directory_version as version from cell`);
  return Number(row?.version ?? 0);
}

/** Records the version of a directory that this cell begins to use. It only grows. */
export async function updateDirectoryVersion(tx: Tx, version: number): Promise<void> {
  await tx.query(sql`
    update cell set directory_version = ${version}::bigint where directory_version < ${version}::bigint
  `);
}

/** Buckets that this cell owns, in order. */
export async function listOwnBuckets(tx: Tx): Promise<readonly number[]> {
  const rows = await tx.query<{ bucket: number }>(sql`
    select bucket from cell_buckets where given_to is null order by bucket
  `);
  return rows.map(({ bucket }) => bucket);
}

/** Makes this installation a cell. */
export async function insertCell(tx: Tx, name: string): Promise<void> {
  await tx.query(sql`insert into cell (name) values (${name})`);
}

/** Takes buckets up that no other cell owns any more. */
export async function insertOwnBuckets(tx: Tx, buckets: readonly number[]): Promise<void> {
  await tx.query(sql`
    insert into cell_buckets (bucket, epoch) select bucket, 1 from unnest(${buckets}::smallint[]) as given (bucket)
    on conflict do nothing
  `);
}

/** Buckets of clients that are here, or have been: their owner has to be the one that knows of them. */
export async function listUsedBuckets(tx: Tx): Promise<readonly number[]> {
  await tx.query(sql`select set_config('app.oversight', 'on', true)`);
  const rows = await tx.query<{ bucket: number }>(sql`
    select bucket from clients union select bucket from client_homes order by bucket
  `);
  return rows.map(({ bucket }) => bucket);
}

interface HomeRow {
  readonly state: HomeState;
  readonly epoch: number;
  readonly cell: string | null;
  readonly turn: number | null;
}

/** What the database says about a client's home. Whether its rows are here is told by `clients`, which has a wall. */
export async function findHome(tx: Tx, clientId: string): Promise<Omit<Held, "hasClient">> {
  const bucket = bucketOf(clientId);
  const [row] = await tx.query<Partial<HomeRow> & { owns: boolean }>(sql`
    select exists (select from cell_buckets where bucket = ${bucket} and given_to is null) as owns,
      home.state, home.epoch, home.cell, home.turn
    from (select) as asked left join client_homes as home on home.bucket = ${bucket} and home.client = ${clientId}
  `);
  const { owns = false, state, epoch, cell, turn } = row ?? {};
  return {
    holding: state && epoch ? holdingIn({ state, epoch, cell: cell ?? null, turn: turn ?? null }) : undefined,
    ownsBucket: owns,
  };
}

/**
 * One step of a move, under the lock of the client's row; what it comes to is decided by `afterStep` alone. Undefined when
 * it changes nothing.
 */
export async function updateHome(
  tx: Tx,
  { clientId, hasClient }: { readonly clientId: string; readonly hasClient: boolean },
  step: MoveStep,
): Promise<Holding | undefined> {
  const bucket = bucketOf(clientId);
  // Not of a row, because there may be none yet.
  await tx.query(sql`select pg_advisory_xact_lock(${homeLock}, hashtext(${clientId}))`);
  const held = await findHome(tx, clientId);
  const holding = afterStep({ ...held, hasClient }, step);
  if (!holding) return undefined;
  await tx.query(sql`
    insert into client_homes (bucket, client, state, epoch, cell, turn)
    values (${bucket}, ${clientId}, ${holding.state}, ${holding.epoch}, ${holding.cell}, ${holding.turn})
    on conflict (bucket, client) do update set state = excluded.state, epoch = excluded.epoch, cell = excluded.cell,
      turn = excluded.turn, since = clock_timestamp(),
      copied = case when client_homes.epoch = excluded.epoch then client_homes.copied end
  `);
  return holding;
}

/** How far the rows of a client have come to its next home, in one attempt to move it. */
export interface Copied {
  /** A transaction of the source: all that ended before it has come. */
  readonly upTo: string;
  /** How many rows of each table have come. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Undefined before the first pass of an attempt. */
export async function findCopied(tx: Tx, clientId: string): Promise<Copied | undefined> {
  const [row] = await tx.query<{ copied: Copied | null }>(sql`
    select copied from client_homes where bucket = ${bucketOf(clientId)} and client = ${clientId}
  `);
  return row?.copied ?? undefined;
}

/** In the transaction that writes the rows, so that it is true whatever is killed. */
export async function updateCopied(tx: Tx, clientId: string, copied: Copied): Promise<void> {
  await tx.query(sql`
    update client_homes set copied = ${JSON.stringify(copied)}::jsonb
    where bucket = ${bucketOf(clientId)} and client = ${clientId}
  `);
}

/** Holds the row about a client, so that no step of a move comes between. */
export async function lockHome(tx: Tx, clientId: string): Promise<void> {
  await tx.query(sql`
    select from client_homes where bucket = ${bucketOf(clientId)} and client = ${clientId} for update
  `);
}

/** A number of our own among PostgreSQL's advisory locks. */
const homeLock = 19_093;

function holdingIn({ state, epoch, cell, turn }: HomeRow): Holding {
  return { state, epoch, ...(cell !== null && { cell }), ...(turn !== null && { turn }) };
}
