import { acceptsWrites, mayCopy, type LocalHome } from "../cells/home.ts";
import {
  findCopyProgress,
  findHome,
  lockHome,
  updateCopyProgress,
  updateHome,
  type CopyProgress,
} from "../cells/home.sql.ts";
import { tablesCopiedLast } from "../cells/unmoved-tables.ts";
import { bucketOf } from "../core/bucket.ts";
import { findOpenPayout } from "../settlement/payouts/open-payout.sql.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { asTx, inTransaction, type MoveConnection } from "./move-connection.workflow.ts";
import {
  clearRows,
  copyRows,
  countRows,
  findChangedRows,
  deleteExtraRows,
  sumRows,
  waitForOpenTransactions,
  writeRows,
  type ChangedRows,
  type MovedTable,
  type RowSum,
} from "./move-rows.workflow.ts";

/** One attempt of one run of the mover to copy a merchant's rows from one database to another. */
export interface CopyRun {
  readonly source: MoveConnection;
  /** More connections to the source, which read tables in parallel while the merchant waits. */
  readonly readers: readonly MoveConnection[];
  readonly target: MoveConnection;
  readonly tables: readonly MovedTable[];
  readonly epoch: number;
  readonly moverRun: number;
  /** Called with the number of copied rows, and with the pass. */
  readonly onRows: (pass: number, rowCount: number) => void;
}

/**
 * How long to wait for transactions from before the fence, in milliseconds. During the wait the merchant's requests are
 * answered with U.
 */
const fenceWaitMs = 1_000;
/**
 * How long to wait for open transactions before the fence, in milliseconds, so that none of them is old when the fence
 * is closed.
 */
const quietWaitMs = 60_000;
/** Maximum number of rows of a pass, after which the next pass is the last one before the fence. */
const fewRowsMax = 500;
const passesMax = 20;
/**
 * Maximum age of a mark in transactions: rows store only 32 bits of their transaction id, so the order relative to an
 * older mark is ambiguous.
 */
const markAgeMax = 1_000_000_000n;

export async function findLocalHome({ client, clientId }: MoveConnection): Promise<LocalHome> {
  const { rowCount } = await client.query("select from clients where client_id = $1", [clientId]);
  return { ...(await findHome(asTx(client), clientId)), hasClient: rowCount === 1 };
}

/**
 * `requireNoOpenPayout` rejects the move of a merchant with a payout that this cell has started and not handed over to
 * the bank.
 */
export async function requireNoOpenPayout({ client, clientId }: MoveConnection): Promise<void> {
  const batchId = await findOpenPayout(asTx(client), { bucket: bucketOf(clientId), clientId });
  if (batchId !== undefined)
    throw new CommandFailed(
      `${clientId} cannot be moved: the payout of batch ${batchId} was started here, and is not handed ` +
        "over to the bank. Finish it with `payout run`, then move the merchant.",
    );
}

/**
 * `copyWhileServing` copies rows while the merchant is served. The first pass copies everything, unless an earlier run
 * of the mover has done so. Each further pass copies the changes since the previous one, until they are few. It returns
 * the number of passes.
 */
export async function copyWhileServing(copyRun: CopyRun): Promise<number> {
  for (let pass = 1; pass < passesMax; pass += 1) {
    if ((await copyPass(copyRun, pass)) > fewRowsMax) continue;
    if (!(await waitForOpenTransactions(copyRun.source, quietWaitMs)))
      throw new CommandFailed(
        "A transaction has been open in the old cell for a minute, for example a dump or a long report. " +
          "Run the command again when it has ended; the copied rows are kept.",
      );
    await copyPass(copyRun, pass + 1);
    return pass + 1;
  }
  return passesMax;
}

/**
 * `copyPass` copies one snapshot of the source in one transaction of the target, and returns the number of copied rows.
 */
async function copyPass(copyRun: CopyRun, pass: number): Promise<number> {
  const { source, target, tables, onRows } = copyRun;
  const copiedRowCount = await inSnapshot(copyRun, async (upTo, copied) => {
    const counts: Record<string, number> = {};
    let rowCount = 0;
    for (const table of tables) {
      if (tablesCopiedLast.includes(table.name)) continue;
      const onBatch = (count: number): void => onRows(pass, count);
      const copiedRows = await copyRows({ source, target, since: transactionMark(copied), onBatch }, table);
      rowCount += copiedRows.rowCount;
      counts[table.name] = copied
        ? await deleteAndCountExtraRows(copyRun, table, {
            atSource: await countRows(source, table),
            atTarget: copiedCount(copied, table) + copiedRows.added,
          })
        : await compareTable(copyRun, table);
    }
    await updateCopyProgress(asTx(target.client), target.clientId, { upTo: String(upTo), counts });
    return rowCount;
  });
  return copiedRowCount ?? 0;
}

/**
 * `finishCopy` runs after the fence is closed. It copies the changes since the last pass, compares them row by row,
 * compares the total numbers of rows, and seals the copy. Earlier passes have compared the unchanged rows. It returns
 * false if the move must be undone and tried again.
 */
export async function finishCopy(copyRun: CopyRun): Promise<boolean> {
  const { source, target, epoch, moverRun, onRows } = copyRun;
  if (!(await waitForOpenTransactions(source, fenceWaitMs))) return false;
  if (acceptsWrites(await findLocalHome(source))) return false;
  await requireNoOpenPayout(source);
  const isDone = await inSnapshot(copyRun, async (_upTo, copied) => {
    if (!copied) return false;
    for (const { table, found } of await findAllChanged(copyRun, copied)) {
      const isLast = tablesCopiedLast.includes(table.name);
      if (isLast) await clearRows(target, table);
      const added = found.rowCount === 0 ? 0 : await writeRows(target, table, found);
      onRows(0, found.rowCount);
      if (isLast) continue;
      const atTarget = copiedCount(copied, table) + added;
      await deleteAndCountExtraRows(copyRun, table, { atSource: found.total, atTarget });
    }
    const { clientId, client } = target;
    await updateHome(asTx(client), { clientId, hasClient: true }, { step: "seal", epoch, moverRun });
    return true;
  });
  // If another run of the mover has taken over, that run may have sealed the copy: the next check of the state will
  // show it.
  return isDone ?? true;
}

/**
 * `findAllChanged` scans each table once. Different readers scan the largest tables, with one round trip per reader.
 * Each reader has its own snapshot, which is safe because nothing changes after the fence is closed.
 */
async function findAllChanged(
  { readers, tables }: CopyRun,
  copied: CopyProgress,
): Promise<readonly { readonly table: MovedTable; readonly found: ChangedRows }[]> {
  const bySize = tables.toSorted((one, other) => copiedCount(copied, other) - copiedCount(copied, one));
  const found = await Promise.all(
    bySize.map(async (table, index) => {
      const since = tablesCopiedLast.includes(table.name) ? undefined : transactionMark(copied);
      return findChangedRows(readers[index % readers.length] as MoveConnection, table, since);
    }),
  );
  return tables.map((table) => ({ table, found: found[bySize.indexOf(table)] as ChangedRows }));
}

/**
 * `inSnapshot` runs work in one snapshot of the source and one transaction of the target, with the progress so far. It
 * returns undefined if another run has taken over.
 */
async function inSnapshot<Value>(
  { source, target, tables, epoch, moverRun }: CopyRun,
  work: (upTo: bigint, copied: CopyProgress | undefined) => Promise<Value>,
): Promise<Value | undefined> {
  return inTransaction(source, "isolation level repeatable read, read only", async () => {
    const { rows } = await source.client.query<{ up_to: string }>(
      "select pg_snapshot_xmin(pg_current_snapshot())::text as up_to",
    );
    const upTo = BigInt(rows[0]?.up_to ?? 0);
    return inTransaction(target, "", async () => {
      const tx = asTx(target.client);
      await lockHome(tx, target.clientId);
      if (!mayCopy(await findLocalHome(target), epoch, moverRun)) return undefined;
      const copied = await findCopyProgress(tx, target.clientId);
      if (copied && upTo - BigInt(copied.upTo) <= markAgeMax) return work(upTo, copied);
      if (copied) for (const table of tables.toReversed()) await clearRows(target, table);
      return work(upTo, undefined);
    });
  });
}

/** The mark of the copied rows in the 32-bit form of the rows' transaction ids. */
function transactionMark(copied: CopyProgress | undefined): string | undefined {
  return copied && String(BigInt(copied.upTo) % 2n ** 32n);
}

/** The number of copied rows of a table. The row in `clients` is always exactly one, so it is not counted. */
function copiedCount({ counts }: CopyProgress, { name }: MovedTable): number {
  return name === "clients" ? 1 : (counts[name] ?? 0);
}

/**
 * `deleteAndCountExtraRows` returns the number of a table's rows at both ends, after rows that were deleted at the source are
 * deleted at the target.
 */
async function deleteAndCountExtraRows(
  { source, target }: CopyRun,
  table: MovedTable,
  { atSource, atTarget }: { readonly atSource: number; readonly atTarget: number },
): Promise<number> {
  if (atSource === atTarget) return atSource;
  const removed = await deleteExtraRows(source, target, table);
  if (atTarget - removed !== atSource)
    throw new Error(`Table ${table.name} differs between source and target after the copy.`);
  return atSource;
}

/** `compareTable` compares count and checksum of a whole table at both ends, before the fence. */
async function compareTable({ source, target }: CopyRun, table: MovedTable): Promise<number> {
  const sums = (): Promise<[RowSum, RowSum]> => Promise.all([sumRows(source, table), sumRows(target, table)]);
  let [sourceSum, targetSum] = await sums();
  if (sourceSum.rowCount < targetSum.rowCount) {
    await deleteExtraRows(source, target, table);
    [sourceSum, targetSum] = await sums();
  }
  if (sourceSum.rowCount !== targetSum.rowCount || sourceSum.sum !== targetSum.sum)
    throw new Error(`Table ${table.name} differs between source and target after the copy.`);
  return sourceSum.rowCount;
}
