import { acceptsWrites, mayCopy, type Held } from "../cells/home.ts";
import { findCopied, findHome, lockHome, updateCopied, updateHome, type Copied } from "../cells/home.sql.ts";
import { tablesCopiedLast } from "../cells/moved-tables.ts";
import { bucketOf } from "../core/bucket.ts";
import { findOpenPayout } from "../settlement/open-payout.sql.ts";
import { Impossible } from "./command.ts";
import { asTx, inTransaction, type MoveEnd } from "./move-end.ts";
import {
  clearRows,
  copyRows,
  countRows,
  findChanged,
  removeStrays,
  sumRows,
  waitForOthers,
  writeRows,
  type Changed,
  type MovedTable,
  type Sum,
} from "./move-rows.ts";

/** One attempt of one run of the mover to bring a merchant's rows from one database to another. */
export interface Copying {
  readonly source: MoveEnd;
  /** More connections to the source, which read tables beside each other while the merchant waits. */
  readonly readers: readonly MoveEnd[];
  readonly target: MoveEnd;
  readonly tables: readonly MovedTable[];
  readonly epoch: number;
  readonly turn: number;
  /** Hears how many rows have come, and in which pass. */
  readonly onRows: (pass: number, rowCount: number) => void;
}

/** For how long transactions from before the fence are waited for, while the merchant is told to come later. */
const waitMs = 1_000;
/** For how long they are waited for before it, so that none that is open then is an old one. */
const calmMs = 60_000;
/** A pass that brings no more than this is followed by the last one before the fence. */
const fewRows = 500;
const passesMax = 20;
/** Rows have 32 bits of their transaction's number. Of a mark that is older than this nobody can tell what came after it. */
const markAgeMax = 1_000_000_000n;

export async function heldAt({ client, clientId }: MoveEnd): Promise<Held> {
  const { rowCount } = await client.query("select from clients where client_id = $1", [clientId]);
  return { ...(await findHome(asTx(client), clientId)), hasClient: rowCount === 1 };
}

/** Refuses to move a merchant with a payout that this cell has begun and not handed over to the bank. */
export async function requireNoOpenPayout({ client, clientId }: MoveEnd): Promise<void> {
  const batchId = await findOpenPayout(asTx(client), { bucket: bucketOf(clientId), clientId });
  if (batchId !== undefined)
    throw new Impossible(
      `${clientId} cannot be moved: the payout of batch ${batchId} was begun here, and is not handed over to the bank. ` +
        "Finish it with `payout run`, then move the merchant.",
    );
}

/**
 * Copies while the merchant sells. The first pass brings everything, unless an earlier run of the mover has; each further one what
 * was written meanwhile, until that is little. Gives how many passes there were.
 */
export async function copyWhileItSells(copying: Copying): Promise<number> {
  for (let pass = 1; pass < passesMax; pass += 1) {
    if ((await copyPass(copying, pass)) > fewRows) continue;
    if (!(await waitForOthers(copying.source, calmMs)))
      throw new Impossible(
        "A transaction has been open at the old home for a minute: a dump, or a long report? Run it again when that is over; what has come is kept.",
      );
    await copyPass(copying, pass + 1);
    return pass + 1;
  }
  return passesMax;
}

/** One snapshot of the source into one transaction of the target. Gives how many rows it has brought. */
async function copyPass(copying: Copying, pass: number): Promise<number> {
  const { source, target, tables, onRows } = copying;
  const brought = await inSnapshot(copying, async (upTo, copied) => {
    const counts: Record<string, number> = {};
    let rowCount = 0;
    for (const table of tables) {
      if (tablesCopiedLast.includes(table.name)) continue;
      const onBatch = (count: number): void => onRows(pass, count);
      const came = await copyRows({ source, target, since: markOf(copied), onBatch }, table);
      rowCount += came.rowCount;
      counts[table.name] = copied
        ? await withoutStrays(copying, table, {
            atSource: await countRows(source, table),
            atTarget: countIn(copied, table) + came.added,
          })
        : await compareWhole(copying, table);
    }
    await updateCopied(asTx(target.client), target.clientId, { upTo: String(upTo), counts });
    return rowCount;
  });
  return brought ?? 0;
}

/**
 * Behind the fence: what has changed since the last pass, compared row by row, and the number of all rows; then the copy is sealed.
 * What has not changed was compared before. False when the move has to be undone, and tried again.
 */
export async function finishCopy(copying: Copying): Promise<boolean> {
  const { source, target, epoch, turn, onRows } = copying;
  if (!(await waitForOthers(source, waitMs))) return false;
  if (acceptsWrites(await heldAt(source))) return false;
  await requireNoOpenPayout(source);
  const isDone = await inSnapshot(copying, async (_upTo, copied) => {
    if (!copied) return false;
    for (const { table, found } of await findAllChanged(copying, copied)) {
      const isLast = tablesCopiedLast.includes(table.name);
      if (isLast) await clearRows(target, table);
      const added = found.rowCount === 0 ? 0 : await writeRows(target, table, found);
      onRows(0, found.rowCount);
      if (isLast) continue;
      const atTarget = countIn(copied, table) + added;
      await withoutStrays(copying, table, { atSource: found.total, atTarget });
    }
    const { clientId, client } = target;
    await updateHome(asTx(client), { clientId, hasClient: true }, { step: "seal", epoch, turn });
    return true;
  });
  // When it was another run's turn, that one may have sealed it: whoever looks next sees.
  return isDone ?? true;
}

/**
 * One scan of each table, the largest ones by different readers, and one way there and back for all that a reader reads. Each has a snapshot
 * of its own: behind the fence nothing changes.
 */
async function findAllChanged(
  { readers, tables }: Copying,
  copied: Copied,
): Promise<readonly { readonly table: MovedTable; readonly found: Changed }[]> {
  const bySize = tables.toSorted((one, other) => countIn(copied, other) - countIn(copied, one));
  const found = await Promise.all(
    bySize.map(async (table, index) => {
      const since = tablesCopiedLast.includes(table.name) ? undefined : markOf(copied);
      return findChanged(readers[index % readers.length] as MoveEnd, table, since);
    }),
  );
  return tables.map((table) => ({ table, found: found[bySize.indexOf(table)] as Changed }));
}

/**
 * Runs work in one snapshot of the source and one transaction of the target, with what has come so far. Undefined when it is not this
 * run's turn any more.
 */
async function inSnapshot<Value>(
  { source, target, tables, epoch, turn }: Copying,
  work: (upTo: bigint, copied: Copied | undefined) => Promise<Value>,
): Promise<Value | undefined> {
  return inTransaction(source, "isolation level repeatable read, read only", async () => {
    const { rows } = await source.client.query<{ up_to: string }>(
      "select pg_snapshot_xmin(pg_current_snapshot())::text as up_to",
    );
    const upTo = BigInt(rows[0]?.up_to ?? 0);
    return inTransaction(target, "", async () => {
      const tx = asTx(target.client);
      await lockHome(tx, target.clientId);
      if (!mayCopy(await heldAt(target), epoch, turn)) return undefined;
      const copied = await findCopied(tx, target.clientId);
      if (copied && upTo - BigInt(copied.upTo) <= markAgeMax) return work(upTo, copied);
      if (copied) for (const table of tables.toReversed()) await clearRows(target, table);
      return work(upTo, undefined);
    });
  });
}

/** As rows have it. */
function markOf(copied: Copied | undefined): string | undefined {
  return copied && String(BigInt(copied.upTo) % 2n ** 32n);
}

/** The merchant's own row is counted by nobody: it is one. */
function countIn({ counts }: Copied, { name }: MovedTable): number {
  return name === "clients" ? 1 : (counts[name] ?? 0);
}

/** The number of a table's rows at both ends, once the target has none that was deleted at the source. */
async function withoutStrays(
  { source, target }: Copying,
  table: MovedTable,
  { atSource, atTarget }: { readonly atSource: number; readonly atTarget: number },
): Promise<number> {
  if (atSource === atTarget) return atSource;
  const removed = await removeStrays(source, target, table);
  if (atTarget - removed !== atSource) throw new Error(`${table.name} is not the same at both ends.`);
  return atSource;
}

/** Count and checksum of a whole table at both ends, before the fence. */
async function compareWhole({ source, target }: Copying, table: MovedTable): Promise<number> {
  const sums = (): Promise<[Sum, Sum]> => Promise.all([sumRows(source, table), sumRows(target, table)]);
  let [here, there] = await sums();
  if (here.rowCount < there.rowCount) {
    await removeStrays(source, target, table);
    [here, there] = await sums();
  }
  if (here.rowCount !== there.rowCount || here.sum !== there.sum)
    throw new Error(`${table.name} is not the same at both ends.`);
  return here.rowCount;
}
