import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Runner } from "../runner.ts";
import { casesOfLibraries, casesOfServer, runCases } from "./run-cases.ts";
import { startScriptedGateway } from "./scripted-gateway.ts";

/** The command that runs the cases of a language. A language without its folder is skipped and listed. */
interface LibraryRunner {
  readonly name: string;
  /** A path below `clients/`: the runner exists if this file exists. */
  readonly file: string;
  readonly command: Runner["command"];
  readonly ids: readonly string[];
}

const clients = join(import.meta.dirname, "..");
const runners: readonly LibraryRunner[] = [
  {
    name: "server",
    file: "conformance/server.ts",
    command: [process.execPath, "conformance/server.ts"],
    ids: casesOfServer,
  },
  {
    name: "typescript",
    file: "conformance/typescript.ts",
    command: [process.execPath, "conformance/typescript.ts"],
    ids: casesOfLibraries,
  },
  ...["java", "php", "python", "go"].map((name): LibraryRunner => ({
    name,
    file: `conformance/${name}/run.sh`,
    command: ["sh", `conformance/${name}/run.sh`],
    ids: casesOfLibraries,
  })),
];

const wanted = process.argv.slice(2);
const gateway = await startScriptedGateway();
const verdicts: string[] = [];
try {
  for (const runner of runners) {
    if (wanted.length > 0 && !wanted.includes(runner.name)) continue;
    verdicts.push(`${runner.name}=${await verdictOn(runner)}`);
  }
} finally {
  await gateway.stop();
}
process.stdout.write(`conformance: ${verdicts.join(" ")}\n`);

/** The number of passed cases; failed, missing and unexpected cases are printed before. */
async function verdictOn({ name, file, command, ids }: LibraryRunner): Promise<string> {
  const isThere = await access(join(clients, file)).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    process.exitCode = 1;
    return `0/${ids.length}`;
  }
  const { passed, of, problems } = await runCases({ command, cwd: clients }, ids, gateway.url);
  for (const problem of problems) process.stderr.write(`${name}: ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  return `${passed}/${of}`;
}
