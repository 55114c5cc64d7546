import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { copyTree, type CopiedTree } from "./seeded-bugs/copied-tree.ts";
import { seededBugs, type Layer, type SeededBug } from "./seeded-bugs/bugs.ts";
import { commit } from "./reports/storm-report.ts";
import { failedTest, failingTests, runProgram } from "./seeded-bugs/run-layer.ts";
import { commandLine } from "./reports/run-proof.ts";

const usage = `Apply each seeded bug to a copy of the source tree and check that a proof or test detects it.

  node proof/seeded-bugs.ts [--only NN[,NN]] [--control] [--tests] [--budget N] [--report FOLDER]

  --only NN   run one or several bugs, by number
  --control   also run each layer on a copy without a bug, where it must find nothing
  --tests     also run the ordinary tests on each copy, to show which bugs only the proof finds
  --budget N  time limit for one bug in seconds (default 240, enough for an idle small machine)
  --report F  folder for seeded-bugs.md
`;

const { values: options } = parseArgs({
  options: {
    only: { type: "string" },
    control: { type: "boolean", default: false },
    tests: { type: "boolean", default: false },
    budget: { type: "string", default: "240" },
    report: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (options.help) {
  process.stdout.write(usage);
  process.exit(0);
}

/** The result of one proof layer on a copy of the tree with a seeded bug. */
interface Row {
  readonly bug: string;
  readonly layer: string;
  readonly expected: string;
  readonly holds: boolean;
  /** The expected finding, or the reason why there is none. */
  readonly outcome: string;
  /** Number of expected findings; `others` is the number of other findings. */
  readonly times: number;
  readonly others: number;
  readonly seconds: number;
  /** Ordinary tests that fail as well; absent if they were not run. */
  readonly tests?: readonly string[];
}

const foundCharactersMax = 140;
/** Time limit for one bug. On an idle small machine, a run takes from 20 to 50 seconds. */
const budgetSeconds = Number(options.budget);
const runsMax = 3;
// Enough payments for the statement test to find a bug, and few enough for a statement with the bug to finish within
// the time limit.
process.env["TOLLGATE_SIZE_PAYMENTS"] ??= "30000";
process.env["TOLLGATE_SIZE_LOG_ROWS"] ??= "20000";

// Exit handlers stop child processes and remove copies.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
process.exit(await runSeededBugs());

async function runSeededBugs(): Promise<number> {
  const numbers = options.only?.split(",");
  const bugs = seededBugs.filter(({ name }) => !numbers || numbers.includes(name.slice(0, 2)));
  const layers = options.control ? [...new Set(bugs.map(({ layer }) => layer))] : [];
  const controls: Row[] = [];
  const alwaysFail = options.tests ? await findAlwaysFailing() : new Set<string>();
  for (const layer of layers) controls.push(printRow(await runControl(layer)));
  const rows: Row[] = [];
  for (const bug of bugs) rows.push(printRow(await runBug(bug, alwaysFail)));
  process.stdout.write(`\n${formatTable(rows)}${controls.length > 0 ? `\n${formatTable(controls)}` : ""}`);
  if (options.report !== undefined) writeReport(options.report, rows, controls);
  const caught = rows.filter(({ holds }) => holds).length;
  const quiet = controls.filter(({ holds }) => holds).length;
  const controlled = options.control ? ` control=${quiet}/${controls.length}` : "";
  process.stdout.write(`seeded-bugs: caught=${caught}/${bugs.length}${controlled}\n`);
  return bugs.length > 0 && caught === bugs.length && quiet === controls.length ? 0 : 1;
}

async function runBug(bug: SeededBug, alwaysFail: ReadonlySet<string>): Promise<Row> {
  const row = { bug: `${bug.name.slice(0, 2)} ${bug.description}`, layer: bug.layer.name };
  const expected = describeExpected(bug.expected);
  const patch = fileURLToPath(new URL(`seeded-bugs/patches/${bug.name}.patch`, import.meta.url));
  let tree: CopiedTree;
  try {
    tree = copyTree(patch);
  } catch (error) {
    const reason = `the patch does not apply: ${error instanceof Error ? error.message : String(error)}`;
    return { ...row, expected, holds: false, outcome: oneLine(reason), times: 0, others: 0, seconds: 0 };
  }
  const outcome = await runUntilFound(bug, tree);
  const failing = options.tests && { tests: [...(await failingTests(tree)).difference(alwaysFail)] };
  tree.remove();
  return { ...row, expected, ...outcome, ...failing };
}

/** The expected finding, for people. */
function describeExpected(expected: SeededBug["expected"]): string {
  return typeof expected === "string" ? expected : expected.source.replaceAll(/\^|\(\?:|\)/g, "");
}

function isExpected(line: string, expected: SeededBug["expected"]): boolean {
  return typeof expected === "string" ? failedTest(line) === expected : expected.test(line);
}

/**
 * `runUntilFound` runs a layer until it reports the expected finding. It repeats a storm that misses the finding a few
 * times.
 */
async function runUntilFound(
  { layer, expected }: SeededBug,
  tree: CopiedTree,
): Promise<Pick<Row, "holds" | "outcome" | "times" | "others" | "seconds">> {
  let seconds = 0;
  let outcome = "";
  for (let run = 0; run < runsMax && seconds < budgetSeconds; run += 1) {
    const programRun = await runProgram(tree, layer.args(run), budgetSeconds - seconds);
    seconds += programRun.seconds;
    const expectedLines = programRun.lines.filter((line) => isExpected(line, expected));
    const others = programRun.lines.filter(isFinding).length - expectedLines.length;
    if (expectedLines[0] !== undefined && programRun.status !== 0 && programRun.status !== "too late")
      return {
        holds: true,
        outcome: oneLine(expectedLines[0]),
        times: expectedLines.length,
        others,
        seconds,
      };
    outcome = oneLine(`not found, exit status ${programRun.status}: ${findError(programRun.lines)}`);
  }
  return { holds: false, outcome, times: 0, others: 0, seconds };
}

/** Tests that also fail without a bug are ignored. */
async function findAlwaysFailing(): Promise<ReadonlySet<string>> {
  const tree = copyTree();
  const failing = await failingTests(tree);
  tree.remove();
  return failing;
}

async function runControl(layer: Layer): Promise<Row> {
  const tree = copyTree();
  const { status, lines, seconds } = await runProgram(tree, layer.args(0), budgetSeconds);
  tree.remove();
  const findings = lines.filter(isFinding);
  return {
    bug: "none",
    layer: layer.name,
    expected: "nothing",
    holds: status === 0,
    outcome: oneLine(
      status === 0 ? lastLine(lines) : `ended with ${status}: ${findings[0] ?? findError(lines)}`,
    ),
    times: 0,
    others: findings.length,
    seconds,
  };
}

function isFinding(line: string): boolean {
  return /^(?:lost|doubled|unbalanced|stuck|broken): |^MISS /.test(line) || failedTest(line) !== undefined;
}

/** `findError` returns the error in the output of a run without findings. */
function findError(lines: readonly string[]): string {
  return lines.find((line) => /\w*Error: /.test(line)) ?? lastLine(lines);
}

function lastLine(lines: readonly string[]): string {
  return lines.at(-1) ?? "";
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").slice(0, foundCharactersMax);
}

function printRow(row: Row): Row {
  const { bug, layer, holds, seconds, outcome } = row;
  process.stdout.write(`${holds ? "ok  " : "FAIL"} ${seconds} s  ${bug}; ${layer}: ${outcome}\n`);
  return row;
}

function formatTable(rows: readonly Row[]): string {
  const heads = ["bug", "layer", "expected finding", "", "after", "found", "times", "other findings"];
  if (options.tests) heads.push("ordinary tests that fail");
  const cells = rows.map((row) => {
    const verdict = row.bug === "none" ? "quiet" : "caught";
    const { bug, layer, expected, holds, seconds, outcome, times, others } = row;
    const counted = [`${seconds} s`, outcome, String(times), String(others)];
    const tests = options.tests ? [testsCell(row.tests)] : [];
    return [bug, layer, expected, holds ? verdict : "MISSED", ...counted, ...tests];
  });
  const line = (each: readonly string[]): string =>
    `| ${each.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return [line(heads), line(heads.map(() => "---")), ...cells.map(line)].join("");
}

function testsCell(tests: readonly string[] | undefined): string {
  if (tests === undefined) return "";
  const [first, ...moreTests] = tests;
  return first === undefined
    ? "none"
    : `${first}${moreTests.length > 0 ? `, and ${moreTests.length} more` : ""}`;
}

function writeReport(folder: string, rows: readonly Row[], controls: readonly Row[]): void {
  mkdirSync(folder, { recursive: true });
  const controlText =
    controls.length > 0 ? `\nThe same commands on the tree without a bug:\n\n${formatTable(controls)}` : "";
  writeFileSync(
    join(folder, "seeded-bugs.md"),
    `# Seeded bugs, ${new Date().toISOString().slice(0, 10)}\n\n\`${commandLine("seeded-bugs")}\` at commit ${commit()}.\n\nEach bug is a patch in \`proof/seeded-bugs/patches\`, applied to a copy of the tree. The layer has to end with the\nexpected finding; to fail in any other way does not count.\n\n${formatTable(rows)}${controlText}`,
  );
}
