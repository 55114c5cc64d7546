import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/** A program that breaks things under a running gateway, and its two sizes. */
interface Chaos {
  readonly program: string;
  /** Small enough for every change. What has no small size is only run by its name, or with a report. */
  readonly small?: readonly string[];
  /** As large as its report in docs/evidence. */
  readonly full: readonly string[];
}

const chaos: Readonly<Record<string, Chaos>> = {
  storm: {
    program: "prove.ts",
    // Half a smoke: CI has half an hour for all.
    small: ["--smoke", "--payments", "1000", "--seconds", "20"],
    full: "--live --payments 100000 --seconds 1800 --at-once 400 --fault-every 2500".split(" "),
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
  planted: { program: "planted.ts", small: ["--only", "06,08,16,21"], full: ["--control"] },
};

const names = Object.keys(chaos);
const smallNames = names.filter((name) => chaos[name]?.small);
const usage = `Real processes under faults, one program after the other.

  npm run test:chaos [-- [--report] [NAME…]]

  without anything   those that have a small size, in it: ${smallNames.join(", ")}
  NAME…              only these, of ${names.join(", ")}
  --report           in full size, with reports in docs/evidence; without names all of them
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
// Relative, because a report says with which words it was made.
const folder = join("docs/evidence", new Date().toISOString().slice(0, 10));
if (options.report) mkdirSync(join(root, folder), { recursive: true });

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());

const all = options.report ? names : smallNames;
const wanted = positionals.length > 0 ? positionals : all;
const failed: string[] = [];
for (const [name, each] of Object.entries(chaos)) {
  if (!wanted.includes(name) || interrupted.signal.aborted) continue;
  process.stderr.write(`=== ${name}\n`);
  if ((await exitOf(each)) !== 0) failed.push(name);
}
process.stdout.write(failed.length === 0 ? "chaos: all hold\n" : `chaos: failed ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 && !interrupted.signal.aborted ? 0 : 1;

/** Exit status of a program, which is stopped with SIGTERM when we are, and then cleans up after itself. */
function exitOf({ program, small, full }: Chaos): Promise<number> {
  const size = options.report ? [...full, "--report", folder] : (small ?? full);
  const child = spawn(process.execPath, [join("proof", program), ...size], { cwd: root, stdio: "inherit" });
  interrupted.signal.addEventListener("abort", () => child.kill("SIGTERM"));
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}
