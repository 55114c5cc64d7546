import assert from "node:assert/strict";
import {
  archivedTables,
  countRows,
  lineOf,
  monthsBetween,
  reasonToStay,
  type Archive,
  type Month,
  type Standing,
} from "./archive.ts";
import {
  deleteRows,
  findFirstMonth,
  insertArchive,
  listBuckets,
  listRows,
  listStandings,
  listUnarchived,
  lockNextArchiveId,
  lockWebhooks,
  lockUnarchived,
  type Going,
  type MerchantsOf,
  type Place,
} from "./archive.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { isFolder, readArchive, writeArchive } from "./archive-file.workflow.ts";
import {
  actAsOwner,
  onOneConnection,
  readAsOwner,
  type Acted,
  type Operator,
} from "../operator-session/as-owner.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { align } from "../formats/text-table.ts";

export interface Archiving {
  /** The run archives months up to, and not including, this one. */
  readonly before: string;
  /** The first month to archive; undefined for the month of the oldest payment. */
  readonly from?: string | undefined;
  /** The archive's folder; undefined for a dry run that only counts. */
  readonly folder?: string | undefined;
  /** Number of payments per batch. Each batch is one file. */
  readonly batchSize: number;
  readonly now: Date;
  /** Called at each crash point, for the crash tests. */
  readonly at?: (point: ArchivePoint, file: string) => void;
}

export type ArchivePoint = "file written" | "before commit" | "after commit";

/** The result for one month. */
export interface ArchivedMonth {
  readonly month: string;
  /** Number of archived payments; in a dry run, the number of payments that could be archived. */
  readonly paymentCount: number;
  readonly openCount: number;
  readonly recentCount: number;
  readonly fileCount: number;
  readonly rowCount: number;
  readonly byteCount: number;
}

/**
 * Statement timeout of a batch, longer than a batch takes on a slow disk. A long timeout is safe, because no other
 * transaction waits for the rows.
 */
const statementTimeoutMs = 60_000;
/** Archive queries use keys only, because a full table scan would be repeated for every batch. */
const byKey = { statementTimeoutMs, readsWholeTables: false } as const;
/** Batch size of a dry run, which can be larger because it locks nothing. */
const countedAtOnce = 10_000;

/**
 * `archivePayments` moves the history of payments into files, month by month and bucket by bucket. A batch is one file
 * and one transaction: rows are deleted after the file is on disk and was read back. After an interruption, run it
 * again.
 */
export async function archivePayments(
  operator: Operator,
  archiving: Archiving,
): Promise<readonly ArchivedMonth[]> {
  const { folder } = archiving;
  if (folder !== undefined && !(await isFolder(folder)))
    throw new CommandFailed(`Folder ${folder} does not exist. Create it on a disk that is backed up.`);
  return onOneConnection(operator, (connected) => archiveMonths(connected, archiving), byKey);
}

async function archiveMonths(operator: Operator, archiving: Archiving): Promise<readonly ArchivedMonth[]> {
  const look = <Value>(work: (tx: Tx) => Promise<Value>): Promise<Value> =>
    readAsOwner(operator, systemScope, work);
  const first = archiving.from ?? (await look(findFirstMonth));
  const done: ArchivedMonth[] = [];
  for (const month of first === undefined ? [] : monthsBetween(first, archiving.before)) {
    let sum = nothingOf(month);
    for (const merchants of await look((tx) => listBuckets(tx, month)))
      sum = added(sum, await archiveBucket(operator, { ...archiving, month, merchants }));
    if (sum.paymentCount + sum.openCount + sum.recentCount > 0) done.push(sum);
  }
  return done;
}

interface BucketOfMonth extends Archiving {
  readonly month: Month;
  readonly merchants: MerchantsOf;
}

async function archiveBucket(operator: Operator, asked: BucketOfMonth): Promise<ArchivedMonth> {
  const { month, merchants, folder, batchSize } = asked;
  let sum = nothingOf(month);
  for (let after = ""; ;) {
    const startedMs = performance.now();
    const limit = folder === undefined ? countedAtOnce : batchSize;
    const place = { bucket: merchants.bucket, month, after, limit };
    const batch = await (folder === undefined
      ? countBatch(operator, asked, place)
      : moveBatch(operator, { ...asked, folder }, place));
    sum = added(sum, batch.found);
    if (batch.last === undefined) return sum;
    after = batch.last;
    // The run pauses as long as the batch took, so that vacuum, standbys and payments keep up.
    if (folder !== undefined) await new Promise((go) => setTimeout(go, performance.now() - startedMs));
  }
}

interface Batch {
  readonly found: ArchivedMonth;
  /** The last payment that the batch checked; undefined if there are no more payments. */
  readonly last: string | undefined;
}

async function countBatch(
  operator: Operator,
  { month, merchants, now }: BucketOfMonth,
  place: Place,
): Promise<Batch> {
  return readAsOwner(operator, merchants.clientIds, async (tx) => {
    const ids = await listUnarchived(tx, place);
    const { going, found } = sorted(month, await listStandings(tx, place.bucket, ids), now);
    return { found: { ...found, paymentCount: going.length }, last: ids.at(-1) };
  });
}

function sorted(
  month: Month,
  standings: readonly Standing[],
  now: Date,
): { readonly going: readonly string[]; readonly found: ArchivedMonth } {
  const judged = standings.map((each) => ({ id: each.paymentId, stays: reasonToStay(each, now) }));
  const count = (reason: string): number => judged.filter(({ stays }) => stays === reason).length;
  return {
    going: judged.flatMap(({ id, stays }) => (stays === undefined ? [id] : [])),
    found: { ...nothingOf(month), openCount: count("open"), recentCount: count("recent") },
  };
}

type Moving = BucketOfMonth & { readonly folder: string };

async function moveBatch(operator: Operator, moving: Moving, place: Place): Promise<Batch> {
  let file = "";
  const work = async (tx: Tx): Promise<Acted<Batch>> => {
    const ids = await lockUnarchived(tx, place);
    const { going: over, found } = sorted(
      moving.month,
      await listStandings(tx, place.bucket, ids),
      moving.now,
    );
    const told = await lockWebhooks(tx, place.bucket, over);
    const waiting = new Set(told.flatMap(({ paymentId, isWaiting }) => (isWaiting ? [paymentId] : [])));
    const paymentIds = over.filter((id) => !waiting.has(id));
    const known = { ...found, openCount: found.openCount + waiting.size };
    const last = ids.at(-1);
    if (paymentIds.length === 0) return { value: { found: known, last }, audit: undefined };

    const going = {
      bucket: place.bucket,
      paymentIds,
      told: told.filter((each) => !waiting.has(each.paymentId)),
    };
    const archive = await moveRows(tx, operator, moving, going);
    ({ file } = archive);
    const { rowCounts, sha256, byteCount, paymentCount } = archive;
    const rowCount = archivedTables.reduce((sum, table) => sum + rowCounts[table], 0);
    const value = { found: { ...known, paymentCount, rowCount, byteCount, fileCount: 1 }, last };
    return {
      value,
      audit: { act: "archive", subject: archive.file, after: { sha256, paymentCount, rowCount } },
    };
  };
  const batch = await actAsOwner(operator, moving.merchants.clientIds, work);
  if (file !== "") moving.at?.("after commit", file);
  return batch;
}

/** `moveRows` writes the file and reads it back. Only then it deletes the rows, and the commit makes both valid. */
async function moveRows(
  tx: Tx,
  { environment }: Operator,
  { month, folder, at }: Moving,
  going: Going,
): Promise<Archive> {
  const rows = await listRows(tx, going);
  const text = rows.map(lineOf).join("");
  const archiveId = await lockNextArchiveId(tx);
  const { bucket, paymentIds } = going;
  const about = { archiveId, month: month.month, bucket, paymentCount: paymentIds.length };
  const archive = await writeArchive(folder, environment, { ...about, rowCounts: countRows(rows) }, text);
  const { file } = archive;
  at?.("file written", file);
  const again = await readArchive(folder, archive);
  const problem =
    "problem" in again ? again.problem : again.text !== text && "has other rows than were written";
  if (problem)
    throw new CommandFailed(`${file} ${problem}: its payments stay in the database. Check the disk.`);
  await insertArchive(tx, archive);
  assert.deepEqual(await deleteRows(tx, going, archiveId), archive.rowCounts);
  at?.("before commit", file);
  return archive;
}

function nothingOf({ month }: Month): ArchivedMonth {
  return {
    month,
    paymentCount: 0,
    openCount: 0,
    recentCount: 0,
    fileCount: 0,
    rowCount: 0,
    byteCount: 0,
  };
}

function added(sum: ArchivedMonth, more: ArchivedMonth): ArchivedMonth {
  return {
    month: sum.month,
    paymentCount: sum.paymentCount + more.paymentCount,
    openCount: sum.openCount + more.openCount,
    recentCount: sum.recentCount + more.recentCount,
    fileCount: sum.fileCount + more.fileCount,
    rowCount: sum.rowCount + more.rowCount,
    byteCount: sum.byteCount + more.byteCount,
  };
}

export function archivedText(months: readonly ArchivedMonth[], isCounted: boolean): string {
  if (months.length === 0) return "No payments to archive in these months.";
  const heads = [
    "month",
    isCounted ? "can be archived" : "archived",
    "open",
    "too recent",
    "files",
    "rows",
    "bytes",
  ];
  const rows = months.map((each) => [
    each.month,
    ...[
      each.paymentCount,
      each.openCount,
      each.recentCount,
      each.fileCount,
      each.rowCount,
      each.byteCount,
    ].map(String),
  ]);
  return align([heads, ...rows]);
}
