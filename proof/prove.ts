import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkInvariants } from "./oracle/oracle.ts";
import { countFindings, newReport, sumCounts, writeReport, type Report } from "./reports/storm-report.ts";
import { runStorm } from "./storm/storm.ts";

const usage = `Prove that money moves exactly once in a complete installation under random faults (a storm).

  node proof/prove.ts [--smoke] [--seed N] [--payments N] [--seconds N] [--live] [--durable]
                      [--calm]                     [--kinds A,B] [--final-within N] [--report FOLDER]

  --smoke       run 2,000 payments, in at most 140 seconds in total
  --seed N      draw the same payments and faults again (default: a new seed)
  --payments N  how many, default 10,000
  --seconds N   duration of the faults (default one second per 50 payments)
  --at-once N   number of concurrent buyers (default 160, which is enough for two cores)
  --fault-every N  mean time between two faults in milliseconds (default 275)
  --durable     let PostgreSQL fsync; killed processes lose no data in either case
  --live        live mode: the gateway verifies each callback about money with an inquiry
  --calm        inject no faults, for comparison with the same payments
  --kinds A,B   inject only faults whose kind begins with one of these, such as "provider:"
  --final-within N  seconds until all records must be final afterwards (default 60)
  --report F    folder for storm.md and storm.svg (default: a new folder)
`;

const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    seed: { type: "string" },
    payments: { type: "string" },
    seconds: { type: "string" },
    "at-once": { type: "string" },
    "fault-every": { type: "string" },
    durable: { type: "boolean", default: false },
    calm: { type: "boolean", default: false },
    live: { type: "boolean", default: false },
    kinds: { type: "string" },
    "final-within": { type: "string" },
    report: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (options.help) {
  process.stdout.write(usage);
  process.exit(0);
}

const smoke = { payments: 2_000, seconds: 40 };
const payments = parseWholeNumber(options.payments, options.smoke ? smoke.payments : 10_000);
const seconds = parseWholeNumber(options.seconds, options.smoke ? smoke.seconds : Math.ceil(payments / 50));
const seed = parseWholeNumber(options.seed, Date.now() % 1_000_000);
/** The least number of faults that makes a run a storm. */
const faultsMin = 20;
const faultKindsMin = 6;
/** Least share of payments by token and in a session, which have steps before the payment. */
const shareMin = 0.05;

const shutdown = new AbortController();
// The program ends on SIGINT and SIGTERM and then cleans up. Ctrl-C also reaches the child processes.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => shutdown.abort());

process.exit(await runProve());

/** Returns the exit status. It does not wait for unfinished work of a failed storm. */
async function runProve(): Promise<number> {
  try {
    const { durable, calm, live } = options;
    const stormResult = await runStorm({
      seed,
      payments,
      seconds,
      atOnce: parseWholeNumber(options["at-once"], 160),
      faultEveryMs: parseWholeNumber(options["fault-every"], 275),
      live,
      calm,
      kinds: options.kinds?.split(",") ?? [],
      finalWithinSeconds: parseWholeNumber(options["final-within"], 60),
      durable,
      logProgress,
      signal: shutdown.signal,
    });
    const findings = [...checkInvariants(stormResult), ...stormResult.payouts.findings];
    const report = await newReport({ seed, durable }, stormResult, findings);
    for (const { kind, description, ids } of findings)
      logProgress(`${kind}: ${description}: ${ids.join(" ")}`);
    const shortcomings = findShortcomings(report);
    for (const shortcoming of shortcomings) logProgress(shortcoming);
    const folder = options.report ?? mkdtempSync(join(tmpdir(), "tollgate-proof-"));
    writeReport(folder, report, stormResult);
    logProgress(`the report is in ${folder}`);
    const findingCounts = Object.entries(countFindings(findings)).map(([name, count]) => `${name}=${count}`);
    const lastLine = [
      "prove:",
      `seed=${seed}`,
      `payments=${sumCounts(report.figures.payments)}`,
      `faults=${sumCounts(report.faults)}`,
      `moves=${report.figures.moves.moved}`,
      `batched_settles=${report.figures.batches.settledTogether}`,
      `shared_inquiries=${report.figures.batches.sharedInquiries}`,
    ];
    process.stdout.write(`${[...lastLine, ...findingCounts].join(" ")}\n`);
    return findings.length === 0 && shortcomings.length === 0 ? 0 : 1;
  } catch (error) {
    logProgress(error instanceof Error ? (error.stack ?? error.message) : String(error));
    if (error instanceof Error && error.cause instanceof Error) logProgress(error.cause.message);
    return 1;
  }
}

/** Reasons why this run proves less than intended. */
function findShortcomings({ figures, faults }: Report): string[] {
  const count = sumCounts(figures.payments);
  const isFullRun = !options.calm && options.kinds === undefined;
  return [
    ...(count < payments ? [`only ${count} of ${payments} payments were made`] : []),
    ...(sumCounts(faults) < faultsMin && isFullRun
      ? [`only ${sumCounts(faults)} faults, of at least ${faultsMin}`]
      : []),
    ...(Object.keys(faults).length < faultKindsMin && isFullRun
      ? [`faults of fewer than ${faultKindsMin} kinds`]
      : []),
    ...["token", "session"]
      .filter((flow) => (figures.flows[flow] ?? 0) < count * shareMin)
      .map((flow) => `fewer than ${shareMin * 100} % of the payments are by ${flow}`),
    ...(sumCounts(figures.refunds) === 0 ? ["no refund was made"] : []),
    ...(sumCounts(figures.captures) === 0 ? ["nothing was captured"] : []),
    ...Object.entries(figures.asynchronous)
      .filter(([, times]) => times === 0 && isFullRun)
      .map(([kind]) => `no ${kind}`),
    ...(sumCounts(figures.payouts) === 0 ? ["no payout was made"] : []),
    ...(figures.moves.moved === 0 && isFullRun ? ["no merchant was moved"] : []),
    ...(figures.batches.settledTogether === 0 && isFullRun
      ? ["no transaction settled several payments"]
      : []),
    ...(figures.batches.sharedInquiries === 0 && isFullRun ? ["no inquiry shared a statement"] : []),
  ];
}

function parseWholeNumber(text: string | undefined, fallback: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  process.stderr.write(usage);
  return process.exit(2);
}

function logProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}
