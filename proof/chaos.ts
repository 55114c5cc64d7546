import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { writeEvidenceIndex } from "./reports/evidence-index.ts";

/** A program that injects faults into a running gateway, and its two sizes. */
interface Chaos {
  readonly program: string;
  /**
   * Arguments of a run that is small enough for every change. A program without them runs only by its name, or for a
   * report.
   */
  readonly small?: readonly string[];
  /** Arguments of the full run, for the report in docs/evidence. */
  readonly full: readonly string[];
}

const chaos: Readonly<Record<string, Chaos>> = {
  storm: {
    program: "prove.ts",
    // This run is half as large as a usual smoke run, because CI has half an hour for all programs.
    small: ["--smoke", "--payments", "1000", "--seconds", "20"],
    full: "--live --payments 100000 --seconds 1800 --at-once 400 --fault-every 2500 --final-within 300".split(
      " ",
    ),
  },
  "commit-hole": { program: "commit-hole.ts", small: ["--tries", "20"], full: ["--tries", "200"] },
  notifications: { program: "notifications.ts", small: ["--tries", "3000"], full: ["--tries", "50000"] },
  failover: { program: "failover.ts", small: ["--tries", "2"], full: ["--tries", "20"] },
  outages: { program: "outages.ts", full: [] },
  patroni: { program: "patroni.ts", full: ["--tries", "27"] },
  incidents: { program: "incidents.ts", full: [] },
  "game-day": { program: "game-day.ts", full: [] },
  restore: { program: "restore.ts", full: ["--tries", "200"] },
  pitr: { program: "pitr.ts", full: ["--tries", "200"] },
  flood: { program: "flood.ts", full: ["--tries", "20"] },
  overload: { program: "overload.ts", full: ["--tries", "60"] },
  "overload-image": { program: "overload-image.ts", full: ["--tries", "180"] },
  "first-hour": { program: "first-hour.ts", full: [] },
  console: { program: "console.ts", full: [] },
  portal: { program: "portal.ts", full: [] },
  buyers: { program: "buyers.ts", full: [] },
  growth: { program: "growth.ts", full: [] },
  size: { program: "size.ts", full: [] },
  snapshot: { program: "snapshot.ts", full: [] },
  archiving: { program: "archiving.ts", full: [] },
  close: { program: "close.ts", full: [] },
  peers: { program: "peers.ts", full: ["--tries", "10"] },
  rolling: { program: "rolling.ts", full: ["--tries", "15"] },
  package: { program: "package.ts", full: [] },
  signer: { program: "signer.ts", full: [] },
  cells: { program: "cells.ts", full: [] },
  month: { program: "month.ts", full: [] },
  runtimes: { program: "runtimes.ts", full: [] },
  minutes: { program: "minutes.ts", full: [] },
  "seeded-bugs": { program: "seeded-bugs.ts", small: ["--only", "06,08,16,21"], full: ["--control"] },
};

const names = Object.keys(chaos);
const smallNames = names.filter((name) => chaos[name]?.small);
const usage = `Run proofs with real processes under faults, one program after the other.

  npm run test:chaos [-- [--report] [NAME…]]

  without options    run all programs that have a small size, in that size: ${smallNames.join(", ")}
  NAME…              only these, of ${names.join(", ")}
  --report           run in full size, with reports in docs/evidence (default: all programs)
`;

const { values: options, positionals } = parseArgs({
  options: {
    report: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
  allowPositionals: true,
});
const isUnknown = positionals.some((name) => !names.includes(name));
if (options.help || isUnknown) {
  process[isUnknown ? "stderr" : "stdout"].write(usage);
  process.exit(isUnknown ? 2 : 0);
}

const root = fileURLToPath(new URL("../", import.meta.url));
// The path is relative, because a report contains the command that created it.
const folder = "docs/evidence";

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());

const all = options.report ? names : smallNames;
const selected = positionals.length > 0 ? positionals : all;
const failed: string[] = [];
for (const [name, each] of Object.entries(chaos)) {
  if (!selected.includes(name) || interrupted.signal.aborted) continue;
  process.stderr.write(`=== ${name}\n`);
  if ((await exitOf(each)) !== 0) failed.push(name);
}
if (options.report) writeEvidenceIndex(join(root, folder));
process.stdout.write(failed.length === 0 ? "chaos: all hold\n" : `chaos: failed ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 && !interrupted.signal.aborted ? 0 : 1;

/** Exit status of a program. It gets SIGTERM when this program does, and then cleans up. */
function exitOf({ program, small, full }: Chaos): Promise<number> {
  const size = options.report ? [...full, "--report", folder] : (small ?? full);
  const child = spawn(process.execPath, [join("proof", program), ...size], { cwd: root, stdio: "inherit" });
  interrupted.signal.addEventListener("abort", () => child.kill("SIGTERM"));
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}
