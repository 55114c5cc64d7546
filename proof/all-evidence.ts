import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * Everything that takes too long for every change, one after the other, with its reports under docs/evidence. Each can
 * be run by itself: give its name. CI runs the same programs with smaller numbers.
 */
const proofs: Readonly<Record<string, readonly string[]>> = {
  storm: [
    "proof/prove.ts",
    "--live",
    "--payments",
    "100000",
    "--seconds",
    "1800",
    "--at-once",
    "400",
    "--fault-every",
    "2500",
  ],
  "commit-hole": ["proof/commit-hole.ts", "--tries", "200"],
  notifications: ["proof/notifications.ts", "--tries", "50000"],
  failover: ["proof/failover.ts", "--tries", "20"],
  outages: ["proof/outages.ts"],
  patroni: ["proof/patroni.ts", "--tries", "6"],
  restore: ["proof/restore.ts", "--tries", "200"],
  flood: ["proof/flood.ts", "--tries", "20"],
  overload: ["proof/overload.ts", "--tries", "60"],
  planted: ["proof/planted.ts", "--control"],
};

const { positionals } = parseArgs({ allowPositionals: true });
const unknown = positionals.filter((name) => !(name in proofs));
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(", ")}: ${Object.keys(proofs).join(", ")}.\n`);
  process.exit(2);
}

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = join(root, "docs/evidence", new Date().toISOString().slice(0, 10));
mkdirSync(folder, { recursive: true });
const failed: string[] = [];
for (const [name, words] of Object.entries(proofs)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  process.stderr.write(`=== ${name}\n`);
  if ((await run([...words, "--report", folder])) !== 0) failed.push(name);
}
process.stdout.write(
  failed.length === 0 ? "evidence: all hold\n" : `evidence: failed ${failed.join(", ")}\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function run(words: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, words, { cwd: root, stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}
