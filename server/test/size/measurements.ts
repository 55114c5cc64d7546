import assert from "node:assert/strict";
import { monthsBetween } from "../../src/archive/archive.ts";
import { archivePayments } from "../../src/archive/archive.workflow.ts";
import { withOneConnection, actAsOwner, readAsOwner } from "../../src/operator-session/owner-session.ts";
import { eraseBuyer } from "../../src/operators/merchants/erase-buyer.ts";
import { nextAccountingDay, startOfAccountingDay } from "../../src/core/accounting-day.ts";
import { bucketOf } from "../../src/core/bucket.ts";
import { isRefusal } from "../../src/core/result.ts";
import { systemScope } from "../../src/postgres/database.ts";
import { findReport } from "../../src/reports/report.sql.ts";
import { rebuildSearch, type RebuiltChunk } from "../../src/search/search.sql.ts";
import type { LargeDatabase } from "./large-gateway.ts";

/** The figures of measurements on a filled database. Each operation runs with the login that runs it in production. */
export interface SizeFigures {
  /**
   * Median time of a report page of 500 lines: the slowest of six cases, which are the first, middle and last page for
   * two logins.
   */
  readonly reportMs: number;
  readonly reportPages: Readonly<Record<string, number>>;
  /** Archived payments per second of the huge merchant, including the job's pauses. */
  readonly archivePerSecond: number;
  readonly archivedPayments: number;
  /** The slowest of nine erasures. */
  readonly erasureMs: number;
  readonly rebuildPerSecond: number;
  /** Size of all databases and the write-ahead log. */
  readonly gigabytes: number;
}

const repeats = 9;
const archiveMsMax = 60_000;
const rebuildMsMax = 30_000;
const reportDays = 31;

/**
 * `measureSize` runs the operations that were once too slow on large databases. It archives, so it runs last or on a
 * separate database.
 */
export async function measureSize(filled: LargeDatabase, say: (line: string) => void): Promise<SizeFigures> {
  const gigabytes = await gigabytesOf(filled);
  say(`measuring with ${gigabytes} GB`);
  const reportPages = await measureReport(filled);
  say(`report pages in ms: ${JSON.stringify(reportPages)}`);
  const erasureMs = await measureErasure(filled);
  say(`slowest erasure: ${erasureMs} ms`);
  const rebuildPerSecond = await measureRebuild(filled);
  say(`search rebuild: ${rebuildPerSecond} payments/s`);
  const archive = await measureArchive(filled);
  say(`archive: ${archive.archivedPayments} payments, ${archive.archivePerSecond} payments/s`);
  const reportMs = Math.max(...Object.values(reportPages));
  return { reportMs, reportPages, ...archive, erasureMs, rebuildPerSecond, gigabytes };
}

async function gigabytesOf({ query }: LargeDatabase): Promise<number> {
  const [row] = await query<{ bytes: number }>(
    `select ((select sum(pg_database_size(oid)) from pg_database) + (select sum(size) from pg_ls_waldir()))::float8 as bytes`,
  );
  return Math.round((row?.bytes ?? 0) / 1e8) / 10;
}

/** The portal's login and the owner's login, each with the first, the middle and the last page of a month. */
async function measureReport(filled: LargeDatabase): Promise<Readonly<Record<string, number>>> {
  const { clientId, view, operator } = filled;
  const [fromDay, toDay] = [dayAgo(reportDays), dayAgo(1)];
  const medians: Record<string, number> = {};
  await withOneConnection(
    operator,
    async (connected) => {
      for (const [pagePosition, cursor] of await reportCursors(filled, fromDay, toDay)) {
        const request = {
          report: "TRANSACTION_DETAIL",
          fromDay,
          toDay,
          ...(cursor !== undefined && { cursor }),
        } as const;
        const logins = {
          portal: () => view("report", request),
          owner: () =>
            readAsOwner(connected, [clientId], (tx) =>
              findReport(tx, { bucket: bucketOf(clientId), clientId }, request),
            ),
        };
        for (const [login, read] of Object.entries(logins)) {
          assertPage(pagePosition, await read());
          medians[`${login} ${pagePosition}`] = await medianMs(read);
        }
      }
    },
    { readsWholeTables: false },
  );
  return medians;
}

function assertPage(pagePosition: string, page: object): void {
  assert.ok(!isRefusal(page), JSON.stringify(page));
  const { lines, nextCursor } = page as { readonly lines: readonly string[]; readonly nextCursor?: string };
  assert.ok(
    pagePosition === "last" ? lines.length > 100 && nextCursor === undefined : lines.length === 500,
    pagePosition,
  );
}

async function reportCursors(
  { query, clientId }: LargeDatabase,
  fromDay: string,
  toDay: string,
): Promise<readonly (readonly [place: string, cursor: string | undefined])[]> {
  const [from, until] = [startOfAccountingDay(fromDay), startOfAccountingDay(nextAccountingDay(toDay))];
  const cursorAt = async (clause: string, values: readonly unknown[]): Promise<string> => {
    const [row] = await query<{ cursor: string }>(
      `select (extract(epoch from at) * 1000000)::bigint || ' ' || subject_id || ' ' || effect as cursor
       from ledger_transfers where client_id collate "C" = $1 and ${clause}`,
      [clientId, ...values],
    );
    return row?.cursor ?? assert.fail(clause);
  };
  const middle = new Date((from.getTime() + until.getTime()) / 2);
  return [
    ["first", undefined],
    ["middle", await cursorAt("at >= $2 order by at limit 1", [middle])],
    // A payment has at most two lines on the merchant's account, so these are more than 250 and fewer than 500
    // movements.
    ["last", await cursorAt("at < $2 order by at desc offset 500 limit 1", [until])],
  ];
}

async function medianMs(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < repeats; nth += 1) times.push(await msOf(run));
  return Math.round((times.toSorted((a, b) => a - b)[Math.floor(repeats / 2)] ?? 0) * 10) / 10;
}

async function msOf(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await run();
  return performance.now() - startedMs;
}

/**
 * `measureErasure` erases payments with a refund, of all ages. Each erasure has its own connection, as the command has.
 */
async function measureErasure({ query, clientId, operator }: LargeDatabase): Promise<number> {
  const rows = await query<{ id: string }>(
    `select min(payment_id) as id from (
       select payment_id, ntile(${repeats}) over (order by payment_id) as part from refunds where client_id = $1
     ) as parts group by part`,
    [clientId],
  );
  assert.equal(rows.length, repeats);
  const times: number[] = [];
  for (const { id } of rows)
    times.push(await msOf(() => eraseBuyer(operator, { clientId, kind: "payment", id })));
  return Math.round(Math.max(...times));
}

type SearchCursor = Parameters<typeof rebuildSearch>[1];

/** `measureRebuild` runs batches of `search rebuild` in the bucket of the huge merchant. */
async function measureRebuild({ clientId, operator }: LargeDatabase): Promise<number> {
  const startedMs = performance.now();
  let payments = 0;
  await withOneConnection(
    operator,
    async (connected) => {
      for (let fromId: string | undefined = ""; fromId !== undefined;) {
        const pagePosition: SearchCursor = { bucket: bucketOf(clientId), fromId, limit: 5_000 };
        const part: RebuiltChunk = await actAsOwner(connected, systemScope, async (tx) => ({
          value: await rebuildSearch(tx, pagePosition),
          audit: undefined,
        }));
        payments += part.paymentCount;
        fromId = performance.now() - startedMs < rebuildMsMax ? part.nextId : undefined;
      }
    },
    { statementTimeoutMs: 60_000, readsWholeTables: false },
  );
  return Math.round((payments * 1_000) / (performance.now() - startedMs));
}

/**
 * The month with the payments of 383 days ago: at least 17 of its days are older than the refund window of one year.
 */
export const archivedMonth = monthsBetween(dayAgo(383).slice(0, 7), dayAgo(300).slice(0, 7))[0]?.month ?? "";
export const monthAfterArchived = monthsBetween(archivedMonth, dayAgo(300).slice(0, 7))[1]?.month ?? "";
/** Number of payments that are not archived and remain for the test of query plans. */
const remainingPayments = 1_000;

/** An error that ends the archive job between two batches. */
class ArchiveTimeReached extends Error {}

/**
 * Runs the archive job for at most one minute. The rate is from the first file to the last, with the pauses between
 * batches. Only the bucket of the huge merchant has payments to archive, because the job visits the buckets in order.
 */
async function measureArchive(
  filled: LargeDatabase,
): Promise<Pick<SizeFigures, "archivePerSecond" | "archivedPayments">> {
  const { query, clientId, operator, folder } = filled;
  /** A payment id begins with its time. */
  const endOfMonth = monthAfterArchived.replace("-", "");
  const count = async (): Promise<number> => {
    const [row] = await query<{ count: number }>(
      `select count(*)::int as count from payments
       where bucket = $1 and archive_id is null and created_at < now() - interval '365 days' and payment_id < $2`,
      [bucketOf(clientId), endOfMonth],
    );
    return row?.count ?? 0;
  };
  await markArchived(filled, "bucket <> $1 and payment_id < $2", bucketOf(clientId), endOfMonth);
  const before = await count();
  const files: number[] = [];
  const archiving: Parameters<typeof archivePayments>[1] = {
    from: archivedMonth,
    before: monthAfterArchived,
    folder,
    batchSize: 500,
    now: new Date(),
    atCrashPoint(point) {
      if (point !== "after commit") return;
      files.push(performance.now());
      const isLong = performance.now() - (files[0] ?? 0) > archiveMsMax;
      if (isLong || (files.length + 1) * 500 > before - remainingPayments) throw new ArchiveTimeReached();
    },
  };
  await archivePayments(operator, archiving).catch((error: unknown) => {
    if (!(error instanceof ArchiveTimeReached)) throw error;
  });
  const archived = before - (await count());
  assert.ok(files.length > 1 && archived > 0, `${files.length} files, ${archived} payments`);
  // Some payments remain for the test of query plans.
  await markArchived(
    filled,
    `bucket = $1 and created_at < now() - interval '365 days' and payment_id > (
       select payment_id from payments where bucket = $1 and archive_id is null order by payment_id offset ${remainingPayments} limit 1)`,
    bucketOf(clientId),
  );
  const seconds = ((files.at(-1) ?? 0) - (files[0] ?? 0)) / 1_000;
  return {
    // The first file only starts the clock, so its share of payments is subtracted. Files differ in size, because
    // payments with an open dispute are not archived.
    archivePerSecond: Math.round((archived * (1 - 1 / files.length)) / seconds),
    archivedPayments: archived,
  };
}

/** Marks payments as archived, without the work of the job. */
async function markArchived(
  { query }: LargeDatabase,
  condition: string,
  ...values: readonly unknown[]
): Promise<void> {
  await query("set session_replication_role = replica");
  await query(`update payments set archive_id = 1 where archive_id is null and ${condition}`, values);
  await query("set session_replication_role = origin");
}

/** The UTC day `days` ago. */
export function dayAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
