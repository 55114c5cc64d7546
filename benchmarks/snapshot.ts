import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { workRole } from "./installation.ts";
import { startMeasuredGateway, type MeasuredGateway } from "./measured-gateway.ts";

/**
 * Measures a worker's polls for due jobs while a backup or a report holds a snapshot, so that rows of ended jobs cannot
 * be removed from the queue. `proof/snapshot.ts` writes a report of it. The last line is JSON: figures, misses,
 * details.
 *
 * node benchmarks/snapshot.ts [--minutes 10] [--per-second 300]
 */
const claimMsMax = 5;

/** PostgreSQL logs the duration of the worker's statements only. */
const settings = {
  logging_collector: "on",
  log_directory: "log",
  log_filename: "statements",
  log_line_prefix: "%p ",
};

interface Minute {
  readonly perSecond: number;
  readonly pollCount: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly deadRows: number;
}

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, "per-second": { type: "string", default: "300" } },
});
const [minutes, paymentsPerSecond] = [Number(values.minutes), Number(values["per-second"])];

const gateway = await startMeasuredGateway({ settings });
try {
  await gateway.warmUp(2_000, 1_000);
  await gateway.at.query(`alter role ${workRole} set log_min_duration_statement = 0`);
  // Existing connections keep the previous settings.
  await gateway.at.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${workRole}'`,
  );
  const readTimes = await readPollTimes(gateway);
  const measure = async (): Promise<Minute> => {
    readTimes();
    const perSecond = await gateway.flow(paymentsPerSecond, 60);
    const times = readTimes().toSorted((one, other) => one - other);
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
    const [dead] = await gateway.at.query<{ n: number }>(
      "select pg_stat_get_dead_tuples('jobs'::regclass)::int as n",
    );
    const minute = { perSecond, pollCount: times.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(0.9999) };
    return logMinute({ ...minute, deadRows: dead?.n ?? 0 });
  };
  const withoutSnapshot = await measure();
  const snapshotClient = new Client({ connectionString: gateway.at.postgres.url("bench") });
  await snapshotClient.connect();
  await snapshotClient.query("begin isolation level repeatable read");
  await snapshotClient.query("select count(*) from jobs");
  const withSnapshot: Minute[] = [];
  while (withSnapshot.length < minutes) withSnapshot.push(await measure());
  await snapshotClient.query("rollback");
  await snapshotClient.end();
  process.stdout.write(`${JSON.stringify(createReport(withoutSnapshot, withSnapshot))}\n`);
} finally {
  await gateway.stop();
}

function logMinute(minute: Minute): Minute {
  process.stderr.write(`${formatMinute(minute)}\n`);
  return minute;
}

function formatMinute({ perSecond, pollCount, p50Ms, p99Ms, maxMs, deadRows }: Minute): string {
  return `${perSecond.toFixed(0)}/s, ${pollCount} polls, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)}, longest ${maxMs.toFixed(2)}, ${deadRows} dead rows`;
}

/**
 * Each call returns the milliseconds of all polls for due jobs since the last call: planning and execution, as
 * PostgreSQL logged them.
 */
async function readPollTimes({ at }: MeasuredGateway): Promise<() => readonly number[]> {
  const [row] = await at.query<{ folder: string }>("select current_setting('data_directory') as folder");
  const folder = join(row?.folder ?? "", "log");
  let read = 0;
  return () => {
    const [file] = readdirSync(folder);
    const bytes = readFileSync(join(folder, file ?? ""));
    const text = bytes.subarray(read).toString("utf8");
    read = bytes.length;
    const lines = text.matchAll(
      /^\d+ LOG: {2}duration: ([\d.]+) ms {2}(?:execute|bind) \S+: \s*with (?:named|due) as/gm,
    );
    return [...lines].map(([, ms]) => Number(ms));
  };
}

function createReport(withoutSnapshot: Minute, withSnapshot: readonly Minute[]): object {
  const worst = Math.max(...withSnapshot.map(({ p99Ms }) => p99Ms));
  const slowest = Math.min(...withSnapshot.map(({ perSecond }) => perSecond));
  const misses = [
    ...(worst <= claimMsMax
      ? []
      : [`a poll for due jobs took ${worst.toFixed(2)} ms at p99, wanted ${claimMsMax}`]),
    ...(slowest >= paymentsPerSecond * 0.9
      ? []
      : [`${slowest.toFixed(0)} payments a second, wanted ${paymentsPerSecond}`]),
  ];
  const figures = {
    minutes: withSnapshot.length,
    per_second: slowest.toFixed(0),
    p99_at_rest_ms: withoutSnapshot.p99Ms.toFixed(2),
    p99_worst_ms: worst.toFixed(2),
    dead_rows: withSnapshot.at(-1)?.deadRows ?? 0,
  };
  const details = [
    `- no snapshot: ${formatMinute(withoutSnapshot)}`,
    ...withSnapshot.map((minute, index) => `- minute ${index + 1}: ${formatMinute(minute)}`),
  ];
  return { figures, misses, details };
}
