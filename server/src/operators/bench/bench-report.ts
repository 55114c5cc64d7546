import { formatTextTable } from "../../formats/text-table.ts";
import type { BenchResult } from "./run-bench.ts";
import type { Latency, BenchStep } from "./bench-step.ts";

const head = [
  "pay/s",
  "pay p50",
  "p99 ms",
  "inquiry p50",
  "p99 ms",
  "webhook p50",
  "p99 ms",
  "serve",
  "serve main thread",
  "work",
  "PostgreSQL",
  "provider",
  "load generator",
  "",
];

/** Formats the steps as a table, then the bottleneck and its remedy. */
export function benchResultText(result: BenchResult): string {
  const rows = result.steps.toSorted((left, right) => left.rate - right.rate).map(rowOf);
  const parts = [
    formatTextTable([head, ...rows]),
    "Times in ms, from the scheduled time of a request. CPU use in processors: 1.00 is one processor, fully " +
      "used; – is not measured.",
    ...result.notes,
    verdict(result),
    ...advice(result),
  ];
  return parts.join("\n\n");
}

/** The progress line of a step, printed while the next step runs. */
export function stepText({ rate, pay, inquiry, behind }: BenchStep): string {
  const p99 = `p99 ${ms(pay.p99Ms)} ms for pay, ${ms(inquiry.p99Ms)} ms for inquiryPayment`;
  return `${rate} payments a second: ${behind === undefined ? p99 : `not sustained, because ${behind}`}`;
}

function rowOf({ rate, pay, inquiry, told, usage, behind }: BenchStep): readonly string[] {
  const times = [pay, inquiry, told].flatMap((latency) => timesOf(latency));
  const { serve, mainThread, work, postgres, provider, bench } = usage;
  const cpuTexts = [serve, mainThread, work, postgres, provider, bench].map(
    (each) => each?.toFixed(2) ?? "–",
  );
  return [String(rate), ...times, ...cpuTexts, behind === undefined ? "" : "not sustained"];
}

function timesOf(latency: Latency | undefined): readonly string[] {
  return latency && latency.answered > 0 ? [ms(latency.p50Ms), ms(latency.p99Ms)] : ["–", "–"];
}

function ms(value: number): string {
  return value < 10 ? value.toFixed(1) : String(Math.round(value));
}

function verdict({ keptUpRate, bottlenecks, steps }: BenchResult): string {
  const sustainedText =
    keptUpRate === undefined
      ? "Not even the first rate was sustained."
      : `Sustained rate: ${keptUpRate} payments a second.`;
  const failedStep = steps.find(({ behind }) => behind !== undefined);
  if (!failedStep || !bottlenecks)
    return `${sustainedText} No part reached its limit. Raise --to to find the limit.`;
  const lines = [sustainedText, `At ${failedStep.rate} payments a second, ${failedStep.behind}.`];
  const [first, second] = bottlenecks;
  if (!first) return [...lines, "The measured parts do not show the bottleneck."].join("\n");
  lines.push(`First bottleneck: ${first.name}: ${first.evidence}.`, first.remedy);
  if (second) lines.push(`Next: ${second.name}: ${second.evidence}.`);
  return lines.join("\n");
}

function advice({ cost, sizes }: BenchResult): readonly string[] {
  if (!cost) return [];
  const { serveMs, mainThreadMs, workMs, postgresMs } = cost;
  const costText =
    `A payment with one inquiry uses ${serveMs.toFixed(2)} ms CPU of serve (${mainThreadMs.toFixed(2)} on ` +
    `its main thread), ${workMs.toFixed(2)} of work and ${postgresMs.toFixed(2)} of PostgreSQL.`;
  const sizeTexts = sizes.map(
    ({ rate, serve, work, gatewayProcessors, postgresProcessors, connectionsEach, connectionsInAll }) =>
      `Size for ${rate} payments a second at 60 % CPU use: ${serve} serve and ${work} work on ` +
      `${gatewayProcessors} processors, PostgreSQL on ${postgresProcessors}. Set ` +
      `TOLLGATE_DATABASE_CONNECTIONS_MAX=${connectionsEach} for each, and max_connections to ` +
      `${connectionsInAll} or more.`,
  );
  return [[costText, ...sizeTexts].join("\n")];
}
