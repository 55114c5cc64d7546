import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Runner } from "../runner.ts";
import { runLifecycle, startWorld } from "./run-lifecycle.ts";
import { steps } from "./steps.ts";

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

const wanted = process.argv.slice(2);
const world = await startWorld();
const verdicts: string[] = [];
try {
  for (const runner of runners) {
    if (wanted.length > 0 && !wanted.includes(runner.name)) continue;
    verdicts.push(`${runner.name}=${await verdictOn(runner)}`);
  }
} finally {
  await world.stop();
}
process.stdout.write(`life: ${verdicts.join(" ")}\n`);

async function verdictOn({ name, file, command }: LibraryRunner): Promise<string> {
  const isThere = await access(join(clients, file)).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    process.exitCode = 1;
    return `0/${steps.length}`;
  }
  const { passed, of, problems } = await runLifecycle({ command, cwd: clients }, world);
  for (const problem of problems) process.stderr.write(`${name}: ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  return `${passed}/${of}`;
}
