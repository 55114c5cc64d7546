import { bucketOf } from "../core/bucket.ts";
import { fragment, sql, type Tx } from "../postgres/sql.ts";
import { applyMoveStep, type LocalHome, type StoredHome, type HomeState, type MoveStep } from "./home.ts";

/**
 * `isHomeHere` restricts a statement over all merchants to those that this cell serves. After a move the old cell keeps
 * a copy of the merchant's rows, and during a move the new cell has a copy. Without this condition both cells would
 * process them.
 */
export const isHomeHere = fragment`client_id not in (select client from client_homes where state <> 'here')`;

/** `findCell` returns the name of this cell; undefined for an installation without cells. */
export async function findCell(tx: Tx): Promise<string | undefined> {
  const [row] = await tx.query<{ name: string }>(sql`select name from cell`);
  return row?.name;
}

/** `findDirectoryVersion` returns the highest version of the directory that this cell has used; 0 before the first. */
export async function findDirectoryVersion(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ version: string }>(sql`select directory_version as version from cell`);
  return Number(row?.version ?? 0);
}

/**
 * `updateDirectoryVersion` records the version of a directory that this cell starts to use. The recorded version only
 * grows.
 */
export async function updateDirectoryVersion(tx: Tx, version: number): Promise<void> {
  await tx.query(sql`
    update cell set directory_version = ${version}::bigint where directory_version < ${version}::bigint
  `);
}

/** `listOwnBuckets` lists the buckets that this cell owns, in order. */
export async function listOwnBuckets(tx: Tx): Promise<readonly number[]> {
  const rows = await tx.query<{ bucket: number }>(sql`
    select bucket from cell_buckets where given_to is null order by bucket
  `);
  return rows.map(({ bucket }) => bucket);
}

/** `insertCell` makes this installation a cell. */
export async function insertCell(tx: Tx, name: string): Promise<void> {
  await tx.query(sql`insert into cell (name) values (${name})`);
}

/** `insertOwnBuckets` takes over buckets that no other cell owns. */
export async function insertOwnBuckets(tx: Tx, buckets: readonly number[]): Promise<void> {
  await tx.query(sql`
    insert into cell_buckets (bucket, epoch) select bucket, 1 from unnest(${buckets}::smallint[]) as given (bucket)
    on conflict do nothing
  `);
}

/**
 * `listUsedBuckets` lists the buckets of clients that are or were in this cell. The owner of such a bucket must be a
 * cell that knows about these clients.
 */
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

/**
 * `findHome` returns the stored state of a client's home. Whether the client's rows are in this cell is read from
 * `clients`, which row-level security protects.
 */
export async function findHome(tx: Tx, clientId: string): Promise<Omit<LocalHome, "hasClient">> {
  const bucket = bucketOf(clientId);
  const [row] = await tx.query<Partial<HomeRow> & { owns: boolean }>(sql`
    select exists (select from cell_buckets where bucket = ${bucket} and given_to is null) as owns,
      home.state, home.epoch, home.cell, home.turn
    from (select) as asked left join client_homes as home on home.bucket = ${bucket} and home.client = ${clientId}
  `);
  const { owns = false, state, epoch, cell, turn } = row ?? {};
  return {
    stored:
      state && epoch ? toStoredHome({ state, epoch, cell: cell ?? null, turn: turn ?? null }) : undefined,
    ownsBucket: owns,
  };
}

/**
 * `updateHome` makes one step of a client's move under the lock of the client's row, as `applyMoveStep` decides. It
 * returns undefined if nothing changes.
 */
export async function updateHome(
  tx: Tx,
  { clientId, hasClient }: { readonly clientId: string; readonly hasClient: boolean },
  step: MoveStep,
): Promise<StoredHome | undefined> {
  const bucket = bucketOf(clientId);
  // The client's lock is an advisory lock and not a row lock, because the row may not exist yet.
  await tx.query(sql`select pg_advisory_xact_lock(${homeLock}, hashtext(${clientId}))`);
  const localHome = await findHome(tx, clientId);
  const holding = applyMoveStep({ ...localHome, hasClient }, step);
  if (!holding) return undefined;
  await tx.query(sql`
    insert into client_homes (bucket, client, state, epoch, cell, turn)
    values (${bucket}, ${clientId}, ${holding.state}, ${holding.epoch}, ${holding.cell}, ${holding.moverRun})
    on conflict (bucket, client) do update set state = excluded.state, epoch = excluded.epoch, cell = excluded.cell,
      turn = excluded.turn, since = clock_timestamp(),
      copied = case when client_homes.epoch = excluded.epoch then client_homes.copied end
  `);
  return holding;
}

/** Progress of copying a client's rows to its next home, in one attempt to move it. */
export interface CopyProgress {
  /** A transaction id of the source cell: the rows of all earlier transactions are copied. */
  readonly upTo: string;
  /** Number of copied rows of each table. */
  readonly counts: Readonly<Record<string, number>>;
}

/** `findCopyProgress` returns the progress of copying a client; undefined before the first pass of an attempt. */
export async function findCopyProgress(tx: Tx, clientId: string): Promise<CopyProgress | undefined> {
  const [row] = await tx.query<{ copied: CopyProgress | null }>(sql`
    select copied from client_homes where bucket = ${bucketOf(clientId)} and client = ${clientId}
  `);
  return row?.copied ?? undefined;
}

/**
 * `updateCopyProgress` records the progress of copying a client. It runs in the transaction that writes the rows, so
 * that the progress is correct after a crash.
 */
export async function updateCopyProgress(tx: Tx, clientId: string, progress: CopyProgress): Promise<void> {
  await tx.query(sql`
    update client_homes set copied = ${JSON.stringify(progress)}::jsonb
    where bucket = ${bucketOf(clientId)} and client = ${clientId}
  `);
}

/** `lockHome` locks the row of a client's home, so that no step of a move can run concurrently. */
export async function lockHome(tx: Tx, clientId: string): Promise<void> {
  await tx.query(sql`
    select from client_homes where bucket = ${bucketOf(clientId)} and client = ${clientId} for update
  `);
}

/** The number of our lock among PostgreSQL's advisory locks. */
const homeLock = 19_093;

function toStoredHome({ state, epoch, cell, turn: moverRun }: HomeRow): StoredHome {
  return { state, epoch, ...(cell !== null && { cell }), ...(moverRun !== null && { moverRun }) };
}
