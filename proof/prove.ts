import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { judge } from "./oracle.ts";
import { missesIn, newReport, sum, writeReport, type Report } from "./report.ts";
import { runStorm } from "./storm.ts";

const usage = `Money moves once, whatever breaks: a whole installation under a storm of faults.

  node proof/prove.ts [--smoke] [--seed N] [--payments N] [--seconds N] [--live] [--durable]
                      [--calm]                     [--kinds A,B] [--final-within N] [--report FOLDER]

  --smoke       2,000 payments, in at most 140 seconds altogether
  --seed N      draws the same payments and faults again; otherwise the seed is new
  --payments N  how many, default 10,000
  --seconds N   for how long things break, default one for every 50 payments
  --at-once N   how many buyers there are at once, default 160, which is enough for two cores
  --fault-every N  milliseconds from one fault to the next, on average; default 275
  --durable     PostgreSQL waits for the disk; processes that are killed lose nothing either way
  --live        with real money, as far as the gateway knows: what a callback says of money, it asks for once more
  --calm        nothing breaks: what the same payments look like without faults
  --kinds A,B   only faults whose kind begins with one of these, such as "wallet:"
  --final-within N  how many seconds everything has to come to its end afterwards, default 60
  --report F    where storm.md, storm.json and storm.svg go; otherwise a new folder
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
/** With fewer faults it would be no storm. */
const faultsMin = 20;
const faultKindsMin = 6;
/** Least share of each way to pay that has steps before its payment. */
const shareMin = 0.05;

const leaving = new AbortController();
// Ctrl-C reaches the child processes as well; cleanup runs either way.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => leaving.abort());

process.exit(await prove());

/** Gives the exit status. Work that a failed storm has under way is not waited for. */
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
    ];
    process.stdout.write(`${[...line, ...counted].join(" ")}\n`);
    return findings.length === 0 && shortcomings.length === 0 ? 0 : 1;
  } catch (error) {
    tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
    if (error instanceof Error && error.cause instanceof Error) tell(error.cause.message);
    return 1;
  }
}

/** Reasons why this run proves less than it was meant to. */
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
