import assert from "node:assert/strict";
import {
  archivedTables,
  countRows,
  formatLine,
  monthsBetween,
  retentionReason,
  type Archive,
  type Month,
  type ArchiveCandidate,
} from "./archive.ts";
import {
  deleteRows,
  findFirstMonth,
  insertArchive,
  listBuckets,
  listRows,
  listCandidates,
  listUnarchived,
  lockNextArchiveId,
  lockWebhooks,
  lockUnarchived,
  type ArchiveBatch,
  type BucketMerchants,
  type BatchStart,
} from "./archive.sql.ts";
import { systemScope } from "../postgres/database.ts";
import type { Tx } from "../postgres/sql.ts";
import { folderExists, readArchive, writeArchive } from "./archive-file.workflow.ts";
import {
  actAsOwner,
  withOneConnection,
  readAsOwner,
  type ActResult,
  type Operator,
} from "../operator-session/owner-session.ts";
import { CommandFailed } from "../core/command-errors.ts";
import { formatTextTable } from "../formats/text-table.ts";

export interface ArchiveOptions {
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
  readonly atCrashPoint?: (point: ArchivePoint, file: string) => void;
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
const keyAccess = { statementTimeoutMs, readsWholeTables: false } as const;
/** Batch size of a dry run, which can be larger because it locks nothing. */
const dryRunBatchSize = 10_000;

/**
 * `archivePayments` moves the history of payments into files, month by month and bucket by bucket. A batch is one file
 * and one transaction: rows are deleted after the file is on disk and was read back. After an interruption, run it
 * again.
 */
export async function archivePayments(
  operator: Operator,
  options: ArchiveOptions,
): Promise<readonly ArchivedMonth[]> {
  const { folder } = options;
  if (folder !== undefined && !(await folderExists(folder)))
    throw new CommandFailed(`Folder ${folder} does not exist. Create it on a disk that is backed up.`);
  return withOneConnection(operator, (connected) => archiveMonths(connected, options), keyAccess);
}

async function archiveMonths(operator: Operator, options: ArchiveOptions): Promise<readonly ArchivedMonth[]> {
  const read = <Value>(work: (tx: Tx) => Promise<Value>): Promise<Value> =>
    readAsOwner(operator, systemScope, work);
  const first = options.from ?? (await read(findFirstMonth));
  const results: ArchivedMonth[] = [];
  for (const month of first === undefined ? [] : monthsBetween(first, options.before)) {
    let sum = emptyMonth(month);
    for (const merchants of await read((tx) => listBuckets(tx, month)))
      sum = addMonths(sum, await archiveBucket(operator, { ...options, month, merchants }));
    if (sum.paymentCount + sum.openCount + sum.recentCount > 0) results.push(sum);
  }
  return results;
}

interface BucketOfMonth extends ArchiveOptions {
  readonly month: Month;
  readonly merchants: BucketMerchants;
}

async function archiveBucket(operator: Operator, bucketOptions: BucketOfMonth): Promise<ArchivedMonth> {
  const { month, merchants, folder, batchSize } = bucketOptions;
  let sum = emptyMonth(month);
  for (let after = ""; ;) {
    const startedMs = performance.now();
    const limit = folder === undefined ? dryRunBatchSize : batchSize;
    const start = { bucket: merchants.bucket, month, after, limit };
    const batch = await (folder === undefined
      ? countBatch(operator, bucketOptions, start)
      : moveBatch(operator, { ...bucketOptions, folder }, start));
    sum = addMonths(sum, batch.counts);
    if (batch.lastPaymentId === undefined) return sum;
    after = batch.lastPaymentId;
    // The run pauses as long as the database worked, so that vacuum, standbys and payments keep up.
    if (folder !== undefined)
      await new Promise((resolve) => setTimeout(resolve, performance.now() - startedMs - batch.fileMs));
  }
}

interface BatchResult {
  readonly counts: ArchivedMonth;
  /** The last payment that the batch checked; undefined if there are no more payments. */
  readonly lastPaymentId: string | undefined;
  /** Milliseconds in which the file was written and read back, and the database had nothing to do. */
  readonly fileMs: number;
}

async function countBatch(
  operator: Operator,
  { month, merchants, now }: BucketOfMonth,
  start: BatchStart,
): Promise<BatchResult> {
  return readAsOwner(operator, merchants.clientIds, async (tx) => {
    const ids = await listUnarchived(tx, start);
    const { archivable, counts } = sortCandidates(month, await listCandidates(tx, start.bucket, ids), now);
    return { counts: { ...counts, paymentCount: archivable.length }, lastPaymentId: ids.at(-1), fileMs: 0 };
  });
}

function sortCandidates(
  month: Month,
  candidates: readonly ArchiveCandidate[],
  now: Date,
): { readonly archivable: readonly string[]; readonly counts: ArchivedMonth } {
  const reasons = candidates.map((each) => ({ id: each.paymentId, reason: retentionReason(each, now) }));
  const count = (reason: string): number => reasons.filter((each) => each.reason === reason).length;
  return {
    archivable: reasons.flatMap(({ id, reason }) => (reason === undefined ? [id] : [])),
    counts: { ...emptyMonth(month), openCount: count("open"), recentCount: count("recent") },
  };
}

type MoveOptions = BucketOfMonth & { readonly folder: string };

async function moveBatch(operator: Operator, options: MoveOptions, start: BatchStart): Promise<BatchResult> {
  let file = "";
  const work = async (tx: Tx): Promise<ActResult<BatchResult>> => {
    const ids = await lockUnarchived(tx, start);
    const { archivable, counts: sorted } = sortCandidates(
      options.month,
      await listCandidates(tx, start.bucket, ids),
      options.now,
    );
    const webhooks = await lockWebhooks(tx, start.bucket, archivable);
    const waitingPayments = new Set(
      webhooks.flatMap(({ paymentId, isWaiting }) => (isWaiting ? [paymentId] : [])),
    );
    const paymentIds = archivable.filter((id) => !waitingPayments.has(id));
    const counts = { ...sorted, openCount: sorted.openCount + waitingPayments.size };
    const lastPaymentId = ids.at(-1);
    if (paymentIds.length === 0) return { value: { counts, lastPaymentId, fileMs: 0 }, audit: undefined };

    const archiveBatch = {
      bucket: start.bucket,
      paymentIds,
      webhooks: webhooks.filter((each) => !waitingPayments.has(each.paymentId)),
    };
    const { archive, fileMs } = await moveRows(tx, operator, options, archiveBatch);
    ({ file } = archive);
    const { rowCounts, sha256, byteCount, paymentCount } = archive;
    const rowCount = archivedTables.reduce((sum, table) => sum + rowCounts[table], 0);
    const moved = { ...counts, paymentCount, rowCount, byteCount, fileCount: 1 };
    return {
      value: { counts: moved, lastPaymentId, fileMs },
      audit: { act: "archive", subject: archive.file, after: { sha256, paymentCount, rowCount } },
    };
  };
  const batch = await actAsOwner(operator, options.merchants.clientIds, work);
  if (file !== "") options.atCrashPoint?.("after commit", file);
  return batch;
}

/** `moveRows` writes the file and reads it back. Only then it deletes the rows, and the commit makes both valid. */
async function moveRows(
  tx: Tx,
  { environment }: Operator,
  { month, folder, atCrashPoint }: MoveOptions,
  batch: ArchiveBatch,
): Promise<{ readonly archive: Archive } & Pick<BatchResult, "fileMs">> {
  const rows = await listRows(tx, batch);
  const text = rows.map(formatLine).join("");
  const archiveId = await lockNextArchiveId(tx);
  const { bucket, paymentIds } = batch;
  const facts = { archiveId, month: month.month, bucket, paymentCount: paymentIds.length };
  const startedMs = performance.now();
  const archive = await writeArchive(folder, environment, { ...facts, rowCounts: countRows(rows) }, text);
  const { file } = archive;
  atCrashPoint?.("file written", file);
  const readBack = await readArchive(folder, archive);
  const fileMs = performance.now() - startedMs;
  const problem =
    "problem" in readBack ? readBack.problem : readBack.text !== text && "has other rows than were written";
  if (problem)
    throw new CommandFailed(`${file} ${problem}: its payments stay in the database. Check the disk.`);
  await insertArchive(tx, archive);
  assert.deepEqual(await deleteRows(tx, batch, archiveId), archive.rowCounts);
  atCrashPoint?.("before commit", file);
  return { archive, fileMs };
}

function emptyMonth({ month }: Month): ArchivedMonth {
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

function addMonths(sum: ArchivedMonth, other: ArchivedMonth): ArchivedMonth {
  return {
    month: sum.month,
    paymentCount: sum.paymentCount + other.paymentCount,
    openCount: sum.openCount + other.openCount,
    recentCount: sum.recentCount + other.recentCount,
    fileCount: sum.fileCount + other.fileCount,
    rowCount: sum.rowCount + other.rowCount,
    byteCount: sum.byteCount + other.byteCount,
  };
}

export function formatArchivedMonths(months: readonly ArchivedMonth[], isDryRun: boolean): string {
  if (months.length === 0) return "No payments to archive in these months.";
  const columns = [
    "month",
    isDryRun ? "can be archived" : "archived",
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
  return formatTextTable([columns, ...rows]);
}
