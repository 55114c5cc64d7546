import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { judge } from "./oracle/oracle.ts";
import { missesIn, newReport, sum, writeReport, type Report } from "./reports/report.ts";
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
const payments = whole(options.payments, options.smoke ? smoke.payments : 10_000);
const seconds = whole(options.seconds, options.smoke ? smoke.seconds : Math.ceil(payments / 50));
const seed = whole(options.seed, Date.now() % 1_000_000);
/** The least number of faults that makes a run a storm. */
const faultsMin = 20;
const faultKindsMin = 6;
/** Least share of payments by token and in a session, which have steps before the payment. */
const shareMin = 0.05;

const leaving = new AbortController();
// The program ends on SIGINT and SIGTERM and then cleans up. Ctrl-C also reaches the child processes.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => leaving.abort());

process.exit(await prove());

/** Returns the exit status. It does not wait for unfinished work of a failed storm. */
async function prove(): Promise<number> {
  try {
    const { durable, calm, live } = options;
    const aftermath = await runStorm({
      seed,
      payments,
      seconds,
      atOnce: whole(options["at-once"], 160),
      faultEveryMs: whole(options["fault-every"], 275),
      live,
      calm,
      kinds: options.kinds?.split(",") ?? [],
      finalWithinSeconds: whole(options["final-within"], 60),
      durable,
      tell,
      signal: leaving.signal,
    });
    const findings = [...judge(aftermath), ...aftermath.payouts.findings];
    const report = await newReport({ seed, durable }, aftermath, findings);
    for (const { kind, what, ids } of findings) tell(`${kind}: ${what}: ${ids.join(" ")}`);
    const shortcomings = shortcomingsOf(report);
    for (const shortcoming of shortcomings) tell(shortcoming);
    const folder = options.report ?? mkdtempSync(join(tmpdir(), "tollgate-proof-"));
    writeReport(folder, report, aftermath);
    tell(`the report is in ${folder}`);
    const counted = Object.entries(missesIn(findings)).map(([name, count]) => `${name}=${count}`);
    const line = [
      "prove:",
      `seed=${seed}`,
      `payments=${sum(report.figures.payments)}`,
      `faults=${sum(report.faults)}`,
      `moves=${report.figures.moves.moved}`,
      `batched_settles=${report.figures.batches.settledTogether}`,
      `shared_inquiries=${report.figures.batches.sharedInquiries}`,
    ];
    process.stdout.write(`${[...line, ...counted].join(" ")}\n`);
    return findings.length === 0 && shortcomings.length === 0 ? 0 : 1;
  } catch (error) {
    tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
    if (error instanceof Error && error.cause instanceof Error) tell(error.cause.message);
    return 1;
  }
}

/** Reasons why this run proves less than intended. */
function shortcomingsOf({ figures, faults }: Report): string[] {
  const count = sum(figures.payments);
  const isWhole = !options.calm && options.kinds === undefined;
  return [
    ...(count < payments ? [`only ${count} of ${payments} payments were made`] : []),
    ...(sum(faults) < faultsMin && isWhole ? [`only ${sum(faults)} faults, of at least ${faultsMin}`] : []),
    ...(Object.keys(faults).length < faultKindsMin && isWhole
      ? [`faults of fewer than ${faultKindsMin} kinds`]
      : []),
    ...["token", "session"]
      .filter((way) => (figures.ways[way] ?? 0) < count * shareMin)
      .map((way) => `fewer than ${shareMin * 100} % of the payments are by ${way}`),
    ...(sum(figures.refunds) === 0 ? ["no refund was made"] : []),
    ...(sum(figures.captures) === 0 ? ["nothing was captured"] : []),
    ...(sum(figures.payouts) === 0 ? ["no payout was made"] : []),
    ...(figures.moves.moved === 0 && isWhole ? ["no merchant was moved"] : []),
    ...(figures.batches.settledTogether === 0 && isWhole ? ["no transaction settled several payments"] : []),
    ...(figures.batches.sharedInquiries === 0 && isWhole ? ["no inquiry shared a statement"] : []),
  ];
}

function whole(given: string | undefined, otherwise: number): number {
  const value = given === undefined ? otherwise : Number(given);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  process.stderr.write(usage);
  return process.exit(2);
}

function tell(what: string): void {
  process.stderr.write(`${what}\n`);
}
