import { fileURLToPath } from "node:url";
import { copyTree } from "../seeded-bugs/copied-tree.ts";
import { runProgram } from "../seeded-bugs/run-layer.ts";

const commandLineFor = (tries: number): readonly string[] => [
  "proof/commit-hole.ts",
  "--tries",
  String(tries),
  "only",
];
const budgetSeconds = 600;

/**
 * Negative control, because a proof must be able to fail: it counts the wrong results of a gateway that trusts
 * PostgreSQL. The patch removes the check that a commit reached the standby, and the handler of PostgreSQL's warning.
 */
export function countWithoutCheck(logProgress: (line: string) => void): Promise<number> {
  return countWrongAnswers(
    "05-standby-warning-swallowed",
    "with the check removed from a copy",
    20,
    logProgress,
  );
}

/**
 * Negative control with a gateway whose confirmation does not compare the server with the one that was read from. Two
 * rounds: with a disconnected standby, and with a frozen one.
 */
export function countWithoutBinding(logProgress: (line: string) => void): Promise<number> {
  return countWrongAnswers(
    "67-confirmed-by-another-server",
    "with confirmations by any server in a copy",
    40,
    logProgress,
  );
}

async function countWrongAnswers(
  patch: string,
  label: string,
  tries: number,
  logProgress: (line: string) => void,
): Promise<number> {
  const tree = copyTree(fileURLToPath(new URL(`../seeded-bugs/patches/${patch}.patch`, import.meta.url)));
  const { lines } = await runProgram(tree, commandLineFor(tries), budgetSeconds);
  tree.remove();
  const output = lines.join("\n");
  const wrongCount = /false_success=(\d+)/.exec(output)?.[1];
  if (wrongCount === undefined) throw new Error(`The copy did not finish: ${output.slice(-2_000)}`);
  const frozen = [...output.matchAll(/inquiries frozen for \d+ ms/g)].join(", ");
  logProgress(`${label} (${frozen}), ${wrongCount} answers are wrong`);
  return Number(wrongCount);
}
