import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { workRole } from "./installation.ts";
import { startMeasured, type MeasuredGateway } from "./measured-gateway.ts";

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
  readonly looks: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly deadRows: number;
}

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, "per-second": { type: "string", default: "300" } },
});
const [minutes, wanted] = [Number(values.minutes), Number(values["per-second"])];

const gateway = await startMeasured({ settings });
try {
  await gateway.warmUp(2_000, 1_000);
  await gateway.at.query(`alter role ${workRole} set log_min_duration_statement = 0`);
  // Existing connections keep the previous settings.
  await gateway.at.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${workRole}'`,
  );
  const looks = await readPollTimes(gateway);
  const measure = async (): Promise<Minute> => {
    looks();
    const perSecond = await gateway.flow(wanted, 60);
    const times = looks().toSorted((one, other) => one - other);
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
    const [dead] = await gateway.at.query<{ n: number }>(
      "select pg_stat_get_dead_tuples('jobs'::regclass)::int as n",
    );
    const minute = { perSecond, looks: times.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(0.9999) };
    return told({ ...minute, deadRows: dead?.n ?? 0 });
  };
  const atRest = await measure();
  const holder = new Client({ connectionString: gateway.at.postgres.url("bench") });
  await holder.connect();
  await holder.query("begin isolation level repeatable read");
  await holder.query("select count(*) from jobs");
  const held: Minute[] = [];
  while (held.length < minutes) held.push(await measure());
  await holder.query("rollback");
  await holder.end();
  process.stdout.write(`${JSON.stringify(shown(atRest, held))}\n`);
} finally {
  await gateway.stop();
}

function told(minute: Minute): Minute {
  process.stderr.write(`${lineOf(minute)}\n`);
  return minute;
}

function lineOf({ perSecond, looks, p50Ms, p99Ms, maxMs, deadRows }: Minute): string {
  return `${perSecond.toFixed(0)}/s, ${looks} polls, p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)}, longest ${maxMs.toFixed(2)}, ${deadRows} dead rows`;
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

function shown(atRest: Minute, held: readonly Minute[]): object {
  const worst = Math.max(...held.map(({ p99Ms }) => p99Ms));
  const slowest = Math.min(...held.map(({ perSecond }) => perSecond));
  const misses = [
    ...(worst <= claimMsMax
      ? []
      : [`a poll for due jobs took ${worst.toFixed(2)} ms at p99, wanted ${claimMsMax}`]),
    ...(slowest >= wanted * 0.9 ? [] : [`${slowest.toFixed(0)} payments a second, wanted ${wanted}`]),
  ];
  const figures = {
    minutes: held.length,
    per_second: slowest.toFixed(0),
    p99_at_rest_ms: atRest.p99Ms.toFixed(2),
    p99_worst_ms: worst.toFixed(2),
    dead_rows: held.at(-1)?.deadRows ?? 0,
  };
  const details = [
    `- no snapshot: ${lineOf(atRest)}`,
    ...held.map((minute, index) => `- minute ${index + 1}: ${lineOf(minute)}`),
  ];
  return { figures, misses, details };
}
