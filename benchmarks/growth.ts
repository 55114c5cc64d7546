import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { startCounting, statementCosts, stopCounting, type StatementCost } from "./counts.ts";
import { bytesEach, bytesEachRow, startMultiplying } from "./multiply-payments.ts";
import { startMeasuredGateway, type MeasuredGateway } from "./measured-gateway.ts";
import { measureOperatorCommands, type OperatorCommandTimes } from "./operator-command-times.ts";
import { medianOfNumbers } from "./report.ts";
import { tableSizes, type TableSize } from "./table-sizes.ts";

/**
 * Measures the cost of a payment on a gateway with many payments, alternately with a nearly empty gateway, and lists
 * the statements that become slower. `proof/growth.ts` writes a report of it. The last line is JSON: figures, misses,
 * details.
 *
 * node benchmarks/growth.ts [--payments 1000000] [--rows 20000000] [--rounds 5] [--each 1000]
 *
 * `--rows` then adds rows of `payments` alone, the table that `pay` and inquiries search by key: whole payments take
 * four times the disk.
 */
const sizes = [100_000, 1_000_000, 5_000_000];
const templates = 1_000;
/** Number of payments of each merchant that inquiries read. */
const inquiredEach = 20;
const inquiryMs = 3_000;
/** Largest accepted ratio of the cost at the largest size to that at the smallest. */
const growthMax = 1.1;

/** The cost of one payment or inquiry in CPU µs, WAL bytes and pages. */
interface Cost {
  readonly acceptUs: number;
  readonly settleUs: number;
  readonly wholeUs: number;
  readonly acceptPostgresUs: number;
  readonly settlePostgresUs: number;
  readonly inquiryUs: number;
  readonly walBytes: number;
  /** Full-page images in the WAL: PostgreSQL writes the whole page at the first change after a checkpoint. */
  readonly wholePages: number;
}

interface GrowthResult {
  readonly size: number;
  readonly empty: Cost;
  readonly grown: Cost;
  /**
   * The cost of a whole payment on the large gateway divided by that on the nearly empty one: the median over rounds.
   */
  readonly ratio: number;
  readonly postgresRatio: number;
  readonly inquiryRatio: number;
  readonly questions: Readonly<Record<"empty" | "grown", OperatorCommandTimes>>;
  readonly sizes: readonly TableSize[];
  /**
   * Number of pages that all statements of a payment read, and the number of pages that were not in PostgreSQL's cache.
   */
  readonly buffers: Readonly<Record<"empty" | "grown", Buffers>>;
  readonly statements: readonly string[];
}

interface Buffers {
  readonly looked: number;
  readonly read: number;
}

const costColumns: readonly (readonly [string, keyof Cost, number])[] = [
  ["accept µs", "acceptUs", 0],
  ["of it PostgreSQL", "acceptPostgresUs", 0],
  ["settle µs", "settleUs", 0],
  ["of it PostgreSQL", "settlePostgresUs", 0],
  ["whole µs", "wholeUs", 0],
  ["inquiry µs", "inquiryUs", 0],
  ["WAL bytes", "walBytes", 0],
  ["whole pages in it", "wholePages", 2],
];

const { values: options } = parseArgs({
  options: {
    payments: { type: "string", default: "5000000" },
    rows: { type: "string", default: "0" },
    rounds: { type: "string", default: "5" },
    each: { type: "string", default: "1000" },
  },
});
const [rounds, paymentsEach] = [Number(options.rounds), Number(options.each)];
// Exit handlers end all child processes, and these signals run them, too.
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
await measureGrowth(Number(options.payments), Number(options.rows));

async function measureGrowth(largest: number, rows: number): Promise<void> {
  await assertDiskSpace(largest * bytesEach + Math.max(0, rows - largest) * bytesEachRow);
  const empty = await startMeasuredGateway({ paymentsEach: inquiredEach });
  const large = await startMeasuredGateway({ paymentsEach: inquiredEach });
  try {
    for (const gateway of [empty, large]) {
      await gateway.pay(templates);
      await gateway.at.query("analyze");
    }
    const grower = await startMultiplying(large.at);
    const all: GrowthResult[] = [];
    const paymentSizes = [...sizes.filter((each) => each < largest), largest];
    for (const size of rows > largest ? [...paymentSizes, rows] : paymentSizes) {
      logLine(`growing to ${size}${size > largest ? " rows of payments" : ""}`);
      await grower.growTo(size, size > largest ? ["payments"] : undefined);
      logLine(`measuring at ${size}`);
      const grown = await measureAt(size, empty, large);
      logLine(`at ${size}: ${grown.ratio.toFixed(2)} times the cost on a nearly empty gateway`);
      all.push(grown);
      // The results so far are printed after each size, so that an interrupted run has results. A reader uses the last
      // line.
      process.stdout.write(`${JSON.stringify(createReport(all))}\n`);
    }
  } finally {
    await empty.stop();
    await large.stop();
  }
}

function logLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function assertDiskSpace(needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir());
  const free = bavail * bsize;
  if (free < needed * 1.2)
    throw new Error(`${gigabytes(needed)} of disk space are needed; ${gigabytes(free)} are free.`);
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}

async function measureAt(
  size: number,
  empty: MeasuredGateway,
  large: MeasuredGateway,
): Promise<GrowthResult> {
  const onDisk = await tableSizes(large.at);
  for (const gateway of [empty, large]) await gateway.pay(paymentsEach);
  const measured: { readonly empty: Cost; readonly grown: Cost }[] = [];
  for (let round = 0; round < rounds; round += 1)
    measured.push({ empty: await costOf(empty), grown: await costOf(large) });
  const before = await statementsOf(empty);
  const after = await statementsOf(large);
  return {
    size,
    empty: medianOf(measured.map((each) => each.empty)),
    grown: medianOf(measured.map((each) => each.grown)),
    ratio: medianOfNumbers(measured.map((each) => each.grown.wholeUs / each.empty.wholeUs)),
    postgresRatio: medianOfNumbers(measured.map((each) => postgresOf(each.grown) / postgresOf(each.empty))),
    inquiryRatio: medianOfNumbers(measured.map((each) => each.grown.inquiryUs / each.empty.inquiryUs)),
    questions: {
      empty: await measureOperatorCommands(empty.at),
      grown: await measureOperatorCommands(large.at),
    },
    sizes: onDisk,
    buffers: { empty: buffersOf(before), grown: buffersOf(after) },
    statements: listGrownStatements(before, after),
  };
}

function buffersOf(costs: ReadonlyMap<string, StatementCost>): Buffers {
  const topLevel = [...costs.values()].filter(({ isTopLevel }) => isTopLevel);
  const read = topLevel.reduce((sum, { buffersRead }) => sum + buffersRead, 0);
  const hit = topLevel.reduce((sum, { buffersHit }) => sum + buffersHit, 0);
  return { looked: (hit + read) / paymentsEach, read: read / paymentsEach };
}

async function costOf({ at, pay, inquire }: MeasuredGateway): Promise<Cost> {
  const readWalFigures = async (): Promise<{ readonly bytes: number; readonly pages: number }> => {
    const [row] = await at.query<Record<"bytes" | "pages", string>>(`
      select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes, wal_fpi as pages from pg_stat_wal`);
    return { bytes: Number(row?.bytes), pages: Number(row?.pages) };
  };
  const before = await readWalFigures();
  const cost = await pay(paymentsEach);
  const after = await readWalFigures();
  const { allUs: inquiryUs } = await inquire(inquiryMs);
  return {
    acceptUs: cost.acceptUs,
    settleUs: cost.settle.allUs,
    wholeUs: cost.wholeUs,
    acceptPostgresUs: cost.accept.postgresUs,
    settlePostgresUs: cost.settle.postgresUs,
    inquiryUs,
    walBytes: (after.bytes - before.bytes) / paymentsEach,
    wholePages: (after.pages - before.pages) / paymentsEach,
  };
}

function postgresOf({ acceptPostgresUs, settlePostgresUs }: Cost): number {
  return acceptPostgresUs + settlePostgresUs;
}

function medianOf(costs: readonly Cost[]): Cost {
  const keys = Object.keys(costs[0] ?? {}) as (keyof Cost)[];
  return Object.fromEntries(
    keys.map((key) => [key, medianOfNumbers(costs.map((cost) => cost[key]))]),
  ) as unknown as Cost;
}

async function statementsOf({ at, pay }: MeasuredGateway): Promise<ReadonlyMap<string, StatementCost>> {
  await startCounting(at, "all");
  await pay(paymentsEach);
  const costs = await statementCosts(at);
  await stopCounting(at);
  return new Map(costs.map((cost) => [`${cost.isTopLevel} ${cost.statement}`, cost]));
}

/** Rows of a table: statements whose time grew most, compared with an empty gateway. */
function listGrownStatements(
  before: ReadonlyMap<string, StatementCost>,
  after: ReadonlyMap<string, StatementCost>,
): readonly string[] {
  const each = (count: number): string => (count / paymentsEach).toFixed(count < 10 * paymentsEach ? 2 : 0);
  const pagesOf = (cost: StatementCost | undefined): number =>
    (cost?.buffersHit ?? 0) + (cost?.buffersRead ?? 0);
  return [...after]
    .map(([key, now]) => ({ now, was: before.get(key) }))
    .map((pair) => ({ ...pair, moreMs: pair.now.execMs - (pair.was?.execMs ?? 0) }))
    .sort((a, b) => b.moreMs - a.moreMs)
    .slice(0, 12)
    .map(({ now, was }) => {
      const text = now.statement.replaceAll("|", "\\|").trim().slice(0, 110);
      const times = `${each((was?.execMs ?? 0) * 1_000)} → ${each(now.execMs * 1_000)}`;
      const looked = `${each(pagesOf(was))} → ${each(pagesOf(now))}`;
      const read = `${each(was?.buffersRead ?? 0)} → ${each(now.buffersRead)}`;
      return `| ${times} | ${looked} | ${read} | ${each(was?.walBytes ?? 0)} → ${each(now.walBytes)} | \`${text}\` |`;
    });
}

function createReport(all: readonly GrowthResult[]) {
  const [first, last] = [all[0], all.at(-1)];
  const growth = (last?.ratio ?? 0) / (first?.ratio ?? 1);
  const figures = Object.fromEntries(
    all.flatMap(({ size, ratio, postgresRatio, inquiryRatio }) => [
      [`ratio_at_${size}`, ratio.toFixed(2)],
      [`inquiry_ratio_at_${size}`, inquiryRatio.toFixed(2)],
      [`postgres_ratio_at_${size}`, postgresRatio.toFixed(2)],
    ]),
  );
  return {
    figures: { ...figures, growth: growth.toFixed(2) },
    misses:
      growth > growthMax
        ? [`a payment costs ${growth.toFixed(2)} times as much at ${last?.size} as at ${first?.size}`]
        : [],
    details: [
      ...costTable(all),
      ...commandTable(all),
      ...sizeTable(all.at(-1)),
      ...all.flatMap(statementTable),
    ],
  };
}

function costTable(all: readonly GrowthResult[]): readonly string[] {
  const rowOf = (name: string, cost: Cost, { looked, read }: Buffers): string => {
    const costs = costColumns.map(([, key, decimals]) => cost[key].toFixed(decimals));
    return `| ${[name, ...costs, looked.toFixed(0), read.toFixed(1)].join(" | ")} |`;
  };
  return [
    "## For each payment",
    "",
    `| payments before | ${costColumns.map(([title]) => title).join(" | ")} | pages looked at | read |`,
    `| --- |${" --: |".repeat(costColumns.length + 2)}`,
    ...all.flatMap(({ size, empty, grown, buffers }) => [
      rowOf(`nearly none, next to ${size}`, empty, buffers.empty),
      rowOf(String(size), grown, buffers.grown),
    ]),
    "",
  ];
}

function commandTable(all: readonly GrowthResult[]): readonly string[] {
  const rowOf = (name: string, { startMs, stuckMs, showMs, showByRequestMs }: OperatorCommandTimes): string =>
    `| ${[name, ...[startMs, stuckMs, showMs, showByRequestMs].map((ms) => ms.toFixed(0))].join(" | ")} |`;
  return [
    "## Operator commands, ms",
    "",
    "| payments | `connector list`: the start of Node | `stuck` | `payment show` by payment id | by the merchant's request id |",
    "| --- | --: | --: | --: | --: |",
    ...all.flatMap(({ size, questions }) => [
      rowOf(`nearly none, next to ${size}`, questions.empty),
      rowOf(String(size), questions.grown),
    ]),
    "",
  ];
}

function sizeTable(last: GrowthResult | undefined): readonly string[] {
  if (!last) return [];
  const rowOf = (name: string, figures: readonly (number | undefined)[]): string =>
    `| ${name} | ${figures.map((figure) => figure?.toFixed(figure < 10 ? 1 : 0) ?? "").join(" | ")} |`;
  const sum = (key: "heapBytes" | "indexBytes"): number =>
    last.sizes.reduce((total, size) => total + size[key], 0);
  return [
    `## On disk at ${last.size}, for each payment`,
    "",
    "| table | rows | bytes of rows | bytes of indexes |",
    "| --- | --: | --: | --: |",
    ...last.sizes.map(({ table, rows, heapBytes, indexBytes }) =>
      rowOf(table, [rows, heapBytes, indexBytes]),
    ),
    rowOf("sum", [undefined, sum("heapBytes"), sum("indexBytes")]),
    "",
  ];
}

function statementTable({ size, statements }: GrowthResult): readonly string[] {
  return [
    `## Statements that take longer at ${size}`,
    "",
    "Per payment, nearly empty → grown; statements inside functions are also in the row of their caller.",
    "",
    "| µs | pages looked at | read | WAL bytes | statement |",
    "| --- | --- | --- | --- | --- |",
    ...statements,
    "",
  ];
}
