import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { cpus, release, totalmem } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { findBinFolder } from "../../server/src/postgres/temporary-postgres.ts";

/** A proof that anyone can run and repeat with one command. */
export interface Proof {
  readonly name: string;
  /** The claim that the proof shows, for the report. */
  readonly claim: string;
  readonly triesDefault: number;
  /** Options that only this proof has, such as `--quiet-minutes`, with their default values. */
  readonly numbers?: Readonly<Record<string, number>>;
  /** Names of the figures in the last line of the output; without it, the last line contains all figures. */
  readonly lastLine?: readonly string[];
  run(options: ProofOptions): Promise<ProofResult>;
}

export interface ProofOptions {
  readonly tries: number;
  /** Whether `--smoke` requested the small size for CI. */
  readonly isSmoke: boolean;
  /** Arguments of this proof only. */
  readonly args: readonly string[];
  /** Returns the value of an option that only this proof has. */
  number(name: string): number;
  /** Reports progress. */
  logProgress(line: string): void;
}

export interface ProofResult {
  /** The figures for the last line of the output, and for a table in the report. */
  readonly figures: Readonly<Record<string, number | string>>;
  /** Violations; the proof holds if there are none. */
  readonly misses: readonly string[];
  /** Lines of Markdown with figures by round, or other details. */
  readonly details?: readonly string[];
}

const missesShown = 20;

/** Runs a proof as a program, and exits with 1 if it does not hold. */
export async function runProof(proof: Proof): Promise<never> {
  // Exit handlers stop all child processes, and these signals run them, too.
  process.once("SIGINT", () => process.exit(130));
  process.once("SIGTERM", () => process.exit(143));
  const ownOptions = Object.entries(proof.numbers ?? {});
  const { values, positionals } = parseArgs({
    options: {
      tries: { type: "string", default: String(proof.triesDefault) },
      report: { type: "string" },
      smoke: { type: "boolean", default: false },
      ...Object.fromEntries(
        ownOptions.map(([name, defaultValue]) => [name, { type: "string", default: String(defaultValue) }]),
      ),
    },
    allowPositionals: true,
  });
  const number = (name: string): number => {
    const value = Number((values as Readonly<Record<string, string | boolean | undefined>>)[name]);
    if (!(value >= 0)) throw new Error(`--${name} is a number from 0.`);
    return value;
  };
  const tries = Number(values.tries);
  if (!Number.isSafeInteger(tries) || tries < 1)
    throw new Error("--tries must be a whole number of at least 1.");
  const startedAtMs = performance.now();
  const logProgress = (line: string): void =>
    print(`[${((performance.now() - startedAtMs) / 1_000).toFixed(1)} s] ${line}`);
  const result = await proof.run({ tries, isSmoke: values.smoke, args: positionals, number, logProgress });
  const seconds = Math.round((performance.now() - startedAtMs) / 1_000);
  for (const miss of result.misses.slice(0, missesShown)) print(`MISS ${miss}`);
  const figures = { ...result.figures, seconds };
  if (values.report !== undefined) await writeReport(values.report, proof, { ...result, figures });
  print(`${proof.name}: ${formatFigures(figures, proof.lastLine)}`);
  return process.exit(result.misses.length > 0 ? 1 : 0);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function formatFigures(figures: ProofResult["figures"], names?: readonly string[]): string {
  return Object.entries(figures)
    .filter(([name]) => names?.includes(name) ?? true)
    .map(([name, figure]) => `${name}=${figure}`)
    .join(" ");
}

async function writeReport(folder: string, { name, claim }: Proof, result: ProofResult): Promise<void> {
  const rows = Object.entries(result.figures).map(
    ([figure, value]) => `| ${figure.replaceAll("_", " ")} | ${value} |`,
  );
  const misses = result.misses.map((miss) => `- ${miss}`);
  const verdict = misses.length === 0 ? "It holds." : `It does not hold, ${misses.length} times:`;
  const lines = [
    `# ${name}, ${new Date().toISOString().slice(0, 10)}`,
    "",
    claim,
    "",
    `\`${commandLine(name)}\` at ${await commit()}, on ${await machine()}.`,
    "",
    "| | |",
    "| --- | --- |",
    ...rows,
    "",
    verdict,
    "",
    ...misses,
    ...(result.details ? ["", ...result.details] : []),
  ];
  await mkdir(folder, { recursive: true });
  const text = lines.join("\n").replaceAll(/\n{3,}/g, "\n\n");
  await writeFile(join(folder, `${name}.md`), `${text.trimEnd()}\n`);
}

/** The command that runs a program of this folder, with the arguments of this process. */
export function commandLine(name: string): string {
  return ["node", `proof/${name}.ts`, ...process.argv.slice(2)].join(" ");
}

const run = promisify(execFile);

async function commit(): Promise<string> {
  const cwd = fileURLToPath(new URL("../../", import.meta.url));
  try {
    const { stdout: head } = await run("git", ["rev-parse", "--short=12", "HEAD"], { cwd });
    const { stdout: changed } = await run("git", ["status", "--porcelain"], { cwd });
    return `commit ${head.trim()}${changed ? " with changes" : ""}`;
  } catch {
    return "no commit";
  }
}

async function machine(): Promise<string> {
  const { stdout } = await run(join(await findBinFolder(), "postgres"), ["--version"]);
  const cores = cpus();
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  const server = stdout.trim().replace("postgres (PostgreSQL)", "PostgreSQL");
  return `${cores.length} cores (${cores[0]?.model.trim() ?? "?"}), ${memoryGb} GB, Linux ${release()}, Node ${process.versions.node}, ${server}`;
}
