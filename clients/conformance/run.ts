import { access } from "node:fs/promises";
import { join } from "node:path";
import type { Runner } from "../runner.ts";
import { libraryCaseIds, serverCaseIds, runCases } from "./run-cases.ts";
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
    ids: serverCaseIds,
  },
  {
    name: "typescript",
    file: "conformance/typescript.ts",
    command: [process.execPath, "conformance/typescript.ts"],
    ids: libraryCaseIds,
  },
  ...["java", "php", "python", "go"].map((name): LibraryRunner => ({
    name,
    file: `conformance/${name}/run.sh`,
    command: ["sh", `conformance/${name}/run.sh`],
    ids: libraryCaseIds,
  })),
];

const selected = process.argv.slice(2);
const gateway = await startScriptedGateway();
const results: string[] = [];
try {
  for (const runner of runners) {
    if (selected.length > 0 && !selected.includes(runner.name)) continue;
    results.push(`${runner.name}=${await runLibrary(runner)}`);
  }
} finally {
  await gateway.stop();
}
process.stdout.write(`conformance: ${results.join(" ")}\n`);

/** The number of passed cases; failed, missing and unexpected cases are printed before. */
async function runLibrary({ name, file, command, ids }: LibraryRunner): Promise<string> {
  const exists = await access(join(clients, file)).then(
    () => true,
    () => false,
  );
  if (!exists) {
    process.exitCode = 1;
    return `0/${ids.length}`;
  }
  const { passed, total, problems } = await runCases({ command, cwd: clients }, ids, gateway.url);
  for (const problem of problems) process.stderr.write(`${name}: ${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  return `${passed}/${total}`;
}
