import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startMultiplying } from "./multiply-payments.ts";
import type { Installation } from "./installation.ts";
import { startMeasuredGateway, type Latency, type MeasuredGateway } from "./measured-gateway.ts";
import { tableSizes, type TableSize } from "./table-sizes.ts";

/**
 * Measures the disk space of an archived payment, the cost of archiving, and the latency of `pay` meanwhile.
 * `proof/archiving.ts` writes a report of it. The last line is JSON: figures, misses, details.
 *
 * node benchmarks/archiving.ts [--payments 200000]
 */
const templates = 1_000;
/**
 * The age of the payments in days. The archive takes only payments older than the provider's refund window of one year.
 */
const paymentAgeDays = 800;
const perSecond = 50;
const seconds = 20;
/** Largest accepted increase of `pay` at its 99th percentile. */
const slowerMsMax = 100;

const { values: options } = parseArgs({ options: { payments: { type: "string", default: "200000" } } });
// Exit handlers end all child processes, and these signals run them, too.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
await measureArchiving(Number(options.payments));

async function measureArchiving(payments: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-archive-"));
  const gateway = await startMeasuredGateway({ paymentsEach: 20, merchants: 20 });
  const { at } = gateway;
  try {
    await gateway.pay(templates);
    const grower = await startMultiplying(at, paymentAgeDays);
    logLine(`growing to ${payments}`);
    await grower.growTo(payments);
    const before = await tableSizes(at);
    const baseline = await gateway.latency(perSecond, seconds);
    logLine(`archiving; without it pay takes ${formatLatency(baseline)}`);
    const archived = await archiveUnderLoad(gateway, folder);
    logLine(
      `archived ${archived.paymentCount} in ${archived.seconds} s; meanwhile pay took ${formatLatency(archived.meanwhile)}`,
    );
    at.operate("archive", "verify", folder);
    // The second vacuum makes the index pages available that the first vacuum emptied.
    for (let time = 0; time < 2; time += 1) await at.query("vacuum (analyze)");
    const [count] = await at.query<{ payments: number }>("select count(*)::int as payments from payments");
    const emptied = await tableSizes(at);
    logLine("growing by the same number of payments");
    await grower.growTo(payments * 2 - templates);
    const after = await tableSizes(at);
    const grown = { payments: count?.payments ?? 0, emptied, after };
    process.stdout.write(`${JSON.stringify(createReport({ baseline, archived, before, grown }))}\n`);
  } finally {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface ArchiveResult {
  readonly paymentCount: number;
  readonly fileCount: number;
  readonly byteCount: number;
  readonly rowCount: number;
  readonly seconds: string;
  readonly walBytes: number;
  /** The longest time from one archive file to the next, including the pause between them. */
  readonly batchMsMax: number;
  readonly meanwhile: Latency;
}

async function archiveUnderLoad({ at, latency }: MeasuredGateway, folder: string): Promise<ArchiveResult> {
  const month = new Date(Date.now() - 365 * 24 * 3600 * 1000).toISOString().slice(0, 7);
  const startedMs = performance.now();
  let endedMs = 0;
  const archiving = at
    .operateConcurrently("archive", "--before", month, "--to", folder, "--json")
    .then((printed) => {
      endedMs = performance.now();
      return printed;
    });
  const meanwhile = await latency(perSecond, seconds);
  if (endedMs > 0)
    logLine(`it was done ${((performance.now() - endedMs) / 1_000).toFixed(0)} s before the load was`);
  // No other writer runs now, so all WAL between these two positions is the archive command's.
  const [from, doneBefore] = [await walPosition(at), await archivedCount(at)];
  const printed = await archiving;
  const [until, doneAfter] = [await walPosition(at), await archivedCount(at)];
  const months = JSON.parse(printed) as Record<
    "paymentCount" | "fileCount" | "byteCount" | "rowCount",
    number
  >[];
  const sum = (name: keyof (typeof months)[number]): number =>
    months.reduce((all, each) => all + each[name], 0);
  const [row] = await at.query<{ ms: number }>(`
    select coalesce(max(extract(epoch from gap) * 1000), 0)::float8 as ms
    from (select written_at - lag(written_at) over (order by archive_id) as gap from archives) as gaps`);
  return {
    paymentCount: sum("paymentCount"),
    fileCount: sum("fileCount"),
    byteCount: sum("byteCount"),
    rowCount: sum("rowCount"),
    seconds: ((endedMs - startedMs) / 1_000).toFixed(0),
    walBytes: (until - from) / Math.max(1, doneAfter - doneBefore),
    batchMsMax: row?.ms ?? 0,
    meanwhile,
  };
}

async function walPosition({ query }: Installation): Promise<number> {
  const [row] = await query<{ bytes: number }>("select (pg_current_wal_lsn() - '0/0')::float8 as bytes");
  return row?.bytes ?? 0;
}

async function archivedCount({ query }: Installation): Promise<number> {
  const [row] = await query<{ count: number }>(
    "select coalesce(sum(payment_count), 0)::int as count from archives",
  );
  return row?.count ?? 0;
}

interface ArchivingMeasurement {
  readonly baseline: Latency;
  readonly archived: ArchiveResult;
  readonly before: readonly TableSize[];
  readonly grown: {
    readonly payments: number;
    readonly emptied: readonly TableSize[];
    readonly after: readonly TableSize[];
  };
}

function createReport({ baseline, archived, before, grown }: ArchivingMeasurement) {
  const measuredTables = before.filter(({ table }) => table !== "request_log");
  const added = measuredTables.map(({ table }) => ({ table, bytes: addedBytes(table, grown) }));
  const bytesBefore = measuredTables.reduce((sum, each) => sum + bytesOf(each), 0);
  const bytesAfter = added.reduce((sum, { bytes }) => sum + bytes, 0);
  const slowerMs = archived.meanwhile.p99Ms - baseline.p99Ms;
  return {
    figures: {
      payments_archived: archived.paymentCount,
      files: archived.fileCount,
      bytes_of_a_payment_before: bytesBefore.toFixed(0),
      bytes_of_a_payment_afterwards: bytesAfter.toFixed(0),
      bytes_in_files_each: (archived.byteCount / archived.paymentCount).toFixed(0),
      rows_each: (archived.rowCount / archived.paymentCount).toFixed(1),
      WAL_bytes_each: archived.walBytes.toFixed(0),
      seconds_archiving_with_pauses: archived.seconds,
      ms_from_file_to_file_at_most: archived.batchMsMax.toFixed(0),
      pay_usually: formatLatency(baseline),
      pay_meanwhile: formatLatency(archived.meanwhile),
      load_average: loadavg()
        .map((each) => each.toFixed(1))
        .join(", "),
    },
    misses:
      slowerMs > slowerMsMax
        ? [`pay takes ${slowerMs.toFixed(0)} ms longer at p99; the limit is ${slowerMsMax}.`]
        : [],
    details: [
      "## On disk, for each payment",
      "",
      "The space of a payment before it is archived, and the growth per payment after the same number was archived and added again. Without the request log, whose partitions are dropped by day.",
      "",
      "| table | whole | grows by |",
      "| --- | --: | --: |",
      ...measuredTables.map(
        (each, index) =>
          `| ${each.table} | ${bytesOf(each).toFixed(0)} | ${added[index]?.bytes.toFixed(0)} |`,
      ),
      `| sum | ${bytesBefore.toFixed(0)} | ${bytesAfter.toFixed(0)} |`,
    ],
  };
}

function bytesOf({ heapBytes, indexBytes }: TableSize): number {
  return heapBytes + indexBytes;
}

/**
 * `addedBytes` returns the bytes of one added copy. Sizes are averages per payment, so it multiplies each size by its
 * number of payments and divides the growth by the number of added copies.
 */
function addedBytes(table: string, { payments, emptied, after }: ArchivingMeasurement["grown"]): number {
  const find = (sizes: readonly TableSize[]): number => {
    const tableSize = sizes.find((each) => each.table === table);
    return tableSize ? bytesOf(tableSize) : 0;
  };
  const copies = Number(options.payments) - templates;
  return (find(after) * (payments + copies) - find(emptied) * payments) / copies;
}

function formatLatency({ p50Ms, p99Ms }: Latency): string {
  return `${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(0)} ms`;
}

function logLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
