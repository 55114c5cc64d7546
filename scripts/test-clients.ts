import { once } from "node:events";
import { startProcess } from "../cli/src/dev/processes.ts";

/**
 * Tests of the client libraries: `npm run test:clients -- [NAME…]` runs the named ones, or all, in sequence. Most of
 * the programs also run alone, with languages: `node clients/life/run.ts python`.
 */
const programs: Readonly<Record<string, string>> = {
  examples: "scripts/examples.ts",
  guides: "scripts/guides.ts",
  conformance: "clients/conformance/run.ts",
  life: "clients/life/run.ts",
  init: "scripts/try-init.ts",
  packages: "clients/packages.ts",
  interoperability: "clients/interoperability/run.ts",
};

const names = Object.keys(programs);
const selected = process.argv.length > 2 ? process.argv.slice(2) : names;
const unknown = selected.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(", ")}: ${names.join(", ")}.\n`);
  process.exit(2);
}

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());

const verdicts: string[] = [];
for (const [name, program] of Object.entries(programs)) {
  if (!selected.includes(name) || interrupted.signal.aborted) continue;
  process.stderr.write(`=== ${name}\n`);
  verdicts.push(`${name}=${(await runToExit(name, program)) === 0 ? "ok" : "failed"}`);
}
process.stdout.write(`clients: ${verdicts.join(" ")}\n`);
if (interrupted.signal.aborted || verdicts.some((verdict) => verdict.endsWith("=failed")))
  process.exitCode = 1;

/**
 * `runToExit` runs a program and returns its exit status. The stop timeout is 60 s, because a program first stops a whole
 * gateway.
 */
async function runToExit(name: string, program: string): Promise<unknown> {
  const running = startProcess(name, [program], {}, { stopTimeoutMs: 60_000 });
  running.child.stdout?.pipe(process.stdout, { end: false });
  interrupted.signal.addEventListener("abort", () => void running.stop());
  const [code] = await once(running.child, "close");
  return code;
}
