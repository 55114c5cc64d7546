import { align } from "../table.ts";
import type { BenchResult } from "./run-bench.ts";
import type { Latency, Step } from "./step.ts";

const head = [
  "pay/s",
  "pay p50",
  "p99 ms",
  "inquiry p50",
  "p99 ms",
  "told p50",
  "p99 ms",
  "serve",
  "its main thread",
  "work",
  "PostgreSQL",
  "wallet",
  "this client",
  "",
];

/** The steps as a table, what holds it up, and what to do about it. */
export function benchText(result: BenchResult): string {
  const rows = result.steps.toSorted((one, other) => one.rate - other.rate).map(rowOf);
  const parts = [
    align([head, ...rows]),
    "Times in ms from when a call was due. Parts in processors: 1.00 is one of them, all the time; – is not seen from here.",
    ...result.notes,
    verdict(result),
    ...advice(result),
  ];
  return parts.join("\n\n");
}

/** What is said of a step while the next one runs. */
export function stepText({ rate, pay, inquiry, behind }: Step): string {
  const p99 = `p99 ${ms(pay.p99Ms)} ms for pay, ${ms(inquiry.p99Ms)} ms for inquiryPayment`;
  return `${rate} payments a second: ${behind === undefined ? p99 : `not kept up with, because ${behind}`}`;
}

function rowOf({ rate, pay, inquiry, told, usage, behind }: Step): readonly string[] {
  const times = [pay, inquiry, told].flatMap((latency) => timesOf(latency));
  const { serve, mainThread, work, postgres, wallet, bench } = usage;
  const used = [serve, mainThread, work, postgres, wallet, bench].map((each) => each?.toFixed(2) ?? "–");
  return [String(rate), ...times, ...used, behind === undefined ? "" : "not kept up with"];
}

function timesOf(latency: Latency | undefined): readonly string[] {
  return latency && latency.answered > 0 ? [ms(latency.p50Ms), ms(latency.p99Ms)] : ["–", "–"];
}

function ms(value: number): string {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}

function verdict({ keptUpRate, bottlenecks, steps }: BenchResult): string {
  const kept =
    keptUpRate === undefined
      ? "Not even the first rate was kept up with."
      : `Kept up with: ${keptUpRate} payments a second.`;
  const failed = steps.find(({ behind }) => behind !== undefined);
  if (!failed || !bottlenecks) return `${kept} Nothing was at its limit: raise --to to find what is.`;
  const lines = [kept, `At ${failed.rate} a second ${failed.behind}.`];
  const [first, second] = bottlenecks;
  if (!first) return [...lines, "What holds it up is not seen from here."].join("\n");
  lines.push(`First bottleneck: ${first.name}: ${first.evidence}.`, first.remedy);
  if (second) lines.push(`Next: ${second.name}: ${second.evidence}.`);
  return lines.join("\n");
}

function advice({ cost, sizes }: BenchResult): readonly string[] {
  if (!cost) return [];
  const { serveMs, mainThreadMs, workMs, postgresMs } = cost;
  const each =
    `A payment with an inquiry takes ${serveMs.toFixed(2)} ms of serve (${mainThreadMs.toFixed(2)} on its main thread), ` +
    `${workMs.toFixed(2)} of work and ${postgresMs.toFixed(2)} of PostgreSQL.`;
  const advised = sizes.map(
    ({ rate, serve, work, gatewayProcessors, postgresProcessors, connectionsEach, connectionsInAll }) =>
      `For ${rate} payments a second, six tenths busy: ${serve} serve and ${work} work on ${gatewayProcessors} processors, PostgreSQL on ` +
      `${postgresProcessors}; TOLLGATE_DATABASE_CONNECTIONS_MAX=${connectionsEach} for each, max_connections of ${connectionsInAll} or more.`,
  );
  return [[each, ...advised].join("\n")];
}
