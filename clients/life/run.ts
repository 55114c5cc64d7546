import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Runner } from "../runner.ts";
import { runLifecycle, startLifecycleEnvironment } from "./run-lifecycle.ts";
import { lifecycleSteps } from "./lifecycle-steps.ts";

/** The payment lifecycle with each library, against a real gateway, and through the fault proxy. */
interface LibraryRunner {
  readonly name: string;
  /** A path below `clients/`. */
  readonly file: string;
  readonly command: Runner["command"];
}

const clients = join(import.meta.dirname, "..");
const runners: readonly LibraryRunner[] = [
  { name: "typescript", file: "life/typescript.ts", command: [process.execPath, "life/typescript.ts"] },
  ...["java", "php", "python", "go"].map((name): LibraryRunner => ({
    name,
    file: `life/${name}/run.sh`,
    command: ["sh", `life/${name}/run.sh`],
  })),
];

const selected = process.argv.slice(2);
const environment = await startLifecycleEnvironment();
const results: string[] = [];
try {
  for (const runner of runners) {
    if (selected.length > 0 && !selected.includes(runner.name)) continue;
    results.push(`${runner.name}=${await runLibrary(runner)}`);
  }
} finally {
  await environment.stop();
}
process.stdout.write(`life: ${results.join(" ")}\n`);

async function runLibrary({ name, file, command }: LibraryRunner): Promise<string> {
  const exists = await access(join(clients, file)).then(
    () => true,
    () => false,
  );
  if (!exists) {
    process.exitCode = 1;
    return `0/${lifecycleSteps.length}`;
  }
  const { passed, total, problems } = await runLifecycle({ command, cwd: clients }, environment);
  for (const problem of problems) process.stderr.write(`${name}: ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  return `${passed}/${total}`;
}
