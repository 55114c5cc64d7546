import { once } from "node:events";
import { startProcess } from "../cli/src/dev/processes.ts";

/**
 * What users of the client libraries rely on: `npm run test:clients -- [NAME…]` runs the named ones, or all,
 * one after the other. Each is a script of package.json as well; most of them take languages: `npm run life -- python`.
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
const wanted = process.argv.length > 2 ? process.argv.slice(2) : names;
const unknown = wanted.filter((name) => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(", ")}: ${names.join(", ")}.\n`);
  process.exit(2);
}

const interrupted = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupted.abort());

const verdicts: string[] = [];
for (const [name, program] of Object.entries(programs)) {
  if (!wanted.includes(name) || interrupted.signal.aborted) continue;
  process.stderr.write(`=== ${name}\n`);
  verdicts.push(`${name}=${(await exitOf(name, program)) === 0 ? "ok" : "failed"}`);
}
process.stdout.write(`clients: ${verdicts.join(" ")}\n`);
if (interrupted.signal.aborted || verdicts.some((verdict) => verdict.endsWith("=failed")))
  process.exitCode = 1;

/** Exit status of a program. Stopping one takes a while, because it stops a whole gateway first. */
async function exitOf(name: string, program: string): Promise<unknown> {
  const running = startProcess(name, [program], {}, { stopTimeoutMs: 60_000 });
  running.child.stdout?.pipe(process.stdout, { end: false });
  interrupted.signal.addEventListener("abort", () => void running.stop());
  const [code] = await once(running.child, "close");
  return code;
}
