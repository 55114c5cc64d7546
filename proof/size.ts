import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runProof } from "./reports/run-proof.ts";

/** The figures file of the test (server/test/size/measurements.ts). */
interface SizeFigures {
  readonly reportMs: number;
  readonly reportPages: Readonly<Record<string, number>>;
  readonly archivePerSecond: number;
  readonly archivedPayments: number;
  readonly erasureMs: number;
  readonly rebuildPerSecond: number;
  readonly gigabytes: number;
}

const [reportMsMax, archivePerSecondMin, erasureMsMax, gigabytesMax] = [100, 1_500, 2_000, 45];

/** The test of server/test/size with a larger database, after measurements. Its data folder is removed at the end. */
await runProof({
  name: "size",
  claim:
    "A generated database: half of the payments belong to one merchant, 40 % to a hundred, 10 % to three thousand; the request log has twice as many rows as there are payments. " +
    `With the login that runs it, a report page of 500 lines takes at most ${reportMsMax} ms (median of 9, first, middle and last page of 31 days), the archive job moves at least ` +
    `${archivePerSecondMin} payments/s of the huge merchant (with its pauses), and erasure of a buyer takes at most ${erasureMsMax} ms (slowest of 9). Then every operation, view, ` +
    "report page and covered command runs, and each statement reads a bounded number of pages for each row (auto_explain under row-level security), but for the statements and commands that server/test/size/exceptions.ts lists with reasons; `unbounded` does not count them. " +
    "`--tries` is the number of payments. Throw-away server: fsync is off, 2 GB of shared buffers from a million payments on.",
  triesDefault: 5_000_000,
  lastLine: [
    "payments",
    "report_ms",
    "archive_per_s",
    "erasure_ms",
    "rebuild_per_s",
    "gigabytes",
    "unbounded",
  ],
  async run({ tries, logProgress }) {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-size-"));
    try {
      const figuresFile = join(folder, "figures.json");
      const { boundedCount, unbounded } = await runSizeTest(tries, figuresFile, logProgress);
      const measured = readFigures(figuresFile);
      return {
        figures: {
          payments: tries,
          request_log_rows: tries * 2,
          report_ms: measured?.reportMs ?? "none",
          archive_per_s: measured?.archivePerSecond ?? "none",
          archived_payments: measured?.archivedPayments ?? "none",
          erasure_ms: measured?.erasureMs ?? "none",
          rebuild_per_s: measured?.rebuildPerSecond ?? "none",
          gigabytes: measured?.gigabytes ?? "none",
          bounded: boundedCount,
          unbounded: unbounded.length,
        },
        misses: [...findMisses(measured), ...unbounded],
        details: [
          "## Report pages",
          "",
          "| login and page | median ms |",
          "| --- | --: |",
          ...Object.entries(measured?.reportPages ?? {}).map(([page, ms]) => `| ${page} | ${ms} |`),
        ],
      };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

function readFigures(file: string): SizeFigures | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as SizeFigures) : undefined;
}

function findMisses(measured: SizeFigures | undefined): readonly string[] {
  if (!measured) return ["the measurements have failed"];
  const { reportMs, archivePerSecond, erasureMs, gigabytes } = measured;
  return [
    ...(reportMs > reportMsMax ? [`a report page takes ${reportMs} ms, limit ${reportMsMax} ms`] : []),
    ...(archivePerSecond < archivePerSecondMin
      ? [`the archive moves ${archivePerSecond} payments/s, at least ${archivePerSecondMin} are required`]
      : []),
    ...(erasureMs > erasureMsMax ? [`an erasure takes ${erasureMs} ms, limit ${erasureMsMax} ms`] : []),
    ...(gigabytes > gigabytesMax ? [`the database has ${gigabytes} GB, limit ${gigabytesMax} GB`] : []),
  ];
}

/** Runs the test; returns how many of its tests passed, and the names of those that failed. */
async function runSizeTest(
  payments: number,
  figuresFile: string,
  logProgress: (line: string) => void,
): Promise<{ readonly boundedCount: number; readonly unbounded: readonly string[] }> {
  const args = ["--test", "--test-reporter=tap", "--test-global-setup=server/test/start/global-setup.ts"];
  const child = spawn(process.execPath, [...args, "server/test/size/statements.slow.ts"], {
    cwd: fileURLToPath(new URL("../", import.meta.url)),
    env: {
      ...process.env,
      TOLLGATE_SIZE_PAYMENTS: String(payments),
      TOLLGATE_SIZE_LOG_ROWS: String(payments * 2),
      TOLLGATE_SIZE_FIGURES: figuresFile,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  process.once("exit", () => void child.kill("SIGTERM"));
  const exited = once(child, "exit");
  let boundedCount = 0;
  const unbounded: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    const [, progress] = /^# (size: .+)$/.exec(line) ?? [];
    if (progress !== undefined) logProgress(progress);
    // Lines with `+` in an assertion's difference contain the statements that read too much.
    if (/^ {4}\+ {3}['"]/.test(line)) logProgress(line.trim());
    // A failed measurement ends the test file before its tests: its error is a comment in TAP.
    if (/^# \w*Error\b/.test(line)) logProgress(line.slice(2));
    const [, isMiss, name] = /^(not )?ok \d+ - (.+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    if (isMiss === undefined) boundedCount += 1;
    else unbounded.push(name);
    logProgress(line);
  }
  const [status] = (await exited) as [number | null];
  if (status !== 0 && unbounded.length === 0) unbounded.push(`the test exited with status ${status}`);
  return { boundedCount, unbounded };
}
