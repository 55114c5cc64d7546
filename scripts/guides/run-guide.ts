import { spawn } from "node:child_process";
import { join } from "node:path";
import { blockBefore, type Guide } from "./guide.ts";
import { compareOutput, escapeRegExp } from "./compare-output.ts";

/** How the blocks of a language become a program. */
interface Language {
  /** The first line of the program, which replaces the line of the page's title. */
  readonly begin: string;
  /**
   * Returns code that prints a mark at the end of a block. The output since the previous mark belongs to this block.
   */
  mark(line: number): string;
  readonly end: string;
  command(file: string): readonly [program: string, ...string[]];
}

// A character that no program prints by itself.
const markCharacter = "\u0001";

const languages: Readonly<Record<string, Language>> = {
  ts: {
    begin: "",
    mark: (line) => `process.stdout.write("\\u0001${line}\\n");`,
    // The last line of the program. It ends a server that would continue to listen.
    end: "process.exit();",
    command: (file) => [process.execPath, "--env-file=.env", file],
  },
  sh: {
    begin: `set -Eeuo pipefail; trap 'echo "$0:$LINENO: ended with $?" >&2' ERR`,
    mark: (line) => `printf '\\001%s\\n' ${line}`,
    end: "",
    command: (file) => ["bash", file],
  },
};

/**
 * The programs of a guide: file → text. A line of the page is the same line of the program, so that errors have its
 * number.
 */
export function programsOf({ name, text, blocks }: Guide): ReadonlyMap<string, string> {
  const programs = new Map<string, string>();
  for (const [ending, { begin, mark, end }] of Object.entries(languages)) {
    const own = blocks.filter(({ use, language }) => use === "run" && language === ending);
    const last = own.at(-1);
    if (!last) continue;
    const lines = text.split("\n").map(() => "");
    lines[0] = begin;
    for (const block of own) {
      lines.splice(block.line, block.lines.length, ...block.lines);
      lines[block.endLine - 1] = mark(block.endLine);
    }
    lines[last.endLine - 1] += end;
    programs.set(`${name}.${ending}`, `${lines.slice(0, last.endLine).join("\n")}\n`);
  }
  return programs;
}

/** Runs the programs of a guide in the folder, and returns the problems, each with its line. */
export async function runGuide(
  guide: Guide,
  folder: string,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const file of programsOf(guide).keys()) {
    const ran = await runProgram(file, folder, timeoutMs, signal);
    const failure = describeFailure(guide, join(folder, file), ran);
    problems.push(...(failure === undefined ? compareOutputs(guide, ran) : [failure]));
  }
  return problems;
}

interface ProgramResult {
  readonly code: number | string;
  readonly ending: string;
  readonly printed: string;
  readonly stderr: string;
}

async function runProgram(
  file: string,
  folder: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<ProgramResult> {
  const ending = file.replace(/^.*\./, "");
  const [program, ...programArguments] = languages[ending]?.command(join(folder, file)) ?? ["false"];
  // A page sets its own variables, so TOLLGATE_ variables of this process, which may name another gateway, are removed.
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("TOLLGATE_"));
  const own = {
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    NODE_COMPILE_CACHE: join(folder, "compiled"),
  };
  const child = spawn(program, programArguments, {
    cwd: folder,
    env: { ...Object.fromEntries(environment), ...own },
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, so that background processes of a script end with it.
    detached: true,
  });
  const end = (): void => void (child.pid && endGroup(child.pid));
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener("abort", end);
  let [printed, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise<number | string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("close", (status, killedBy) => resolve(status ?? killedBy ?? ""));
  });
  clearTimeout(timer);
  signal?.removeEventListener("abort", end);
  return { code, ending, printed, stderr };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has already exited.
  }
}

/** Why a program failed, and at which line of the page. */
function describeFailure({ path, blocks }: Guide, program: string, ran: ProgramResult): string | undefined {
  if (ran.code === 0) return undefined;
  const completedBlocks = [...ran.printed.matchAll(new RegExp(`${markCharacter}(\\d+)`, "g"))].map(
    ([, line]) => Number(line),
  );
  const failedBlock = blocks.find(
    ({ use, language, endLine }) =>
      use === "run" && language === ran.ending && !completedBlocks.includes(endLine),
  );
  // Node and the script's own trap write an error's line as "file:7"; bash itself writes "file: line 7".
  const named = new RegExp(`${escapeRegExp(program)}:(?: line )?(\\d+)`).exec(ran.stderr)?.[1];
  const outcomeText =
    ran.code === "SIGKILL" ? "did not end in time" : `ended with ${ran.code}\n${indent(ran.stderr)}`;
  return `${path}:${named ?? failedBlock?.line ?? 1}: ${outcomeText}`.trimEnd();
}

function compareOutputs({ path, blocks }: Guide, { ending, printed }: ProgramResult): readonly string[] {
  const outputs = outputsIn(printed);
  return blocks
    .filter(({ use }) => use === "output")
    .flatMap((shown) => {
      const code = blockBefore(blocks, shown);
      if (code?.language !== ending) return [];
      const difference = compareOutput(shown.lines, outputs.get(code.endLine) ?? []);
      return difference === undefined ? [] : [`${path}:${shown.line}: ${difference}`];
    });
}

/** `outputsIn` returns the output of each block. The key is the block's last line. */
function outputsIn(printed: string): ReadonlyMap<number, readonly string[]> {
  const outputs = new Map<number, readonly string[]>();
  let lines: string[] = [];
  for (const line of printed.split("\n")) {
    if (line.startsWith(markCharacter)) {
      outputs.set(Number(line.slice(1)), lines);
      lines = [];
    } else lines.push(line);
  }
  return outputs;
}

function indent(text: string): string {
  return text
    .trim()
    .split("\n")
    .slice(0, 25)
    .map((line) => `    ${line}`)
    .join("\n");
}
